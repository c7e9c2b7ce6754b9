import type { EntityManager } from '../../db/client/orm.ts'
import { batchQueries, mapQuery, type Query, runQuery } from '../../db/pipeline/query.ts'
import { CLOCK_QUERY } from '../../db/repositories/database-clock.ts'
import type { ErrorCode } from '../../domain/errors/error-catalogue.ts'
import type { OrderedNoun } from '../../domain/shared/nouns.ts'
import {
  ApiError,
  type ApiErrorDetails,
  fail,
  failNotConfirmed,
  type ResourceIds,
} from '../../http/api-error.ts'
import { MIN_TO_START_MS, REQUEST_DEADLINE_MS, UNAVAILABLE_RETRY_S } from '../../http/limits.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import type { Sealer } from '../../security/sealing.ts'
import { getOperationWorkflowId, isOperationRunning } from '../../temporal/start.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { OrderAuthor } from '../../workflows/contracts/orders.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { queryPayoutPause } from '../routing/provider-candidates.ts'
import type { Admission } from './admission.ts'
import {
  deriveOperationUuid,
  fingerprintRequest,
  REPLAYED_HEADERS,
  requireSameRequest,
} from './idempotency.ts'
import { awaitStoredOutcome, readOrFailNotConfirmed, startAndAwaitResult } from './start-and-wait.ts'
import { orderAuthorOf } from './user-acts.ts'

/** A POST with `isIdempotent`, as its route has parsed it. */
export type CreateRequest<Body> = {
  body: Body
  token: CallerToken
  em: EntityManager
  idempotencyKey: string | null
  requestId: string
  /** Admits or refuses a new operation; the dashboard's are never refused. */
  admission?: Admission | undefined
}

/** Whether a response repeats that of an earlier request with the same key, and the headers that say so. */
export type Replay = { replayed: boolean; headers: Record<string, string> }

/** Dependencies of a create whose order has sealed details. */
export type CreateDependencies = { temporal: TemporalContext; sealer: Sealer }

/** The part of a workflow's input that every noun has, and the request's fingerprint. */
export type OperationOrder = OrderAuthor & {
  uuid: string
  accountUuid: string
  requestId: string
  timeScale: number
  fingerprint: string
}

type OperationRow = { fingerprint: string; requestId: string }

/** What one noun adds to `createOperation`. */
export type Operation<Row extends OperationRow, Validated, Result> = {
  noun: OrderedNoun
  /** Request path with its ids, in lower case; a part of the operation's UUID. */
  path: string
  /** The operation sends money: without a key it must not be sent after `not_confirmed` was answered. */
  isPayout?: true
  /** Reads the row from PostgreSQL, anew at every call; null where there is none. */
  find(uuid: string): Promise<Row | null>
  /** How long a replay waits for the outcome of the row it found, in ms; where absent, the row is the outcome. */
  replayWaitMs?(row: Row): number
  /** Extends the request's deadline by this once the row is stored, see `startAndAwaitResult`. */
  storedWaitMs?: number
  /** Validates before anything is started. A failure here stores nothing and leaves the key unused. `uuid`: the operation's. */
  validate(uuid: string): Promise<Validated>
  /** Starts the workflow; resolves when it has its outcome, rejects after `waitMs`. */
  start(order: OperationOrder, validated: Validated, waitMs: number): Promise<void>
  /** Object of the user's act, as its page finds it; where absent, the operation's workflow. */
  actSubject?: string
  /** Names the operation as its success response does; where absent, by its uuid alone. */
  idsOf?(uuid: string): ResourceIds
  /** Builds the response from the row, or fails with the row's failure. */
  present(row: Row, replay: Replay): Result | Promise<Result>
}

/**
 * Creates what a POST orders, at most once per Idempotency-Key (SPEC §1): finds the row of the key and requires that it
 * was made from the same request; else validates, starts the workflow by update-with-start and awaits its outcome. Both
 * ways end in the row's response. The row is not validated again: it was allowed when the workflow accepted it, even if
 * a provider was paused or changed since. Nothing new begins for a blocked account, or where it could not be confirmed
 * in time.
 *
 * A refusal is an answer about its key: it is given only where no other request with the key has begun the operation;
 * else the row answers, or `not_confirmed` where the workflow has not stored it yet. Only `overloaded` is about its own
 * request: it costs no call.
 */
export async function createOperation<Row extends OperationRow, Validated, Result>(
  context: TemporalContext,
  { body, token, em, idempotencyKey: key, requestId, admission }: CreateRequest<unknown>,
  operation: Operation<Row, Validated, Result>,
): Promise<Result> {
  const { path, isPayout, validate, start, storedWaitMs = 0 } = operation
  const uuid = deriveOperationUuid({ owner: token, method: 'POST', path, key })
  const ids = operation.idsOf?.(uuid) ?? { uuid }
  const fingerprint = fingerprintRequest({ body, connectionUuid: token.connectionUuid })
  const find = () => operation.find(uuid)
  const findStored = async () => (key === null ? null : find())
  const present = (row: Row, replayed: boolean) =>
    operation.present(row, { replayed, headers: replayed ? { ...REPLAYED_HEADERS } : {} })
  const replay = (row: Row) => {
    requireSameRequest(row, fingerprint)
    return readOrFailNotConfirmed(ids, async () => {
      const waitMs = operation.replayWaitMs?.(row) ?? 0
      if (waitMs <= 0) return present(row, true)
      await awaitStoredOutcome(context, { noun: operation.noun, uuid, waitMs }, storedWaitMs)
      return present((await find()) ?? row, true)
    })
  }

  const refuse = async (refusal: unknown) => {
    if (key === null || !(refusal instanceof ApiError)) throw refusal
    let startedRow = await find()
    let isRunning = false
    if (!startedRow) {
      const waitMs = getRequestDeadline().stepTimeoutMs()
      isRunning = await isOperationRunning(context, { noun: operation.noun, uuid, waitMs })
      startedRow = await find() // A workflow that has ended since the first look-up has stored its row.
    }
    if (startedRow) return replay(startedRow)
    return isRunning ? failNotConfirmed(ids, refusal) : Promise.reject(refusal)
  }

  const stored = await findStored()
  if (stored) return replay(stored)
  // After the look-up: what was accepted before the block is answered as it was.
  if (token.isAccountBlocked) return refuse(new ApiError('account_blocked'))
  const create = async () => {
    let validated: Validated
    try {
      validated = await validate(uuid)
    } catch (refusal) {
      return refuse(refusal)
    }
    const { timeScale } = context
    const { accountUuid } = token
    const order = { uuid, accountUuid, requestId, timeScale, fingerprint, ...orderAuthorOf(token) }
    return startAndAwaitResult(context, {
      em,
      ids,
      act: {
        token,
        action: `${operation.noun}_create`,
        subject: operation.actSubject ?? getOperationWorkflowId(operation.noun, uuid),
      },
      isUnrepeatable: isPayout === true && key === null,
      storedWaitMs,
      start: waitMs => start(order, validated, waitMs),
      find,
      present(row) {
        requireSameRequest(row, fingerprint)
        // Of parallel requests with one key, one started the workflow; the others joined its update.
        return present(row, row.requestId !== requestId)
      },
    })
  }
  return admission ? admission.run(create) : create()
}

/** Tests whether a request with this Idempotency-Key has created its operation: another one with it would repeat it. */
export async function isOperationCreated(
  { token, path, idempotencyKey: key }: { token: CallerToken; path: string; idempotencyKey: string },
  find: (uuid: string) => Promise<object | null>,
): Promise<boolean> {
  return (await find(deriveOperationUuid({ owner: token, method: 'POST', path, key }))) !== null
}

/**
 * Computes how long a replay waits for a row whose creation is awaited from its start: a parallel request may have
 * started it a moment ago, so this one waits as long as that one, and all of them give the same response.
 */
export function remainingCreateWaitMs({ createdAt }: { createdAt: Date }, storedWaitMs = 0): number {
  return REQUEST_DEADLINE_MS + storedWaitMs - (Date.now() - createdAt.getTime())
}

/** Stored failures that may not fail a new request, with another key, a little later. */
const RETRYABLE_CODES = new Set<ErrorCode>(['no_provider_available', 'not_started', 'paused'])

/**
 * Fails with the stored failure of an operation. It is the final response of its key, so only the request that created
 * the operation gets a `Retry-After`.
 */
export function failStored(code: ErrorCode, { replayed, headers }: Replay, details?: ApiErrorDetails): never {
  const retry = !replayed && RETRYABLE_CODES.has(code) && { retryAfterS: UNAVAILABLE_RETRY_S }
  fail(code, { ...details, headers, isFinalForKey: true, ...retry })
}

/** Returns the acceptance deadline of a payout that has one possible connection; fails with 503 where that one is paused. */
export async function requirePayoutPossible(em: EntityManager, connectionUuid: string): Promise<string> {
  const queries = batchQueries(queryPayoutPause(connectionUuid), queryAcceptanceDeadline())
  const [, acceptBefore] = await runQuery(em, queries)
  return acceptBefore
}

/**
 * Queries the acceptance deadline of an order without an Idempotency-Key, as ISO 8601 UTC by PostgreSQL's clock: a
 * worker on another machine compares it with that clock. It is PostgreSQL's time plus the time left to the request
 * when the result arrives. A late result makes the deadline earlier, never later than the request's own.
 */
export function queryAcceptanceDeadline(): Query<string> {
  const deadline = getRequestDeadline()
  return mapQuery(CLOCK_QUERY, nowMs =>
    new Date(nowMs + deadline.remainingMs - MIN_TO_START_MS).toISOString(),
  )
}
