import { mayTryNext } from '../../domain/providers/fallback.ts'
import type { TerminalOutcome } from '../payouts/execute-payout.ts'

/** Result of a fallback round. `retryLater`: a candidate's outcome says nothing of the transfer itself. */
export type FallbackResult = {
  last: TerminalOutcome
  retryLater: boolean
  /** An operator's pause kept one of them from being tried. */
  isPaused: boolean
}

/** Tries the candidates in order, until one settles it or refuses for a reason of the payment itself. */
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
  const retryLater = mayTryNext('transfer', last) && outcomes.some(isTransient)
  const isPaused = outcomes.some(({ kind, ...outcome }) => 'code' in outcome && outcome.code === 'paused')
  return { last, retryLater, isPaused }
}

/** No balance at the provider, or the provider is unreachable: neither says anything about the payment itself. */
function isTransient(outcome: TerminalOutcome): boolean {
  return (
    outcome.kind === 'unreachable' || (outcome.kind === 'rejected' && outcome.code === 'insufficient_balance')
  )
}
