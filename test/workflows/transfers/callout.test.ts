import { describe, expect, test } from '@jest/globals'
import type { AdvanceBatchResult } from '../../../src/workflows/contracts/transfer-batches.ts'
import type { HeldTransferResult } from '../../../src/workflows/contracts/transfers.ts'
import {
  failActivity,
  payoutRejected,
  payoutSettled,
  transferRow,
} from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

/** How workflows ask the merchant's server about what waits. What it answered is in the rows. */

const stories = setUpWorkflowStories()
const HOUR = 3_600_000
const SECOND = 1_000
const heldOrder = { ...payoutRejected, code: 'waits_for_approval' } as typeof payoutRejected
/** A transfer that waits; its call-out needs a step in so many milliseconds, or none. */
const waiting = (calloutInMs?: number): HeldTransferResult => ({
  ...transferRow('held'),
  remainingMs: 72 * HOUR,
  ...(calloutInMs !== undefined && { calloutInMs }),
})
const approved = transferRow('approved')
/** The server has answered; what, is in the row. */
const answered = () => {}
const paid = { getTransfer: [transferRow('paid')] }

describe('a transfer with a call-out', () => {
  test('answers its request before it asks the server, and goes on when that has answered', async () => {
    const story = await stories.transfer({
      sendTransfer: [heldOrder, payoutSettled()],
      advanceHeldTransfer: [waiting(5 * SECOND), waiting(0), approved],
      requestCallout: [answered],
      ...paid,
    })
    await story.awaitAccepted()
    expect(story.calls).toEqual(['sendTransfer order', 'advanceHeldTransfer'])
    await story.finishWith('paid')
    expect(story.calls.slice(2, 5)).toEqual(['advanceHeldTransfer', 'requestCallout', 'advanceHeldTransfer'])
    expect(story.callTimesMs[2]! - story.callTimesMs[1]!).toBeGreaterThanOrEqual(5 * SECOND)
    expect(story.history.timers).toEqual(['waits for its call-out: 5 s', 'waits for approvals: 72 h, woken'])
  })

  test('asks again when that is due, and ends when it is rejected', async () => {
    const story = await stories.transfer({
      sendTransfer: [heldOrder],
      advanceHeldTransfer: [waiting(0), waiting(10 * SECOND), waiting(0), transferRow('cancelled')],
      requestCallout: [answered, answered],
    })
    await story.finishWith('cancelled')
    expect(story.calls.filter(call => call === 'requestCallout')).toHaveLength(2)
  })

  test('waits for its persons after the answer', async () => {
    const story = await stories.transfer({
      sendTransfer: [heldOrder, payoutSettled()],
      advanceHeldTransfer: [waiting(0), waiting(), approved],
      requestCallout: [answered],
      ...paid,
    })
    await story.waitForCalls(4)
    await story.signalApprovalDecided()
    await story.finishWith('paid')
  })

  test('asks again where the activity fails', async () => {
    const story = await stories.transfer({
      sendTransfer: [heldOrder, payoutSettled()],
      advanceHeldTransfer: [waiting(0), approved],
      requestCallout: [failActivity, answered],
      ...paid,
    })
    await story.finishWith('paid')
    expect(story.calls.filter(call => call === 'requestCallout')).toHaveLength(2)
  })

  test('that is scheduled asks when it is ordered, and waits for its time after that', async () => {
    const story = await stories.scheduledTransfer(5 * HOUR, {
      storeTransfer: [transferRow('held')],
      advanceHeldTransfer: [waiting(0), approved],
      requestCallout: [answered],
      sendTransfer: [payoutSettled()],
      ...paid,
    })
    await story.finishWith('paid')
    expect(story.callTimesMs[4]! - story.callTimesMs[0]!).toBeGreaterThanOrEqual(5 * HOUR - 10_000)
  })
})

const step = { deliveries: [], returns: [], startedCount: 0 }
const draft = (waitMs: number, isCalloutDue?: true): AdvanceBatchResult => ({
  ...step,
  state: 'draft',
  next: { kind: 'wait', reason: 'approval', waitMs, ...(isCalloutDue && { isCalloutDue }) },
})
const ended = (state: 'completed' | 'cancelled'): AdvanceBatchResult => ({
  ...step,
  state,
  next: { kind: 'end' },
})

describe('a batch with a call-out', () => {
  test('asks the server when that is due, and goes on when it has answered', async () => {
    const story = await stories.transferBatch({
      advanceBatch: [
        draft(5 * SECOND),
        draft(72 * HOUR, true),
        { ...step, state: 'processing', next: { kind: 'step' } },
        ended('completed'),
      ],
      requestCallout: [answered],
    })
    await story.finishWith('completed')
    expect(story.calls).toEqual([
      'advanceBatch',
      'advanceBatch',
      'requestCallout',
      'advanceBatch',
      'advanceBatch',
    ])
    expect(story.history.timers).toEqual(['approval: 5 s', 'approval: 72 h, woken'])
  })
})

/** Last: the time-skipping server skips no time any more once a workflow has ended before an activity of it. */
describe('while the server is asked', () => {
  test('a transfer is cancelled by its merchant', async () => {
    const answer = Promise.withResolvers<void>()
    const story = await stories.transfer({
      sendTransfer: [heldOrder],
      advanceHeldTransfer: [waiting(0), transferRow('cancelled')],
      endScheduledTransfer: [transferRow('cancelled')],
      requestCallout: [() => answer.promise],
    })
    await story.waitForCalls(3)
    expect(await story.cancelTransfer()).toBe(true)
    answer.resolve()
    await story.finishWith('cancelled')
  })

  test('a transfer is read anew where a person decides', async () => {
    const answer = Promise.withResolvers<void>()
    const story = await stories.transfer({
      sendTransfer: [heldOrder],
      advanceHeldTransfer: [waiting(0), waiting(17 * SECOND), transferRow('cancelled')],
      requestCallout: [() => answer.promise],
    })
    await story.waitForCalls(3)
    await story.signalApprovalDecided()
    await story.waitForCalls(4)
    answer.resolve()
    await story.finishWith('cancelled')
  })

  test('a batch is cancelled', async () => {
    const answer = Promise.withResolvers<void>()
    const story = await stories.transferBatch({
      advanceBatch: [draft(72 * HOUR, true), ended('cancelled')],
      requestCallout: [() => answer.promise],
      cancelBatch: [true],
    })
    await story.waitForCalls(2)
    expect(await story.cancelBatch()).toBe(true)
    answer.resolve()
    await story.finishWith('cancelled')
  })
})
