import { expect, test } from '@jest/globals'
import {
  assignTo,
  findBrokenRules,
  findByUuid,
  firstOf,
  type PlantedViolation,
  removeWhere,
} from './support/planted-violations.ts'

/** Tests the checker: violations of workflows, requests and events. */

test.each<PlantedViolation>([
  [
    'a row without a workflow',
    ['row_without_workflow', 'not_over'],
    ({ transfers }) => assignTo(firstOf(transfers), { state: 'settling' }),
  ],
  [
    'a row that never ends',
    ['not_over'],
    ({ transfers, runningWorkflowIds: running }) => {
      firstOf(transfers).state = 'sending'
      running.push('transfer/transfer-1')
    },
  ],
  [
    'a workflow that cannot be replayed',
    ['history_does_not_replay'],
    ({ failedReplays: unreplayed }) =>
      unreplayed.push({ workflowId: 'charge/charge-1', error: 'nondeterminism' }),
  ],
  [
    'a workflow without a row',
    ['workflow_without_row'],
    ({ runningWorkflowIds: running }) => running.push('charge/charge-1'),
  ],
  [
    'a charge that waits for no refund',
    ['row_without_workflow', 'not_over'],
    ({ charges }) => assignTo(firstOf(charges), { state: 'refunding' }),
  ],
  [
    'an unmatched PIX without a return',
    ['row_without_workflow', 'not_over'],
    ({ movements }) => assignTo(findByUuid(movements, 'm-deposit'), { disposition: 'held' }),
  ],
  [
    'a delivery without a workflow',
    ['row_without_workflow', 'not_over', 'not_delivered'],
    ({ deliveries }) => assignTo(firstOf(deliveries), { status: 'PENDING' }),
  ],
  [
    'a notification that no workflow processed',
    ['notification_not_routed'],
    ({ unroutedNotifications: waitingNotifications }) => waitingNotifications.push('notification-1'),
  ],
  [
    'an orphan that is still open',
    ['row_without_workflow', 'not_over'],
    ({ attempts }) => assignTo(findByUuid(attempts, 'attempt-closed'), { state: 'orphan' }),
  ],
  [
    'an orphan payload that can be paid',
    ['undisclosed_payload_payable'],
    ({ undisclosedPayloads: unseen }) => assignTo(firstOf(unseen), { status: 'open' }),
  ],
  [
    'an accepted charge that does not exist',
    ['accepted_and_lost'],
    ({ requests: asked }) =>
      firstOf(asked).answers.splice(0, 3, { status: 201, code: null, uuid: 'charge-0', body: 'same' }),
  ],
  [
    'a transfer "not confirmed" whose workflow created no row',
    ['accepted_and_lost'],
    ({ requests: asked, startedWorkflowIds: begun }) => {
      asked[1]!.answers.push({ status: 503, code: 'not_confirmed', uuid: 'transfer-0', body: 'same' })
      begun.push('transfer/transfer-0')
    },
  ],
  [
    'an order without a key that its caller read as absent, and that was sent',
    ['absent_and_sent'],
    ({ lines, requests: asked }) => {
      assignTo(lines[2]!, { id: 'transferabsent' })
      assignTo(asked[1]!, { absent: ['transfer-absent'] })
    },
  ],
  [
    'a key that created two charges',
    ['key_made_several', 'request_multiplied'],
    ({ requests: asked, charges }) => {
      charges.push({
        ...firstOf(charges),
        uuid: 'charge-2',
        state: 'pending',
        history: [],
        receivedCents: 0,
        refundedCents: 0,
      })
      charges[1]!.state = 'failed'
      charges[1]!.endToEnd = null
      firstOf(asked).answers.push({ status: 201, code: null, uuid: 'charge-2', body: 'same' })
    },
  ],
  [
    'another body accepted under a used key',
    ['other_body_taken'],
    ({ requests: asked }) =>
      firstOf(asked).answers.push({ status: 201, code: null, uuid: 'charge-1', body: 'other' }),
  ],
  [
    'an internal error',
    ['answered_500'],
    ({ requests: asked }) =>
      firstOf(asked).answers.push({ status: 500, code: 'internal_error', uuid: null, body: 'same' }),
  ],
  [
    'a final state that was not announced',
    ['not_announced', 'event_out_of_order', 'arrived_differently'],
    ({ events }) => removeWhere(events, one => one.uuid === 'event-transfer-1-1'),
  ],
  [
    'a settled movement that was not announced',
    ['not_announced', 'arrived_differently'],
    ({ events }) => removeWhere(events, one => one.subject === 'm-deposit'),
  ],
  [
    'the last event telling another state',
    ['announced_otherwise', 'announced_differently', 'arrived_differently', 'not_announced'],
    ({ events }) => assignTo(findByUuid(events, 'event-charge-1-2').data, { status: 'PAID' }),
  ],
  [
    'an event that shows another resource than GET',
    ['announced_differently'],
    ({ resources: shown }) => assignTo(shown.get('transfer-1'), { value: 7 }),
  ],
  [
    'an event of a charge without its settled refund',
    ['announced_differently', 'arrived_differently'],
    ({ events }) => assignTo(findByUuid(events, 'event-charge-1-2').data, { refund_uuids: [] }),
  ],
  [
    'a lost webhook',
    ['never_arrived'],
    ({ receivedDeliveries: heard }) => removeWhere(heard, one => one.event === 'event-refund-1-1'),
  ],
  ['a webhook never sent', ['not_sent'], ({ deliveries }) => void deliveries.pop()],
  [
    'a webhook with another content',
    ['arrived_differently'],
    ({ receivedDeliveries: heard }) => assignTo(heard[0]!, { data: { status: 'PAID' } }),
  ],
  [
    'a resource that cannot be read',
    ['not_readable'],
    ({ resources: shown }) => void shown.delete('charge-1'),
  ],
])('the checker finds %s', (_, rules, plant) => {
  expect(findBrokenRules(plant)).toEqual(rules.toSorted())
})
