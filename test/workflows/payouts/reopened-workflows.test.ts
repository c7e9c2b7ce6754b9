import { describe, expect, test } from '@jest/globals'
import type { ActivityResult } from '../../support/workflow-story.ts'
import {
  attemptRunningAt,
  notFoundWithin,
  payoutInProcess,
  payoutSettled,
  SETTLED_ATTEMPT,
  transferRow,
} from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

/**
 * Workflows of rows that had lost theirs: they poll for the provider that has the payout, follow it to its end, and
 * send nothing.
 */

const stories = setUpWorkflowStories()
const transferFoundAt = (connectionUuid: string): ActivityResult<'restoreTransfer'> => ({
  kind: 'found',
  connectionUuid,
})
const nowhere: ActivityResult<'restoreTransfer'> = { ...notFoundWithin(), connectionUuid: 'connection-a' }
const neverWent: ActivityResult<'restoreTransfer'> = {
  ...{ kind: 'rejected', code: 'not_found_after_restore', finality: 'final' },
  ...{ deliveries: [], returns: [] },
}
const bankSettlement = {
  ...SETTLED_ATTEMPT,
  as: 'settled',
  endToEnd: 'E1',
  reason: 'the bank says so',
} as const

describe('a reopened transfer', () => {
  test('is found at the provider that has it and followed to its settlement', async () => {
    const story = await stories.reopenedTransfer({
      restoreTransfer: [transferFoundAt('connection-b')],
      pollTransfer: [payoutInProcess, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
  })

  test('has failed once all providers have twice answered that they do not know it', async () => {
    const story = await stories.reopenedTransfer({
      restoreTransfer: [nowhere, nowhere, nowhere, neverWent],
      failTransfer: [transferRow('failed')],
    })
    await story.finishWith('failed')
    expect(story.calls).not.toContain('sendTransfer')
  })

  test('is looked up again where an attempt is live when it is to fail', async () => {
    const story = await stories.reopenedTransfer({
      restoreTransfer: [nowhere, nowhere, nowhere, neverWent, transferFoundAt('connection-b')],
      failTransfer: [attemptRunningAt('connection-b')],
      pollTransfer: [payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
  })

  test('accepts the settlement of the operator who had it reopened', async () => {
    const story = await stories.reopenedTransfer({
      restoreTransfer: Array(9).fill({ kind: 'unknown', connectionUuid: 'connection-a' }),
      manuallySettleTransfer: [payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.settleManually(bankSettlement)
    expect(await story.finish()).toBe('paid')
  })
})

describe('a reopened refund', () => {
  test('is found and followed', async () => {
    const story = await stories.reopenedRefund({
      restoreRefund: [transferFoundAt('connection-a')],
      pollRefund: [payoutInProcess, payoutSettled()],
    })
    await story.finishWith('settled')
  })

  test('that its provider never received has failed', async () => {
    const story = await stories.reopenedRefund({ restoreRefund: [nowhere, nowhere, nowhere, neverWent] })
    await story.finishWith('failed')
  })
})

describe('a reopened return', () => {
  test('is found and followed, and not sent', async () => {
    const story = await stories.reopenedReturn({
      restoreReturn: [transferFoundAt('connection-a')],
      pollReturn: [payoutSettled()],
    })
    await story.finishWith('settled')
  })

  test('accepts the settlement of the operator who had it reopened', async () => {
    const story = await stories.reopenedReturn({
      restoreReturn: Array(9).fill({ kind: 'unknown', connectionUuid: 'connection-a' }),
      manuallySettleReturn: [payoutSettled()],
    })
    await story.settleManually(bankSettlement)
    expect(await story.finish()).toBe('settled')
  })
})

test('the hourly sweep compares rows and workflows once', async () => {
  const swept = { checked: 3, reopened: 1, notReopened: 1 }
  const story = await stories.workflowSweep({ sweepWorkflows: [swept] })
  expect(await story.finish()).toEqual(swept)
})
