import { expect, test } from '@jest/globals'
import { dialStory as story } from './dial-story.ts'

test('a slow endpoint delays nobody else, not even its neighbour on the same host', async () => {
  const { post } = await story(
    (request, response) => {
      if (request.url === '/fast') response.end('fast')
    },
    { timeoutMs: 4_000, lane: { width: 4, patienceMs: 2_000 } },
  )
  let hasOneEnded = false
  const slow = Promise.all(
    Array.from({ length: 40 }, async () => {
      const tried = await post({ path: '/slow' })
      hasOneEnded = true
      return tried
    }),
  )
  const fast = await Promise.all(Array.from({ length: 8 }, () => post({ path: '/fast' })))
  expect(fast.map(tried => tried.kind)).toEqual(Array(8).fill('answered'))
  expect(hasOneEnded).toBe(false)

  const kinds = (await slow).map(tried => tried.kind)
  expect(kinds.filter(kind => kind === 'timeout')).toHaveLength(4)
  expect(kinds.filter(kind => kind === 'no_connection')).toHaveLength(36) // No place came free.
})

test('a busy endpoint is called by a few at a time until all have been', async () => {
  let now = 0
  let most = 0
  const { post } = await story(
    (_, response) => {
      most = Math.max(most, ++now)
      setTimeout(() => response.end(() => now--), 20)
    },
    { lane: { width: 3, patienceMs: 5_000 } },
  )
  const tried = await Promise.all(Array.from({ length: 30 }, () => post()))
  expect(tried.every(({ kind }) => kind === 'answered')).toBe(true)
  expect(most).toBeLessThanOrEqual(3)
})
