import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { LOCAL_ACTIVITY_TIMEOUT_MS } from '../../support/local-activity-timeout.ts'
import type { ScriptedAnswer, Story } from '../../support/workflow-story.ts'
import {
  chargeIssued,
  chargeKnown,
  failActivity,
  payoutInProcess,
  payoutSettled,
  refundOpened,
  transferRow,
} from '../../support/workflow-story-answers.ts'
import { SLOWLY, setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

describe('a poll after a new notification runs within the workflow task of its signal', () => {
  test('for a charge', async () => {
    const story = await unpaid([chargeKnown('paying'), chargeKnown('paid')])
    await story.notify()
    await story.waitForCalls(2)
    await story.notify()
    await story.finishWith('paid')
    expect(story.history.queuedActivities).toEqual([])
  })

  test('for a transfer', async () => {
    const story = await stories.transfer(
      {
        sendTransfer: [payoutInProcess],
        pollTransfer: [payoutSettled()],
        getTransfer: [transferRow('paid')],
      },
      { timeScale: SLOWLY },
    )
    await notifyOnceAccepted(story)
    await story.finishWith('paid')
    expect(story.history.queuedActivities).toEqual(['sendTransfer'])
  })

  test('for a refund', async () => {
    const story = await stories.refund(
      {
        openRefund: [refundOpened('sending')],
        sendRefund: [payoutInProcess],
        pollRefund: [payoutSettled()],
      },
      { timeScale: SLOWLY },
    )
    await notifyOnceAccepted(story)
    await story.finishWith('settled')
    expect(story.history.queuedActivities).toEqual(['sendRefund'])
  })

  test('for a return', async () => {
    const story = await stories.return(
      { sendReturn: [payoutInProcess], pollReturn: [payoutSettled()] },
      SLOWLY,
    )
    await story.waitForCalls(1)
    await story.notify()
    await story.finishWith('settled')
    expect(story.history.queuedActivities).toEqual(['sendReturn'])
  })

  test('for a workflow that has ended', async () => {
    const story = await stories.notifiedTransfer({
      pollTransfer: [payoutSettled()],
      getTransfer: [transferRow('paid'), transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.history.queuedActivities).toEqual([])
  })
})

describe('a poll runs as an activity of its own', () => {
  test('after a notification that is routed late, because many may arrive then', async () => {
    const story = await unpaid([chargeKnown('paid')])
    await story.notifyLate()
    await story.finishWith('paid')
    expect(story.history.queuedActivities).toEqual(['pollCharge'])
  })

  test('with a slow provider, for which the workflow task does not wait', async () => {
    const story = await unpaid([slowly(chargeKnown('paid')), chargeKnown('paid')])
    await story.notify()
    await story.waitForCalls(3)
    await story.finishWith('paid')
    expect(story.history.queuedActivities).toEqual(['pollCharge'])
  })

  test('after an interruption', async () => {
    const story = await unpaid([failActivity, chargeKnown('paid')])
    await story.notify()
    await story.finishWith('paid')
    expect(story.history.queuedActivities).toEqual(['pollCharge'])
  })

  test('without a notification', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutInProcess],
      pollTransfer: [payoutInProcess, payoutInProcess, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await notifyOnceAccepted(story)
    await story.waitForCalls(2)
    await story.finishWith('paid')
    expect(story.history.queuedActivities).toEqual(['sendTransfer', 'pollTransfer', 'pollTransfer'])
  })
})

describe('a charge is issued', () => {
  test('within the workflow task of its request', async () => {
    const story = await unpaid([chargeKnown('paid')])
    await story.notify()
    await story.finishWith('paid')
    expect(story.calls).toEqual(['issueCharge', 'pollCharge'])
    expect(story.history.queuedActivities).toEqual([])
  })

  for (const [reason, first] of [
    ['after an interruption', failActivity],
    ['with a slow provider, for which the workflow task does not wait', issueSlowly],
  ] as const)
    test(`by an activity of its own ${reason}`, async () => {
      const story = await stories.charge(
        { issueCharge: [first, chargeIssued()], pollCharge: [chargeKnown('paid')] },
        { timeScale: SLOWLY },
      )
      await story.notify()
      await story.finishWith('paid')
      expect(story.history.queuedActivities).toEqual(['issueCharge'])
    })
})

describe('a step in the database', () => {
  test('runs within the workflow task, also after failed attempts', async () => {
    const story = await stories.keepUnmatchedPayment({ keepUnmatchedPayment: [failActivity, true] })
    await story.finish()
    expect(story.history.queuedActivities).toEqual([])
  })

  test('runs as an activity of its own after six failed attempts, whose further attempts add nothing to the history', async () => {
    const failures = Array.from({ length: 6 }, () => failActivity)
    const story = await stories.keepUnmatchedPayment({
      keepUnmatchedPayment: [...failures, failActivity, true],
    })
    await story.finish()
    expect(story.calls).toHaveLength(8)
    expect(story.history.queuedActivities).toEqual(['keepUnmatchedPayment'])
  })
})

/** A charge that waits for its payer, with its provider's answers. */
async function unpaid(pollCharge: ScriptedAnswer<'pollCharge'>[]): Promise<Story> {
  const story = await stories.charge({ issueCharge: [chargeIssued()], pollCharge }, { timeScale: SLOWLY })
  await story.waitForCalls(1)
  return story
}

async function issueSlowly(story: Story) {
  await sleep(LOCAL_ACTIVITY_TIMEOUT_MS + 500)
  return chargeIssued()(story)
}

async function notifyOnceAccepted(story: Story): Promise<void> {
  await story.awaitAccepted()
  await story.notify()
}

/** Longer than a workflow task waits. */
function slowly<Said>(said: Said) {
  return async (): Promise<Said> => {
    await sleep(LOCAL_ACTIVITY_TIMEOUT_MS + 500)
    return said
  }
}
