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
    { everyMs: 1_000 },
  )
  return { ...answer, repeats }
}
