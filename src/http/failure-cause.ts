import { DriverException } from '@mikro-orm/core'
import {
  isGrpcServiceError,
  ServiceError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client'
import type { ErrorCode, ServerErrorCode } from '../domain/errors/error-catalogue.ts'
import { StorageError } from '../storage/storage.ts'
import { ApiError } from './api-error.ts'
import { ResponseTimeoutError, TemporalConnectionError } from './outage.ts'

/**
 * Describes why a request was answered 5xx, for the access log and the metric `trilho_http_failures_total`: the part
 * that failed and how (`postgres: connection refused`). The text is made of constants of this file, error names and
 * codes, never of a message, which may quote SQL, values or addresses. The set is small enough for a metric label.
 */
export function describeFailureCause(error: unknown): string {
  if (error instanceof ApiError) return describeApiErrorCause(error)
  if (error instanceof StorageError)
    return `storage: ${STORAGE_CAUSES[error.code] ?? NETWORK_CAUSES[error.code] ?? error.code}`
  if (error instanceof ResponseTimeoutError) return `${error.part}: no answer in time`
  return describeTemporalCause(error) ?? describeDatabaseCause(error) ?? `bug: ${describeErrorType(error)}`
}

/** Cause of an error that carries none. */
const DEFAULT_CAUSES: Record<ServerErrorCode, string> = {
  internal_error: 'bug',
  unavailable: 'unknown',
  paused: 'paused by an operator',
  not_taken: 'worker: no answer in time',
  not_confirmed: 'worker: no answer in time',
  issuing: 'provider: no answer in time',
  no_provider_available: 'provider: none could be reached',
  code_undeliverable: 'configuration: no messenger for this type of address',
  pix_key_unknown: 'provider: no answer in time',
  cancellation_unknown: 'provider: no answer in time',
}

function describeApiErrorCause({ code, details: more }: ApiError): string {
  if (typeof more.cause === 'string') return more.cause
  if (more.cause !== undefined) return describeFailureCause(more.cause)
  return (DEFAULT_CAUSES as Partial<Record<ErrorCode, string>>)[code] ?? code
}

/** Causes by SQLSTATE prefix, the longest prefix first. */
const SQLSTATE_CAUSES: [string, string][] = [
  ['25006', 'read-only'],
  ['3D000', 'no such database'],
  ['40P01', 'deadlock'],
  ['53100', 'disk full'],
  ['53300', 'too many connections'],
  ['55P03', 'lock not available'],
  ['57014', 'statement timeout'],
  ['25P03', 'idle transaction timeout'],
  ['08', 'connection lost'],
  ['28', 'authentication failed'],
  ['40', 'serialization failure'],
  ['53', 'out of resources'],
  ['57', 'shutting down or starting'],
]

/**
 * Describes an error of the database driver: a DriverException where a statement failed, the driver's own error where
 * no connection could be opened. Nothing else in an API process opens connections and throws such errors. An error
 * without a SQLSTATE never came from the server.
 */
function describeDatabaseCause(error: unknown): string | undefined {
  const code = String(Object(error).code ?? '')
  if (/^(?=.*\d)[0-9A-Z]{5}$/.test(code)) return `postgres: ${describeSqlStateCause(code)}`
  if (NETWORK_CAUSES[code]) return `postgres: ${NETWORK_CAUSES[code]}`
  if (!(error instanceof DriverException)) return undefined
  return `postgres: ${/time(d )?out/i.test(error.message) ? 'no answer in time' : 'connection lost'}`
}

function describeSqlStateCause(code: string): string {
  return SQLSTATE_CAUSES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? `SQLSTATE ${code}`
}

/** Causes by gRPC status code. */
const GRPC_CAUSES: Record<number, string> = {
  1: 'cancelled',
  4: 'no answer in time',
  5: 'namespace or workflow not found',
  7: 'permission denied',
  8: 'resource exhausted',
  9: 'workflow not ready',
  14: 'unavailable',
  16: 'authentication failed',
}

function describeTemporalCause(error: unknown): string | undefined {
  if (error instanceof TemporalConnectionError) return 'temporal: connection failed'
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return 'worker: no answer in time'
  const grpc = error instanceof ServiceError ? error.cause : error
  if (isGrpcServiceError(grpc)) return `temporal: ${GRPC_CAUSES[grpc.code] ?? `gRPC status ${grpc.code}`}`
  return error instanceof ServiceError ? 'temporal: unknown' : undefined
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

/** Returns the code of an error, or its type where it has none. */
function describeErrorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { code } = error as { code?: unknown }
  return typeof code === 'string' || typeof code === 'number' ? `${error.name} ${code}` : error.name
}
