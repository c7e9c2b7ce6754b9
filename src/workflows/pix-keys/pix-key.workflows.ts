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
import { type PixKeyState, pixKeyMachine } from '../../domain/pix-keys/pix-key.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { awaitResultUpdate } from '../contracts/await-result.ts'
import type { KeyOperationResult, PixKeyInput, PixKeyRemovalInput } from '../contracts/pix-keys.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'
import { dbActivities, idempotentProviderActivities, payoutActivities } from '../shared/activity-proxies.ts'
import { shouldContinueAsNew } from '../shared/continue-as-new.ts'
import { AbsenceProof } from '../shared/provider-inbox.ts'

/**
 * Workflow that creates a PIX key: stores it, requests it from its provider once, and polls the provider's list where
 * the answer is lost.
 */
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
    for (let pollCount = 0, result = await callProvider(callFirst); ; pollCount++) {
      if (result.kind === 'closed') return result.state
      const proofMs = result.kind === 'not_found' ? absence.recordNotFound(result.settleWindowMs) : Infinity
      // The provider takes no id of ours, so the key is never requested twice: a request that did not arrive ends the workflow.
      if (proofMs === null) return dbActivities.failPixKey({ uuid })
      await wait(pollCount, proofMs)
      result = await idempotentProviderActivities.pollPixKey({ uuid, pollCount })
      if (result.kind === 'not_started' && !order.restored)
        result = await callProvider(() => payoutActivities.createKey({ uuid }))
    }
  })
}

/** Workflow that removes a PIX key: requests it from its provider until the key is gone there, or the provider refuses. */
export function pixKeyRemovalWorkflow({ uuid, timeScale }: PixKeyRemovalInput): Promise<PixKeyState> {
  const continueRun = () => continueAsNew<typeof pixKeyRemovalWorkflow>({ uuid, timeScale })
  return runKeyWorkflow({ continueRun, timeScale }, async wait => {
    for (
      let pollCount = 0, result = await callProvider(() => payoutActivities.deleteKey({ uuid }));
      ;
      pollCount++
    ) {
      if (result.kind === 'closed') return result.state
      await wait(pollCount, Infinity)
      result = await idempotentProviderActivities.pollPixKeyRemoval({ uuid, pollCount })
      // Removing it twice is removing it once.
      if (result.kind === 'still_there')
        result = await callProvider(() => payoutActivities.deleteKey({ uuid }))
    }
  })
}

/** Returns the wait before the next poll of a key, by the number of polls before. */
type WaitForNextPoll = (pollCount: number, atMostMs: number) => Promise<void>
/** Continues as new with the same input: what an earlier run did is found by its attempt. */
type KeyRunContext = { continueRun: () => Promise<never>; timeScale: number }

/** Answers the waiting update when the workflow ends; an unknown outcome keeps the workflow running. */
async function runKeyWorkflow(
  { continueRun, timeScale }: KeyRunContext,
  live: (wait: WaitForNextPoll) => Promise<PixKeyState>,
): Promise<PixKeyState> {
  let isAnswered = false
  setHandler(awaitResultUpdate, () => condition(() => isAnswered), {
    description: 'Waits for the outcome at the provider',
  })
  const state = await live(async (pollCount, atMostMs) => {
    if (pollCount === 0) return // A list is cheap, and a caller waits.
    if (shouldContinueAsNew()) {
      isAnswered = true
      await condition(allHandlersFinished)
      await continueRun()
    }
    setCurrentDetails('Outcome unknown: the key list of the provider is polled')
    const waitMs = Math.min(WAITS.nextPoll(pollCount), atMostMs)
    await sleep(scaleWait(waitMs, timeScale), { summary: 'outcome unknown: next poll' })
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
  creating: 'Stored: the provider is called to register it',
  active: 'Active',
  removing: 'Being removed',
  removed: 'Removed at the provider',
  refused: 'Not registered: the provider rejected it or was not reached',
}
