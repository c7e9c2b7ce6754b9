import { describe, expect, test } from '@jest/globals'
import type { ActivityResult } from '../../support/workflow-story.ts'
import {
  afterNotification,
  attemptRunningAt,
  chargeKnown,
  chargeNoAnswer,
  chargeRow,
  notFoundWithin,
  payoutInProcess,
  payoutNotFound,
  payoutRejected,
  payoutSettled,
  payoutUnknown,
  pendingChargeRow,
  recurrenceKnown,
  recurrenceRow,
  SETTLED_ATTEMPT,
  transferRow,
  webhookDelivered,
} from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

/**
 * SPEC §11: rebuilt workflows, which are newer than their restored database, and reopened ones, of rows that had lost
 * theirs. They follow what a provider has to its end, and whatever they find, they send and issue nothing.
 */

const stories = setUpWorkflowStories()
const HOUR = 3_600_000

/** A workflow that had ended so, or that still ran, when its database was restored. */
const rebuilt = (ended?: string) => ({
  orderedAt: '2026-11-01T00:00:00.000Z',
  ...(ended !== undefined && { ended }),
})
/** The rows are written again. */
const rebuiltAs = (
  state: string,
  more: Partial<Extract<ActivityResult<'rebuildOperation'>, { kind: 'known' }>> = {},
): ActivityResult<'rebuildOperation'> => ({ kind: 'known', state, isEnded: false, ...more })
const transferFoundAt = (connectionUuid: string): ActivityResult<'lookUpTransfer'> => ({
  kind: 'found',
  connectionUuid,
})
const transferUnknown: ActivityResult<'lookUpTransfer'> = {
  kind: 'unknown',
  code: 'no_answer',
  connectionUuid: 'connection-a',
}
const notFoundAtCandidates: ActivityResult<'lookUpTransfer'> = {
  ...notFoundWithin(),
  connectionUuid: 'connection-a',
}
const provedUnsent: ActivityResult<'lookUpTransfer'> = {
  kind: 'rejected',
  code: 'not_found_after_restore',
  finality: 'final',
  deliveries: [],
  returns: [],
}

const bankSettlement = {
  ...SETTLED_ATTEMPT,
  as: 'settled',
  endToEnd: 'E1',
  reason: 'the bank says so',
} as const

describe('a rebuilt transfer', () => {
  test('is found at the provider that has it, and followed there to its settlement', async () => {
    const event = stories.uuid()
    const story = await stories.rebuiltTransfer(
      {
        rebuildOperation: [rebuiltAs('created')],
        lookUpTransfer: [transferUnknown, transferFoundAt('connection-b')],
        pollTransfer: [payoutInProcess, payoutUnknown, payoutSettled()],
        getTransfer: [transferRow('paid', { deliveries: [event] })],
        attemptDelivery: [webhookDelivered],
      },
      rebuilt(),
    )
    await story.finishWith('paid')
    expect(story.history.timers.slice(0, 2)).toEqual([
      'alert operators: outcome unknown: 10 min, woken',
      'unknown: next poll: 5 s',
    ])
    expect(story.attemptedDeliveries).toEqual([event])
  })

  test('has failed once all providers have twice answered after the settle window that they do not know it', async () => {
    const story = await stories.rebuiltTransfer(
      {
        rebuildOperation: [rebuiltAs('created')],
        lookUpTransfer: [notFoundAtCandidates, notFoundAtCandidates, notFoundAtCandidates, provedUnsent],
        failTransfer: [transferRow('failed')],
      },
      rebuilt('failed'),
    )
    await story.finishWith('failed')
    expect(story.calls.slice(1)).toEqual([
      ...Array(3).fill('lookUpTransfer'),
      'lookUpTransfer isFinalPoll',
      'failTransfer',
    ])
    expect(story.history.timers).toEqual(['not_found: next poll: 10 min', 'not_found: next poll: 1 min'])
  })

  test('whose order awaits approval is absent only after it was not found for the whole window', async () => {
    const awaitingApproval = { ...transferUnknown, code: 'awaiting_approval' }
    const story = await stories.rebuiltTransfer(
      {
        rebuildOperation: [rebuiltAs('created')],
        lookUpTransfer: [
          ...[notFoundAtCandidates, notFoundAtCandidates, notFoundAtCandidates, awaitingApproval],
          ...[notFoundAtCandidates, notFoundAtCandidates, notFoundAtCandidates, provedUnsent],
        ],
        failTransfer: [transferRow('failed')],
      },
      rebuilt(),
    )
    await story.finishWith('failed')
    expect(story.calls.slice(1, -1)).toEqual([
      ...Array(3).fill('lookUpTransfer'),
      'lookUpTransfer isFinalPoll',
      ...Array(3).fill('lookUpTransfer'),
      'lookUpTransfer isFinalPoll',
    ])
  })

  test('that was seen to settle stays settled, whatever is not found now: an operator ends it', async () => {
    const story = await stories.rebuiltTransfer(
      {
        rebuildOperation: [rebuiltAs('created')],
        lookUpTransfer: Array(9).fill({ ...transferUnknown, code: 'not_found' }),
        manuallySettleTransfer: [payoutSettled()],
        getTransfer: [transferRow('paid')],
      },
      rebuilt('paid'),
    )
    await story.passTime(3 * HOUR)
    expect(story.calls).not.toContain('lookUpTransfer isFinalPoll')
    await story.settleManually({
      ...SETTLED_ATTEMPT,
      as: 'settled',
      endToEnd: 'E1',
      reason: 'the bank says so',
    })
    expect(await story.finish()).toBe('paid')
  })

  test('that is no longer found at its provider is polled there, and never sent', async () => {
    const story = await stories.rebuiltTransfer(
      {
        rebuildOperation: [rebuiltAs('sending')],
        lookUpTransfer: [transferFoundAt('connection-a')],
        pollTransfer: [
          payoutNotFound,
          payoutNotFound,
          payoutNotFound,
          payoutNotFound,
          { kind: 'not_started' },
          payoutSettled(),
        ],
        getTransfer: [transferRow('paid')],
      },
      rebuilt(),
    )
    await story.finishWith('paid')
  })

  test('that was cancelled before it was sent is cancelled again, and no provider is called', async () => {
    const story = await stories.rebuiltTransfer(
      { rebuildOperation: [rebuiltAs('cancelled', { isEnded: true })] },
      rebuilt('cancelled'),
    )
    await story.finishWith('cancelled')
  })

  test('whose time has not come continues as ordered', async () => {
    const story = await stories.rebuiltTransfer(
      {
        rebuildOperation: [rebuiltAs('created')],
        storeTransfer: [transferRow('created')],
        sendTransfer: [payoutSettled()],
        getTransfer: [transferRow('paid')],
      },
      { ...rebuilt(), isScheduled: true },
    )
    await story.finishWith('paid')
    expect(story.callTimesMs[2]! - story.callTimesMs[1]!).toBeGreaterThanOrEqual(HOUR - 60_000)
  })
})

describe('a rebuilt refund', () => {
  test('waits for its charge, is found and followed', async () => {
    const story = await stories.rebuiltRefund(
      {
        rebuildOperation: [{ kind: 'unknown', code: 'not_found' }, rebuiltAs('sending')],
        lookUpRefund: [transferUnknown, transferFoundAt('connection-a')],
        pollRefund: [payoutInProcess, payoutSettled()],
      },
      rebuilt(),
    )
    await story.finishWith('settled')
  })

  test('that its provider never received has failed', async () => {
    const story = await stories.rebuiltRefund(
      {
        rebuildOperation: [rebuiltAs('sending')],
        lookUpRefund: [notFoundAtCandidates, notFoundAtCandidates, notFoundAtCandidates, provedUnsent],
      },
      rebuilt(),
    )
    await story.finishWith('failed')
  })

  test('that its provider has refused since has failed', async () => {
    const story = await stories.rebuiltRefund(
      {
        rebuildOperation: [rebuiltAs('sending')],
        lookUpRefund: [transferFoundAt('connection-a')],
        pollRefund: [payoutRejected],
      },
      rebuilt('failed'),
    )
    await story.finishWith('failed')
  })
})

describe('a rebuilt charge', () => {
  test('has its provider’s state again, and is polled immediately', async () => {
    const story = await stories.rebuiltCharge(
      {
        rebuildOperation: [{ kind: 'unknown', code: 'timeout' }, rebuiltAs('pending')],
        getCharge: [pendingChargeRow()],
        pollCharge: [chargeNoAnswer(), chargeKnown('paid')],
      },
      rebuilt('paid'),
    )
    await story.finishWith('paid')
  })

  test('that had failed has the payload of a provider cancelled', async () => {
    const orphan = stories.uuid()
    const story = await stories.rebuiltCharge(
      {
        rebuildOperation: [rebuiltAs('failed', { isEnded: true, orphans: [orphan] })],
        closeOrphan: [{ kind: 'closed', deliveries: [], returns: [] }],
      },
      rebuilt('failed'),
    )
    await story.finishWith('failed')
    expect(story.history.childWorkflowIds).toEqual([`orphan/${orphan}`])
  })

  test('that was not paid yet continues to its end', async () => {
    const story = await stories.rebuiltCharge(
      {
        rebuildOperation: [rebuiltAs('pending')],
        getCharge: [pendingChargeRow()],
        pollCharge: [chargeKnown('pending'), chargeKnown('expired')],
      },
      rebuilt(),
    )
    await story.finishWith('expired')
    expect(story.calls.slice(1)).toEqual(['getCharge', 'pollCharge', 'pollCharge isPayloadExpired'])
  })

  test('that no provider knows has failed', async () => {
    const story = await stories.rebuiltCharge(
      { rebuildOperation: [rebuiltAs('failed', { isEnded: true })] },
      rebuilt(),
    )
    await story.finishWith('failed')
  })
})

test('a notification that arrives while an ended operation is rebuilt is polled by its own workflow', async () => {
  const story = await stories.rebuiltCharge(
    {
      rebuildOperation: [afterNotification(rebuiltAs('cancelled', { isEnded: true }))],
      getCharge: [chargeRow('cancelled')],
      pollCharge: [chargeKnown('paid')],
    },
    rebuilt('cancelled'),
  )
  await story.finishWith('paid')
})

describe('a rebuilt return', () => {
  test('is looked up once its deposit is restored, and not sent', async () => {
    const story = await stories.rebuiltReturn(
      {
        rebuildOperation: [{ kind: 'unknown', code: 'not_found' }, rebuiltAs('returning')],
        lookUpReturn: [transferFoundAt('connection-a')],
        pollReturn: [payoutSettled()],
      },
      rebuilt(),
    )
    await story.finishWith('settled')
    expect(story.calls.slice(2)).toEqual(['lookUpReturn', 'pollReturn'])
  })

  test('ends where its deposit was returned meanwhile', async () => {
    const story = await stories.rebuiltReturn(
      { rebuildOperation: [rebuiltAs('rejected', { isEnded: true })] },
      rebuilt(),
    )
    await story.finishWith('rejected')
  })
})

describe('a rebuilt recurrence', () => {
  test('goes on from its row, and is not created', async () => {
    const story = await stories.rebuiltRecurrence(
      {
        rebuildOperation: [{ kind: 'unknown', code: 'timeout' }, rebuiltAs('active')],
        getRecurrence: [recurrenceRow('active')],
        pollRecurrence: [recurrenceKnown('cancelled')],
      },
      rebuilt(),
    )
    await story.finishWith('cancelled')
  })
})

describe('a rebuilt key', () => {
  test('is polled at its provider, and not created', async () => {
    const story = await stories.rebuiltPixKey(
      {
        rebuildOperation: [rebuiltAs('creating')],
        openPixKey: ['creating'],
        createKey: [{ kind: 'unknown', code: 'interrupted' }],
        pollPixKey: [{ kind: 'closed', state: 'active' }],
      },
      rebuilt('active'),
    )
    await story.finishWith('active')
  })
})

describe('a reopened transfer', () => {
  test('is found at the provider that has it and followed to its settlement', async () => {
    const story = await stories.reopenedTransfer({
      lookUpTransfer: [transferFoundAt('connection-b')],
      pollTransfer: [payoutInProcess, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
  })

  test('has failed once all providers have twice answered that they do not know it', async () => {
    const story = await stories.reopenedTransfer({
      lookUpTransfer: [notFoundAtCandidates, notFoundAtCandidates, notFoundAtCandidates, provedUnsent],
      failTransfer: [transferRow('failed')],
    })
    await story.finishWith('failed')
    expect(story.calls).not.toContain('sendTransfer')
  })

  test('is looked up again where an attempt is live when it is to fail', async () => {
    const story = await stories.reopenedTransfer({
      lookUpTransfer: [
        notFoundAtCandidates,
        notFoundAtCandidates,
        notFoundAtCandidates,
        provedUnsent,
        transferFoundAt('connection-b'),
      ],
      failTransfer: [attemptRunningAt('connection-b')],
      pollTransfer: [payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
  })

  test('accepts the settlement of the operator who had it reopened', async () => {
    const story = await stories.reopenedTransfer({
      lookUpTransfer: Array(9).fill(transferUnknown),
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
      lookUpRefund: [transferFoundAt('connection-a')],
      pollRefund: [payoutInProcess, payoutSettled()],
    })
    await story.finishWith('settled')
  })

  test('that its provider never received has failed', async () => {
    const story = await stories.reopenedRefund({
      lookUpRefund: [notFoundAtCandidates, notFoundAtCandidates, notFoundAtCandidates, provedUnsent],
    })
    await story.finishWith('failed')
  })
})

describe('a reopened return', () => {
  test('is found and followed, and not sent', async () => {
    const story = await stories.reopenedReturn({
      lookUpReturn: [transferFoundAt('connection-a')],
      pollReturn: [payoutSettled()],
    })
    await story.finishWith('settled')
  })

  test('accepts the settlement of the operator who had it reopened', async () => {
    const story = await stories.reopenedReturn({
      lookUpReturn: Array(9).fill(transferUnknown),
      manuallySettleReturn: [payoutSettled()],
    })
    await story.settleManually(bankSettlement)
    expect(await story.finish()).toBe('settled')
  })
})

test('the hourly sweep compares rows and workflows once', async () => {
  const sweepResult = { checked: 3, reopened: 1, notReopened: 1, replaced: 1 }
  const story = await stories.workflowSweep({ sweepWorkflows: [sweepResult] })
  expect(await story.finish()).toEqual(sweepResult)
})
