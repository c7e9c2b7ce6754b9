import type { CallInput } from './call.ts'
import { OPERATIONS } from './openapi/operations.ts'
import { VERSION } from './version.ts'

/** Builds what is sent, the same for every attempt of a call. */

export type PreparedRequest = {
  method: string
  /** Of messages. */
  path: string
  url: string
  headers: Record<string, string>
  body: string | FormData | undefined
  /** Whether the body of a success has its result in `data`. */
  hasData: boolean
  /** The media type of the response of success. */
  accept: string
}

type RequestOptions = {
  baseUrl: string
  token: string
  idempotencyKey: string | undefined
  requestId: string | undefined
}

export function buildRequest(
  operation: keyof typeof OPERATIONS,
  { path = {}, query = {}, body }: CallInput,
  { baseUrl, token, idempotencyKey, requestId }: RequestOptions,
): PreparedRequest {
  const { method, path: template, accept, hasData } = OPERATIONS[operation]
  const isJson = body !== undefined && !(body instanceof FormData)
  const filled = fillPath(template, path)
  return {
    method,
    accept,
    hasData,
    path: filled,
    url: baseUrl + filled + formatQuery(query),
    headers: {
      Accept: accept === 'application/json' ? accept : `${accept}, application/json`,
      Authorization: `Bearer ${token}`,
      'User-Agent': `trilho-sdk-typescript/${VERSION}`,
      ...(isJson && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      ...(requestId !== undefined && { 'X-Request-Id': requestId }),
    },
    body: isJson ? JSON.stringify(body) : body,
  }
}

/** Fills the placeholders of a path. An empty value, `.` or `..` would be the path of another resource. */
function fillPath(template: string, values: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
      throw new TypeError(`${name} must be the id of a resource`)
    return encodeURIComponent(value)
  })
}

/** Formats a query; several values of a filter are separated by commas. */
function formatQuery(query: object): string {
  const parts = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}
