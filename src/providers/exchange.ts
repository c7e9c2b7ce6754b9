import type { Dispatcher } from 'undici'
import type { NoAnswer, TransportCode, Unreachable } from '../domain/provider.ts'

/** A whole answer, whatever its status; `json` is undefined where the body is no JSON or too long to be one of ours. */
export type Answer = {
  kind: 'answer'
  status: number
  headers: Record<string, string | string[] | undefined>
  json: unknown
  text: string
}
/** `no_answer` may have arrived; `unreachable` provably did not. */
export type Reply = Answer | Unreachable | NoAnswer

const MOST_BYTES = 1024 * 1024

/**
 * One request and what it came to. Undici hands a request to a connection only once that connection stands, TLS
 * included, and calls `onRequestStart` before the first byte: until then nothing has left, whatever fails. Errors are
 * named by their system code alone, so no secret and no body can slip into a message.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limit: { timeoutMs: number; host: string },
): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>()
  let left: Dispatcher.DispatchController | undefined
  let over = false
  let head: Pick<Answer, 'status' | 'headers'> | undefined
  let chunks: Buffer[] = []
  let bytes = 0

  const deadline = setTimeout(() => {
    fail('TIMEOUT')
    left?.abort(new Error('timeout'))
  }, limit.timeoutMs)

  const end = (reply: Reply) => {
    over = true
    clearTimeout(deadline)
    resolve(reply)
  }
  const fail = (reason: string) => end(left ? noAnswer(limit.host, reason) : unreachable(limit.host, reason))
  const answer = () => end({ kind: 'answer', ...head!, ...bodyOf(Buffer.concat(chunks)) })

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
      if (bytes <= MOST_BYTES) return void chunks.push(chunk)
      chunks = []
      answer()
      controller.abort(new Error('too long'))
    },
    onResponseEnd: answer,
    onResponseError: (_controller, error) => fail(systemCode(error)),
  })
  return promise
}

function bodyOf(bytes: Buffer): Pick<Answer, 'json' | 'text'> {
  const text = bytes.toString('utf8')
  try {
    return { json: JSON.parse(text), text }
  } catch {
    return { json: undefined, text }
  }
}

const unreachable = (host: string, reason: string): Unreachable => ({
  kind: 'unreachable',
  code: codeOf(reason) ?? 'connection_failed',
  message: `${host} could not be reached: ${reason}`,
})

const noAnswer = (host: string, reason: string): NoAnswer => ({
  kind: 'no_answer',
  code: codeOf(reason) ?? 'connection_lost',
  message: `${host} gave no answer: ${reason}`,
})

const REASONS: Record<string, TransportCode> = {
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
const EXPIRED = /CERT_HAS_EXPIRED|CERTIFICATE_EXPIRED/
const TLS = /^ERR_(SSL|TLS)_|^CERT_|CERTIFICATE|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|^EPROTO$/

function codeOf(reason: string): TransportCode | undefined {
  if (EXPIRED.test(reason)) return 'certificate_expired'
  if (TLS.test(reason)) return 'tls_failed'
  return REASONS[reason]
}

function systemCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
