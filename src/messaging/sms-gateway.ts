import type { Messenger } from './messenger.ts'

export type SmsGatewayOptions = { url: string; token: string; timeoutMs?: number }

/**
 * Text messages through an HTTP gateway: `POST url { id, to, text }` with a bearer token. 2xx took it; 4xx will never
 * (but 401, 403, 408 and 429, which are about us or about now); all else is tried again.
 */
export function createSmsGateway({ url, token, timeoutMs = 10_000 }: SmsGatewayOptions): Messenger {
  return {
    async send({ id, to, text }) {
      try {
        const answer = await fetch(url, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            'idempotency-key': id,
          },
          body: JSON.stringify({ id, to, text }),
          redirect: 'error',
          signal: AbortSignal.timeout(timeoutMs),
        })
        await answer.body?.cancel()
        if (answer.ok) return { kind: 'sent' }
        const isFinal =
          answer.status >= 400 && answer.status < 500 && !RETRYABLE_CLIENT_STATUSES.has(answer.status)
        return { kind: isFinal ? 'refused' : 'again', code: `http_${answer.status}` }
      } catch (error) {
        return { kind: 'again', code: String(Object(error).name ?? 'failed') }
      }
    },
    close() {},
  }
}

const RETRYABLE_CLIENT_STATUSES = new Set([401, 403, 408, 429])
