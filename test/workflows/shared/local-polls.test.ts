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
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()
/** Nobody asks on a schedule before he is told, however busy the machine: the server's clock goes on by itself too. */
const SLOWLY = 1 / 1_000

describe('what a provider told just now is asked within the task that heard of it', () => {
  test('of a charge', async () => {
    const story = await unpaid([chargeKnown('paying'), chargeKnown('paid')])
    await story.notify()
    await story.waitForCalls(2)
    await story.notify()
    await story.finishWith('paid')
    expect(story.history.queuedActivities).toEqual(['issueCharge'])
  })

  test('of a transfer', async () => {
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

  test('of a refund', async () => {
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

  test('of money on its way back', async () => {
    const story = await stories.return(
      { sendReturn: [payoutInProcess], pollReturn: [payoutSettled()] },
      SLOWLY,
    )
    await story.waitForCalls(1)
    await story.notify()
    await story.finishWith('settled')
    expect(story.history.queuedActivities).toEqual(['sendReturn'])
  })

  test('of a life that is over', async () => {
    const story = await stories.notifiedTransfer({
      pollTransfer: [payoutSettled()],
      getTransfer: [transferRow('paid'), transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.history.queuedActivities).toEqual([])
  })
})

describe('by an activity of its own is asked', () => {
  test('what a notice tells that is handed over late: many may come then', async () => {
    const story = await unpaid([chargeKnown('paid')])
    await story.notifyLate()
    await story.finishWith('paid')
    expect(story.history.queuedActivities).toEqual(['issueCharge', 'pollCharge'])
  })

  test('a provider that takes its time: the task waits for it no longer', async () => {
    const story = await unpaid([slowly(chargeKnown('paid')), chargeKnown('paid')])
    await story.notify()
    await story.waitForCalls(3)
    await story.finishWith('paid')
    expect(story.history.queuedActivities).toEqual(['issueCharge', 'pollCharge'])
  })

  test('what broke off', async () => {
    const story = await unpaid([failActivity, chargeKnown('paid')])
    await story.notify()
    await story.finishWith('paid')
    expect(story.history.queuedActivities).toEqual(['issueCharge', 'pollCharge'])
  })

  test('what nobody told of', async () => {
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

/** A charge that waits for its payer, and what its provider says of it. */
async function unpaid(pollCharge: ScriptedAnswer<'pollCharge'>[]): Promise<Story> {
  const story = await stories.charge({ issueCharge: [chargeIssued()], pollCharge }, { timeScale: SLOWLY })
  await story.waitForCalls(1)
  return story
}

async function notifyOnceAccepted(story: Story): Promise<void> {
  await story.awaitAccepted()
  await story.notify()
}

/** Longer than a task waits. */
function slowly<Said>(said: Said) {
  return async (): Promise<Said> => {
    await sleep(LOCAL_ACTIVITY_TIMEOUT_MS + 500)
    return said
  }
}
