import { expect, test } from '@jest/globals'
import { watchTemporal } from '../../src/dev/services/temporal-watch.ts'

/** Watches a server until its second restart or its 40th call; returns how many calls came before each restart. */
async function countCallsUntilRestarts(isAnswered: (call: number) => boolean): Promise<number[]> {
  const end = new AbortController()
  const restartedAfter: number[] = []
  let calls = 0
  await watchTemporal({
    check: async () => {
      calls++
      if (calls === 40) end.abort()
      return isAnswered(calls)
    },
    restart() {
      restartedAfter.push(calls)
      if (restartedAfter.length === 2) end.abort()
    },
    abort: end.signal,
    maxUnansweredMs: 100,
    checkEveryMs: 10,
  })
  return restartedAfter
}

test('a server that answers no call is restarted, and again only after the whole time', async () => {
  const [first, second] = await countCallsUntilRestarts(call => call <= 3)
  expect(first).toBeGreaterThan(3)
  expect(second! - first!).toBeGreaterThan(1)
})

test('a server that answers now and then is not restarted', async () => {
  expect(await countCallsUntilRestarts(call => call % 2 === 1)).toEqual([])
})
