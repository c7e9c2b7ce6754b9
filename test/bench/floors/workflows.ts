import {
  allHandlersFinished,
  condition,
  defineSignal,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow'
import type { nothing } from './worker.ts'

/** Temporal's own cost: empty workflows with the same steps as ours. */

export type Step = 'local' | 'normal'

export const stepsUpdate = defineUpdate<void>('stepsDone')
export const notificationSignal = defineSignal('notification')

const local = proxyLocalActivities<{ nothing: typeof nothing }>({ startToCloseTimeout: '10 seconds' })
const normal = proxyActivities<{ nothing: typeof nothing }>({ startToCloseTimeout: '1 minute' })

/**
 * Answers once its steps are done and keeps running, as a charge that waits for its payer does; a signal makes it poll
 * once and end.
 */
export async function floorWorkflow(steps: Step[]): Promise<void> {
  let isDone = false
  let isTold = false
  setHandler(notificationSignal, () => {
    isTold = true
  })
  setHandler(stepsUpdate, () => condition(() => isDone))
  for (const step of steps) await (step === 'local' ? local : normal).nothing()
  isDone = true
  await condition(allHandlersFinished)
  if (await condition(() => isTold, '1 hour')) await local.nothing()
}
