import { WAITS } from '../../domain/shared/intervals.ts'
import type { PollResult, RestorePayoutResult, RestorePoll } from '../contracts/payouts.ts'
import { AbsenceProof, type ProviderInbox } from '../shared/provider-inbox.ts'
import {
  executePayout,
  type PayoutPort,
  type TerminalOutcome,
  UnknownOutcomeAlert,
} from './execute-payout.ts'

/** How candidates are polled for a payout, and how it is polled further at the one that has it. */
export type PayoutSearch = {
  /** The workflow had seen it settled: then no "not found" proves that it was not sent. */
  hadSettled: boolean
  searchProviders: (at: RestorePoll) => Promise<RestorePayoutResult>
  portFor: (connectionUuid: string) => Omit<PayoutPort, 'send'>
  inbox: ProviderInbox
}

/**
 * Finds a payout whose database was restored to a time before it was sent (SPEC §11), and polls it to its end. Sends nothing:
 * where all candidates have twice answered "not found", the last poll closes it.
 */
export async function findRestoredPayout({
  hadSettled,
  searchProviders,
  portFor: polling,
  inbox,
}: PayoutSearch): Promise<TerminalOutcome> {
  const absence = new AbsenceProof(inbox.timeScale)
  const alert = new UnknownOutcomeAlert(inbox.timeScale)
  let isFinalPoll = false
  inbox.enableManualSettlement()
  for (let pollCount = 0; ; pollCount++) {
    inbox.markProcessed()
    const result = await searchProviders({ pollCount, isFinalPoll })
    if (result.kind === 'found') {
      alert.clear()
      return pollFoundPayout(polling(result.connectionUuid))
    }
    if (result.kind === 'rejected') return complete(result)
    const isNotFound = result.kind === 'not_found' && !hadSettled
    const waitMs = isNotFound ? absence.recordNotFound(result.settleWindowMs) : WAITS.nextPoll(pollCount + 1)
    isFinalPoll ||= waitMs === null
    if (waitMs === null) continue
    if (!isNotFound) alert.markUnknown()
    const { onPending, settleManually } = polling(result.connectionUuid)
    onPending('unknown')
    await inbox.waitForNotification(waitMs, `${result.kind}: next poll`)
    const settlement = inbox.nextManualSettlement()
    const sent = settlement && (await settleManually(settlement))
    if (sent?.kind === 'settled' || sent?.kind === 'rejected') return complete(sent)
  }

  function complete(last: TerminalOutcome): TerminalOutcome {
    alert.clear()
    inbox.disableManualSettlement()
    return last
  }
}

/** Polls where `sendPayoutOnce` would send: the provider has the payout, now or later. */
function pollFoundPayout({ poll, ...polling }: Omit<PayoutPort, 'send'>): Promise<TerminalOutcome> {
  const pollStarted = async (pollCount: number, canAnswerFromRow?: boolean): Promise<PollResult> => {
    const result = await poll(pollCount, canAnswerFromRow)
    return result.kind === 'not_started' ? { kind: 'unknown', code: result.kind } : result
  }
  return executePayout({ ...polling, poll: pollStarted, send: () => pollStarted(0) })
}
