import { DriverException } from '@mikro-orm/core'
import {
  isGrpcServiceError,
  ServiceError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client'
import { StorageError } from '../storage/storage.ts'

/** Failures of PostgreSQL, Temporal and the storage; those that are independent of the request are answered 503, not 500. */

/** What a request waits for: a part of the service, or the merchant's endpoint. */
export type AwaitedPart = 'postgres' | 'temporal' | 'worker' | 'storage' | 'endpoint'

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
  const timeout = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new ResponseTimeoutError(`no answer within ${limitMs} ms`)), limitMs)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Tests whether an error means that PostgreSQL, Temporal or the storage is unreachable or temporarily cannot respond. */
export function isOutage(error: unknown): boolean {
  return classifyDependencyFailure(error)?.isOutage ?? false
}

/** SQLSTATE of a write where PostgreSQL is read-only: a standby, or by a setting. */
const READ_ONLY_STATE = '25006'

/** Tests whether a statement failed because PostgreSQL is read-only: the same without a write may succeed. */
export function isReadOnlyRefusal(error: unknown): boolean {
  return error instanceof DriverException && error.code === READ_ONLY_STATE
}

/** The part that failed and how, in constants of this file and codes, and whether a later request may succeed. */
type DependencyFailure = { cause: string; isOutage: boolean }

/** Classifies an error of a dependency; returns undefined for any other error. */
export function classifyDependencyFailure(error: unknown): DependencyFailure | undefined {
  const code = String(Object(error).code ?? '')
  if (error instanceof StorageError)
    return outageOf('storage', STORAGE_CAUSES[code] ?? NETWORK_CAUSES[code] ?? code)
  if (error instanceof ResponseTimeoutError) return outageOf(error.part, 'no answer in time')
  if (error instanceof TemporalConnectionError) return outageOf('temporal', 'connection failed')
  // The workflow may have accepted the update all the same: a caller who must know reads the row.
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
    return outageOf('worker', 'no answer in time')
  return classifyTemporalFailure(error) ?? classifyDatabaseFailure(error, code)
}

function outageOf(part: AwaitedPart, cause: string): DependencyFailure {
  return { cause: `${part}: ${cause}`, isOutage: true }
}

function classifyTemporalFailure(error: unknown): DependencyFailure | undefined {
  const grpc = error instanceof ServiceError ? error.cause : error
  if (isGrpcServiceError(grpc)) {
    const [cause, isOutage] = GRPC_CAUSES[grpc.code] ?? [`gRPC status ${grpc.code}`, false]
    return { cause: `temporal: ${cause}`, isOutage }
  }
  return error instanceof ServiceError ? { cause: 'temporal: unknown', isOutage: false } : undefined
}

/**
 * Classifies an error of the database driver: a DriverException where a statement failed, the driver's own error where
 * no connection could be opened. Nothing else in an API process opens connections and throws such errors. An error
 * without a SQLSTATE never came from the server.
 */
function classifyDatabaseFailure(error: unknown, code: string): DependencyFailure | undefined {
  if (/^(?=.*\d)[0-9A-Z]{5}$/.test(code)) {
    const [, cause = `SQLSTATE ${code}`, isTemporary = false] =
      SQLSTATE_CAUSES.find(([prefix]) => code.startsWith(prefix)) ?? []
    return { cause: `postgres: ${cause}`, isOutage: isTemporary && error instanceof DriverException }
  }
  if (NETWORK_CAUSES[code]) return outageOf('postgres', NETWORK_CAUSES[code])
  if (!(error instanceof DriverException)) return undefined
  return outageOf('postgres', /time(d )?out/i.test(error.message) ? 'no answer in time' : 'connection lost')
}

/** Causes by SQLSTATE prefix, the longest prefix first, and whether they are outages. */
const SQLSTATE_CAUSES: [prefix: string, cause: string, isOutage: boolean][] = [
  [READ_ONLY_STATE, 'read-only', true],
  ['3D000', 'no such database', true],
  ['40P01', 'deadlock', true], // A deadlock or serialization failure rolled everything back: worth repeating.
  ['53100', 'disk full', true],
  ['53300', 'too many connections', true],
  ['55P03', 'lock not available', false],
  ['57014', 'statement timeout', true],
  ['25P03', 'idle transaction timeout', false],
  ['08', 'connection lost', true],
  ['28', 'authentication failed', true],
  ['40', 'serialization failure', true],
  ['53', 'out of resources', true],
  ['57', 'shutting down or starting', true],
]

/** Causes by gRPC status code, and whether they are outages. */
const GRPC_CAUSES: Record<number, [cause: string, isOutage: boolean]> = {
  1: ['cancelled', true],
  4: ['no answer in time', true],
  5: ['namespace or workflow not found', false],
  7: ['permission denied', false],
  8: ['resource exhausted', true],
  // A workflow task has failed or timed out several times in a row: no update is accepted until a worker completes one.
  9: ['workflow not ready', true],
  14: ['unavailable', true],
  16: ['authentication failed', false],
}

const NETWORK_CAUSES: Record<string, string> = {
  EAI_AGAIN: 'host not found',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection lost',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  ENOTFOUND: 'host not found',
  EPIPE: 'connection lost',
  ETIMEDOUT: 'no answer in time',
  TimeoutError: 'no answer in time',
}

const STORAGE_CAUSES: Record<string, string> = {
  EACCES: 'permission denied',
  EDQUOT: 'disk full',
  EIO: 'disk failed',
  ENOSPC: 'disk full',
  EROFS: 'read-only',
  NoSuchBucket: 'no such bucket',
}
