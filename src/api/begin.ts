import { setTimeout as sleep } from 'node:timers/promises'
import { joinBegun } from '../engine/begin.ts'
import type { Engine } from '../engine/start.ts'
import { Refusal, refuse } from './errors.ts'
import { CREATE_MS, NOT_STORED_MS, UNAVAILABLE_RETRY_S } from './limits.ts'
import { isOutage, within } from './outage.ts'

export type Beginning<Row, Told> = {
  uuid: string
  start: () => Promise<void>
  /** Afresh every time; null where there is none. */
  find: () => Promise<Row | null>
  /** Whether what was found is of this life; where absent any row is. */
  isBegun?: (row: Row) => boolean
  tell: (row: Row) => Told | Promise<Told>
  /** It sends money and its caller cannot repeat it: without a row he may order anew, so he hears of none too early. */
  isUnrepeatable?: boolean
}

/**
 * Starts a life, waits until it answers, and tells what its row says; what was not even stored after 5 s is no longer
 * waited for (SPEC §1). Whatever interrupts the waiting, the row tells where the life stands, and the life goes on. Of
 * what cannot be repeated it is answered no sooner than that: until then its row may become visible and be sent
 * (docs/crash-semantics.md).
 */
export async function beginLife<Row, Told>(engine: Engine, life: Beginning<Row, Told>): Promise<Told> {
  const { uuid, start, find, isBegun = () => true, tell, isUnrepeatable } = life
  await engine.client() // Refuses here where Temporal is away: nothing has been started yet.
  const notStoredAt = performance.now() + NOT_STORED_MS
  const untilNotStored = async () => {
    if (isUnrepeatable) await sleep(Math.max(0, notStoredAt - performance.now()))
  }
  let cause: unknown
  const answered = start().then(
    () => 'answered' as const,
    error => {
      cause = error
      return 'unknown' as const
    },
  )
  try {
    const soon = await within(NOT_STORED_MS, answered).catch(error => {
      cause = error
      return 'late' as const
    })
    const early = soon === 'answered' ? null : await find()
    const isThere = early !== null && isBegun(early)
    // What was interrupted may still be stored.
    if (soon === 'unknown' && !isThere) await untilNotStored()
    const came = soon === 'late' && isThere ? await answered : soon
    const row = await find()
    // What no life of this request has changed tells of an earlier one.
    if (row !== null && (came === 'answered' || isBegun(row))) return await tell(row)
  } catch (error) {
    if (!isOutage(error)) throw error
    cause = error
  }
  await untilNotStored()
  return notConfirmed(uuid, cause)
}

/**
 * A sending that was found by its key and may have been begun a moment ago by a parallel call: waits as long as that one
 * does, because all of them hear what the first one hears.
 */
export async function joinSent<Row extends { uuid: string; createdAt: Date }>(
  engine: Engine,
  row: Row,
  { kind, find }: { kind: 'transfer' | 'refund' | 'pix_key'; find: () => Promise<Row | null> },
): Promise<Row> {
  const waitMs = CREATE_MS - (Date.now() - row.createdAt.getTime())
  if (waitMs <= 0) return row
  await joinBegun(engine, { kind, uuid: row.uuid, waitMs })
  return (await find()) ?? row
}

/**
 * What a request may do, judged after its row was looked for; null where it is refused because a parallel call with its key
 * has begun meanwhile, whose row then answers both.
 */
export async function unlessBegun<T>(
  judging: Promise<T>,
  find: (() => Promise<unknown>) | null,
): Promise<T | null> {
  try {
    return await judging
  } catch (error) {
    if (error instanceof Refusal && find && (await find())) return null
    throw error
  }
}

/** What is read once a life was asked or its row was found: an outage then does not say that nothing was started. */
export async function orNotConfirmed<T>(uuid: string, reading: () => Promise<T>): Promise<T> {
  try {
    return await reading()
  } catch (error) {
    if (isOutage(error)) return notConfirmed(uuid, error)
    throw error
  }
}

/** Ends the request: whether it was taken can be read, or asked by the same key. `cause` is for the log. */
export function notConfirmed(uuid: string, cause?: unknown): never {
  refuse('not_confirmed', { data: { uuid }, retryAfterS: UNAVAILABLE_RETRY_S, cause })
}
