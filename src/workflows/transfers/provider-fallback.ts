import { mayTryNext } from '../../domain/providers/fallback.ts'
import type { TerminalOutcome } from '../payouts/execute-payout.ts'

/** Result of trying the candidates once. */
export type FallbackResult = {
  /** Outcome of the last candidate that was tried. */
  last: TerminalOutcome
  /** A scheduled transfer is tried again: a candidate was not called, as it was unreachable or the balance too low. */
  retryLater: boolean
  /** An operator's pause kept one of them from being tried. */
  isPaused: boolean
}

/** Tries the candidate providers in order: the next one only where `mayTryNext` allows it after the outcome of the one before. */
export async function tryProvidersInOrder(
  candidates: string[],
  sendThrough: (connectionUuid: string) => Promise<TerminalOutcome>,
): Promise<FallbackResult> {
  const outcomes: TerminalOutcome[] = []
  for (const connectionUuid of candidates) {
    const last = await sendThrough(connectionUuid)
    outcomes.push(last)
    if (!mayTryNext('transfer', last)) break
  }
  const last = outcomes.at(-1)!
  // Such outcomes have no cause in the transfer itself and may be other ones later.
  const hasTransient = outcomes.some(
    outcome => outcome.kind === 'unreachable' || (outcome.kind === 'rejected' && outcome.canRetry),
  )
  const retryLater = mayTryNext('transfer', last) && hasTransient
  const isPaused = outcomes.some(({ kind, ...outcome }) => 'code' in outcome && outcome.code === 'paused')
  return { last, retryLater, isPaused }
}
