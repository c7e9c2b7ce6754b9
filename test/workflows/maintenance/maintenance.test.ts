import { expect, test } from '@jest/globals'
import { failActivity } from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

const compared = (providerAccountUuid: string) => ({
  providerAccountUuid,
  matched: 3,
  repaired: 1,
  differences: 0,
})

test('every provider account is compared, one after another', async () => {
  const story = await stories.reconciliation(
    { listProviderAccounts: [['one', 'two']], reconcile: [compared('one'), compared('two')] },
    24,
  )
  await story.finishWith([compared('one'), compared('two')])
  expect(story.calls).toEqual(['listProviderAccounts', 'reconcile', 'reconcile'])
})

test('an account whose comparison always breaks off is reported as not compared, and later ones are compared', async () => {
  const story = await stories.reconciliation(
    {
      listProviderAccounts: [['one', 'two', 'three']],
      reconcile: [compared('one'), failActivity, failActivity, failActivity, compared('three')],
    },
    24,
  )
  const notCompared = { matched: 0, repaired: 0, differences: 0, noAnswer: 'broken_off' }
  await story.finishWith([compared('one'), { providerAccountUuid: 'two', ...notCompared }, compared('three')])
  expect(story.calls).toEqual(['listProviderAccounts', ...Array(5).fill('reconcile')])
})

test('a statement that breaks off is read again, and after the third time left to the next run', async () => {
  const failReconciliation = (): never => {
    throw new Error('no answer')
  }
  const story = await stories.reconciliation(
    {
      listProviderAccounts: [['one']],
      reconcile: [failReconciliation, failReconciliation, failReconciliation],
    },
    24,
  )
  await expect(story.finish()).rejects.toThrow()
  expect(story.calls).toEqual(['listProviderAccounts', 'reconcile', 'reconcile', 'reconcile'])
})

test('changed counters are folded, and their number is returned', async () => {
  const story = await stories.listCounters({ foldListCounters: [42] })
  await story.finishWith(42)
  expect(story.calls).toEqual(['foldListCounters'])
})

test('the reports of schedules are ordered, and their number is returned', async () => {
  const story = await stories.reportSchedules({ orderScheduledReports: [failActivity, { ordered: 2 }] })
  await story.finishWith({ ordered: 2 })
})
