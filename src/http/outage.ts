import { DriverException } from '@mikro-orm/core'
import {
  isGrpcServiceError,
  ServiceError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client'
import { StorageError } from '../storage/storage.ts'

/** Failures of PostgreSQL, Temporal and the storage that are independent of the request: answered 503, not 500. */

/** Part of the service that a request waits for. */
export type AwaitedPart = 'postgres' | 'temporal' | 'worker' | 'storage'

/** Error of a wait that exceeded its limit. */
export class ResponseTimeoutError extends Error {
  override name = 'ResponseTimeoutError'
  readonly part: AwaitedPart

  constructor(message: string, part: AwaitedPart = 'worker') {
    super(message)
    this.part = part
  }
}

/** Error of a connection to Temporal that could not be opened. */
export class TemporalConnectionError extends Error {
  override name = 'TemporalConnectionError'
}

/** Awaits a promise for at most `limitMs`; fails with `ResponseTimeoutError`. */
export async function withTimeout<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new ResponseTimeoutError(`no answer within ${limitMs} ms`)), limitMs)
  })
  try {
    return await Promise.race([promise, over])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Tests whether an error means that PostgreSQL, Temporal or the storage is unreachable or temporarily cannot respond.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof ResponseTimeoutError || error instanceof TemporalConnectionError) return true
  if (error instanceof StorageError) return true
  if (error instanceof DriverException) return isDatabaseOutage(error.code)
  // The workflow may have accepted the update all the same: a caller who must know reads the row.
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true
  if (error instanceof ServiceError) return TEMPORAL_OUTAGES.has(Object(error.cause).code)
  if (isGrpcServiceError(error)) return TEMPORAL_OUTAGES.has(error.code)
  return NETWORK_OUTAGES.has(Object(error).code)
}

/**
 * Tests for a database outage. A driver's error without a SQLSTATE never came from the server: the connection was
 * lost or could not be opened.
 */
function isDatabaseOutage(code: string | undefined): boolean {
  if (code === undefined || !/^(?=.*\d)[0-9A-Z]{5}$/.test(code)) return true
  return DATABASE_OUTAGES.some(prefix => code.startsWith(prefix))
}

/** SQLSTATE of a write where PostgreSQL is read-only: a standby, or by a setting. */
const READ_ONLY_STATE = '25006'

/** Tests whether a statement failed because PostgreSQL is read-only: the same without a write may succeed. */
export function isReadOnlyRefusal(error: unknown): boolean {
  return error instanceof DriverException && error.code === READ_ONLY_STATE
}

const DATABASE_OUTAGES = [
  '08', // connection exceptions
  '28', // our own log-in is refused
  '3D000', // our database is not there
  '40', // a deadlock or serialization failure rolled everything back: worth repeating
  '53', // out of connections, memory or disk
  '57', // shut down, starting up, statement timed out
  READ_ONLY_STATE,
]

/**
 * gRPC status codes of an outage: cancelled, deadline exceeded, resource exhausted, failed precondition, unavailable.
 * A precondition fails where the workflow task has failed or timed out several times in a row: Temporal accepts no
 * update until a worker completes one.
 */
const TEMPORAL_OUTAGES = new Set<unknown>([1, 4, 8, 9, 14])

const NETWORK_OUTAGES = new Set<unknown>([
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])
