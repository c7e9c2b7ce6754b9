import { constantQuery, mapQuery, type Query, query } from '../pipeline/query.ts'

/** Deliveries to start, and unmatched PIX to return, as the workflows' contract has them. */
type FollowUps = { deliveries: string[]; returns: { uuid: string; connectionUuid: string }[] }

export const NO_FOLLOW_UPS: FollowUps = { deliveries: [], returns: [] }

/**
 * Returns the query of an owner's pending follow-ups, for the end of the transaction. It reads the rows, so that an
 * activity that is repeated after a crash between commit and completion returns them again; starting one that already
 * runs changes nothing.
 */
export function queryFollowUps(ownerUuid: string): Query<FollowUps> {
  return query(
    `select d.uuid, null::uuid as "connectionUuid" from event e join delivery d on d.event_uuid = e.uuid
       where e.owner_uuid = ? and d.status = 'PENDING' and d.attempt_count = 0
       union all
       select m.uuid, m.connection_uuid from event e join movement m on m.uuid = e.subject_uuid
       where e.owner_uuid = ? and m.disposition = 'held'`,
    [ownerUuid, ownerUuid],
    rows => ({
      deliveries: rows.filter(row => row.connectionUuid === null).map(row => row.uuid as string),
      returns: rows.filter(row => row.connectionUuid !== null) as FollowUps['returns'],
    }),
  )
}

/** Returns the query of a result with the pending follow-ups of its owner. */
export function queryWithFollowUps<const Result extends object>(
  ownerUuid: string,
  result: Result,
): Query<Result & FollowUps> {
  return mapQuery(queryFollowUps(ownerUuid), followUps => ({ ...result, ...followUps }))
}

/** Returns the query of the follow-ups of a row that counts its events; sends no statement for a row without one. */
export function queryFollowUpsOfRow(row: { uuid: string; sequence: number }): Query<FollowUps> {
  return row.sequence > 0 ? queryFollowUps(row.uuid) : constantQuery(NO_FOLLOW_UPS)
}
