import type { Final } from './sending.ts'

/** Result of a fallback round. `mayBeTriedAgain`: a candidate's outcome says nothing of the transfer itself. */
export type Round = {
  last: Final
  mayBeTriedAgain: boolean
  /** An operator's pause kept one of them from being tried. */
  isPaused: boolean
}

/** Tries the candidates in order, until one settles it or refuses for a reason of the payment itself. */
export async function tryInTurn(
  candidates: string[],
  sendThrough: (connectionUuid: string) => Promise<Final>,
): Promise<Round> {
  const words: Final[] = []
  for (const connectionUuid of candidates) {
    const last = await sendThrough(connectionUuid)
    words.push(last)
    if (last.kind === 'settled' || isFinal(last)) break
  }
  const last = words.at(-1)!
  const mayBeTriedAgain = last.kind !== 'settled' && !isFinal(last) && words.some(saysNothing)
  const isPaused = words.some(({ kind, ...word }) => 'code' in word && word.code === 'paused')
  return { last, mayBeTriedAgain, isPaused }
}

/** A refusal for a reason of the payment itself: no other provider is tried. */
function isFinal(word: Final): boolean {
  return word.kind === 'rejected' && word.finality === 'final'
}

/** No balance at the provider, or the provider is unreachable: neither says anything about the payment itself. */
function saysNothing(word: Final): boolean {
  return word.kind === 'unreachable' || (word.kind === 'rejected' && word.code === 'insufficient_balance')
}
