import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MAX_BATCH_ITEMS } from '../../../src/domain/transfers/transfer-batch.ts'
import { type Stack, startStack } from '../../support/stack.ts'
import { carryOutKilledBatch } from '../support/killed-batch.ts'
import { openTestStack, type TestStack } from '../support/test-stack.ts'

/** The largest batch whose workers are killed: `npm run test:nightly`. */

const KILLS = 10

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

test('a batch of 5,000 items whose worker is killed ten times sends each item at most once', async () => {
  const seconds = await carryOutKilledBatch(
    { stack, stage },
    { items: MAX_BATCH_ITEMS, kills: KILLS, refusedLine: 300, limitMs: 1_800_000 },
  )
  process.stdout.write(`${MAX_BATCH_ITEMS} items, ${KILLS} kills: ${seconds.toFixed(0)} s\n`)
}, 7_200_000)
