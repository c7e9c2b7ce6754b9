import type { OPERATIONS } from './openapi/operations.ts'
import type { operations } from './openapi/types.ts'

/** The types of a call, derived from the OpenAPI document by its operation. */

export type OperationId = keyof typeof OPERATIONS & keyof operations

/** The body of a request. */
export type Body<Id extends OperationId> = operations[Id] extends { requestBody?: infer Request }
  ? ContentOf<Request>
  : never

/** The query of a request; a filter with several values takes one, or an array. Pages have numbers. */
export type Query<Id extends OperationId> = Loose<Omit<QueryOf<Id>, 'cursor'>>

/** The filters of all items of a list; they begin at `cursor` where one is given, a page's `next_cursor`. */
export type Filters<Id extends OperationId> = Loose<Omit<QueryOf<Id>, 'page'>>

/** What a call returns: `data` where the response is `{ data }`, a page where it is a list, else the whole body. */
export type Result<Id extends OperationId> = Unwrapped<SuccessOf<operations[Id]['responses']>>

/** The query of a page by cursor: empty for the first page, then `meta.next_cursor` of the page before. */
export type CursorQuery<Id extends OperationId> = Filters<Id> & { cursor: string }

/** What is said of an operation that shows no resource. */
export type Message = { message: string }

/** The default providers of each payment type, by priority. */
export type DefaultProviders = Result<'getDefaultProviders'>

/** What a call sends. */
export type CallInput = {
  /** Values of the placeholders of the path. */
  path?: Record<string, string>
  query?: object | undefined
  /** A FormData is sent as a form, anything else as JSON. */
  body?: object | undefined
}

/** Options of every call. */
export type CallOptions = {
  /** Ends the call, and the delays between its attempts. */
  signal?: AbortSignal | undefined
  /** Milliseconds that one attempt may take. */
  timeoutMs?: number
  /** Milliseconds of the whole call: all attempts and the delays between them. */
  deadlineMs?: number
  /** Attempts, the first included; 1 never retries. */
  maxAttempts?: number
  /** Sent as `X-Request-Id`: identifies the request in responses, logs, events and workflows. */
  requestId?: string
}

/** Options of a call that creates or moves something once. */
export type KeyedCallOptions = CallOptions & {
  /**
   * The same key and body give the same answer, however often they are sent. Generated where absent, once per call;
   * use one of your own (an order's id) where the call itself may be repeated.
   */
  idempotencyKey?: string
}

/** Calls an operation of the API. */
export type Call = <Id extends OperationId>(
  operation: Id,
  input: CallInput,
  options?: KeyedCallOptions,
) => Promise<Result<Id>>

type QueryOf<Id extends OperationId> = NonNullable<operations[Id]['parameters']['query']>

type ContentOf<Request> =
  NonNullable<Request> extends { content: infer Content }
    ? // JSON where there is a choice: a table is for spreadsheets.
      Content extends { 'application/json': infer Json }
      ? Json
      : Content[keyof Content]
    : never

type SuccessOf<Responses> = Responses[keyof Responses & (200 | 201 | 202)] extends infer Response
  ? Response extends { content: infer Content }
    ? BodyOf<Content>
    : never
  : never

/** OpenAPI describes text and bytes alike as strings. */
type BodyOf<Content> = Content extends { 'application/json': infer Json }
  ? Json
  : Content extends { 'image/png': unknown } | { 'application/pdf': unknown }
    ? Uint8Array
    : string

/** A page that was not requested by its cursor has a number. */
type Unwrapped<Success> = Success extends { data: infer Items; meta: infer Meta }
  ? { data: Items; meta: Extract<Meta, { current_page: number }> }
  : Success extends { data: infer Data }
    ? Data
    : Success

type Loose<Values> = {
  [Name in keyof Values]: NonNullable<Values[Name]> extends (infer Value)[]
    ? Value | readonly Value[] | undefined
    : Values[Name] | undefined
}
