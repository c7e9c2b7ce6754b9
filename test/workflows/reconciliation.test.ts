import { expect, test } from '@jest/globals'
import { crash } from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()

const compared = (providerAccountUuid: string) => ({
  providerAccountUuid,
  matched: 3,
  repaired: 1,
  differences: 0,
})

test('every provider account is compared, one after another', async () => {
  const story = await on.reconciliation(
    { providerAccounts: [['one', 'two']], reconcile: [compared('one'), compared('two')] },
    24,
  )
  await story.endsAs([compared('one'), compared('two')])
  expect(story.asked).toEqual(['providerAccounts', 'reconcile', 'reconcile'])
})

test('one that breaks off each time is told as not compared, and those after it are compared', async () => {
  const story = await on.reconciliation(
    {
      providerAccounts: [['one', 'two', 'three']],
      reconcile: [compared('one'), crash, crash, crash, compared('three')],
    },
    24,
  )
  const notCompared = { matched: 0, repaired: 0, differences: 0, noAnswer: 'broken_off' }
  await story.endsAs([compared('one'), { providerAccountUuid: 'two', ...notCompared }, compared('three')])
  expect(story.asked).toEqual(['providerAccounts', ...Array(5).fill('reconcile')])
})

test('a statement that breaks off is read again, and after the third time left to the next run', async () => {
  const broken = (): never => {
    throw new Error('no answer')
  }
  const story = await on.reconciliation(
    { providerAccounts: [['one']], reconcile: [broken, broken, broken] },
    24,
  )
  await expect(story.ends()).rejects.toThrow()
  expect(story.asked).toEqual(['providerAccounts', 'reconcile', 'reconcile', 'reconcile'])
})
