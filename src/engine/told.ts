import type { Connection } from '../db/entities/connection.ts'
import type { Notice } from '../db/entities/notice.ts'
import type { ProviderNotice } from '../workflows/messages.ts'

/** A notice, and the connection it came through. */
export type Told = { notice: Notice; connection: Connection }

/** Its request still waits for it to be handed over; what is older comes in crowds, after something was away. */
const JUST_NOW_MS = 5_000

/**
 * What a workflow is signalled: that there is something to ask, whether its provider has just notified it, and whether it is
 * about a return. One that names no transfer of ours but a PIX that we sent is (src/providers/woovi/notice.ts).
 */
export function hint({ uuid, connectionUuid, receivedAt, kind, reference }: Notice): ProviderNotice {
  const isNew = Date.now() - receivedAt.getTime() < JUST_NOW_MS
  const tellsReturn = kind === 'transfer' && reference === null
  return {
    noticeUuid: uuid,
    connectionUuid,
    ...(isNew && { justNow: true }),
    ...(tellsReturn && { tellsReturn }),
  }
}
