import { setTimeout as sleep } from 'node:timers/promises'

/** Polls until the value fits, and answers it; fails after the limit with the last value. */
export async function pollUntil<T>(
  ask: () => Promise<T> | T,
  fits: (answer: NoInfer<T>) => boolean,
  { limitMs = 20_000, everyMs = 50 }: { limitMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = Date.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (fits(answer)) return answer
    if (Date.now() > deadline)
      throw new Error(`Not within ${limitMs} ms: ${fits}\nat last: ${JSON.stringify(answer, null, 1)}`)
    await sleep(everyMs)
  }
}
