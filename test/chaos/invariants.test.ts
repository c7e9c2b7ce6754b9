import { describe, expect, test } from '@jest/globals'
import type { FinalState } from './final-state.ts'
import {
  assignTo,
  findBrokenRules,
  findByUuid,
  firstOf,
  type PlantedViolation,
  removeWhere,
} from './support/planted-violations.ts'
import { disputeReply } from './support/valid-final-state.ts'

describe('invariants disputes', () => {
  /** Tests the checker: violations of disputes. */

  test.each<PlantedViolation>([
    [
      'a dispute without a running workflow',
      ['row_without_workflow', 'not_over', 'dispute_differs'],
      ({ disputes: meds }) => assignTo(firstOf(meds), { state: 'accepted' }),
    ],
    [
      'a dispute that its provider has and we have not',
      ['dispute_unknown', 'dispute_invented'],
      ({ disputesAtProvider: contested }) => assignTo(firstOf(contested), { id: 'dispute-2' }),
    ],
    [
      'one dispute as two rows',
      ['dispute_twice', 'not_announced'],
      ({ disputes: meds }) => meds.push({ ...firstOf(meds), uuid: 'med-2' }),
    ],
    [
      'a dispute decided otherwise than at its provider',
      ['dispute_differs'],
      ({ disputesAtProvider: contested }) => assignTo(firstOf(contested), { status: 'agreed' }),
    ],
    [
      'a reply sent twice',
      ['replied_twice'],
      ({ disputesAtProvider: contested }) =>
        assignTo(firstOf(contested), { replies: [disputeReply('letter'), disputeReply('another letter')] }),
    ],
    [
      'a claim that outlives its dispute',
      ['claims_differ'],
      ({ charges }) => assignTo(firstOf(charges), { disputedCents: 100 }),
    ],
    [
      'more held than is claimed',
      ['held_above_claim'],
      ({ disputes: meds }) => assignTo(firstOf(meds), { heldCents: 100 }),
    ],
    [
      'a return that the dispute does not know',
      ['dispute_returns_differ'],
      ({ movements }) => assignTo(findByUuid(movements, 'm-refund'), { med: 'med-1' }),
    ],
    [
      'money blocked for a closed dispute',
      ['held_for_nothing', 'provider_differs'],
      ({ buckets }) => buckets.push({ ...firstOf(buckets), bucket: 'blocked', cents: 5, foldCents: 5 }),
    ],
    [
      'a decision without an event',
      ['not_announced', 'announced_otherwise', 'announced_differently', 'arrived_differently'],
      ({ events }) => assignTo(findByUuid(events, 'event-med-1-2').data, { status: 'PENDING' }),
    ],
  ])('the checker finds %s', (_, rules, plant) => {
    expect(findBrokenRules(plant)).toEqual(rules.toSorted())
  })
})

describe('invariants batches', () => {
  /** Tests the checker: violations of batches and their items. */

  test.each<PlantedViolation>([
    [
      'an item that became two transfers',
      ['item_sent_twice', 'request_multiplied', 'not_announced', 'returns_differ'],
      ({ transfers }) =>
        transfers.push({ ...firstOf(transfers), uuid: 'transfer-2', state: 'paid', history: ['PAID'] }),
    ],
    [
      'an item that is started and has no transfer',
      ['item_lost', 'batch_counts_differ'],
      ({ transfers }) => assignTo(firstOf(transfers), { batch: null }),
    ],
    [
      'a transfer that is no item of its batch',
      ['item_without_batch', 'item_lost', 'batch_counts_differ'],
      ({ transfers, batchItems }) => {
        assignTo(firstOf(batchItems), { reference: 'other', transfer: 'transfer-9' })
        assignTo(firstOf(transfers), { batch: 'batch-1' })
      },
    ],
    [
      'a transfer of a batch that does not exist',
      ['item_without_batch', 'item_lost', 'batch_counts_differ'],
      ({ transfers }) => assignTo(firstOf(transfers), { batch: 'batch-9' }),
    ],
    [
      'an item that was sent with another value',
      ['item_sent_otherwise', 'batch_items_differ'],
      ({ batchItems }) => assignTo(firstOf(batchItems), { cents: 501 }),
    ],
    [
      'an item that was sent under another uuid than its own',
      ['item_sent_otherwise', 'batch_counts_differ'],
      ({ batchItems }) => assignTo(firstOf(batchItems), { transfer: 'transfer-9' }),
    ],
    [
      'an item of another account than its batch\u2019s',
      ['item_sent_otherwise'],
      ({ batches }) => assignTo(firstOf(batches), { account: 'friend' }),
    ],
    [
      'a batch without one of its items',
      ['batch_items_differ', 'item_without_batch', 'batch_counts_differ'],
      ({ batchItems }) => void batchItems.pop(),
    ],
    [
      'counts that are not those of the items',
      ['batch_counts_differ'],
      ({ resources }) => assignTo(resources.get('batch-1').counts, { partially_refunded: 0, refunded: 1 }),
    ],
    [
      'an item that was never started, of a completed batch',
      ['item_left', 'completed_with_items_left', 'batch_items_differ', 'batch_counts_differ'],
      ({ batchItems }) =>
        batchItems.push({ ...firstOf(batchItems), line: 2, state: 'pending', transfer: 't', reference: 'r' }),
    ],
    [
      'a cancelled item that was sent',
      ['cancelled_item_sent', 'completed_with_items_left'],
      ({ batchItems }) => assignTo(firstOf(batchItems), { state: 'cancelled' }),
    ],
    [
      'a completed batch with a transfer that has not ended',
      ['completed_with_items_left', 'not_over', 'row_without_workflow', 'batch_counts_differ'],
      ({ transfers }) => assignTo(firstOf(transfers), { state: 'settling' }),
    ],
    [
      'a batch that is not over, without a workflow',
      ['row_without_workflow', 'not_over'],
      ({ batches }) => assignTo(firstOf(batches), { state: 'processing' }),
    ],
    [
      'a batch that is cancelled for an item that has not failed',
      ['cancelled_without_failure', 'announced_otherwise', 'not_announced'],
      ({ batches }) =>
        assignTo(firstOf(batches), {
          state: 'cancelled',
          cancelReason: 'item_failed',
          sendMode: 'ALL_VALID',
        }),
    ],
    [
      'an item that was started before the batch was approved',
      ['started_before_approval'],
      ({ batches }) => assignTo(firstOf(batches).approval!, { decidedAtMs: 2_001 }),
    ],
    [
      'an item of a batch that was rejected',
      ['started_before_approval'],
      ({ batches }) => assignTo(firstOf(batches).approval!, { decision: 'rejected' }),
    ],
    [
      'a batch whose end was not announced',
      ['not_announced', 'arrived_differently'],
      ({ events }) => removeWhere(events, one => one.type === 'BATCH'),
    ],
    [
      'a key that created two batches',
      ['request_multiplied', 'not_announced', 'batch_items_differ', 'batch_counts_differ'],
      ({ batches }) => batches.push({ ...firstOf(batches), uuid: 'batch-2' }),
    ],
    [
      'an accepted batch that does not exist',
      ['accepted_and_lost'],
      ({ requests }) =>
        assignTo(requests.find(({ kind }) => kind === 'batch')!, {
          answers: [{ status: 202, code: null, uuid: 'batch-0', body: 'same' }],
        }),
    ],
    [
      'a batch of the other mode than its request',
      ['created_in_other_mode', 'item_sent_otherwise'],
      ({ batches }) => assignTo(firstOf(batches), { mode: 'live' }),
    ],
  ])('the checker finds %s', (_, rules, plant) => {
    expect(findBrokenRules(plant)).toEqual(rules.toSorted())
  })
})

describe('invariants statements', () => {
  /** Tests the checker: it names every planted violation. Here of statements, modes and accounts that are shared. */

  const rowsOf = ({ statements }: FinalState, account = 'shop') =>
    statements.find(one => one.account === account && one.mode === 'test')!.rows
  const rowOf = (world: FinalState, endToEnd: string) => rowsOf(world).find(row => row.endToEnd === endToEnd)!

  /** Changes a row and all balances after it. */
  function addTo(world: FinalState, endToEnd: string, cents: number): void {
    const rows = rowsOf(world)
    const place = rows.findIndex(row => row.endToEnd === endToEnd)
    assignTo(rows[place]!, { cents: rows[place]!.cents + cents })
    for (const row of rows.slice(place)) assignTo(row, { balanceCents: row.balanceCents + cents })
  }

  test.each<PlantedViolation>([
    [
      'a PIX of the bank that is on no statement',
      ['bank_line_unmatched', 'statement_end_differs'],
      world => removeWhere(rowsOf(world), row => row.endToEnd === 'E3'),
    ],
    [
      'a row of a statement that the bank does not list',
      ['statement_row_unmatched'],
      world => rowsOf(world).push({ ...rowsOf(world).at(-1)!, cents: 0, endToEnd: 'E9' }),
    ],
    [
      'a PIX that is on a statement twice',
      ['statement_row_unmatched', 'statement_balance_differs'],
      world => rowsOf(world).push(rowOf(world, 'E3')),
    ],
    [
      'a row of another value than the bank\u2019s',
      ['bank_line_unmatched', 'statement_row_unmatched', 'statement_end_differs'],
      world => addTo(world, 'E3', 1),
    ],
    [
      'a row of the other direction',
      ['bank_line_unmatched', 'statement_row_unmatched', 'statement_end_differs'],
      world => addTo(world, 'D2', -400),
    ],
    [
      'a PIX without its end-to-end id',
      ['bank_line_unmatched', 'statement_row_unmatched'],
      world => assignTo(rowOf(world, 'E2'), { endToEnd: '' }),
    ],
    [
      'an end-to-end id on a row that is no PIX',
      ['statement_row_unmatched'],
      world => assignTo(rowsOf(world).find(({ type }) => type === 'FEE')!, { endToEnd: 'E1' }),
    ],
    [
      'a PIX that left, on a row of an order that never left',
      ['bank_line_unmatched'],
      world => assignTo(rowOf(world, 'E2'), { status: 'FAILED' }),
    ],
    [
      'an account that has spent more than its own',
      ['spent_more_than_own', 'statement_end_differs'],
      world => {
        for (const row of rowsOf(world, 'friend')) assignTo(row, { balanceCents: row.balanceCents - 310 })
        assignTo(firstOf(rowsOf(world, 'friend')), { cents: -10 })
      },
    ],
    [
      'a PIX on the statement of another account than its operation\u2019s',
      ['line_of_other_account', 'spent_more_than_own', 'statement_end_differs'],
      world => {
        const [row] = rowsOf(world).splice(rowsOf(world).length - 3, 1)
        const friend = rowsOf(world, 'friend')
        friend.push({ ...row!, balanceCents: friend.at(-1)!.balanceCents + row!.cents })
        for (const one of rowsOf(world).slice(-2))
          assignTo(one, { balanceCents: one.balanceCents - row!.cents })
      },
    ],
    [
      'more available than the bank has',
      ['available_above_bank', 'provider_differs'],
      ({ buckets }) => buckets.push({ ...firstOf(buckets), cents: 11, foldCents: 11 }),
    ],
    [
      'a charge that is attempted in the other mode',
      ['moved_in_other_mode', 'charge_not_at_provider'],
      ({ attempts }) => assignTo(findByUuid(attempts, 'attempt-1'), { providerAccount: 'p-live' }),
    ],
    [
      'a transfer of the other mode than its money',
      [
        ...['moved_in_other_mode', 'created_in_other_mode', 'announced_in_other_mode', 'not_sent'],
        'item_sent_otherwise',
      ],
      ({ transfers, events }) => {
        assignTo(firstOf(transfers), { mode: 'live' })
        for (const event of events.filter(one => one.subject === 'transfer-1'))
          assignTo(event, { mode: 'live' })
      },
    ],
    [
      'money of one mode on the statement of the other',
      ['shown_in_other_mode'],
      ({ statements }) => {
        const live = statements.find(({ mode }) => mode === 'live')!
        live.rows.push(...statements.find(({ account }) => account === 'friend')!.rows.splice(0))
        assignTo(live, { account: 'friend' })
      },
    ],
    [
      'an operation that the other mode\u2019s token reads',
      ['readable_in_other_mode'],
      ({ readableInOtherMode }) => readableInOtherMode.push('charge-1'),
    ],
  ])('the checker finds %s', (_, rules, plant) => {
    expect(findBrokenRules(plant)).toEqual(rules.toSorted())
  })
})

describe('invariants workflows', () => {
  /** Tests the checker: violations of workflows, requests and events. */

  test.each<PlantedViolation>([
    [
      'a row without a workflow',
      ['row_without_workflow', 'not_over', 'completed_with_items_left', 'batch_counts_differ'],
      ({ transfers }) => assignTo(firstOf(transfers), { state: 'settling' }),
    ],
    [
      'a row that never ends',
      ['not_over', 'completed_with_items_left', 'batch_counts_differ'],
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
      'a look-up that was answered and is not stored',
      ['accepted_and_lost'],
      ({ keyLookups }) => keyLookups.pop(),
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
        charges.at(-1)!.state = 'failed'
        charges.at(-1)!.endToEnd = null
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
})
