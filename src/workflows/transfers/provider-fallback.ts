import type { TerminalOutcome } from '../payouts/execute-payout.ts'

/** Result of a fallback round. `mayBeTriedAgain`: a candidate's outcome says nothing of the transfer itself. */
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
  const words: TerminalOutcome[] = []
  for (const connectionUuid of candidates) {
    const last = await sendThrough(connectionUuid)
    words.push(last)
    if (last.kind === 'settled' || stopsFallback(last)) break
  }
  const last = words.at(-1)!
  const mayBeTriedAgain = last.kind !== 'settled' && !stopsFallback(last) && words.some(isTransient)
  const isPaused = words.some(({ kind, ...word }) => 'code' in word && word.code === 'paused')
  return { last, retryLater: mayBeTriedAgain, isPaused }
}

/** A refusal for a reason of the payment itself: no other provider is tried. */
function stopsFallback(word: TerminalOutcome): boolean {
  return word.kind === 'rejected' && word.finality === 'final'
}

/** No balance at the provider, or the provider is unreachable: neither says anything about the payment itself. */
function isTransient(word: TerminalOutcome): boolean {
  return word.kind === 'unreachable' || (word.kind === 'rejected' && word.code === 'insufficient_balance')
}
