import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import { type PixKeyState, pixKeyMachine } from '../../domain/pix-keys/pix-key.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { awaitResultUpdate } from '../contracts/orders.ts'
import type {
  AuthCodeInput,
  CodeOutcome,
  KeyOperationResult,
  PixKeyInput,
  PixKeyRemovalInput,
} from '../contracts/pix-keys.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'
import {
  anyWorkerActivities,
  dbActivities,
  idempotentProviderActivities,
  messagingActivities,
} from '../shared/activity-proxies.ts'
import { AbsenceProof } from '../shared/provider-inbox.ts'
import { sendUntilClosed } from '../shared/send-until-closed.ts'
import { orInterrupted } from '../shared/worker-loss.ts'
import { shouldContinueAsNew } from '../shared/workflow-info.ts'

/**
 * Workflow that creates a PIX key: stores it, requests it from its provider once, and polls the provider's list where
 * the answer is lost.
 */
export function pixKeyWorkflow(input: PixKeyInput): Promise<PixKeyState> {
  const { uuid, timeScale } = input
  const continueRun = () => continueAsNew<typeof pixKeyWorkflow>(input)
  return runKeyWorkflow({ continueRun, timeScale }, async waitForNextPoll => {
    const state = await dbActivities.openPixKey(input)
    if (pixKeyMachine.isFinal(state)) return state
    const absenceProof = new AbsenceProof(timeScale)
    const createKey = (): Promise<KeyOperationResult> =>
      orInterrupted(anyWorkerActivities.createKey({ uuid }))
    let result = await createKey()
    for (let pollCount = 0; ; pollCount++) {
      if (result.kind === 'closed') return result.state
      const maxWaitMs =
        result.kind === 'not_found' ? absenceProof.recordNotFound(result.settleWindowMs) : Infinity
      // The provider takes no id of ours, so the key is never requested twice: a request that did not arrive ends the workflow.
      if (maxWaitMs === null) return dbActivities.failPixKey({ uuid })
      await waitForNextPoll(pollCount, maxWaitMs)
      result = await idempotentProviderActivities.pollPixKey({ uuid, pollCount })
      if (result.kind === 'not_started') result = await createKey()
    }
  })
}

/** Workflow that removes a PIX key: requests it from its provider until the key is gone there, or the provider refuses. */
export function pixKeyRemovalWorkflow({ uuid, timeScale }: PixKeyRemovalInput): Promise<PixKeyState> {
  const continueRun = () => continueAsNew<typeof pixKeyRemovalWorkflow>({ uuid, timeScale })
  const deleteKey = (): Promise<KeyOperationResult> => orInterrupted(anyWorkerActivities.deleteKey({ uuid }))
  return runKeyWorkflow({ continueRun, timeScale }, async waitForNextPoll => {
    for (let pollCount = 0, result = await deleteKey(); ; pollCount++) {
      if (result.kind === 'closed') return result.state
      await waitForNextPoll(pollCount, Infinity)
      result = await idempotentProviderActivities.pollPixKeyRemoval({ uuid, pollCount })
      // A removal is idempotent.
      if (result.kind === 'still_there') result = await deleteKey()
    }
  })
}

/** Waits until the next poll of a key, after `pollCount` polls, at most `maxWaitMs`. */
type WaitForNextPoll = (pollCount: number, maxWaitMs: number) => Promise<void>
/** `continueRun` continues as new with the same input: the next run finds the attempt of this one. */
type KeyRunContext = { continueRun: () => Promise<never>; timeScale: number }

/** Runs the steps of a key's workflow to its final state, with the handler of `awaitResult` and the wait between polls. */
async function runKeyWorkflow(
  { continueRun, timeScale }: KeyRunContext,
  run: (waitForNextPoll: WaitForNextPoll) => Promise<PixKeyState>,
): Promise<PixKeyState> {
  let hasResult = false
  setHandler(awaitResultUpdate, () => condition(() => hasResult), {
    description: 'Waits for the outcome at the provider',
  })
  const state = await run(async (pollCount, maxWaitMs) => {
    if (pollCount === 0) return // The first poll is made at once, because a request waits for the result.
    if (shouldContinueAsNew()) {
      hasResult = true
      await condition(allHandlersFinished)
      await continueRun()
    }
    setCurrentDetails('Outcome unknown: the key list of the provider is polled')
    const waitMs = Math.min(WAITS.nextPoll(pollCount), maxWaitMs)
    await sleep(scaleWait(waitMs, timeScale), { summary: 'outcome unknown: next poll' })
  })
  hasResult = true
  setCurrentDetails(PIX_KEY_STATUS_DETAILS[state])
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.status, value: state.toUpperCase() }])
  await condition(allHandlersFinished)
  return state
}

const PIX_KEY_STATUS_DETAILS: Record<PixKeyState, string> = {
  creating: 'Stored: the provider is called to register it',
  active: 'Active',
  removing: 'Being removed',
  removed: 'Removed at the provider',
  refused: 'Not registered: the provider rejected it or was not reached',
}

/** Workflow of an auth code: stores it, then sends it until a messaging service accepts or refuses it, or it expires. */
export async function authCodeWorkflow(input: AuthCodeInput): Promise<CodeOutcome> {
  let isStored = false
  setHandler(awaitResultUpdate, () => condition(() => isStored), {
    description: 'Waits until the code is stored',
  })
  await dbActivities.storeAuthCode(input)
  isStored = true
  const { uuid, timeScale } = input
  const outcome = await sendUntilClosed(timeScale, attempt =>
    messagingActivities.sendAuthCode.executeWithOptions({ summary: `attempt ${attempt}` }, [{ uuid }]),
  )
  setCurrentDetails(`Code ${outcome}`)
  await condition(allHandlersFinished)
  return outcome
}
