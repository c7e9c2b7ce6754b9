import type { CancelAnswer } from './messages.ts'

/** Requests to cancel a charge, which wait for their result. */
export class Cancellers {
  /** A request waits for an answer of the provider; in a workflow started from its row, the row says so. */
  isWanted = false
  #waiting: ((answer: CancelAnswer) => void)[] = []

  wants(): Promise<CancelAnswer> {
    this.isWanted = true
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  /** Resolves all waiting requests, and drops the request unless the provider gave no answer. */
  hear(answer: CancelAnswer): void {
    this.isWanted = answer.kind === 'no_answer'
    for (const tell of this.#waiting.splice(0)) tell(answer)
  }
}
