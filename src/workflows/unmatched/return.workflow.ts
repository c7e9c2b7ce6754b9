import { continueAsNew, setCurrentDetails } from '@temporalio/workflow'
import { WAITS } from '../../domain/shared/intervals.ts'
import type { ReturnPaymentInput } from '../contracts/unmatched.ts'
import {
  createPollingPort,
  executePayout,
  type PayoutRun,
  type TerminalOutcome,
} from '../payouts/execute-payout.ts'
import { findRestoredPayout, searchAt } from '../payouts/restore.ts'
import { ProviderInbox, pollUntilResolved } from '../shared/provider-inbox.ts'
import { startFollowUps } from '../shared/start-follow-ups.ts'

/** Workflow of a return: sends an unmatched PIX back to its payer, once, through the provider that received it. */
export async function returnWorkflow(input: ReturnPaymentInput): Promise<TerminalOutcome['kind']> {
  const { uuid, connectionUuid, timeScale } = input
  let { continuation, restored } = input
  const inbox = new ProviderInbox(timeScale, () => {
    const nextRunInput = { ...(continuation && { continuation }), ...(restored && { restored }) }
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
    setCurrentDetails(`Not returned: ${outcome.code}`)
    // The refusal may be an earlier one, read from the row: a notification makes the provider be polled.
    return (wasNotified || inbox.hasPending) && (await hasSettledLate()) ? completeSettled() : outcome.kind
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
