import type { Dispatcher } from 'undici'
import type { NoAnswerResult, UnreachableResult } from '../../domain/providers/provider.ts'
import type { TransportCode } from '../../domain/providers/transport-code.ts'

/** A complete answer of any status; `json` is undefined if the body is not JSON or longer than MAX_BODY_BYTES. */
export type ProviderResponse = {
  kind: 'answer'
  status: number
  headers: Record<string, string | string[] | undefined>
  json: unknown
  text: string
  /** The body as received; empty if it is longer than MAX_BODY_BYTES. */
  bytes: Buffer
  /** The request was a repeat of one whose answer did not prove that it was not carried out. */
  isRepeat?: true
}
/** `no_answer`: the request may have arrived; `unreachable`: it provably did not. */
export type ExchangeOutcome = ProviderResponse | UnreachableResult | NoAnswerResult

const MAX_BODY_BYTES = 1024 * 1024

/**
 * Makes one request and returns its outcome. Undici assigns a request only to an established connection, TLS
 * included, and calls `onRequestStart` before the first byte: until then nothing has left, whatever fails. Errors are
 * reported by their system code alone, so that no secret and no body gets into a message.
 */
export function exchangeRequest(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limit: { timeoutMs: number; host: string },
): Promise<ExchangeOutcome> {
  const { promise, resolve } = Promise.withResolvers<ExchangeOutcome>()
  let startedRequest: Dispatcher.DispatchController | undefined
  let isDone = false
  let head: Pick<ProviderResponse, 'status' | 'headers'> | undefined
  let chunks: Buffer[] = []
  let bytes = 0

  const deadline = setTimeout(() => {
    fail('TIMEOUT')
    startedRequest?.abort(new Error('timeout'))
  }, limit.timeoutMs)

  const end = (outcome: ExchangeOutcome) => {
    isDone = true
    clearTimeout(deadline)
    resolve(outcome)
  }
  const fail = (reason: string) => {
    const failure = startedRequest ? LOST_ANSWER : NO_CONNECTION
    const code = findTransportCode(reason) ?? failure.code
    end({ kind: failure.kind, code, message: `${limit.host} ${failure.fact}: ${reason}` })
  }
  const answer = () => end({ kind: 'answer', ...head!, ...parseBody(Buffer.concat(chunks)) })

  dispatcher.dispatch(request, {
    onRequestStart(controller) {
      if (isDone) return controller.abort(new Error('deadline exceeded before the request started'))
      startedRequest = controller
    },
    onResponseStart(_controller, status, headers) {
      if (status >= 200) head = { status, headers }
    },
    onResponseData(controller, chunk) {
      bytes += chunk.length
      if (bytes <= MAX_BODY_BYTES) return void chunks.push(chunk)
      chunks = []
      answer()
      controller.abort(new Error('answer too long'))
    },
    onResponseEnd: answer,
    onResponseError: (_controller, error) => fail(getSystemCode(error)),
  })
  return promise
}

function parseBody(bytes: Buffer): Pick<ProviderResponse, 'json' | 'text' | 'bytes'> {
  const text = bytes.toString('utf8')
  try {
    return { json: JSON.parse(text), text, bytes }
  } catch {
    return { json: undefined, text, bytes }
  }
}

const NO_CONNECTION = {
  kind: 'unreachable',
  code: 'connection_failed',
  fact: 'could not be reached',
} as const
const LOST_ANSWER = { kind: 'no_answer', code: 'connection_lost', fact: 'gave no answer' } as const

const TRANSPORT_CODE_BY_REASON: Record<string, TransportCode> = {
  TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ENOTFOUND: 'dns_failed',
  DNS_FAILED: 'dns_failed',
  EAI_AGAIN: 'dns_failed',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
}

/** OpenSSL's and Node's names of a failed handshake; the server may report it after our side has finished. */
const CERTIFICATE_EXPIRED_PATTERN = /CERT_HAS_EXPIRED|CERTIFICATE_EXPIRED/
const TLS_FAILURE_PATTERN = /^ERR_(SSL|TLS)_|^CERT_|CERTIFICATE|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|^EPROTO$/

function findTransportCode(reason: string): TransportCode | undefined {
  if (CERTIFICATE_EXPIRED_PATTERN.test(reason)) return 'certificate_expired'
  if (TLS_FAILURE_PATTERN.test(reason)) return 'tls_failed'
  return TRANSPORT_CODE_BY_REASON[reason]
}

function getSystemCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
