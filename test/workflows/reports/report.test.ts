import { expect, test } from '@jest/globals'
import { failActivity } from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

const DAY_MS = 86_400_000
const stored = 'pending' as const
const waits = { kind: 'wait' } as const
const ready = { kind: 'ready', keepMs: 30 * DAY_MS } as const
const closed = { kind: 'closed' } as const

test('a report waits for its turn, is built, and its file is deleted after 30 days', async () => {
  const story = await stories.report({
    openReport: [stored],
    buildReport: [waits, failActivity, ready],
    closeReport: ['expired'],
  })
  await story.awaitAccepted()
  await story.finishWith('expired')
  expect(story.history.timers).toEqual(['another report is built first: 5 s', 'the file is kept: 720 h'])
})

test('a report that is removed while its file is kept ends at once', async () => {
  const story = await stories.report({
    openReport: [stored],
    buildReport: [ready],
    closeReport: ['expired'],
  })
  await story.waitForTimers(1)
  await story.passTime(DAY_MS)
  await story.removeReport()
  await story.finishWith('expired')
  expect(story.history.timers).toEqual(['the file is kept: 720 h, woken'])
})

test('a report that is cancelled while it waits is not built', async () => {
  const story = await stories.report({ openReport: [stored], buildReport: [waits], closeReport: ['failed'] })
  await story.waitForTimers(1)
  await story.removeReport()
  await story.finishWith('failed')
  expect(story.calls).toEqual(['openReport', 'buildReport', 'closeReport'])
})

test('a report whose lines are too many ends without a file', async () => {
  const story = await stories.report({ openReport: [stored], buildReport: [closed], closeReport: ['failed'] })
  await story.finishWith('failed')
})

test('a report whose row had lost its workflow is built from it', async () => {
  const story = await stories.reopenedReport({ buildReport: [ready], closeReport: ['expired'] })
  await story.finishWith('expired')
})

test('a report that waits for weeks continues as new', async () => {
  const story = await stories.report({
    openReport: [stored],
    buildReport: [waits, waits, ready],
    closeReport: ['expired'],
  })
  await story.waitForCalls(2)
  await story.growHistory()
  await story.finishWith('expired')
})
