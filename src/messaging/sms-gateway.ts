import type { Messenger } from './messenger.ts'

export type SmsGatewayOptions = { url: string; token: string; timeoutMs?: number }

/**
 * Sends text messages through an HTTP gateway: `POST url { id, to, text }` with a bearer token. 2xx is accepted; 4xx
 * is refused for good, except 401, 403, 408 and 429, which concern our credentials or the moment; everything else is
 * tried again.
 */
export function createSmsGateway({ url, token, timeoutMs = 10_000 }: SmsGatewayOptions): Messenger {
  return {
    async send({ id, to, text }) {
      try {
        const response = await fetch(url, {
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
        await response.body?.cancel()
        if (response.ok) return { kind: 'sent' }
        const isFinal =
          response.status >= 400 && response.status < 500 && !RETRYABLE_CLIENT_STATUSES.has(response.status)
        return { kind: isFinal ? 'refused' : 'again', code: `http_${response.status}` }
      } catch (error) {
        return { kind: 'again', code: String(Object(error).name ?? 'failed') }
      }
    },
    close() {},
  }
}

const RETRYABLE_CLIENT_STATUSES = new Set([401, 403, 408, 429])
