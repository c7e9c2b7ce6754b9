import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { TASK_PATIENCE_MS } from '../support/workflow-patience.ts'
import type { Line, Story } from '../support/workflow-story.ts'
import { crash, inProcess, issued, known, opened, settled, stands } from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()
/** Nobody asks on a schedule before he is told, however busy the machine: the server's clock goes on by itself too. */
const SLOWLY = 1 / 1_000

describe('what a provider told just now is asked within the task that heard of it', () => {
  test('of a charge', async () => {
    const story = await unpaid([known('paying'), known('paid')])
    await story.isTold()
    await story.isAsked(2)
    await story.isTold()
    await story.endsAs('paid')
    expect(story.told.queued).toEqual(['issueCharge'])
  })

  test('of a transfer', async () => {
    const story = await on.transfer(
      {
        sendTransfer: [inProcess],
        askTransfer: [settled()],
        transferNow: [stands('paid')],
      },
      { timeScale: SLOWLY },
    )
    await isToldOnceAccepted(story)
    await story.endsAs('paid')
    expect(story.told.queued).toEqual(['sendTransfer'])
  })

  test('of a refund', async () => {
    const story = await on.refund(
      {
        openRefund: [opened('sending')],
        sendRefund: [inProcess],
        askRefund: [settled()],
      },
      { timeScale: SLOWLY },
    )
    await isToldOnceAccepted(story)
    await story.endsAs('settled')
    expect(story.told.queued).toEqual(['sendRefund'])
  })

  test('of money on its way back', async () => {
    const story = await on.return({ sendReturn: [inProcess], askReturn: [settled()] }, SLOWLY)
    await story.isAsked(1)
    await story.isTold()
    await story.endsAs('settled')
    expect(story.told.queued).toEqual(['sendReturn'])
  })

  test('of a life that is over', async () => {
    const story = await on.wokenTransfer({
      askTransfer: [settled()],
      transferNow: [stands('paid'), stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.told.queued).toEqual([])
  })
})

describe('by an activity of its own is asked', () => {
  test('what a notice tells that is handed over late: many may come then', async () => {
    const story = await unpaid([known('paid')])
    await story.isToldLate()
    await story.endsAs('paid')
    expect(story.told.queued).toEqual(['issueCharge', 'followCharge'])
  })

  test('a provider that takes its time: the task waits for it no longer', async () => {
    const story = await unpaid([slowly(known('paid')), known('paid')])
    await story.isTold()
    await story.isAsked(3)
    await story.endsAs('paid')
    expect(story.told.queued).toEqual(['issueCharge', 'followCharge'])
  })

  test('what broke off', async () => {
    const story = await unpaid([crash, known('paid')])
    await story.isTold()
    await story.endsAs('paid')
    expect(story.told.queued).toEqual(['issueCharge', 'followCharge'])
  })

  test('what nobody told of', async () => {
    const story = await on.transfer({
      sendTransfer: [inProcess],
      askTransfer: [inProcess, inProcess, settled()],
      transferNow: [stands('paid')],
    })
    await isToldOnceAccepted(story)
    await story.isAsked(2)
    await story.endsAs('paid')
    expect(story.told.queued).toEqual(['sendTransfer', 'askTransfer', 'askTransfer'])
  })
})

/** A charge that waits for its payer, and what its provider says of it. */
async function unpaid(followCharge: Line<'followCharge'>[]): Promise<Story> {
  const story = await on.charge({ issueCharge: [issued()], followCharge }, { timeScale: SLOWLY })
  await story.isAsked(1)
  return story
}

async function isToldOnceAccepted(story: Story): Promise<void> {
  await story.isAnswered()
  await story.isTold()
}

/** Longer than a task waits. */
function slowly<Said>(said: Said) {
  return async (): Promise<Said> => {
    await sleep(TASK_PATIENCE_MS + 500)
    return said
  }
}
