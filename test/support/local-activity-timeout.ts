import type { WorkflowInterceptorsFactory } from '@temporalio/workflow'

/** Longer than a machine stands still, and shorter than a task may last. */
export const LOCAL_ACTIVITY_TIMEOUT_MS = 6_000

/**
 * A local poll within a workflow task has two seconds (src/workflows/shared/activity-proxies.ts): on a machine that
 * stands still for as long the test would take another path.
 */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  outbound: [
    {
      scheduleLocalActivity(input, next) {
        const { options } = input
        if (options.retry?.maximumAttempts !== 1) return next(input)
        return next({ ...input, options: { ...options, startToCloseTimeout: LOCAL_ACTIVITY_TIMEOUT_MS } })
      },
    },
  ],
})
