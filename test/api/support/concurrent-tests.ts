import { beforeAll, test } from '@jest/globals'

/** Runs tests that mostly wait concurrently; each is reported as a test of its own. */
export function runConcurrentTests(stories: Record<string, () => Promise<void>>): void {
  const results = new Map<string, Promise<PromiseSettledResult<void>[]>>()
  beforeAll(() => {
    for (const [name, story] of Object.entries(stories)) results.set(name, Promise.allSettled([story()]))
  })
  test.each(Object.keys(stories))('%s', async name => {
    const [ending] = (await results.get(name)) ?? []
    if (ending?.status === 'rejected') throw ending.reason
  })
}
