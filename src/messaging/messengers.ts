import nodemailer from 'nodemailer'
import type { MessageChannel, MessengerSettings, SmsGatewayOptions, SmtpOptions } from './settings.ts'

/** A text for one address. `id` is the same for every attempt, so that a carrier can recognize a repeat. */
export type OutboundMessage = { id: string; to: string; subject: string; text: string }

/** Outcome of sending: `kept` in the local outbox instead of being sent; `again` may succeed later, `refused` never. */
type SendMessageOutcome =
  | { kind: 'sent' }
  | { kind: 'kept' }
  | { kind: 'refused'; code: string }
  | { kind: 'again'; code: string }

/**
 * Sends messages over one channel. A messenger never throws for errors of a carrier or the network, and its codes,
 * which are logged, never quote an address or a text.
 */
type Messenger = { send(message: OutboundMessage): Promise<SendMessageOutcome>; close(): void }

/** Messenger of each channel; null for a channel without one. */
export type Messengers = Record<MessageChannel, Messenger | null> & { close(): void }

/** Creates the messengers: the configured carrier, otherwise the outbox if it is enabled, otherwise none. */
export function createMessengers({ smtp, sms, outbox }: MessengerSettings): Messengers {
  const fallback = outbox ? outboxMessenger : null
  const [EMAIL, PHONE] = [smtp ? createSmtpMessenger(smtp) : fallback, sms ? createSmsGateway(sms) : fallback]
  return {
    EMAIL,
    PHONE,
    close() {
      EMAIL?.close()
      PHONE?.close()
    },
  }
}

/** Sends nothing: the sealed row is the outbox. */
const outboxMessenger: Messenger = { send: async () => ({ kind: 'kept' }), close() {} }

/** Sends e-mail through an SMTP server. */
export function createSmtpMessenger({ url, from, timeoutMs = 10_000 }: SmtpOptions): Messenger {
  const transport = nodemailer.createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  })
  return {
    async send({ id, to, subject, text }) {
      try {
        // An address object is used verbatim: its content cannot add a second recipient.
        const messageId = `<${id}@trilho>`
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text, messageId })
        return { kind: 'sent' }
      } catch (error) {
        return classifySmtpError(error)
      }
    },
    close: () => transport.close(),
  }
}

/**
 * Classifies an SMTP error (RFC 5321 §4.2.1): 5yz to the recipient or the message is final; to our greeting, log-in
 * or sender it is not.
 */
function classifySmtpError(error: unknown): SendMessageOutcome {
  const failure = Object(error) as { responseCode?: number; code?: string; command?: string }
  const { responseCode = 0, code = 'smtp_failed', command = '' } = failure
  if (responseCode >= 500 && MESSAGE_COMMANDS.has(command))
    return { kind: 'refused', code: `smtp_${responseCode}` }
  return { kind: 'again', code: responseCode > 0 ? `smtp_${responseCode}` : code }
}

const MESSAGE_COMMANDS = new Set(['RCPT TO', 'DATA'])

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
