import type { CancelChargeResult } from '../contracts/charges.ts'

/** Requests to cancel a charge, which wait for their result. */
export class CancellationRequests {
  /** A request waits for an answer of the provider; in a workflow started from its row, the row says so. */
  isPending = false
  #resolvers: ((answer: CancelChargeResult) => void)[] = []

  add(): Promise<CancelChargeResult> {
    this.isPending = true
    return new Promise(resolve => this.#resolvers.push(resolve))
  }

  /** Resolves all waiting requests, and drops the request unless the provider gave no answer. */
  resolveAll(answer: CancelChargeResult): void {
    this.isPending = answer.kind === 'no_answer'
    for (const resolve of this.#resolvers.splice(0)) resolve(answer)
  }
}
