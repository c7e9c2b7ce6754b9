import { setTimeout as sleep } from 'node:timers/promises'
import { joinBegun } from '../engine/begin.ts'
import type { Engine } from '../engine/start.ts'
import { requestDeadline } from './deadline.ts'
import { notConfirmed, Refusal } from './errors.ts'
import { CREATE_MS, READ_BACK_MS } from './limits.ts'
import { isOutage } from './outage.ts'

export type Beginning<Row, Told> = {
  uuid: string
  /** Resolves when the workflow has its outcome, or fails after so long. */
  start: (waitMs: number) => Promise<void>
  /** Afresh every time; null where there is none. */
  find: () => Promise<Row | null>
  /** Whether what was found is of this life; where absent any row is. */
  isBegun?: (row: Row) => boolean
  tell: (row: Row) => Told | Promise<Told>
  /** It sends money and its caller cannot repeat it: without a row he may order anew, so he hears of none too early. */
  isUnrepeatable?: boolean
}

/**
 * Starts a workflow, waits for its outcome, and tells what its row says. What is not stored when the request's time is
 * nearly over is no longer waited for (SPEC §1); what is stored is waited for until 10 s after the request's arrival.
 * Whatever interrupts the waiting, the row tells where the workflow stands, and the workflow goes on. Of what cannot be
 * repeated "not confirmed" is answered no sooner than that: until then its row may become visible and be sent
 * (docs/crash-semantics.md). Fails as an outage where nothing was started.
 */
export async function beginLife<Row, Told>(engine: Engine, life: Beginning<Row, Told>): Promise<Told> {
  const { uuid, start, find, isBegun = () => true, tell, isUnrepeatable } = life
  const deadline = requestDeadline()
  deadline.waitsFor = 'temporal'
  await engine.client() // Refuses here where Temporal is away: nothing has been started yet.
  deadline.begins(uuid)
  const notStoredAt = performance.now() + deadline.stepMs()
  const untilNotStored = async () => {
    if (isUnrepeatable) await sleep(Math.max(0, notStoredAt - performance.now()))
  }
  let cause: unknown
  const answered = start(deadline.leftOfMs(CREATE_MS)).then(
    () => 'answered' as const,
    error => {
      cause = error
      return 'unknown' as const
    },
  )
  try {
    const soon = await deadline.within(answered, READ_BACK_MS).catch(error => {
      cause = error
      return 'late' as const
    })
    const early = soon === 'answered' ? null : await find()
    const isThere = early !== null && isBegun(early)
    // What was interrupted may still be stored.
    if (soon === 'unknown' && !isThere) await untilNotStored()
    if (isThere) deadline.extendTo(CREATE_MS + READ_BACK_MS)
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
  await joinStored(engine, { kind, uuid: row.uuid, waitMs })
  return (await find()) ?? row
}

/** Waits for the outcome of what is stored, at most so long and until 10 s after the request's arrival. */
export async function joinStored(
  engine: Engine,
  { waitMs, ...begun }: Parameters<typeof joinBegun>[1],
): Promise<void> {
  const deadline = requestDeadline()
  deadline.extendTo(CREATE_MS + READ_BACK_MS)
  const joined = joinBegun(engine, { ...begun, waitMs: deadline.stepMs(waitMs) })
  await deadline.within(joined, READ_BACK_MS).catch(() => undefined)
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
