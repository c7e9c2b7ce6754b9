import { AsyncLocalStorage } from 'node:async_hooks'
import type { Middleware } from 'koa'
import { failNotConfirmed } from '../http/api-error.ts'
import { type AwaitedPart, ResponseTimeoutError } from '../http/outage.ts'
import { MIN_TO_START_MS, READ_BACK_RESERVE_MS, REQUEST_DEADLINE_MS } from '../limits.ts'

/**
 * Until when one request is answered (SPEC §1), by a monotonic clock. It begins when the request arrives, and every step
 * gets what the steps before it have left. What the caller itself takes to send its body is not counted: that has limits of
 * its own.
 */
export class RequestDeadline {
  #startedAtMs = performance.now()
  #endsAtMs: number
  #pausedAtMs: number | null = null
  #startedUuid: string | null = null
  /** What the request waits for: the cause that is logged where the deadline passes. */
  awaitedPart: AwaitedPart = 'postgres'

  constructor(limitMs: number) {
    this.#endsAtMs = this.#startedAtMs + limitMs
  }

  /** Not above zero once it has passed. */
  get remainingMs(): number {
    return this.#endsAtMs - (this.#pausedAtMs ?? performance.now())
  }

  /** What a step may take that has a limit of its own, with time left to read the outcome back; not below zero. */
  stepTimeoutMs(limitMs = Number.POSITIVE_INFINITY): number {
    return Math.max(0, Math.min(limitMs, this.remainingMs - READ_BACK_RESERVE_MS))
  }

  /** What is left of a longer limit that began with the request; not below zero. */
  remainingOfLimitMs(limitMs: number): number {
    return Math.max(0, this.#startedAtMs + limitMs - performance.now())
  }

  /** Waits for a step until so long before the deadline; fails with NoAnswerInTime. The step itself goes on. */
  awaitStep<T>(step: Promise<T>, marginMs = 0): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const passed = new Promise<never>((_, fail) => {
      const look = () => {
        const leftMs = this.remainingMs - marginMs
        if (leftMs > 0) timer = setTimeout(look, leftMs)
        // What has arrived while this process stood still is read first.
        else
          setImmediate(() => fail(new ResponseTimeoutError('the request has no time left', this.awaitedPart)))
      }
      look()
    })
    return Promise.race([step, passed]).finally(() => clearTimeout(timer))
  }

  /** The same for all that answers the request: refuses with `not_confirmed` once something may have been begun. */
  async awaitResponse<T>(answering: Promise<T>, marginMs = 0): Promise<T> {
    try {
      return await this.awaitStep(answering, marginMs)
    } catch (error) {
      if (error instanceof ResponseTimeoutError && this.#startedUuid !== null)
        failNotConfirmed(this.#startedUuid, error)
      throw error
    }
  }

  /** Stops the clock while the caller sends. One at a time. */
  async pauseWhile<T>(sending: Promise<T>): Promise<T> {
    const stoppedAt = performance.now()
    this.#pausedAtMs = stoppedAt
    try {
      return await sending
    } finally {
      this.#pausedAtMs = null
      const tookMs = performance.now() - stoppedAt
      this.#startedAtMs += tookMs
      this.#endsAtMs += tookMs
    }
  }

  /**
   * Marks that from here on something may have been begun that goes on whatever the caller is answered. Fails with
   * NoAnswerInTime where too little is left for it: the caller may have been answered that nothing was started.
   */
  markStarted(uuid: string): void {
    this.requireRemainingMs(MIN_TO_START_MS)
    this.awaitedPart = 'worker'
    this.#startedUuid = uuid
  }

  /** Fails with NoAnswerInTime where less is left. */
  requireRemainingMs(leastMs: number): void {
    if (this.remainingMs <= leastMs)
      throw new ResponseTimeoutError('the request has no time left', this.awaitedPart)
  }

  /** Moves it to so long after the arrival, where it is earlier: what is stored may wait longer for its outcome. */
  extendTo(limitMs: number): void {
    this.#endsAtMs = Math.max(this.#endsAtMs, this.#startedAtMs + limitMs)
  }

  /** Moves it for a step whose size the caller has chosen. */
  extendBy(ms: number): void {
    this.#endsAtMs += ms
  }
}

const deadlineStorage = new AsyncLocalStorage<RequestDeadline>()

/** Of the request that is being answered; outside of one, a deadline that begins now. */
export function getRequestDeadline(): RequestDeadline {
  return deadlineStorage.getStore() ?? new RequestDeadline(REQUEST_DEADLINE_MS)
}

/** Gives each request its deadline, and refuses it when that passes, wherever it stands. */
export const enforceDeadline: Middleware = (_ctx, next) => {
  const deadline = new RequestDeadline(REQUEST_DEADLINE_MS)
  return deadlineStorage.run(deadline, () => deadline.awaitResponse(next()))
}
