import type { RestorePayoutResult, RestorePoll } from '../../activities/disaster-recovery/restore-payout.ts'
import type { PollResult } from '../../activities/payouts/payout-handler.ts'
import { WAITS } from '../../domain/shared/intervals.ts'
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
  searchProviders: look,
  portFor: follower,
  inbox: notices,
}: PayoutSearch): Promise<TerminalOutcome> {
  const absence = new AbsenceProof(notices.timeScale)
  const doubt = new UnknownOutcomeAlert(notices.timeScale)
  let isFinalPoll = false
  notices.enableManualSettlement()
  for (let asked = 0; ; asked++) {
    notices.markProcessed()
    const told = await look({ pollCount: asked, isFinalPoll: isFinalPoll })
    if (told.kind === 'found') {
      doubt.clear()
      return pollFoundPayout(follower(told.connectionUuid))
    }
    if (told.kind === 'rejected') return over(told)
    const isAbsent = told.kind === 'not_found' && !hadSettled
    const waitMs = isAbsent ? absence.recordNotFound(told.settleWindowMs) : WAITS.nextPoll(asked + 1)
    isFinalPoll ||= waitMs === null
    if (waitMs === null) continue
    if (!isAbsent) doubt.markUnknown()
    const { onPending: pending, settleManually: settleBy } = follower(told.connectionUuid)
    pending('unknown')
    await notices.waitForNotification(waitMs, `${told.kind}: look again`)
    const word = notices.nextManualSettlement()
    const sent = word && (await settleBy(word))
    if (sent?.kind === 'settled' || sent?.kind === 'rejected') return over(sent)
  }

  function over(last: TerminalOutcome): TerminalOutcome {
    doubt.clear()
    notices.disableManualSettlement()
    return last
  }
}

/** Polls where `sendOnce` would send: the provider has the payout, now or later. */
function pollFoundPayout({ poll: ask, ...follower }: Omit<PayoutPort, 'send'>): Promise<TerminalOutcome> {
  const askAgain = async (asked: number, canAnswerFromRow?: boolean): Promise<PollResult> => {
    const told = await ask(asked, canAnswerFromRow)
    return told.kind === 'not_started' ? { kind: 'unknown', code: told.kind } : told
  }
  return executePayout({ ...follower, poll: askAgain, send: () => askAgain(0) })
}
