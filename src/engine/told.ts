import type { Connection } from '../db/entities/connection.ts'
import type { Notice } from '../db/entities/notice.ts'
import type { ProviderNotice } from '../workflows/messages.ts'

/** A notice, and the connection it came through. */
export type Told = { notice: Notice; connection: Connection }

/** What a life hears of it: that there is something to ask. */
export function hint(notice: Notice): ProviderNotice {
  return { noticeUuid: notice.uuid, connectionUuid: notice.connectionUuid }
}
