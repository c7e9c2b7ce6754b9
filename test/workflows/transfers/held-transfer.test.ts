import { describe, expect, test } from '@jest/globals'
import type { HeldTransferResult } from '../../../src/workflows/contracts/transfers.ts'
import {
  failActivity,
  payoutInProcess,
  payoutRejected,
  payoutSettled,
  payoutUnreachable,
  transferRow,
} from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

/** How the workflow of a transfer waits for its approvals. What was decided is in its row, which `advanceHeldTransfer` reads. */

const stories = setUpWorkflowStories()
const HOUR = 3_600_000
const heldOrder = { ...payoutRejected, code: 'waits_for_approval' } as typeof payoutRejected
const waiting = (remainingMs = 72 * HOUR): HeldTransferResult => ({ ...transferRow('held'), remainingMs })
const approvedAt = (connectionUuid = 'connection-a'): HeldTransferResult => ({
  ...transferRow('approved'),
  connectionUuid,
})
const sendingsOf = ({ callsByConnection }: { callsByConnection: string[] }) =>
  callsByConnection.filter(call => call.startsWith('sendTransfer')).map(call => call.at(-1))

describe('a transfer that waits for its approvals', () => {
  test('answers its request at once, and is sent when it is approved', async () => {
    const story = await stories.transfer({
      sendTransfer: [heldOrder, payoutSettled()],
      advanceHeldTransfer: [waiting(), approvedAt()],
      getTransfer: [transferRow('paid')],
    })
    await story.awaitAccepted()
    expect(story.calls).toEqual(['sendTransfer order', 'advanceHeldTransfer'])
    await story.signalApprovalDecided()
    await story.finishWith('paid')
    // Its row exists.
    expect(story.calls.slice(2)).toEqual(['advanceHeldTransfer', 'sendTransfer', 'getTransfer'])
    expect(story.history.timers).toEqual(['waits for approvals: 72 h, woken'])
    expect(story.history.statuses).toEqual(['PENDING', 'PAID'])
  })

  test('goes on waiting where a signal arrives before the last approval', async () => {
    const story = await stories.transfer({
      sendTransfer: [heldOrder, payoutSettled()],
      advanceHeldTransfer: [waiting(), waiting(71 * HOUR), approvedAt()],
      getTransfer: [transferRow('paid')],
    })
    await story.awaitAccepted()
    await story.signalApprovalDecided()
    await story.waitForCalls(3)
    await story.signalApprovalDecided()
    await story.finishWith('paid')
  })

  test('is sent where the signal was lost, once its row is read at the end of its time', async () => {
    const story = await stories.transfer({
      sendTransfer: [heldOrder, payoutSettled()],
      advanceHeldTransfer: [waiting(), approvedAt()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.callTimesMs[2]! - story.callTimesMs[1]!).toBeGreaterThanOrEqual(72 * HOUR)
  })

  test('expires when its time is over, and no provider is called', async () => {
    const story = await stories.transfer({
      sendTransfer: [heldOrder],
      advanceHeldTransfer: [waiting(HOUR), transferRow('expired')],
    })
    await story.finishWith('expired')
    expect(story.callTimesMs[2]! - story.callTimesMs[1]!).toBeGreaterThanOrEqual(HOUR)
  })

  test('waits on where PostgreSQL’s clock is behind that of Temporal', async () => {
    const story = await stories.transfer({
      sendTransfer: [heldOrder],
      advanceHeldTransfer: [waiting(HOUR), waiting(0.4), transferRow('expired')],
    })
    await story.finishWith('expired')
  })

  test('ends when it is rejected', async () => {
    const story = await stories.transfer({
      sendTransfer: [heldOrder],
      advanceHeldTransfer: [waiting(), transferRow('cancelled')],
    })
    await story.awaitAccepted()
    await story.signalApprovalDecided()
    await story.finishWith('cancelled')
  })

  test('fails when the limits do not allow it any more', async () => {
    const story = await stories.transfer({
      sendTransfer: [heldOrder],
      advanceHeldTransfer: [waiting(), transferRow('failed')],
    })
    await story.awaitAccepted()
    await story.signalApprovalDecided()
    await story.finishWith('failed')
  })

  test('is cancelled by its merchant', async () => {
    const story = await stories.transfer({
      sendTransfer: [heldOrder],
      advanceHeldTransfer: [waiting(), transferRow('cancelled')],
      endScheduledTransfer: [transferRow('cancelled')],
    })
    await story.awaitAccepted()
    expect(await story.cancelTransfer()).toBe(true)
    await story.finishWith('cancelled')
  })

  test('is not cancelled while it is being sent', async () => {
    const story = await stories.transfer({
      sendTransfer: [
        heldOrder,
        async story => {
          expect(await story.cancelTransfer()).toBe(false)
          return payoutSettled()
        },
      ],
      advanceHeldTransfer: [approvedAt()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
  })

  test('is sent first where its money is held, then through the others', async () => {
    const story = await stories.transfer({
      sendTransfer: [heldOrder, payoutUnreachable, payoutInProcess],
      advanceHeldTransfer: [approvedAt('connection-b')],
      pollTransfer: [payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(sendingsOf(story)).toEqual(['a', 'b', 'a'])
  })

  test('is found waiting where the worker was lost after its row was stored', async () => {
    const story = await stories.transfer({
      sendTransfer: [failActivity, heldOrder, payoutSettled()],
      pollTransfer: [{ kind: 'not_started' }],
      advanceHeldTransfer: [approvedAt()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
  })
})

describe('a scheduled transfer that waits for its approvals', () => {
  test('waits for its time once it is approved', async () => {
    const story = await stories.scheduledTransfer(5 * HOUR, {
      storeTransfer: [transferRow('held')],
      advanceHeldTransfer: [waiting(), approvedAt()],
      sendTransfer: [payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.awaitAccepted()
    await story.signalApprovalDecided()
    await story.finishWith('paid')
    expect(story.callTimesMs[3]! - story.callTimesMs[0]!).toBeGreaterThanOrEqual(5 * HOUR - 10_000)
  })

  test('is tried for a day where it is approved after its time', async () => {
    const story = await stories.scheduledTransfer(HOUR, {
      storeTransfer: [transferRow('held')],
      advanceHeldTransfer: [waiting(72 * HOUR), approvedAt()],
      sendTransfer: [payoutUnreachable, payoutUnreachable, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.history.timers.slice(-1)).toEqual(['retry: 15 min'])
  })

  test('is never sent where nobody approves it', async () => {
    const story = await stories.scheduledTransfer(HOUR, {
      storeTransfer: [transferRow('held')],
      advanceHeldTransfer: [waiting(72 * HOUR), transferRow('expired')],
    })
    await story.finishWith('expired')
  })
})
