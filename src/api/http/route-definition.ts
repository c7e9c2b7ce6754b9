import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { EntityManager } from '../../db/client/orm.ts'
import type { ErrorCode } from '../../domain/errors/error-catalogue.ts'
import type { TokenScope } from '../../domain/tokens/token-scope.ts'
import type { BodyLimit } from '../../http/body.ts'
import type { FieldErrors } from '../../http/validate.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import type { Admission } from '../operations/admission.ts'

/** The definition of a route: who may call it, its input, its responses and its handler. */

/** Tokens that a route accepts; `none` is for provider callbacks and public pages. */
export type TokenRule = 'any' | 'global_only' | 'none'

/** Responses by status: a JSON schema, or the media type of a body that is sent unchanged. */
export type ResponseSchemas = {
  200?: z.ZodType | `${string}/${string}`
  201?: z.ZodType | `${string}/${string}`
  /** Accepted and stored: what it orders is carried out later. */
  202?: z.ZodType
}

/** Rows of a table as the items of a body: `lines` has the line of each in the table, `errors` are by line and field. */
type CsvItems = { items: unknown[]; lines: number[]; errors: FieldErrors }

export type RouteMethod = 'get' | 'post' | 'put' | 'patch' | 'delete'

export type Route<Tokens extends TokenRule, Params, Query, Body, Answers> = {
  /** Stable name of the operation in the OpenAPI document, which names methods of SDKs; null: not in the document. */
  operationId: string | null
  summary: string
  description?: string
  /** Default: `any`. */
  tokens?: Tokens
  /** Schema of the path parameters; UUIDs where absent. A mismatch is 404. */
  params?: Params
  /** Schema of the query, a strict object: an unknown parameter is 422. */
  query?: Query
  /** Schema of a JSON body, or `text` for the raw text. */
  body?: Body
  /** `multipart`: the schema validates a form. Its files are Uploads, deleted when the request is answered. */
  bodyAs?: 'json' | 'multipart'
  /** Limit of the body; where absent, that of every JSON body. */
  bodyLimit?: BodyLimit
  /**
   * The body may be a table instead (`text/csv`), of which each row is an entry of `items`; its other fields are then sent in the query.
   * Errors name the line of the table.
   */
  parseCsv?(text: string): CsvItems
  /** The POST creates or moves money, or the PATCH is carried out by a provider: a repeat with its `Idempotency-Key` gets the first response (SPEC §1). */
  isIdempotent?: true
  /** Runs before a JSON body or a form is read: validates before a large one, or counts invalid requests as well. */
  beforeBody?(
    request: Pick<ApiRequest<Tokens, Params, Query, Body>, 'params' | 'token' | 'em' | 'idempotencyKey'>,
  ): Promise<void>
  /** A response of 200 never changes: the caller's own cache may keep it for a day and ask by its ETag then. */
  isImmutable?: true
  /** Null is an error even for an optional field, because leaving it out has a meaning of its own. */
  isNullRejected?: boolean
  /** Collects further errors of a body that its schema has rejected, so that all errors are sent at once. */
  validateSemantics?(request: {
    body: unknown
    token: TokenOf<Tokens>
    em: EntityManager
  }): Promise<FieldErrors>
  /** The success responses, and the errors that only this route has; `listErrorCodes` adds the common ones. */
  responses: Answers & {
    errors?: readonly ErrorCode[]
    /** The `data` that errors carry here: those of `codes` always, those of `optionalCodes` where a resource was stored. */
    errorData?: { schema: z.ZodType; codes?: readonly ErrorCode[]; optionalCodes?: readonly ErrorCode[] }
  }
  handle(request: ApiRequest<Tokens, Params, Query, Body>): Promise<ApiResponse<NoInfer<Answers>>>
} & ScopeOf<Tokens>

/** Scope that a token needs (src/domain/tokens/token-scope.ts). Every route with a token declares one. */
type ScopeOf<Tokens> = [Tokens] extends ['none'] ? { scope?: undefined } : { scope: TokenScope }

type ApiRequest<Tokens, Params, Query, Body> = {
  params: ParamsOf<Params>
  query: Query extends z.ZodType ? z.output<Query> : never
  body: Body extends z.ZodType ? z.output<Body> : string
  token: TokenOf<Tokens>
  requestId: string
  /** Address of the client, from the connection or from the proxy in front. */
  ip: string
  em: EntityManager
  /** Parsed on POST, and by other routes with `isIdempotent`; used by routes with `isIdempotent`. */
  idempotencyKey: string | null
  headers: IncomingHttpHeaders
  /** Used by routes that create operations. */
  admission: Admission | undefined
}

type ParamsOf<Params> = Params extends z.ZodType ? z.output<Params> : never
type TokenOf<Tokens> = Tokens extends 'none' ? null : CallerToken

/** Response in domain values; the schema of its status encodes the wire form. */
export type ApiResponse<Answers> = {
  /** Default: the route's only success status. */
  status?: 200 | 201 | 202
  body: ResponseBodyOf<Answers[keyof Answers & (200 | 201 | 202)]>
  headers?: Record<string, string>
}
type ResponseBodyOf<Shape> = Shape extends z.ZodType ? z.output<Shape> : string | Buffer | Readable

/** A route with its type parameters erased, for the app and OpenAPI. */
export type AnyRoute = Omit<
  Route<TokenRule, z.ZodType, z.ZodType, z.ZodType | 'text', ResponseSchemas>,
  'scope'
> & {
  /** Absent on routes without a token. */
  scope?: TokenScope
  method: RouteMethod
  path: string
}

/** Returns how the body of a route's request is read; undefined where it is not. */
export function getBodyReader({ method, tokens, body, bodyAs = 'json' }: AnyRoute) {
  if (body === 'text') return 'text'
  if (body !== undefined) return bodyAs
  return tokens !== 'none' && METHODS_WITH_BODY.includes(method) ? 'json' : undefined
}

const METHODS_WITH_BODY: readonly RouteMethod[] = ['post', 'put', 'patch']

/**
 * Tests whether the responses of a route carry an ETag: those of one resource, which a client may keep and ask about
 * later, and those that never change.
 */
export function hasETag({ method, path, tokens, responses, isImmutable }: AnyRoute): boolean {
  const isSingleResource =
    method === 'get' && tokens !== 'none' && /:\w+$/.test(path) && typeof responses[200] !== 'string'
  return isSingleResource || isImmutable === true
}

/** Lists every error code of a route: its own, and those that follow from its definition. */
export function listErrorCodes(definition: AnyRoute): ErrorCode[] {
  const reader = getBodyReader(definition)
  const codes: (ErrorCode | false | undefined)[] = [
    definition.tokens !== 'none' && 'unauthenticated',
    definition.tokens !== 'none' && 'rate_limited',
    definition.tokens !== 'none' && 'address_not_allowed',
    definition.tokens === 'global_only' && 'token_bound_to_provider',
    definition.tokens !== 'none' && 'insufficient_scope',
    definition.path.includes(':') && 'not_found',
    ...(reader === undefined ? [] : BODY_ERROR_CODES[reader]).map(code =>
      code === 'body_too_large' && definition.bodyLimit ? definition.bodyLimit.code : code,
    ),
    'validation_failed',
    ...(definition.responses.errors ?? []),
    definition.isIdempotent && 'idempotency_key_reused',
    'internal_error',
    'unavailable',
  ]
  return [...new Set(codes.filter(code => code !== false && code !== undefined))]
}

const TEXT_ERROR_CODES = ['malformed_json', 'body_too_large', 'unsupported_media_type'] as const
const BODY_ERROR_CODES = {
  text: TEXT_ERROR_CODES,
  json: TEXT_ERROR_CODES,
  multipart: ['malformed_multipart', 'upload_too_large', 'unsupported_media_type'],
} as const
