import type { Dispatcher } from 'undici'
import type { NoAnswerResult, TransportCode, UnreachableResult } from '../../domain/providers/provider.ts'

/** A whole answer, whatever its status; `json` is undefined where the body is no JSON or too long to be one of ours. */
export type ProviderResponse = {
  kind: 'answer'
  status: number
  headers: Record<string, string | string[] | undefined>
  json: unknown
  text: string
}
/** `no_answer` may have arrived; `unreachable` provably did not. */
export type ExchangeOutcome = ProviderResponse | UnreachableResult | NoAnswerResult

const MAX_BODY_BYTES = 1024 * 1024

/**
 * One request and what it came to. Undici hands a request to a connection only once that connection stands, TLS
 * included, and calls `onRequestStart` before the first byte: until then nothing has left, whatever fails. Errors are
 * named by their system code alone, so no secret and no body can slip into a message.
 */
export function exchangeRequest(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limit: { timeoutMs: number; host: string },
): Promise<ExchangeOutcome> {
  const { promise, resolve } = Promise.withResolvers<ExchangeOutcome>()
  let left: Dispatcher.DispatchController | undefined
  let over = false
  let head: Pick<ProviderResponse, 'status' | 'headers'> | undefined
  let chunks: Buffer[] = []
  let bytes = 0

  const deadline = setTimeout(() => {
    fail('TIMEOUT')
    left?.abort(new Error('timeout'))
  }, limit.timeoutMs)

  const end = (reply: ExchangeOutcome) => {
    over = true
    clearTimeout(deadline)
    resolve(reply)
  }
  const fail = (reason: string) =>
    end(left ? toNoAnswer(limit.host, reason) : toUnreachable(limit.host, reason))
  const answer = () => end({ kind: 'answer', ...head!, ...parseBody(Buffer.concat(chunks)) })

  dispatcher.dispatch(request, {
    onRequestStart(controller) {
      if (over) return controller.abort(new Error('too late'))
      left = controller
    },
    onResponseStart(_controller, status, headers) {
      if (status >= 200) head = { status, headers }
    },
    onResponseData(controller, chunk) {
      bytes += chunk.length
      if (bytes <= MAX_BODY_BYTES) return void chunks.push(chunk)
      chunks = []
      answer()
      controller.abort(new Error('too long'))
    },
    onResponseEnd: answer,
    onResponseError: (_controller, error) => fail(getSystemCode(error)),
  })
  return promise
}

function parseBody(bytes: Buffer): Pick<ProviderResponse, 'json' | 'text'> {
  const text = bytes.toString('utf8')
  try {
    return { json: JSON.parse(text), text }
  } catch {
    return { json: undefined, text }
  }
}

const toUnreachable = (host: string, reason: string): UnreachableResult => ({
  kind: 'unreachable',
  code: findTransportCode(reason) ?? 'connection_failed',
  message: `${host} could not be reached: ${reason}`,
})

const toNoAnswer = (host: string, reason: string): NoAnswerResult => ({
  kind: 'no_answer',
  code: findTransportCode(reason) ?? 'connection_lost',
  message: `${host} gave no answer: ${reason}`,
})

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

/** Names of OpenSSL and Node for a handshake that failed; the far side may say so after ours has ended. */
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
