import type { Messenger } from './messenger.ts'
import type { MessageChannel, MessengerSettings } from './settings.ts'
import { createSmsGateway } from './sms-gateway.ts'
import { createSmtpMessenger } from './smtp-messenger.ts'

/** Who carries to which kind of address; null where nobody does. */
export type Messengers = Record<MessageChannel, Messenger | null> & { close(): void }

/** A carrier where one is named, else the outbox where there is one, else nobody. */
export function createMessengers({ smtp, sms, outbox }: MessengerSettings): Messengers {
  const otherwise = outbox ? outboxMessenger : null
  const [EMAIL, PHONE] = [
    smtp ? createSmtpMessenger(smtp) : otherwise,
    sms ? createSmsGateway(sms) : otherwise,
  ]
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
