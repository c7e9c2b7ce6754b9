import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow'
import { WAITS } from '../../domain/shared/intervals.ts'
import type { DepositReturnInput } from '../contracts/deposit-returns.ts'
import type { ReturnPaymentInput } from '../contracts/unmatched.ts'
import {
  createPollingPort,
  executePayout,
  type PayoutRun,
  type TerminalOutcome,
} from '../payouts/execute-payout.ts'
import { findRestoredPayout, searchAt } from '../payouts/restore.ts'
import { dbActivities } from '../shared/activity-proxies.ts'
import { ProviderInbox, pollUntilResolved } from '../shared/provider-inbox.ts'
import { startFollowUps } from '../shared/start-follow-ups.ts'

/** Codes of a PIX that is not held for a return (src/activities/unmatched/return-payout.ts). */
const UNORDERED_CODES = ['not_ordered', 'kept_for_the_account']

/** Workflow of a return: sends an unmatched PIX back to its payer, once, through the provider that received it. */
export async function returnWorkflow(input: ReturnPaymentInput): Promise<TerminalOutcome['kind']> {
  const { uuid, connectionUuid, timeScale, order } = input
  let { continuation, restored } = input
  const inbox = new ProviderInbox(timeScale, () => {
    const nextRunInput = {
      ...(order && { order }),
      ...(continuation && { continuation }),
      ...(restored && { restored }),
    }
    return continueAsNew<typeof returnWorkflow>({ uuid, connectionUuid, timeScale, ...nextRunInput })
  })
  const run: PayoutRun = {
    ...{ noun: 'Return', uuid, inbox },
    onPending(kind) {
      continuation = 'unknown_outcome'
      setCurrentDetails(`In progress (${kind}): the provider is polled`)
    },
  }
  const port = createPollingPort(run, connectionUuid)
  if (continuation === 'unknown_outcome') inbox.resumeManualSettlement()
  if (restored && order && !(await isOrderStored(order))) return 'rejected'
  if (continuation === 'late_update' && (await hasSettledLate())) return completeSettled()
  while (true) {
    const wasNotified = inbox.hasPending
    // A notification that came before the sending is not about its outcome.
    inbox.markProcessed()
    setCurrentDetails(
      restored ? 'Restoring the return of an unmatched PIX' : 'Returning an unmatched PIX to its payer',
    )
    const outcome = restored
      ? await findRestoredPayout(run, searchAt(connectionUuid, restored))
      : await executePayout({
          ...port,
          send: (isResend, { sendReturn }) => sendReturn({ uuid, connectionUuid, isResend }),
        })
    continuation = undefined
    restored = undefined
    if (outcome.kind === 'unreachable') {
      // No request left, and no other provider can return the PIX: the same one is tried again.
      setCurrentDetails(`Not sent yet: provider unreachable (${outcome.code}); retried`)
      await inbox.waitForNotification(WAITS.retryReturn, 'provider unreachable')
      // The notification is about a return that was sent before a restore of the database, or an operator retries it now.
      if (inbox.hasPending && (await hasSettledLate())) return completeSettled()
      continue
    }
    await startFollowUps(outcome, timeScale)
    if (outcome.kind === 'settled') return completeSettled()
    if (order && UNORDERED_CODES.includes(outcome.code) && (await isOrderStored(order))) {
      // The database was restored to a time before the order: the return may have been sent.
      restored = { orderedAt: workflowInfo().startTime.toISOString() }
      continue
    }
    setCurrentDetails(`Not returned: ${outcome.code}`)
    // The refusal may be an earlier one, read from the row: a notification makes the provider be polled.
    return (wasNotified || inbox.hasPending) && (await hasSettledLate()) ? completeSettled() : outcome.kind
  }

  /** Stores the order of the account again where a restored database lacks it. False where its deposit is not returned by it. */
  async function isOrderStored(lost: DepositReturnInput): Promise<boolean> {
    setCurrentDetails('Waits until its deposit is restored')
    const { failure } = await pollUntilResolved(() => dbActivities.rebuildReturnOrder(lost), inbox)
    if (failure !== null) setCurrentDetails(`Not returned: ${failure}`)
    return failure === null
  }

  /** Polls until the provider answers: whether the return has settled after its workflow's earlier outcome. */
  async function hasSettledLate(): Promise<boolean> {
    continuation = 'late_update'
    for (;;) {
      const result = await pollUntilResolved(port.poll, inbox)
      if ('deliveries' in result) await startFollowUps(result, timeScale)
      if (result.kind !== 'settled' && inbox.hasPending) continue
      continuation = undefined
      return result.kind === 'settled'
    }
  }
}

function completeSettled(): 'settled' {
  setCurrentDetails('Returned to its payer')
  return 'settled'
}
