import type { EntityManager } from '../client/orm.ts'
import { joinConditions } from '../sql-conditions.ts'

/** Receivers that an account has paid before, by their PIX keys: what its users are offered while they type one. */

/** A key that was paid: whose it was at the last payment, how often it was paid, and when last. */
type PaidReceiver = {
  pixKey: string
  name: string | null
  document: string | null
  transfers: number
  lastAt: Date
}

/** Latest transfers that are read, and the most receivers of them. */
const MAX_READ_TRANSFERS = 1_000
const MAX_RECEIVERS = 50

/** Finds the receivers of the latest settled transfers to keys, or to one key, the latest first. */
export function findPaidReceivers(
  em: EntityManager,
  { accountUuid, isSimulated, pixKey }: { accountUuid: string; isSimulated: boolean; pixKey?: string },
): Promise<PaidReceiver[]> {
  const { sql, values } = joinConditions(
    ['t.account_uuid = ?', accountUuid],
    ['t.settled_at is not null and t.pix_key is not null'],
    [
      't.connection_uuid in (select uuid from connection where account_uuid = ? and is_simulated = ?)',
      accountUuid,
      isSimulated,
    ],
    pixKey !== undefined && ['t.receiver_id = ?', pixKey],
  )
  return em.execute(
    `select pix_key as "pixKey", (array_agg(receiver ->> 'name' order by created_at desc))[1] as name,
       (array_agg(receiver ->> 'document' order by created_at desc))[1] as document,
       count(*)::int as transfers, max(settled_at) as "lastAt"
     from (select * from transfer t where ${sql} order by t.created_at desc limit ${MAX_READ_TRANSFERS}) paid
     group by pix_key order by max(settled_at) desc limit ${MAX_RECEIVERS}`,
    values,
  )
}

/** The scheduled transfers of a day (`YYYY-MM-DD`): how many, and their sum in centavos. */
type ScheduledDay = { day: string; transfers: number; cents: number }

const MAX_SCHEDULED_DAYS = 60

/** Adds up the scheduled transfers of an account by day, the next day first. */
export function sumScheduledDays(
  em: EntityManager,
  { accountUuid, isSimulated, timeZone }: { accountUuid: string; isSimulated: boolean; timeZone: string },
): Promise<ScheduledDay[]> {
  return em.execute(
    `select to_char(t.scheduled_for at time zone ?, 'YYYY-MM-DD') as day, count(*)::int as transfers,
       sum(t.value_cents)::float8 as cents
     from transfer t join connection c on c.uuid = t.connection_uuid
     where t.account_uuid = ? and t.state = 'created' and t.scheduled_for is not null and c.is_simulated = ?
     group by 1 order by 1 limit ${MAX_SCHEDULED_DAYS}`,
    [timeZone, accountUuid, isSimulated],
  )
}
