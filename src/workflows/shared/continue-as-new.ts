import { workflowInfo } from '@temporalio/workflow'
import type { Continuation } from '../contracts/payouts.ts'

/**
 * A workflow that waits for months for its provider continues as new before Temporal ends it at 51,200 events. Its next run
 * starts with the original input, so that its order is found whichever of its runs Temporal has deleted.
 */

/** Tells whether the history has grown so long that the workflow should continue as new. */
export function shouldContinueAsNew(): boolean {
  return workflowInfo().continueAsNewSuggested
}

/** Returns what the next run learns of the earlier ones. */
export function continuationOf({
  continuation: earlier,
  candidates,
}: {
  candidates?: string[]
  continuation?: Continuation
}): Continuation {
  const original = earlier?.candidates ?? candidates
  return {
    orderedAt: earlier?.orderedAt ?? workflowInfo().startTime.toISOString(),
    ...(original && { candidates: original }),
  }
}
