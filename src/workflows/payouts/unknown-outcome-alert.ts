import {
  CancellationScope,
  isCancellation,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'

/**
 * Sets search attribute TrilhoOutcome=unknown once an outcome has been unknown for `WAITS.alertOperatorAfter` (10 min,
 * scaled). A durable timer decides, not the clock: two readings of `Date.now()` may lie on either side of the limit when
 * a history is replayed.
 */
export class UnknownOutcomeAlert {
  readonly #timeScale: number
  #timer: CancellationScope | undefined
  /** An earlier run may have set the attribute before continue-as-new. */
  #isRaised = workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.outcome) !== undefined

  constructor(timeScale: number) {
    this.#timeScale = timeScale
  }

  /** The outcome is unknown: starts the timer, unless it runs or has fired. */
  markUnknown(): void {
    if (this.#isRaised || this.#timer) return
    this.#timer = new CancellationScope()
    void this.#timer
      .run(() => this.#raiseAfterDelay())
      .catch(error => {
        if (!isCancellation(error)) throw error
      })
  }

  /** The outcome is known: stops the timer and removes the attribute. */
  clear(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#isRaised) upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.outcome, value: null }])
    this.#isRaised = false
  }

  async #raiseAfterDelay(): Promise<void> {
    await sleep(scaleWait(WAITS.alertOperatorAfter, this.#timeScale), {
      summary: 'alert operators: outcome unknown',
    })
    this.#isRaised = true
    upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.outcome, value: 'unknown' }])
  }
}
