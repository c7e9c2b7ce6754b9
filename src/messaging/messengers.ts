import type { Messenger } from './messenger.ts'
import type { MessageChannel, MessengerSettings } from './settings.ts'
import { createSmsGateway } from './sms-gateway.ts'
import { createSmtpMessenger } from './smtp-messenger.ts'

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
