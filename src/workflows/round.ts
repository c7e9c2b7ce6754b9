import type { Final } from './sending.ts'

/** What the candidates came to; a scheduled transfer may be tried again where one of them said nothing of it. */
export type Round = {
  last: Final
  mayBeTriedAgain: boolean
  /** An operator's pause kept one of them from being tried. */
  isPaused: boolean
}

/** Tries the candidates in order, until one takes it or refuses for a reason that travels with it. */
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

/** A definite no for a reason that travels with the payment. */
function isFinal(word: Final): boolean {
  return word.kind === 'rejected' && word.finality === 'final'
}

/** No balance, or nobody reachable: neither says anything about the payment itself. */
function saysNothing(word: Final): boolean {
  return word.kind === 'unreachable' || (word.kind === 'rejected' && word.code === 'insufficient_balance')
}
