import nodemailer from 'nodemailer'
import type { Messenger, SendMessageOutcome } from './messenger.ts'

export type SmtpOptions = {
  /** `smtp://` (STARTTLS where the server offers it) or `smtps://`, with user and password. */
  url: string
  /** Sender address: `Trilho <pix@shop.example>`. */
  from: string
  timeoutMs?: number
}

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
