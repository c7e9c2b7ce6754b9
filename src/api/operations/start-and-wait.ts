import { setTimeout as sleep } from 'node:timers/promises'
import type { EntityManager } from '../../db/client/orm.ts'
import { failNotConfirmed, type ResourceIds } from '../../http/api-error.ts'
import { READ_BACK_RESERVE_MS } from '../../http/limits.ts'
import { isOutage } from '../../http/outage.ts'
import { getRequestDeadline, type RequestDeadline } from '../../http/request-deadline.ts'
import { awaitStartedOperation } from '../../temporal/start.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import { runUserAct, type UserAct } from './user-acts.ts'

/** What is ready before a workflow is called: the ids of what it may do, and who asks for it. */
type WorkflowCall = { em: EntityManager; ids: ResourceIds; act: UserAct }

type StartRequest<Row, Result> = WorkflowCall & {
  /** Starts the workflow; resolves when it has its outcome, rejects after `waitMs`. */
  start: (waitMs: number) => Promise<void>
  /** Reads the row from PostgreSQL, anew at every call; null where there is none. */
  find: () => Promise<Row | null>
  /** Whether the row belongs to this request's workflow run; where absent, any row does. */
  isStarted?: (row: Row) => boolean
  present: (row: Row) => Result | Promise<Result>
  /**
   * The operation sends money and has no Idempotency-Key. A merchant who reads that there is no row may send a new
   * request, so `not_confirmed` is not answered before the row can no longer appear.
   */
  isUnrepeatable?: boolean
  /** Extends the request's deadline by this once the row is stored; where absent, the row is answered as it is. */
  storedWaitMs?: number
}

/**
 * Starts a workflow, waits for its outcome until the request's deadline is near (SPEC §1) and presents its row. If the
 * wait is interrupted, the response shows the row as it is, and the workflow continues. For an unrepeatable operation
 * `not_confirmed` is answered no sooner than that deadline: until then its row may be committed and its payout sent
 * (docs/crash-semantics.md). Fails as an outage where no workflow was started.
 */
export async function startAndAwaitResult<Row, Result>(
  context: TemporalContext,
  request: StartRequest<Row, Result>,
): Promise<Result> {
  const {
    em,
    ids,
    act,
    start,
    find,
    isStarted = () => true,
    present,
    isUnrepeatable,
    storedWaitMs = 0,
  } = request
  const deadline = await prepareWorkflowCall(context, { em, ids, act })
  const storageDeadlineMs = performance.now() + deadline.stepTimeoutMs()
  const waitForStorageDeadline = async () => {
    if (isUnrepeatable) await sleep(Math.max(0, storageDeadlineMs - performance.now()))
  }
  let cause: unknown
  const outcome = start(deadline.stepTimeoutMs() + storedWaitMs)
  const awaitOutcome = () =>
    deadline.awaitStep(outcome, READ_BACK_RESERVE_MS).then(
      () => true,
      error => {
        cause = error
        return false
      },
    )
  let isAnswered = await awaitOutcome()
  // A row that this request's workflow has not changed shows an earlier run.
  const findStarted = async () => {
    const row = await find()
    return row !== null && (isAnswered || isStarted(row)) ? row : null
  }
  try {
    let row = await findStarted()
    if (row !== null && !isAnswered && storedWaitMs > 0) {
      deadline.extendBy(storedWaitMs)
      isAnswered = await awaitOutcome()
      row = await findStarted()
    }
    if (row === null && !isAnswered && isUnrepeatable) {
      // The workflow may still store its row after an interrupted call.
      await waitForStorageDeadline()
      row = await findStarted()
    }
    if (row !== null) {
      // A client that was answered already may have read that there is no row: the order must not be stored as accepted.
      deadline.requireUnanswered()
      return await present(row)
    }
  } catch (error) {
    if (!isOutage(error)) throw error
    cause = error
  }
  await waitForStorageDeadline()
  return failNotConfirmed(ids, cause)
}

/**
 * Connects to Temporal, commits who asks for the act, then marks that a workflow may be started or updated from here on: no
 * process that ends at any moment leaves an act without its author. Fails while Temporal is unreachable: nothing has been
 * started yet. Returns the request's deadline.
 */
export async function prepareWorkflowCall(
  context: TemporalContext,
  { em, ids, act }: WorkflowCall,
): Promise<RequestDeadline> {
  const deadline = getRequestDeadline()
  deadline.awaitedPart = 'temporal'
  await context.client()
  await runUserAct(em.fork(), act)
  deadline.markStarted(ids)
  return deadline
}

/**
 * Waits for the outcome of a stored operation: at most `waitMs`, and until the request's deadline is near, which is
 * extended by `storedWaitMs`.
 */
export async function awaitStoredOutcome(
  context: TemporalContext,
  { waitMs, ...operation }: Parameters<typeof awaitStartedOperation>[1],
  storedWaitMs: number,
): Promise<void> {
  const deadline = getRequestDeadline()
  deadline.extendBy(storedWaitMs)
  const outcome = awaitStartedOperation(context, { ...operation, waitMs: deadline.stepTimeoutMs(waitMs) })
  await deadline.awaitStep(outcome, READ_BACK_RESERVE_MS).catch(() => undefined)
}

/**
 * Reads after a workflow was called or its row was found: an outage then fails with `not_confirmed`, because
 * something may have been started.
 */
export async function readOrFailNotConfirmed<T>(ids: ResourceIds, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (isOutage(error)) return failNotConfirmed(ids, error)
    throw error
  }
}
