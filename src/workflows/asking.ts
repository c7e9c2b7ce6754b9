import { condition, setHandler } from '@temporalio/workflow'
import { scaled, WAITS } from '../domain/waits.ts'
import { type ProviderNotice, providerNotice } from './messages.ts'

/** The notices that wake a life; what they say is asked of the provider, so only their coming counts. */
export class Notices {
  #waiting = 0

  constructor() {
    const count = (_notice: ProviderNotice) => {
      this.#waiting += 1
    }
    setHandler(providerNotice, count, { description: 'Something changed at the provider: ask it now' })
  }

  get waiting(): boolean {
    return this.#waiting > 0
  }

  /** One look at the provider answers all that have come so far. */
  taken(): void {
    this.#waiting = 0
  }

  /** Waits until a notice comes, at most `waitMs` before the time scale. */
  async orAfter(waitMs: number, timeScale: number, summary: string): Promise<void> {
    await condition(() => this.waiting, scaled(waitMs, timeScale), { summary })
  }
}

/**
 * Asks again and again, on the schedule of SPEC §6, until an answer is one; a notice makes it ask at once.
 * Only the answer ends it: no time does.
 */
export async function askUntilKnown<Answer extends { kind: string }>(
  ask: () => Promise<Answer>,
  life: { notices: Notices; timeScale: number; isKnown: (answer: Answer) => boolean },
): Promise<Answer> {
  for (let asked = 1; ; asked++) {
    life.notices.taken()
    const answer = await ask()
    if (life.isKnown(answer)) return answer
    await life.notices.orAfter(WAITS.askAgain(asked), life.timeScale, `ask again: ${answer.kind}`)
  }
}
