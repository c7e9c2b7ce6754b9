import { describe, expect, test } from '@jest/globals'
import type { Story } from '../../support/workflow-story.ts'
import {
  chargeIssued,
  chargeKnown,
  chargeNoAnswer,
  chargeRow,
  depositRecorded,
  disputeKnown,
  disputeRow,
  failActivity,
  noAnswer,
  notFoundWithin,
  orphanClosed,
  payoutInProcess,
  payoutRejected,
  payoutSettled,
  payoutUnknown,
  payoutUnreachable,
  pendingChargeRow,
  pixKeyEnded,
  pixKeyStillExists,
  pixKeyUnknown,
  refundOpened,
  refundRow,
  SETTLED_ATTEMPT,
  transferRow,
} from '../../support/workflow-story-answers.ts'
import { SLOWLY, setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

/** Workflows that cannot end for months continue as new, long before Temporal ends them by the length of their history. */

const stories = setUpWorkflowStories()

/** The next poll finds a long history; after so many calls the workflow is in its next run. */
async function continueAsNew(story: Story, { calls }: { calls: number }): Promise<void> {
  const [run, asked] = [await story.readRunId(), story.calls.length]
  await story.growHistory()
  await story.notify()
  await story.waitForCalls(asked + calls)
  expect(await story.readRunId()).not.toBe(run)
}

describe('a transfer whose provider cannot tell its outcome', () => {
  test('is polled there, and sent to no other provider; an earlier provider with a notification is polled at the end', async () => {
    const story = await stories.transfer(
      {
        sendTransfer: [payoutUnreachable, payoutUnknown, payoutUnknown],
        pollTransfer: [payoutUnknown, payoutUnknown, payoutSettled(), payoutRejected],
        getTransfer: [transferRow('sending'), transferRow('paid'), transferRow('paid')],
      },
      { timeScale: SLOWLY },
    )
    await story.waitForCalls(2)
    await story.notify('connection-a')
    await story.waitForCalls(3)
    await story.growHistory()
    await story.notify('connection-b')
    await story.waitForCalls(6)
    await story.finishWith('paid')
    expect(story.callsByConnection).toEqual([
      'sendTransfer connection-a',
      'sendTransfer connection-b',
      'pollTransfer connection-b',
      'pollTransfer connection-b',
      'getTransfer',
      'sendTransfer connection-b',
      'pollTransfer connection-b',
      'getTransfer',
      'pollTransfer connection-a',
      'getTransfer',
    ])
  })

  test('is answered as unknown to waiting and later callers', async () => {
    const story = await stories.transfer(
      {
        sendTransfer: [payoutUnknown, payoutUnknown],
        pollTransfer: [payoutUnknown, payoutSettled()],
        getTransfer: [transferRow('sending'), transferRow('paid')],
      },
      { timeScale: SLOWLY },
    )
    const acceptance = story.awaitAccepted()
    await story.waitForCalls(1)
    await continueAsNew(story, { calls: 3 })
    await acceptance
    await story.awaitAccepted('again')
    await story.finishWith('paid')
  })

  test('accepts a manual settlement in any run', async () => {
    const story = await stories.transfer(
      {
        sendTransfer: [payoutUnknown, payoutUnknown],
        pollTransfer: [payoutUnknown],
        getTransfer: [transferRow('sending'), transferRow('failed')],
        manuallySettleTransfer: [payoutRejected],
        failTransfer: [transferRow('failed')],
      },
      { timeScale: SLOWLY },
    )
    await story.waitForCalls(1)
    await continueAsNew(story, { calls: 3 })
    await story.settleManually({ ...SETTLED_ATTEMPT, as: 'rejected', reason: 'the bank says so' })
    await story.finish()
    expect(story.calls.slice(-2)).toEqual(['manuallySettleTransfer', 'failTransfer'])
  })
})

test('a return that left no worker is sent once the provider has told a later run that it has not settled', async () => {
  const story = await stories.return(
    {
      sendReturn: [payoutUnreachable, payoutSettled()],
      pollReturn: [payoutUnknown, payoutUnknown, payoutUnreachable],
    },
    SLOWLY,
  )
  await story.waitForCalls(1)
  await story.notify()
  await story.waitForCalls(2)
  await continueAsNew(story, { calls: 2 })
  await story.finishWith('settled')
  expect(story.calls).toEqual(['sendReturn', 'pollReturn', 'pollReturn', 'pollReturn', 'sendReturn'])
})

test('a transfer that PostgreSQL does not store, because it is read-only, is stored and sent by a later run', async () => {
  const story = await stories.transfer(
    {
      sendTransfer: [failActivity, failActivity, failActivity, payoutSettled()],
      pollTransfer: [{ kind: 'not_started' }, { kind: 'not_started' }],
      getTransfer: [transferRow('paid')],
    },
    { timeScale: SLOWLY },
  )
  await story.waitForCalls(1)
  await continueAsNew(story, { calls: 3 })
  await story.notify()
  await story.finishWith('paid')
  expect(story.calls).toEqual([
    'sendTransfer order',
    'pollTransfer',
    'sendTransfer order',
    'sendTransfer order',
    'pollTransfer',
    'sendTransfer order',
    'getTransfer',
  ])
})

test('a refund whose provider cannot tell its outcome creates its row once', async () => {
  const story = await stories.refund(
    {
      openRefund: [refundOpened('sending'), refundOpened('sending')],
      sendRefund: [payoutInProcess, payoutInProcess],
      pollRefund: [payoutUnknown, payoutSettled()],
    },
    { timeScale: SLOWLY },
  )
  await story.waitForCalls(2)
  await continueAsNew(story, { calls: 3 })
  await story.finishWith('settled')
  expect(story.calls).toEqual([
    'openRefund',
    'sendRefund',
    'pollRefund',
    'openRefund',
    'sendRefund',
    'pollRefund',
  ])
})

test('a charge that waits for its payer keeps waiting', async () => {
  const story = await stories.charge(
    {
      issueCharge: [chargeIssued()],
      pollCharge: [chargeKnown('pending'), chargeKnown('expired')],
      getCharge: [pendingChargeRow()],
    },
    { timeScale: SLOWLY },
  )
  await continueAsNew(story, { calls: 2 })
  await story.finishWith('expired')
})

describe('a late notification', () => {
  test('of a transfer is polled until it is answered', async () => {
    const story = await stories.notifiedTransfer(
      {
        pollTransfer: [payoutUnknown, payoutUnknown, payoutUnknown, payoutSettled()],
        getTransfer: Array(5).fill(transferRow('paid')),
      },
      { timeScale: SLOWLY },
    )
    await story.waitForCalls(2)
    await continueAsNew(story, { calls: 4 })
    await story.finishWith('paid')
  })

  test('of a refund is polled until it is answered', async () => {
    const story = await stories.notifiedRefund(
      {
        getRefund: Array(3).fill(refundRow('failed')),
        pollRefund: [payoutUnknown, payoutUnknown, payoutSettled()],
      },
      SLOWLY,
    )
    await story.waitForCalls(2)
    await continueAsNew(story, { calls: 3 })
    expect(await story.finish()).toBe('failed')
    expect(story.calls.filter(name => name === 'pollRefund')).toHaveLength(3)
  })

  test('of a charge that has ended is polled until it is answered', async () => {
    const story = await stories.notifiedCharge(
      {
        getCharge: [chargeRow('expired'), chargeRow('expired')],
        pollCharge: [chargeNoAnswer(), chargeNoAnswer(), chargeKnown('paid')],
      },
      SLOWLY,
    )
    await story.waitForCalls(2)
    await continueAsNew(story, { calls: 3 })
    await story.finishWith('paid')
  })

  test('of a dispute that has ended is polled until it is answered', async () => {
    const story = await stories.dispute(
      {
        getDispute: [disputeRow('resolved'), disputeRow('resolved')],
        pollDispute: [noAnswer(), noAnswer(), noAnswer(), disputeKnown('resolved')],
      },
      SLOWLY,
    )
    await story.waitForCalls(2)
    await continueAsNew(story, { calls: 3 })
    await story.finishWith('resolved')
  })

  test('of a refused return is polled before anything of it is sent again', async () => {
    const story = await stories.notifiedReturn(
      { sendReturn: [payoutRejected], pollReturn: [payoutUnknown, payoutUnknown, payoutSettled()] },
      SLOWLY,
    )
    await story.waitForCalls(2)
    await continueAsNew(story, { calls: 2 })
    await story.finishWith('settled')
  })
})

describe('a return', () => {
  test('whose provider cannot tell its outcome is polled', async () => {
    const story = await stories.return(
      { sendReturn: [payoutUnknown, payoutUnknown], pollReturn: [payoutUnknown, payoutSettled()] },
      SLOWLY,
    )
    await story.waitForCalls(1)
    await continueAsNew(story, { calls: 2 })
    await story.finishWith('settled')
    expect(story.calls).toEqual(['sendReturn', 'pollReturn', 'sendReturn', 'pollReturn'])
  })

  test('that was never sent is tried again', async () => {
    const story = await stories.return(
      {
        sendReturn: [payoutUnreachable, payoutUnreachable, payoutSettled()],
        pollReturn: [notFoundWithin()],
      },
      SLOWLY,
    )
    await story.waitForCalls(1)
    await continueAsNew(story, { calls: 3 })
    await story.finishWith('settled')
  })
})

test('an orphan payload is closed, however long that takes', async () => {
  const story = await stories.orphan(
    { closeOrphan: [noAnswer(), noAnswer(), noAnswer(), orphanClosed()] },
    SLOWLY,
  )
  await story.waitForCalls(1)
  await continueAsNew(story, { calls: 2 })
  await story.finish()
  expect(story.calls).toHaveLength(4)
})

test('a deposit is polled, however long its provider is silent', async () => {
  const story = await stories.deposit(
    { recordDeposit: [noAnswer(), noAnswer(), noAnswer(), depositRecorded()] },
    SLOWLY,
  )
  await story.waitForCalls(1)
  await continueAsNew(story, { calls: 2 })
  await story.finishWith('accepted')
})

describe('a PIX key', () => {
  test('whose provider cannot tell its outcome is looked up, and requested by one attempt', async () => {
    const story = await stories.pixKey(
      {
        openPixKey: ['creating', 'creating'],
        createKey: [pixKeyUnknown, pixKeyUnknown],
        pollPixKey: [pixKeyUnknown, pixKeyUnknown, pixKeyEnded('active')],
      },
      SLOWLY,
    )
    await isFoundLong(story)
    await story.finishWith('active')
  })

  test('that is still listed is removed, and polled', async () => {
    const story = await stories.pixKeyRemoval(
      {
        deleteKey: [pixKeyUnknown, pixKeyUnknown, pixKeyUnknown],
        pollPixKeyRemoval: [pixKeyUnknown, pixKeyUnknown, pixKeyStillExists, pixKeyEnded('removed')],
      },
      SLOWLY,
    )
    await isFoundLong(story)
    await story.finishWith('removed')
  })

  /** It gets no notifications: its own timer makes it poll, and see that its history is long. */
  async function isFoundLong(story: Story): Promise<void> {
    const run = await story.readRunId()
    await story.waitForCalls(2)
    await story.growHistory()
    await story.passTime(10_000 / SLOWLY)
    expect(await story.readRunId()).not.toBe(run)
  }
})
