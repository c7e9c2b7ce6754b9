import type { Connection } from '../db/entities/connection.ts'
import type { Notice } from '../db/entities/notice.ts'
import type { ProviderNotice } from '../workflows/messages.ts'

/** A notice, and the connection it came through. */
export type Told = { notice: Notice; connection: Connection }

/** Its request still waits for it to be handed over; what is older comes in crowds, after something was away. */
const JUST_NOW_MS = 5_000

/** What a life hears of it: that there is something to ask, and whether its provider has just spoken. */
export function hint({ uuid, connectionUuid, receivedAt }: Notice): ProviderNotice {
  const isNew = Date.now() - receivedAt.getTime() < JUST_NOW_MS
  return { noticeUuid: uuid, connectionUuid, ...(isNew && { justNow: true }) }
}
