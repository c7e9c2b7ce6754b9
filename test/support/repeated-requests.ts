import { expect } from '@jest/globals'
import { pollUntil } from '../api/support/poll-until.ts'

/**
 * Repeats a request until its response is final, as docs/errors.md says; `repeats` counts. On a busy machine one of many
 * concurrent requests may not end within its time.
 */
export async function repeatUntilFinal<T>(
  send: () => Promise<T>,
  isFinal: (answer: T) => boolean,
): Promise<T & { repeats: number }> {
  let repeats = -1
  const answer = await pollUntil(
    () => {
      repeats += 1
      return send()
    },
    isFinal,
    { limitMs: 40_000, everyMs: 1_000 },
  )
  return { ...answer, repeats }
}

/** Expects one original among the responses to one key; where requests were repeated, it may be one that was lost. */
export function expectOneOriginal(answers: { headers: Headers; repeats: number }[]): void {
  const originals = answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)
  expect(originals.length).toBeLessThanOrEqual(1)
  if (answers.every(({ repeats }) => repeats === 0)) expect(originals).toHaveLength(1)
}
