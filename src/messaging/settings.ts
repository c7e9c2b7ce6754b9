export type SmtpOptions = {
  /** `smtp://` (STARTTLS where the server offers it) or `smtps://`, with user and password. */
  url: string
  /** Sender address: `Trilho <pix@shop.example>`. */
  from: string
  timeoutMs?: number
}

export type SmsGatewayOptions = { url: string; token: string; timeoutMs?: number }

export type MessengerSettings = {
  smtp: SmtpOptions | null
  sms: SmsGatewayOptions | null
  /** Stores messages of channels without a carrier, to be read by `trilho outbox`; for local work only. */
  outbox: boolean
}

/** Kinds of address that an auth code is sent to. */
export type MessageChannel = 'EMAIL' | 'PHONE'

/** Returns whether messages can be sent over the channel. */
export function canReachChannel(channel: MessageChannel, { smtp, sms, outbox }: MessengerSettings): boolean {
  return outbox || (channel === 'EMAIL' ? smtp : sms) !== null
}
