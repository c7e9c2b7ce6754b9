import { expect } from '@jest/globals'

/** Expects one original among the responses to one key; where requests were repeated, it may be one that was lost. */
export function expectOneOriginal(answers: { headers: Headers; repeats: number }[]): void {
  const originals = answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)
  expect(originals.length).toBeLessThanOrEqual(1)
  if (answers.every(({ repeats }) => repeats === 0)) expect(originals).toHaveLength(1)
}
