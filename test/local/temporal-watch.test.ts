import { afterEach, expect, jest, test } from '@jest/globals'
import { watchTemporal } from '../../packages/dev/services/temporal.ts'

afterEach(() => void jest.restoreAllMocks())

/**
 * Watches a server until its second restart or its 40th call; returns how many calls came before each restart. Each call
 * takes 10 ms of a clock that nothing else moves.
 */
async function countCallsUntilRestarts(isAnswered: (call: number) => boolean): Promise<number[]> {
  const end = new AbortController()
  const restartedAfter: number[] = []
  let calls = 0
  jest.spyOn(performance, 'now').mockImplementation(() => calls * 10)
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
    checkEveryMs: 1,
  })
  return restartedAfter
}

test('a server that answers no call is restarted, and again only after the whole time', async () => {
  expect(await countCallsUntilRestarts(call => call <= 3)).toEqual([13, 23])
})

test('a server that answers now and then is not restarted', async () => {
  expect(await countCallsUntilRestarts(call => call % 2 === 1)).toEqual([])
})
