import type { SmsGatewayOptions } from './sms-gateway.ts'
import type { SmtpOptions } from './smtp-messenger.ts'

export type MessengerSettings = {
  smtp: SmtpOptions | null
  sms: SmsGatewayOptions | null
  /** Keeps what no carrier is named for, to be read by `trilho outbox`; for local work only. */
  outbox: boolean
}

/** The kinds of address that a code goes to. */
export type MessageChannel = 'EMAIL' | 'PHONE'

/** Whether anything can be sent to such an address at all. */
export function canReachChannel(channel: MessageChannel, { smtp, sms, outbox }: MessengerSettings): boolean {
  return outbox || (channel === 'EMAIL' ? smtp : sms) !== null
}
