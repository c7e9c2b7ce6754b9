import { ActivityFailure, CancelledFailure } from '@temporalio/workflow'
import type { Asked, Sent } from '../activities/outgoing.ts'
import { WAITS } from '../domain/waits.ts'
import { askUntilKnown, type Notices } from './asking.ts'

/** How one provider is told to send, and how it is asked what became of it. */
export type Sender = {
  /** `again` only after its absence was proved. */
  send: (again: boolean) => Promise<Sent>
  ask: () => Promise<Asked>
  notices: Notices
  timeScale: number
}

export type Final = Extract<Sent, { kind: 'settled' | 'rejected' | 'unreachable' }>

/**
 * Sends money once through one provider and asks that provider until it knows (SPEC §6). Nothing is sent a second time
 * unless two "not found" after the settle window have proved that the first never arrived; then by the same id.
 */
export async function sendOnce(sender: Sender): Promise<Final> {
  let sent = await firstAnswer(sender, false)
  while (true) {
    if (sent.kind === 'settled' || sent.kind === 'rejected' || sent.kind === 'unreachable') return sent
    await sender.notices.orAfter(WAITS.askAgain(1), sender.timeScale, `${sent.kind}: ask again`)
    const asked = await answer(sender)
    sent = await afterAsking(sender, asked)
  }
}

/** A sending that breaks off without an answer has one: unknown. */
async function firstAnswer(sender: Sender, again: boolean): Promise<Sent> {
  try {
    return await sender.send(again)
  } catch (error) {
    if (error instanceof ActivityFailure && !(error.cause instanceof CancelledFailure))
      return { kind: 'unknown', code: 'interrupted' }
    throw error
  }
}

function answer(sender: Sender): Promise<Asked> {
  return askUntilKnown(sender.ask, {
    notices: sender.notices,
    timeScale: sender.timeScale,
    isKnown: asked => asked.kind !== 'unknown' && asked.kind !== 'in_process',
  })
}

function afterAsking(sender: Sender, asked: Asked): Promise<Sent> | Sent {
  switch (asked.kind) {
    case 'absent':
      return whenAbsent(sender, asked.settleWindowMs)
    case 'never_begun':
      return firstAnswer(sender, false)
    default:
      return asked
  }
}

async function whenAbsent(sender: Sender, settleWindowMs: number): Promise<Sent> {
  await sender.notices.orAfter(settleWindowMs, sender.timeScale, 'settle window')
  const first = await answer(sender)
  if (first.kind !== 'absent') return afterAsking(sender, first)
  await sender.notices.orAfter(WAITS.secondLook, sender.timeScale, 'second look')
  const second = await answer(sender)
  return second.kind === 'absent' ? firstAnswer(sender, true) : afterAsking(sender, second)
}
