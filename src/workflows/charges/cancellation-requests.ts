import type { CancelChargeResult } from '../contracts/charges.ts'

/** Updates `cancelCharge` that wait for their result. */
export class CancellationRequests {
  /** Whether the provider has not answered a request yet; a reopened workflow reads it from the charge's row. */
  isPending = false
  #resolvers: ((answer: CancelChargeResult) => void)[] = []

  add(): Promise<CancelChargeResult> {
    this.isPending = true
    return new Promise(resolve => this.#resolvers.push(resolve))
  }

  /** Completes all waiting updates; without an answer of the provider the request stays pending. */
  resolveAll(answer: CancelChargeResult): void {
    this.isPending = answer.kind === 'no_answer'
    for (const resolve of this.#resolvers.splice(0)) resolve(answer)
  }
}
