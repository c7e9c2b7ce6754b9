import { AsyncLocalStorage } from 'node:async_hooks'
import { DriverException } from '@mikro-orm/core'
import type { Middleware } from 'koa'
import { failNotConfirmed, type ResourceIds } from './api-error.ts'
import { MIN_TO_START_MS, READ_BACK_RESERVE_MS, REQUEST_DEADLINE_MS } from './limits.ts'
import { type AwaitedPart, isOutage, ResponseTimeoutError } from './outage.ts'

/**
 * Deadline of one request (SPEC §1), by a monotonic clock. It starts when the request arrives; each step gets the time
 * that the steps before it left. The time in which the client sends its body is not counted: it has limits of its own.
 */
export class RequestDeadline {
  #endsAtMs: number
  #pausedAtMs: number | null = null
  #started: { ids: ResourceIds | null } | null = null
  #mayWrite = false
  #isCommitting = false
  #hasGivenUp = false
  /** Part that the request waits for; logged as the cause when the deadline passes. */
  awaitedPart: AwaitedPart = 'postgres'

  constructor(limitMs: number) {
    this.#endsAtMs = performance.now() + limitMs
  }

  /** Milliseconds left; zero or less after the deadline. */
  get remainingMs(): number {
    return this.#endsAtMs - (this.#pausedAtMs ?? performance.now())
  }

  /** Computes the timeout in ms of a step with its own limit, keeping a reserve to read the outcome; never negative. */
  stepTimeoutMs(limitMs = Number.POSITIVE_INFINITY): number {
    return Math.max(0, Math.min(limitMs, this.remainingMs - READ_BACK_RESERVE_MS))
  }

  /** Awaits a step until `marginMs` before the deadline, then fails with `ResponseTimeoutError`; does not cancel it. */
  awaitStep<T>(step: Promise<T>, marginMs = 0): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const expiry = new Promise<never>((_, fail) => {
      const checkDeadline = () => {
        const remainingMs = this.remainingMs - marginMs
        if (remainingMs > 0) timer = setTimeout(checkDeadline, remainingMs)
        // If this process was suspended, results that have arrived are read first.
        else
          setImmediate(() => fail(new ResponseTimeoutError('the request has no time left', this.awaitedPart)))
      }
      checkDeadline()
    })
    return Promise.race([step, expiry]).finally(() => clearTimeout(timer))
  }

  /** Computes the timeout in ms of a step that comes before a workflow is started or rows are written; never negative. */
  timeoutBeforeStartMs(): number {
    return Math.max(0, this.remainingMs - MIN_TO_START_MS - READ_BACK_RESERVE_MS)
  }

  /**
   * Awaits the whole response until the deadline. Where an outage or the deadline ends it, it fails with `not_confirmed` once a
   * workflow may have been started or rows committed.
   */
  async awaitResponse<T>(response: Promise<T>, marginMs = 0): Promise<T> {
    try {
      return await this.awaitStep(response, marginMs)
    } catch (error) {
      this.#hasGivenUp = true
      if (!isOutage(error)) throw error
      if (this.#started) failNotConfirmed(this.#started.ids, error)
      // The handler continues after the deadline. Where another wait of its own ended before, it has written nothing.
      const mayHaveWritten =
        this.#isCommitting || this.remainingMs <= marginMs || error instanceof DriverException
      if (this.#mayWrite && mayHaveWritten) failNotConfirmed(null, error)
      throw error
    }
  }

  /** Stops the clock while the client sends its body. Not reentrant. */
  async pauseWhile<T>(upload: Promise<T>): Promise<T> {
    const pausedAtMs = performance.now()
    this.#pausedAtMs = pausedAtMs
    try {
      return await upload
    } finally {
      this.#pausedAtMs = null
      this.#endsAtMs += performance.now() - pausedAtMs
    }
  }

  /**
   * Marks that from here on a workflow may have been started, or rows committed, whatever the response is. Fails with
   * `ResponseTimeoutError` where too little time is left: the client may already have received a 503 that says nothing
   * was started. `ids` is null where no resource of the API shows the result.
   */
  markStarted(ids: ResourceIds | null, awaitedPart: AwaitedPart = 'worker'): void {
    this.requireRemainingMs(MIN_TO_START_MS)
    this.awaitedPart = awaitedPart
    this.#started = { ids }
  }

  /**
   * Marks that a handler which may write at any moment begins. Fails with `ResponseTimeoutError` where too little time is
   * left; if the handler has not ended by the deadline, or PostgreSQL fails it, the response is `not_confirmed`.
   */
  markHandled(): void {
    this.requireRemainingMs(MIN_TO_START_MS)
    this.#mayWrite = true
  }

  /**
   * Marks that rows are committed from here on. Fails with `ResponseTimeoutError` where too little time is left, unless a
   * workflow may have been started: what follows from it is committed whatever the response is.
   */
  markCommitting(): void {
    if (this.#started) return
    this.requireRemainingMs(MIN_TO_START_MS)
    this.#isCommitting = true
  }

  /** Fails with `not_confirmed` where an outage follows a COMMIT, which may be its own. */
  failIfCommitting(error: unknown): void {
    if (this.#isCommitting && isOutage(error)) failNotConfirmed(null, error)
  }

  /**
   * Fails with `ResponseTimeoutError` where the request was answered at its deadline, while its handler continued: nobody is told what the
   * handler finds from then on.
   */
  requireUnanswered(): void {
    if (this.#hasGivenUp)
      throw new ResponseTimeoutError('the request was answered at its deadline', this.awaitedPart)
  }

  /** Fails with `ResponseTimeoutError` where at most `minMs` are left. */
  requireRemainingMs(minMs: number): void {
    if (this.remainingMs <= minMs)
      throw new ResponseTimeoutError('the request has no time left', this.awaitedPart)
  }

  /** Extends the deadline for a step that takes longer: files of the merchant's size, or the look-up of a PIX key. */
  extendBy(ms: number): void {
    this.#endsAtMs += ms
  }
}

const deadlineStorage = new AsyncLocalStorage<RequestDeadline>()

/** Returns the deadline of the current request; outside of one, a new deadline. */
export function getRequestDeadline(): RequestDeadline {
  return deadlineStorage.getStore() ?? new RequestDeadline(REQUEST_DEADLINE_MS)
}

/** Gives each request its deadline and fails the request when it passes. */
export const enforceDeadline: Middleware = (_ctx, next) => {
  const deadline = new RequestDeadline(REQUEST_DEADLINE_MS)
  return deadlineStorage.run(deadline, () => deadline.awaitResponse(next()))
}
