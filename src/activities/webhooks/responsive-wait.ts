/** Step in which a wait is counted. */
const STEP_MS = 50
/** A wait ends after this many times its limit, however busy the process is. */
const MAX_STRETCH = 2

/**
 * Returns the result of work, or `'silent'` where it takes longer than `limitMs`. The wait is counted in steps: a process that is
 * too busy to count makes fewer of them, so that its own delay is not mistaken for that of the work.
 */
export async function waitResponsively<Result>(
  work: Promise<Result>,
  limitMs: number,
): Promise<Result | 'silent'> {
  const { promise: silence, resolve } = Promise.withResolvers<'silent'>()
  const startedMs = performance.now()
  let countedMs = 0
  const timer = setInterval(() => {
    countedMs += STEP_MS
    if (countedMs >= limitMs || performance.now() - startedMs >= MAX_STRETCH * limitMs) resolve('silent')
  }, STEP_MS)
  try {
    return await Promise.race([work, silence])
  } finally {
    clearInterval(timer)
  }
}
