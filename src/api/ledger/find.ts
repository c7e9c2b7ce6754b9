import type { z } from 'zod'
import type { EntityManager } from '../../db/orm.ts'
import { type Condition, type Where, where } from '../../db/where.ts'
import type { ProviderName } from '../../domain/provider.ts'
import type { LedgerQuery, ledgerLine } from '../../wire/ledger.ts'
import type { Token } from '../auth.ts'
import { daysBetween, offsetOf, pageOf } from '../pagination.ts'

/** One page of what changed the available balance that a token sees, newest first. */
export async function listLedger(em: EntityManager, token: Token, query: LedgerQuery) {
  const asked = wanted(token, query)
  const [rows, total] = await Promise.all([linesOf(em, asked, query), countOf(em, asked)])
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
function linesOf(em: EntityManager, { sql, values }: Where, { page, per_page }: LedgerQuery): Promise<Row[]> {
  return em.execute(
    `select m.uuid, m.type, p.cents, p.balance_cents, m.status, m.end_to_end, m.reason, m.charge_uuid,
       m.transfer_uuid, m.refund_uuid, c.uuid as connection_uuid, c.provider, p.created_at
     from (select id from posting where ${sql} order by id desc limit ? offset ?) page
     join posting p on p.id = page.id join movement m on m.uuid = p.movement_uuid join ${CONNECTION}
     order by p.id desc`,
    [...values, per_page, offsetOf({ page, per_page })],
  )
}

async function countOf(em: EntityManager, { sql, values }: Where): Promise<number> {
  const [row]: { total: string }[] = await em.execute(
    `select count(*) as total from posting where ${sql}`,
    values,
  )
  return Number(row!.total)
}

/** The account's own connection to the provider account that a line is about; the oldest, where it has several. */
const CONNECTION = `lateral (
  select c.uuid, c.provider from connection c
  where c.account_uuid = p.account_uuid and c.provider_account_uuid = p.provider_account_uuid
  order by c.created_at limit 1
) c on true`

function wanted({ accountUuid, connectionUuid, reaches }: Token, query: LedgerQuery): Where {
  const days = daysBetween(query.date_from, query.date_to)
  const through = (uuid: string): Condition => [
    'provider_account_uuid = (select k.provider_account_uuid from connection k where k.uuid = ?)',
    uuid,
  ]
  return where(
    ["account_uuid = ? and bucket = 'available'", accountUuid],
    reaches && [
      `provider_account_uuid = any(array(
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
    days?.$gte && ['created_at >= ?', days.$gte],
    days?.$lt && ['created_at < ?', days.$lt],
  )
}

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
