import { sleep, type WorkflowInterceptorsFactory } from '@temporalio/workflow'

/**
 * Makes a bundle the next build of the real workflows: every workflow begins with a timer that the previous build does
 * not have. Neither build can replay a history of the other one, wherever the workflow is.
 */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      execute(input, next) {
        sleep(1, { summary: 'of the next build only' }).catch(() => {})
        return next(input)
      },
    },
  ],
})
