import {
  allHandlersFinished,
  condition,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow'
import { type ChargeState, chargeMachine } from '../../domain/charges/charge.ts'
import { type RecurrenceState, recurrenceMachine } from '../../domain/recurrences/recurrence.ts'
import { type RefundState, refundMachine } from '../../domain/refunds/refund.ts'
import { type TransferState, transferMachine } from '../../domain/transfers/transfer.ts'
import { awaitIssuedUpdate } from '../contracts/charges.ts'
import { awaitResultUpdate, listCandidates } from '../contracts/orders.ts'
import type { RebuildInput, RebuiltOperation } from '../contracts/rebuild.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'
import { WORKFLOWS } from '../contracts/workflows.ts'
import { idempotentProviderActivities } from '../shared/activity-proxies.ts'
import { ProviderInbox, pollUntilResolved } from '../shared/provider-inbox.ts'
import { startChildOnce, startFollowUps } from '../shared/start-follow-ups.ts'
import { upsertVisibility } from '../shared/workflow-info.ts'

/**
 * Workflow of an operation whose rows a restored backup lacks, or has in an earlier state (SPEC §11). It writes the rows
 * again, once providers have answered and the rows that they depend on are there, and continues as new as the operation's
 * own workflow, which goes on from them as after any interruption. Sends and issues nothing itself; a transfer that was scheduled and
 * that no provider was called for is sent by its own workflow, as ordered.
 */
export async function rebuildWorkflow({ rebuild, timeScale }: RebuildInput): Promise<string> {
  const inbox = new ProviderInbox(timeScale, () => continueAs('rebuildWorkflow', { rebuild, timeScale }))
  let state: string | undefined
  const isRebuilt = () => condition(() => state !== undefined)
  setHandler(awaitResultUpdate, isRebuilt, { description: 'Waits until the operation is rebuilt' })
  setHandler(awaitIssuedUpdate, async () => isRebuilt().then(() => state as ChargeState), {
    description: 'Waits until the charge is rebuilt',
  })
  setCurrentDetails('Rebuilding its rows: waits for providers, and for the rows that it depends on')
  const result = await pollUntilResolved(() => idempotentProviderActivities.rebuildOperation(rebuild), inbox)
  state = result.state
  for (const attemptUuid of result.orphans ?? [])
    await startChildOnce('orphan', attemptUuid, { attemptUuid, timeScale })
  upsertVisibility([
    ...(result.connectionUuid ? [{ key: SEARCH_ATTRIBUTES.provider, value: result.connectionUuid }] : []),
    ...(result.isEnded ? [{ key: SEARCH_ATTRIBUTES.status, value: statusOf(rebuild.noun, state) }] : []),
  ])
  await startFollowUps(result, timeScale)
  await condition(allHandlersFinished)
  const { type } = WORKFLOWS[rebuild.noun]
  if (!result.isEnded) return continueAs(type, buildNextInput(rebuild, timeScale))
  if (!inbox.hasNotification || rebuild.noun === 'pix_key') return state
  // A signal is not delivered again: the operation's own workflow polls for what has happened after its end.
  const { pendingConnections } = inbox
  return continueAs(type, { reopen: rebuild.order.uuid, timeScale, pendingConnections })
}

/** Builds the input by which the operation's own workflow goes on from its rows. */
function buildNextInput({ noun, order, restored }: RebuiltOperation, timeScale: number): object {
  if (noun === 'pix_key' || restored.isScheduled) return order
  const { uuid: reopen } = order
  if (noun === 'charge') return { reopen, timeScale, pendingConnections: [] }
  if (noun === 'recurrence') return { reopen, timeScale }
  const unfinished = { candidates: listCandidates(order), orderedAt: restored.orderedAt }
  return { reopen, timeScale, unfinished, isRebuilt: true }
}

function statusOf(noun: RebuiltOperation['noun'], state: string): string {
  switch (noun) {
    case 'charge':
      return chargeMachine.statusOf(state as ChargeState)
    case 'transfer':
      return transferMachine.statusOf(state as TransferState)
    case 'refund':
      return refundMachine.statusOf(state as RefundState)
    case 'recurrence':
      return recurrenceMachine.statusOf(state as RecurrenceState)
    default:
      return state.toUpperCase()
  }
}

function continueAs(workflowType: string, input: object): Promise<never> {
  return makeContinueAsNewFunc<(input: object) => Promise<unknown>>({ workflowType })(input)
}
