import {
  CancellationScope,
  condition,
  type WorkflowInterceptorsFactory,
  workflowInfo,
} from '@temporalio/workflow'
import { correctTaskAge, observeTaskAge } from './worker-clock.ts'

/**
 * Workflow interceptor of local activities. It adds no command to the history.
 *
 * Order: it makes the order of what follows a local activity independent of what else its activation contains. An update or signal
 * that arrives while a local activity runs is processed in an activation of its own; in a replay the SDK passes it in the same
 * activation as the result, and the two would continue in turns. With this, a result is passed on only when all else of its
 * activation has been processed, and one result after the other.
 *
 * Timeout: a workflow task that times out while a local activity runs is failed, so that its run leaves the cache and is replayed
 * (docs/crash-semantics.md, "Workflow tasks that time out").
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const order = new ResultOrder()
  const task = new LocalActivityTask()
  return {
    outbound: [
      {
        async scheduleLocalActivity(input, next) {
          task.runningCount += 1
          try {
            return await next(input)
          } finally {
            task.runningCount -= 1
            await order.awaitTurn()
          }
        },
      },
    ],
    internals: [
      {
        activate(input, next) {
          task.startActivation()
          next(input)
        },
        concludeActivation(input, next) {
          if (task.hasTimedOut())
            throw new Error(
              'The workflow task timed out while a local activity ran; the workflow is replayed.',
            )
          return next(input)
        },
      },
    ],
  }
}

/**
 * The workflow task in which local activities run. Where such a task times out, the SDK continues the cached run with the next task,
 * but not with the signals between the two: the server had numbered the start of the task's second attempt like one of them.
 */
class LocalActivityTask {
  runningCount = 0
  /** Workflow time of the first activation, which is the start of the task by the server's clock. */
  #startedAtMs = 0
  #wasReplaying = true
  #isLocalActivityRunning = false

  startActivation(): void {
    const { isReplaying, now } = workflowInfo().unsafe
    this.#isLocalActivityRunning = this.runningCount > 0
    // While a local activity runs, later workflow times include its duration, and may be those of a task that replaced this one.
    if (!this.#isLocalActivityRunning || this.#wasReplaying) this.#startedAtMs = Date.now()
    if (!this.#isLocalActivityRunning && !isReplaying) observeTaskAge(now() - this.#startedAtMs, now())
    this.#wasReplaying = isReplaying
  }

  /** Whether the current activation began while a local activity ran whose task has timed out since. */
  hasTimedOut(): boolean {
    const { taskTimeoutMs, unsafe } = workflowInfo()
    const isLive = this.#isLocalActivityRunning && !unsafe.isReplaying
    return isLive && correctTaskAge(unsafe.now() - this.#startedAtMs) >= taskTimeoutMs
  }
}

/** The results of one workflow that are not passed on yet, oldest first. */
class ResultOrder {
  readonly #results: symbol[] = []

  /** Waits until the microtasks of the activation and the results before have been processed. */
  async awaitTurn(): Promise<void> {
    const result = Symbol('result')
    let isActivationProcessed = false
    this.#results.push(result)
    const isOwnTurn = () => {
      // The SDK evaluates a condition once when it is made, and then each time all microtasks have been processed.
      if (isActivationProcessed) return this.#results[0] === result
      isActivationProcessed = true
      return false
    }
    // The result counts also where the workflow was cancelled while the activity ran.
    await CancellationScope.nonCancellable(() => condition(isOwnTurn))
    this.#results.shift()
  }
}
