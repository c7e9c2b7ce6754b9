import { createHash } from 'node:crypto'
import { uuidFromHash } from '../domain/pix/identifiers.ts'

/** Derives the uuid of a notification from its connection and its text, so that one that is sent again is stored once. */
export function deriveNotificationUuid(connectionUuid: string, body: string): string {
  const identity = JSON.stringify(['notification', connectionUuid, body])
  return uuidFromHash(createHash('sha256').update(identity).digest())
}
