import { mayTryNext } from '../../domain/providers/fallback.ts'
import type { SendResult } from '../contracts/payouts.ts'

/** Outcome after which a payout is neither polled nor sent again through its connection. */
export type TerminalOutcome = Extract<SendResult, { kind: 'settled' | 'rejected' | 'unreachable' }>

/** Result of sending a payout through its candidates once. */
export type SendingResult = {
  /** Outcome of the last candidate that was tried. */
  last: TerminalOutcome
  /** The candidates may be tried again later: one was not called, as it was unreachable or the balance too low. */
  retryLater: boolean
  /** An operator's pause kept one of them from being tried. */
  isPaused: boolean
}

/** Sends a payout through its candidates in order: the next one only where `mayTryNext` allows it after the outcome of the one before. */
export async function sendThroughCandidates(
  candidates: string[],
  sendThrough: (connectionUuid: string) => Promise<TerminalOutcome>,
): Promise<SendingResult> {
  const outcomes: TerminalOutcome[] = []
  for (const connectionUuid of candidates) {
    const last = await sendThrough(connectionUuid)
    outcomes.push(last)
    if (!mayTryNext('payout', last)) break
  }
  const last = outcomes.at(-1)!
  // Such outcomes have no cause in the payout itself and may be other ones later.
  const hasTransient = outcomes.some(
    outcome => outcome.kind === 'unreachable' || (outcome.kind === 'rejected' && outcome.canRetry),
  )
  const retryLater = mayTryNext('payout', last) && hasTransient
  const isPaused = outcomes.some(({ kind, ...outcome }) => 'code' in outcome && outcome.code === 'paused')
  return { last, retryLater, isPaused }
}
