import { AsyncLocalStorage } from 'node:async_hooks'
import type { Middleware } from 'koa'
import { notConfirmed } from './errors.ts'
import { ANSWER_MS, LEAST_TO_BEGIN_MS, READ_BACK_MS } from './limits.ts'
import { type AwaitedPart, NoAnswerInTime } from './outage.ts'

/**
 * Until when one request is answered (SPEC §1), by a monotonic clock. It begins when the request arrives, and every step
 * gets what the steps before it have left. What the caller itself takes to send its body is not counted: that has limits of
 * its own.
 */
export class Deadline {
  #startedAt = performance.now()
  #endsAt: number
  #stoppedAt: number | null = null
  #begunUuid: string | null = null
  /** What the request waits for: the cause that is logged where the deadline passes. */
  waitsFor: AwaitedPart = 'postgres'

  constructor(limitMs: number) {
    this.#endsAt = this.#startedAt + limitMs
  }

  /** Not above zero once it has passed. */
  get leftMs(): number {
    return this.#endsAt - (this.#stoppedAt ?? performance.now())
  }

  /** What a step may take that has a limit of its own, with time left to read the outcome back; not below zero. */
  stepMs(limitMs = Number.POSITIVE_INFINITY): number {
    return Math.max(0, Math.min(limitMs, this.leftMs - READ_BACK_MS))
  }

  /** What is left of a longer limit that began with the request; not below zero. */
  leftOfMs(limitMs: number): number {
    return Math.max(0, this.#startedAt + limitMs - performance.now())
  }

  /** Waits for a step until so long before the deadline; fails with NoAnswerInTime. The step itself goes on. */
  within<T>(step: Promise<T>, marginMs = 0): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const passed = new Promise<never>((_, fail) => {
      const look = () => {
        const leftMs = this.leftMs - marginMs
        if (leftMs > 0) timer = setTimeout(look, leftMs)
        // What has arrived while this process stood still is read first.
        else setImmediate(() => fail(new NoAnswerInTime('the request has no time left', this.waitsFor)))
      }
      look()
    })
    return Promise.race([step, passed]).finally(() => clearTimeout(timer))
  }

  /** The same for all that answers the request: refuses with `not_confirmed` once something may have been begun. */
  async answered<T>(answering: Promise<T>, marginMs = 0): Promise<T> {
    try {
      return await this.within(answering, marginMs)
    } catch (error) {
      if (error instanceof NoAnswerInTime && this.#begunUuid !== null) notConfirmed(this.#begunUuid, error)
      throw error
    }
  }

  /** Stops the clock while the caller sends. One at a time. */
  async uncounted<T>(sending: Promise<T>): Promise<T> {
    const stoppedAt = performance.now()
    this.#stoppedAt = stoppedAt
    try {
      return await sending
    } finally {
      this.#stoppedAt = null
      const tookMs = performance.now() - stoppedAt
      this.#startedAt += tookMs
      this.#endsAt += tookMs
    }
  }

  /**
   * Marks that from here on something may have been begun that goes on whatever the caller is answered. Fails with
   * NoAnswerInTime where too little is left for it: the caller may have been answered that nothing was started.
   */
  begins(uuid: string): void {
    this.requireMs(LEAST_TO_BEGIN_MS)
    this.waitsFor = 'worker'
    this.#begunUuid = uuid
  }

  /** Fails with NoAnswerInTime where less is left. */
  requireMs(leastMs: number): void {
    if (this.leftMs <= leastMs) throw new NoAnswerInTime('the request has no time left', this.waitsFor)
  }

  /** Moves it to so long after the arrival, where it is earlier: what is stored may wait longer for its outcome. */
  extendTo(limitMs: number): void {
    this.#endsAt = Math.max(this.#endsAt, this.#startedAt + limitMs)
  }

  /** Moves it for a step whose size the caller has chosen. */
  extendBy(ms: number): void {
    this.#endsAt += ms
  }
}

const requests = new AsyncLocalStorage<Deadline>()

/** Of the request that is being answered; outside of one, a deadline that begins now. */
export function requestDeadline(): Deadline {
  return requests.getStore() ?? new Deadline(ANSWER_MS)
}

/** Gives each request its deadline, and refuses it when that passes, wherever it stands. */
export const answeredInTime: Middleware = (_ctx, next) => {
  const deadline = new Deadline(ANSWER_MS)
  return requests.run(deadline, () => deadline.answered(next()))
}
