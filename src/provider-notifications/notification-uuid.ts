import { uuidFromHash } from '../domain/pix/identifiers.ts'
import { sha256 } from '../security/sealing.ts'

/** Derives the uuid of a notification from its connection and its text, so that one that is sent again is stored once. */
export function deriveNotificationUuid(connectionUuid: string, body: string): string {
  return uuidFromHash(sha256(JSON.stringify(['notification', connectionUuid, body])))
}
