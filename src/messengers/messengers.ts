import type { Messenger } from './messenger.ts'
import type { Channel, MessengerSettings } from './settings.ts'
import { smsGateway } from './sms-gateway.ts'
import { smtpMessenger } from './smtp.ts'

/** Who carries to which kind of address; null where nobody does. */
export type Messengers = Record<Channel, Messenger | null> & { close(): void }

/** A carrier where one is named, else the outbox where there is one, else nobody. */
export function openMessengers({ smtp, sms, outbox }: MessengerSettings): Messengers {
  const otherwise = outbox ? keeper : null
  const [EMAIL, PHONE] = [smtp ? smtpMessenger(smtp) : otherwise, sms ? smsGateway(sms) : otherwise]
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
const keeper: Messenger = { carry: async () => ({ kind: 'kept' }), close() {} }
