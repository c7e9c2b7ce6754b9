import type { CancelAnswer } from './messages.ts'

/** Those who want a charge cancelled, and wait for what comes of it. */
export class Cancellers {
  /** Somebody wants it, and was not told yet that there is no answer; of a woken life, that its row says so. */
  isWanted = false
  #waiting: ((answer: CancelAnswer) => void)[] = []

  wants(): Promise<CancelAnswer> {
    this.isWanted = true
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  /** Whoever was told that it is over is not cancelled for behind his back. */
  hear(answer: CancelAnswer): void {
    this.isWanted = answer.kind === 'no_answer'
    for (const tell of this.#waiting.splice(0)) tell(answer)
  }
}
