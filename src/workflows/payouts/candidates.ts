import { mayTryNext } from '../../domain/providers/fallback.ts'
import { PACED } from '../../domain/providers/provider.ts'
import { WAITS } from '../../domain/shared/intervals.ts'
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

/**
 * Sends a payout through its candidates in order: the next one only where `mayTryNext` allows it after the outcome of the one before.
 * A candidate whose pace leaves no room for the payout is waited for a short time while there are others; where none of these takes
 * it, it is sent through that candidate after all, as long as that may take. `sendThrough` gets the longest wait, unscaled.
 */
export async function sendThroughCandidates(
  candidates: string[],
  sendThrough: (connectionUuid: string, maxTurnWaitMs: number) => Promise<TerminalOutcome>,
): Promise<SendingResult> {
  const { turn, turnBeforeNextProvider } = WAITS
  const outcomes = new Map<string, TerminalOutcome>()
  const firstWaitMs = candidates.length > 1 ? turnBeforeNextProvider : turn
  const sendings = candidates.map(connectionUuid => ({ connectionUuid, maxTurnWaitMs: firstWaitMs }))
  let last: TerminalOutcome | undefined
  for (const { connectionUuid, maxTurnWaitMs } of sendings) {
    last = await sendThrough(connectionUuid, maxTurnWaitMs)
    outcomes.set(connectionUuid, last)
    if (!mayTryNext('payout', last)) break
    if ('code' in last && last.code === PACED && maxTurnWaitMs < turn)
      sendings.push({ connectionUuid, maxTurnWaitMs: turn })
  }
  // Such outcomes have no cause in the payout itself and may be other ones later.
  const hasTransient = [...outcomes.values()].some(
    outcome => outcome.kind === 'unreachable' || (outcome.kind === 'rejected' && outcome.canRetry),
  )
  const retryLater = mayTryNext('payout', last!) && hasTransient
  const isPaused = [...outcomes.values()].some(
    ({ kind, ...outcome }) => 'code' in outcome && outcome.code === 'paused',
  )
  return { last: last!, retryLater, isPaused }
}
