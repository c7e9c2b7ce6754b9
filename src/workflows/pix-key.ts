import {
  ActivityFailure,
  allHandlersFinished,
  CancelledFailure,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import type { KeyTold } from '../activities/pix-keys.ts'
import { pixKey as life, type PixKeyState } from '../domain/pix-key.ts'
import { scaled, WAITS } from '../domain/waits.ts'
import { providers, records, sending } from './activities.ts'
import { Absence } from './asking.ts'
import { isLong } from './going-on.ts'
import { ATTRIBUTES } from './ids.ts'
import type { PixKeyOrder, PixKeyRemoval } from './key-messages.ts'
import { answered } from './messages.ts'

/** A key's making: stored, asked of its provider once, and where the answer is lost looked for in the provider's list. */
export function pixKeyWorkflow(order: PixKeyOrder): Promise<PixKeyState> {
  const { uuid, timeScale } = order
  const again = () => continueAsNew<typeof pixKeyWorkflow>(order)
  return answering({ again, timeScale }, async wait => {
    const opened = await records.openPixKey(order)
    if (life.isOver(opened)) return opened
    const absence = new Absence(timeScale)
    const first = () => (order.restored ? providers.askKey({ uuid, asked: 0 }) : sending.createKey({ uuid }))
    for (let asked = 0, told = await begun(first); ; asked++) {
      if (told.kind === 'over') return told.state
      const proofMs = told.kind === 'absent' ? absence.waitAfter(told.settleWindowMs) : Infinity
      // The provider takes no id of ours, so nothing is asked of it twice: what never arrived is over.
      if (proofMs === null) return records.giveUpKey({ uuid })
      await wait(asked, proofMs)
      told = await providers.askKey({ uuid, asked })
      if (told.kind === 'never_begun' && !order.restored)
        told = await begun(() => sending.createKey({ uuid }))
    }
  })
}

/** A key's removal: asked of its provider until that provider has it no more, or refuses. */
export function pixKeyRemovalWorkflow({ uuid, timeScale }: PixKeyRemoval): Promise<PixKeyState> {
  const again = () => continueAsNew<typeof pixKeyRemovalWorkflow>({ uuid, timeScale })
  return answering({ again, timeScale }, async wait => {
    for (let asked = 0, told = await begun(() => sending.deleteKey({ uuid })); ; asked++) {
      if (told.kind === 'over') return told.state
      await wait(asked, Infinity)
      told = await providers.askKeyRemoval({ uuid, asked })
      // Removing it twice is removing it once.
      if (told.kind === 'still_there') told = await begun(() => sending.deleteKey({ uuid }))
    }
  })
}

/** Waits before a key is looked at, after so many looks and at most so long. */
type Wait = (asked: number, atMostMs: number) => Promise<void>
/** How a life that has grown long begins again: what it did is found by its attempt. */
type Lasting = { again: () => Promise<never>; timeScale: number }

/** Who waits for the answer hears it when the life is over; what is not known keeps the life going. */
async function answering(
  { again, timeScale }: Lasting,
  live: (wait: Wait) => Promise<PixKeyState>,
): Promise<PixKeyState> {
  let isAnswered = false
  setHandler(answered, () => condition(() => isAnswered), {
    description: 'Waits until the provider has answered',
  })
  const state = await live(async (asked, atMostMs) => {
    if (asked === 0) return // A list is cheap, and somebody waits.
    if (isLong()) {
      isAnswered = true
      await condition(allHandlersFinished)
      await again()
    }
    setCurrentDetails('Not known whether the provider did it: its list of keys is asked')
    const waitMs = Math.min(WAITS.askAgain(asked), atMostMs)
    await sleep(scaled(waitMs, timeScale), { summary: 'not known: look at the keys again' })
  })
  isAnswered = true
  setCurrentDetails(SENTENCES[state])
  upsertSearchAttributes([{ key: ATTRIBUTES.status, value: state.toUpperCase() }])
  await condition(allHandlersFinished)
  return state
}

/** A call that breaks off without an answer has one: unknown. */
async function begun(call: () => Promise<KeyTold>): Promise<KeyTold> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ActivityFailure && !(error.cause instanceof CancelledFailure))
      return { kind: 'unknown', code: 'interrupted' }
    throw error
  }
}

const SENTENCES: Record<PixKeyState, string> = {
  creating: 'Stored: its provider is asked to make it',
  active: 'A key of the account',
  removing: 'Being removed',
  removed: 'Removed: its provider has it no more',
  refused: 'Not made: the provider refused, or was never reached',
}
