import { CancellationScope, condition, type WorkflowInterceptorsFactory } from '@temporalio/workflow'

/**
 * Workflow interceptor that makes the order of what follows a local activity independent of what else its activation contains. An
 * update or signal that arrives while a local activity runs is processed in an activation of its own; in a replay the SDK passes it
 * in the same activation as the result, and the two would continue in turns. With this, a result is passed on only when all else
 * of its activation has been processed, and one result after the other. It adds no command to the history.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const order = new ResultOrder()
  return {
    outbound: [
      {
        async scheduleLocalActivity(input, next) {
          try {
            return await next(input)
          } finally {
            await order.awaitTurn()
          }
        },
      },
    ],
  }
}

/** The results of one workflow that are not passed on yet, oldest first. */
class ResultOrder {
  readonly #waiting: symbol[] = []

  /** Waits until the microtasks of the activation and the results before have been processed. */
  async awaitTurn(): Promise<void> {
    const own = Symbol('result')
    let isActivationProcessed = false
    this.#waiting.push(own)
    const isOwnTurn = () => {
      // The SDK evaluates a condition once when it is made, and then each time all microtasks have been processed.
      if (isActivationProcessed) return this.#waiting[0] === own
      isActivationProcessed = true
      return false
    }
    // The result counts also where the workflow was cancelled while the activity ran.
    await CancellationScope.nonCancellable(() => condition(isOwnTurn))
    this.#waiting.shift()
  }
}
