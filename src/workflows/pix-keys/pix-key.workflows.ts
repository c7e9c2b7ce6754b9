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
import type { KeyOperationResult } from '../../activities/pix-keys/create.ts'
import { type PixKeyState, pixKeyMachine } from '../../domain/pix-keys/pix-key.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { awaitResultUpdate } from '../contracts/messages.ts'
import type { PixKeyInput, PixKeyRemovalInput } from '../contracts/pix-keys.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/workflow-ids.ts'
import { dbActivities, idempotentProviderActivities, payoutActivities } from '../shared/activity-proxies.ts'
import { shouldContinueAsNew } from '../shared/continue-as-new.ts'
import { AbsenceProof } from '../shared/provider-inbox.ts'

/** A key's making: stored, asked of its provider once, and where the answer is lost looked for in the provider's list. */
export function pixKeyWorkflow(order: PixKeyInput): Promise<PixKeyState> {
  const { uuid, timeScale } = order
  const continueRun = () => continueAsNew<typeof pixKeyWorkflow>(order)
  return runKeyWorkflow({ continueRun, timeScale }, async wait => {
    const opened = await dbActivities.openPixKey(order)
    if (pixKeyMachine.isFinal(opened)) return opened
    const absence = new AbsenceProof(timeScale)
    const callFirst = () =>
      order.restored
        ? idempotentProviderActivities.pollPixKey({ uuid, pollCount: 0 })
        : payoutActivities.createKey({ uuid })
    for (let asked = 0, result = await callProvider(callFirst); ; asked++) {
      if (result.kind === 'closed') return result.state
      const proofMs = result.kind === 'not_found' ? absence.recordNotFound(result.settleWindowMs) : Infinity
      // The provider takes no id of ours, so nothing is asked of it twice: what never arrived is over.
      if (proofMs === null) return dbActivities.failPixKey({ uuid })
      await wait(asked, proofMs)
      result = await idempotentProviderActivities.pollPixKey({ uuid, pollCount: asked })
      if (result.kind === 'not_started' && !order.restored)
        result = await callProvider(() => payoutActivities.createKey({ uuid }))
    }
  })
}

/** A key's removal: asked of its provider until that provider has it no more, or refuses. */
export function pixKeyRemovalWorkflow({ uuid, timeScale }: PixKeyRemovalInput): Promise<PixKeyState> {
  const continueRun = () => continueAsNew<typeof pixKeyRemovalWorkflow>({ uuid, timeScale })
  return runKeyWorkflow({ continueRun, timeScale }, async wait => {
    for (let asked = 0, result = await callProvider(() => payoutActivities.deleteKey({ uuid })); ; asked++) {
      if (result.kind === 'closed') return result.state
      await wait(asked, Infinity)
      result = await idempotentProviderActivities.pollPixKeyRemoval({ uuid, pollCount: asked })
      // Removing it twice is removing it once.
      if (result.kind === 'still_there')
        result = await callProvider(() => payoutActivities.deleteKey({ uuid }))
    }
  })
}

/** Waits before a key is looked at, after so many looks and at most so long. */
type WaitForNextPoll = (asked: number, atMostMs: number) => Promise<void>
/** How a life that has grown long begins again: what it did is found by its attempt. */
type KeyRunContext = { continueRun: () => Promise<never>; timeScale: number }

/** Who waits for the answer hears it when the life is over; what is not known keeps the life going. */
async function runKeyWorkflow(
  { continueRun, timeScale }: KeyRunContext,
  live: (wait: WaitForNextPoll) => Promise<PixKeyState>,
): Promise<PixKeyState> {
  let isAnswered = false
  setHandler(awaitResultUpdate, () => condition(() => isAnswered), {
    description: 'Waits until the provider has answered',
  })
  const state = await live(async (asked, atMostMs) => {
    if (asked === 0) return // A list is cheap, and somebody waits.
    if (shouldContinueAsNew()) {
      isAnswered = true
      await condition(allHandlersFinished)
      await continueRun()
    }
    setCurrentDetails('Not known whether the provider did it: its list of keys is asked')
    const waitMs = Math.min(WAITS.nextPoll(asked), atMostMs)
    await sleep(scaleWait(waitMs, timeScale), { summary: 'not known: look at the keys again' })
  })
  isAnswered = true
  setCurrentDetails(PIX_KEY_STATUS_DETAILS[state])
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.status, value: state.toUpperCase() }])
  await condition(allHandlersFinished)
  return state
}

/** A call that breaks off without an answer has one: unknown. */
async function callProvider(call: () => Promise<KeyOperationResult>): Promise<KeyOperationResult> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ActivityFailure && !(error.cause instanceof CancelledFailure))
      return { kind: 'unknown', code: 'interrupted' }
    throw error
  }
}

const PIX_KEY_STATUS_DETAILS: Record<PixKeyState, string> = {
  creating: 'Stored: its provider is asked to make it',
  active: 'A key of the account',
  removing: 'Being removed',
  removed: 'Removed: its provider has it no more',
  refused: 'Not made: the provider refused, or was never reached',
}
