import type { z } from 'zod'
import type { EntityManager } from '../../db/orm.ts'
import { countTallied } from '../../db/tallies.ts'
import { type Condition, where } from '../../db/where.ts'
import type { ProviderName } from '../../domain/provider.ts'
import type { LedgerQuery, ledgerLine } from '../../wire/ledger.ts'
import type { Token } from '../auth.ts'
import { daysBetween, offsetOf, pageOf } from '../pagination.ts'

/** One page of what changed the available balance that a token sees, newest first. */
export async function listLedger(em: EntityManager, token: Token, query: LedgerQuery) {
  const [rows, total] = await Promise.all([linesOf(em, token, query), countOf(em, token, query)])
  return pageOf({ ...query, total, rows: rows.map(showLine) })
}

type Row = {
  uuid: string
  type: z.output<typeof ledgerLine>['type']
  cents: string
  balance_cents: string
  status: 'PENDING' | 'SETTLED' | 'FAILED'
  end_to_end: string | null
  reason: z.output<typeof ledgerLine>['reason'] | null
  charge_uuid: string | null
  transfer_uuid: string | null
  refund_uuid: string | null
  connection_uuid: string
  provider: ProviderName
  created_at: Date
}

/** The page is found by its lines' numbers alone; only then are the movements looked up. */
function linesOf(em: EntityManager, token: Token, query: LedgerQuery): Promise<Row[]> {
  const { sql, values } = where(
    ["bucket = 'available'"],
    ...seenOf(token, query, 'provider_account_uuid'),
    ...writtenOn(token, query),
  )
  return em.execute(
    `select m.uuid, m.type, p.cents, p.balance_cents, m.status, m.end_to_end, m.reason, m.charge_uuid,
       m.transfer_uuid, m.refund_uuid, c.uuid as connection_uuid, c.provider, p.created_at
     from (select id from posting where ${sql} order by id desc limit ? offset ?) page
     join posting p on p.id = page.id join movement m on m.uuid = p.movement_uuid join ${CONNECTION}
     order by p.id desc`,
    [...values, query.per_page, offsetOf(query), token.connectionUuid ?? query.provider_uuid ?? null],
  )
}

function countOf(em: EntityManager, token: Token, query: LedgerQuery): Promise<number> {
  return countTallied(em, {
    noun: 'posting',
    of: seenOf(token, query, 'connection_uuid'),
    states: [],
    createdFrom: query.date_from,
    createdTo: query.date_to,
  })
}

/**
 * The account's own connection to the provider account that a line is about; of several the one that is asked through,
 * else the one that moved it, else the oldest.
 */
const CONNECTION = `lateral (
  select c.uuid, c.provider from connection c
  where c.account_uuid = p.account_uuid and c.provider_account_uuid = p.provider_account_uuid
  order by c.uuid = ? desc, c.uuid = m.connection_uuid desc, c.created_at limit 1
) c on true`

/** Whose lines, at which provider accounts; `column` is where they are named. */
function seenOf(
  { accountUuid, connectionUuid, reaches }: Token,
  query: LedgerQuery,
  column: 'provider_account_uuid' | 'connection_uuid',
): Condition[] {
  const through = (uuid: string): Condition => [
    `${column} = (select k.provider_account_uuid from connection k where k.uuid = ? and k.account_uuid = ?)`,
    uuid,
    accountUuid,
  ]
  return [
    ['account_uuid = ?', accountUuid],
    reaches && [
      `${column} = any(array(
         select k.provider_account_uuid from connection k where k.account_uuid = ? and k.is_simulated = ?))`,
      accountUuid,
      reaches === 'test',
    ],
    connectionUuid !== null && through(connectionUuid),
    query.provider_uuid !== undefined && through(query.provider_uuid),
    // A token of one provider asks for another's, though both may sit at one provider account.
    connectionUuid !== null &&
      query.provider_uuid !== undefined &&
      query.provider_uuid !== connectionUuid && ['false'],
  ]
}

/**
 * Lines stand in the order of their numbers, which is that of their moments but for transactions that overlapped. So a
 * page of long ago is not looked for from today on, but between the numbers that the days' ends can have. (`+ 0` keeps the
 * planner from looking for these in the order of numbers, from the first one on.)
 */
function writtenOn({ accountUuid }: Token, { date_from, date_to }: LedgerQuery): Condition[] {
  const { $gte, $lt } = daysBetween(date_from, date_to) ?? {}
  const own = `from posting where account_uuid = ? and bucket = 'available' and created_at`
  return [
    $gte && ['created_at >= ?', $gte],
    $gte && [
      `id >= (select min(id + 0) ${own} >= ? and created_at < (select min(created_at) ${own} >= ?) + ${OVERLAP})`,
      ...[accountUuid, $gte, accountUuid, $gte],
    ],
    $lt && ['created_at < ?', $lt],
    $lt && [
      `id <= (select max(id + 0) ${own} < ? and created_at > (select max(created_at) ${own} < ?) - ${OVERLAP})`,
      ...[accountUuid, $lt, accountUuid, $lt],
    ],
  ]
}

/** No transaction lasts as long. */
const OVERLAP = `interval '1 day'`

function showLine(row: Row): z.output<typeof ledgerLine> {
  const cents = Number(row.cents)
  return {
    uuid: row.uuid,
    type: row.type,
    movement_type: cents > 0 ? 'IN' : 'OUT',
    value: Math.abs(cents),
    balance: Number(row.balance_cents),
    status: row.status,
    end_to_end: row.end_to_end ?? '',
    ...(row.reason && { reason: row.reason }),
    ...(row.charge_uuid && { charge_uuid: row.charge_uuid }),
    ...(row.transfer_uuid && { transfer_uuid: row.transfer_uuid }),
    ...(row.refund_uuid && { refund_uuid: row.refund_uuid }),
    provider: { uuid: row.connection_uuid, provider: row.provider },
    created_at: new Date(row.created_at),
  }
}
