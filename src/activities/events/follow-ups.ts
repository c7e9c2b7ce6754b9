import { constantQuery, type Query, query } from '../../db/pipeline/query.ts'

/** Follow-ups of a transaction: deliveries and returns whose workflows are to be started. */
export type FollowUps = { deliveries: string[]; returns: { uuid: string; connectionUuid: string }[] }
export const NO_FOLLOW_UPS: FollowUps = { deliveries: [], returns: [] }

type FollowUpRow = { uuid: string; connection_uuid: string | null }

/**
 * Query of the follow-ups, for the end of the transaction. It reads the rows, so that an activity that is repeated after a crash
 * between commit and answer returns them again; starting one that already runs changes nothing.
 */
export function pendingFollowUps(lifeUuid: string): Query<FollowUps> {
  return query(
    `select d.uuid, null::uuid as connection_uuid from event e join delivery d on d.event_uuid = e.uuid
       where e.life_uuid = ? and d.status = 'PENDING' and d.tries = 0
       union all
       select m.uuid, m.connection_uuid from event e join movement m on m.uuid = e.subject_uuid
       where e.life_uuid = ? and m.disposition = 'held'`,
    [lifeUuid, lifeUuid],
    rows => toFollowUps(rows as FollowUpRow[]),
  )
}

function toFollowUps(rows: FollowUpRow[]): FollowUps {
  const left: FollowUps = { deliveries: [], returns: [] }
  for (const { uuid, connection_uuid: connectionUuid } of rows) {
    if (connectionUuid === null) left.deliveries.push(uuid)
    else left.returns.push({ uuid, connectionUuid })
  }
  return left
}

/** Query of the follow-ups of a row that counts its events; without an event there are none, and no statement is sent. */
export function pendingFollowUpsOfRow(life: { uuid: string; sequence: number }): Query<FollowUps> {
  return life.sequence > 0 ? pendingFollowUps(life.uuid) : constantQuery(NO_FOLLOW_UPS)
}
