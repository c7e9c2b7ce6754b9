import { setTimeout as sleep } from 'node:timers/promises'
import { awaitStartedOperation } from '../../temporal/start.ts'
import type { WorkflowClientContext } from '../../temporal/workflow-options.ts'
import { ApiError, failNotConfirmed } from '../http/api-error.ts'
import { isOutage } from '../http/outage.ts'
import { CREATE_WAIT_MS, READ_BACK_RESERVE_MS } from '../limits.ts'
import { getRequestDeadline } from '../middleware/request-deadline.ts'

export type StartRequest<Row, Told> = {
  uuid: string
  /** Resolves when the workflow has its outcome, or fails after so long. */
  start: (waitMs: number) => Promise<void>
  /** Afresh every time; null where there is none. */
  find: () => Promise<Row | null>
  /** Whether what was found is of this life; where absent any row is. */
  isStarted?: (row: Row) => boolean
  present: (row: Row) => Told | Promise<Told>
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
export async function startAndAwaitResult<Row, Told>(
  engine: WorkflowClientContext,
  life: StartRequest<Row, Told>,
): Promise<Told> {
  const { uuid, start, find, isStarted: isBegun = () => true, present: tell, isUnrepeatable } = life
  const deadline = getRequestDeadline()
  deadline.awaitedPart = 'temporal'
  await engine.client() // Refuses here where Temporal is away: nothing has been started yet.
  deadline.markStarted(uuid)
  const notStoredAt = performance.now() + deadline.stepTimeoutMs()
  const untilNotStored = async () => {
    if (isUnrepeatable) await sleep(Math.max(0, notStoredAt - performance.now()))
  }
  let cause: unknown
  const answered = start(deadline.remainingOfLimitMs(CREATE_WAIT_MS)).then(
    () => 'answered' as const,
    error => {
      cause = error
      return 'unknown' as const
    },
  )
  try {
    const soon = await deadline.awaitStep(answered, READ_BACK_RESERVE_MS).catch(error => {
      cause = error
      return 'late' as const
    })
    const early = soon === 'answered' ? null : await find()
    const isThere = early !== null && isBegun(early)
    // What was interrupted may still be stored.
    if (soon === 'unknown' && !isThere) await untilNotStored()
    if (isThere) deadline.extendTo(CREATE_WAIT_MS + READ_BACK_RESERVE_MS)
    const came = soon === 'late' && isThere ? await answered : soon
    const row = await find()
    // What no life of this request has changed tells of an earlier one.
    if (row !== null && (came === 'answered' || isBegun(row))) return await tell(row)
  } catch (error) {
    if (!isOutage(error)) throw error
    cause = error
  }
  await untilNotStored()
  return failNotConfirmed(uuid, cause)
}

/**
 * A sending that was found by its key and may have been begun a moment ago by a parallel call: waits as long as that one
 * does, because all of them hear what the first one hears.
 */
export async function awaitAccepted<Row extends { uuid: string; createdAt: Date }>(
  engine: WorkflowClientContext,
  row: Row,
  { kind, find }: { kind: 'transfer' | 'refund' | 'pix_key'; find: () => Promise<Row | null> },
): Promise<Row> {
  const waitMs = CREATE_WAIT_MS - (Date.now() - row.createdAt.getTime())
  if (waitMs <= 0) return row
  await awaitStoredOutcome(engine, { kind, uuid: row.uuid, waitMs })
  return (await find()) ?? row
}

/** Waits for the outcome of what is stored, at most so long and until 10 s after the request's arrival. */
export async function awaitStoredOutcome(
  engine: WorkflowClientContext,
  { waitMs, ...begun }: Parameters<typeof awaitStartedOperation>[1],
): Promise<void> {
  const deadline = getRequestDeadline()
  deadline.extendTo(CREATE_WAIT_MS + READ_BACK_RESERVE_MS)
  const joined = awaitStartedOperation(engine, { ...begun, waitMs: deadline.stepTimeoutMs(waitMs) })
  await deadline.awaitStep(joined, READ_BACK_RESERVE_MS).catch(() => undefined)
}

/**
 * What a request may do, judged after its row was looked for; null where it is refused because a parallel call with its key
 * has begun meanwhile, whose row then answers both.
 */
export async function validateUnlessStarted<T>(
  judging: Promise<T>,
  find: (() => Promise<unknown>) | null,
): Promise<T | null> {
  try {
    return await judging
  } catch (error) {
    if (error instanceof ApiError && find && (await find())) return null
    throw error
  }
}

/** What is read once a life was asked or its row was found: an outage then does not say that nothing was started. */
export async function readOrFailNotConfirmed<T>(uuid: string, reading: () => Promise<T>): Promise<T> {
  try {
    return await reading()
  } catch (error) {
    if (isOutage(error)) return failNotConfirmed(uuid, error)
    throw error
  }
}
