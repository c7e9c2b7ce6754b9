import { DriverException } from '@mikro-orm/core'
import {
  isGrpcServiceError,
  ServiceError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client'
import { StorageError } from '../../storage/storage.ts'

/** Failures of PostgreSQL, Temporal and the storage that say nothing about the request: they are answered 503, not 500. */

/** What a request waits for. */
export type AwaitedPart = 'postgres' | 'temporal' | 'worker' | 'storage'

/** A limit of ours passed before an answer came. */
export class ResponseTimeoutError extends Error {
  override name = 'ResponseTimeoutError'
  readonly part: AwaitedPart

  constructor(message: string, part: AwaitedPart = 'worker') {
    super(message)
    this.part = part
  }
}

/** A server of ours could not be reached at all. */
export class TemporalConnectionError extends Error {
  override name = 'TemporalConnectionError'
}

/** Waits for something no longer than it is worth; fails with NoAnswerInTime. */
export async function withTimeout<T>(limitMs: number, something: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new ResponseTimeoutError(`no answer within ${limitMs} ms`)), limitMs)
  })
  try {
    return await Promise.race([something, over])
  } finally {
    clearTimeout(timer)
  }
}

/** Whether an error means that PostgreSQL, Temporal or the storage could not be reached or could not answer just now. */
export function isOutage(error: unknown): boolean {
  if (error instanceof ResponseTimeoutError || error instanceof TemporalConnectionError) return true
  if (error instanceof StorageError) return true
  if (error instanceof DriverException) return isDatabaseOutage(error.code)
  // A life may have taken it all the same: a caller who must know that asks for it.
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true
  if (error instanceof ServiceError) return TEMPORAL_OUTAGES.has(Object(error.cause).code)
  if (isGrpcServiceError(error)) return TEMPORAL_OUTAGES.has(error.code)
  return NETWORK_OUTAGES.has(Object(error).code)
}

/** A driver's error without a SQLSTATE never came from the server: the connection is gone or could not be had. */
function isDatabaseOutage(code: string | undefined): boolean {
  if (code === undefined || !/^(?=.*\d)[0-9A-Z]{5}$/.test(code)) return true
  return DATABASE_OUTAGES.some(prefix => code.startsWith(prefix))
}

const DATABASE_OUTAGES = [
  '08', // connection exceptions
  '28', // our own log-in is refused
  '3D000', // our database is not there
  '40', // a deadlock or serialization failure rolled everything back: worth repeating
  '53', // out of connections, memory or disk
  '57', // shut down, starting up, statement timed out
  '25006', // a standby
]

/**
 * gRPC: cancelled, deadline exceeded, resource exhausted, failed precondition, unavailable. A precondition fails where the
 * workflow's task has failed or timed out several times in a row: Temporal takes no update until a worker completes one.
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
