import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Stack, startStack } from '../../support/stack.ts'
import { carryOutKilledBatch } from '../support/killed-batch.ts'
import { openTestStack, type TestStack } from '../support/test-stack.ts'

/** A batch whose workers are killed while it starts items: each item leaves at most once, and the counts are those of the items. */

let stack: Stack
let stage: TestStack
beforeAll(async () => {
  stack = await startStack()
  stage = await openTestStack(stack.home)
})
afterAll(async () => {
  await stage?.close()
  expect(await stack?.stop()).toBe(0)
})

test('a batch whose worker is killed again and again sends each item at most once', async () => {
  await carryOutKilledBatch({ stack, stage }, { items: 310, kills: 3, refusedLine: 300, limitMs: 360_000 })
})
