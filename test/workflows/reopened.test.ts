import { describe, expect, test } from '@jest/globals'
import type { Answer } from '../support/workflow-story.ts'
import { absent, inProcess, isLiveAt, SEEN, settled, stands } from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

/** Workflows of rows that had lost theirs: they ask who has the money, follow it to its end, and send nothing. */

const on = stage()
const foundAt = (connectionUuid: string): Answer<'seekTransfer'> => ({ kind: 'found', connectionUuid })
const nowhere: Answer<'seekTransfer'> = { ...absent(), connectionUuid: 'connection-a' }
const neverWent: Answer<'seekTransfer'> = {
  ...{ kind: 'rejected', code: 'not_found_after_restore', finality: 'final' },
  ...{ deliveries: [], returns: [] },
}
const bank = { ...SEEN, as: 'settled', endToEnd: 'E1', reason: 'the bank says so' } as const

describe('a reopened transfer', () => {
  test('is found at the provider that has it and followed to its settlement', async () => {
    const story = await on.reopenedTransfer({
      seekTransfer: [foundAt('connection-b')],
      askTransfer: [inProcess, settled()],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
  })

  test('has failed where all have twice said that they know nothing of it', async () => {
    const story = await on.reopenedTransfer({
      seekTransfer: [nowhere, nowhere, nowhere, neverWent],
      failTransfer: [stands('failed')],
    })
    await story.endsAs('failed')
    expect(story.asked).not.toContain('sendTransfer')
  })

  test('is looked for again where an attempt is live when it is to fail', async () => {
    const story = await on.reopenedTransfer({
      seekTransfer: [nowhere, nowhere, nowhere, neverWent, foundAt('connection-b')],
      failTransfer: [isLiveAt('connection-b')],
      askTransfer: [settled()],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
  })

  test('hears the operator who had it reopened', async () => {
    const story = await on.reopenedTransfer({
      seekTransfer: Array(9).fill({ kind: 'unknown', connectionUuid: 'connection-a' }),
      settleTransfer: [settled()],
      transferNow: [stands('paid')],
    })
    await story.isSettledBy(bank)
    expect(await story.ends()).toBe('paid')
  })
})

describe('a reopened refund', () => {
  test('is found and followed', async () => {
    const story = await on.reopenedRefund({
      seekRefund: [foundAt('connection-a')],
      askRefund: [inProcess, settled()],
    })
    await story.endsAs('settled')
  })

  test('that its provider never got has failed', async () => {
    const story = await on.reopenedRefund({ seekRefund: [nowhere, nowhere, nowhere, neverWent] })
    await story.endsAs('failed')
  })
})

describe('a reopened return', () => {
  test('is found and followed, and not sent', async () => {
    const story = await on.reopenedReturn({ seekReturn: [foundAt('connection-a')], askReturn: [settled()] })
    await story.endsAs('settled')
  })

  test('hears the operator who had it reopened', async () => {
    const story = await on.reopenedReturn({
      seekReturn: Array(9).fill({ kind: 'unknown', connectionUuid: 'connection-a' }),
      settleReturn: [settled()],
    })
    await story.isSettledBy(bank)
    expect(await story.ends()).toBe('settled')
  })
})

test('the hourly sweep compares rows and workflows once', async () => {
  const swept = { lookedAt: 3, reopened: 1, shown: 1 }
  const story = await on.workflowSweep({ sweepWorkflows: [swept] })
  expect(await story.ends()).toEqual(swept)
})
