import { workflowInfo } from '@temporalio/workflow'
import type { Continuation, PreRestoreState } from '../contracts/messages.ts'

/**
 * A life that waits for months, because its provider cannot tell, goes on as new before Temporal ends it at 51,200 events.
 * It begins with what it was ordered by, so that a restore finds that whichever of its runs are forgotten.
 */

/** Whether its history has grown so long that it had better go on as new. */
export function shouldContinueAsNew(): boolean {
  return workflowInfo().continueAsNewSuggested
}

/** What the run after this one is told of those before it. */
export function continuationOf({
  continuation: earlier,
  restored,
}: {
  restored?: PreRestoreState
  continuation?: Continuation
}): Continuation {
  const startedAt = workflowInfo().startTime.toISOString()
  return { orderedAt: earlier?.orderedAt ?? restored?.orderedAt ?? startedAt }
}
