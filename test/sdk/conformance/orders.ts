/** What the tests order from the driver of an SDK, and what it answers: one line of JSON each. */

export type Order = {
  client?: ClientOrder
  call?: CallOrder
  verify?: { body: string; headers: Record<string, string>; secrets: string[]; toleranceS?: number }
}

/** The settings of the client of a call. */
export type ClientOrder = {
  token: string
  baseUrl: string
  timeoutMs: number
  retries: { maxAttempts: number; baseDelayMs: number; maxDelayMs: number; deadlineMs: number }
}

export type CallOrder = {
  /** In camel case, for example `qrCodes` and `getQrPng`; each driver writes them as its language does. */
  resource: string
  method: string
  /** Values of the placeholders of the path. */
  path: string[]
  /** Absent where the method takes none. */
  body?: object
  query?: object
  files?: { name: string; text: string; type: string }[]
  idempotencyKey?: string
  /** All items of the list are read, by its iterator. */
  isIterated?: boolean
}

/** One of `result`, `error`, `forged` and `refused`; a content is a text of its bytes. */
export type Outcome = {
  result?: unknown
  error?: {
    code: string
    status: number | null
    requestId: string | null
    errors: unknown
    data: unknown
    retryAfterS: number | null
    isReplayed: boolean
    idempotencyKey: string | null
    isOutcomeUnknown: boolean
  }
  /** Why a delivery is not verified. */
  forged?: string
  /** Why the SDK has not even sent the call: a mistake of the caller. */
  refused?: string
  /** What the client has reported of each response. */
  responses: {
    operation: string
    attempt: number
    status: number
    requestId: string | null
    idempotencyKey: string | null
    isReplayed: boolean
    retryAfterS: number | null
    rateLimit: { quota: number; windowS: number; remaining: number; resetS: number } | null
  }[]
  /** Everything that the client and its error print of themselves. */
  texts: string[]
}
