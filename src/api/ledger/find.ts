import type { z } from 'zod'
import type { EntityManager } from '../../db/orm.ts'
import type { ProviderName } from '../../domain/provider.ts'
import type { LedgerQuery, ledgerLine } from '../../wire/ledger.ts'
import type { Token } from '../auth.ts'
import { daysBetween, pageOf } from '../pagination.ts'

/** One page of what changed the available balance that a token sees, newest first. */
export async function listLedger(em: EntityManager, token: Token, query: LedgerQuery) {
  const [rows, total] = await Promise.all([linesOf(em, token, query), countOf(em.fork(), token, query)])
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

function linesOf(em: EntityManager, token: Token, query: LedgerQuery): Promise<Row[]> {
  const { where, values } = wanted(token, query)
  return em.execute(
    `select m.uuid, m.type, p.cents, p.balance_cents, m.status, m.end_to_end, m.reason, m.charge_uuid,
       m.transfer_uuid, m.refund_uuid, c.uuid as connection_uuid, c.provider, p.created_at
     from posting p join movement m on m.uuid = p.movement_uuid join ${CONNECTIONS} where ${where}
     order by p.id desc limit ? offset ?`,
    [...values, query.per_page, (query.page - 1) * query.per_page],
  )
}

async function countOf(em: EntityManager, token: Token, query: LedgerQuery): Promise<number> {
  const { where, values } = wanted(token, query)
  const [row]: { total: string }[] = await em.execute(
    `select count(*) as total from posting p join ${CONNECTIONS} where ${where}`,
    values,
  )
  return Number(row?.total ?? 0)
}

/** The account's own connection to the provider account that a line is about; the oldest, where it has several. */
const CONNECTIONS = `lateral (
  select c.uuid, c.provider, c.is_simulated from connection c
  where c.account_uuid = p.account_uuid and c.provider_account_uuid = p.provider_account_uuid
  order by c.created_at limit 1
) c on true`

function wanted(token: Token, query: LedgerQuery) {
  const days = daysBetween(query.date_from, query.date_to)
  const conditions: [string, unknown][] = [
    ['p.account_uuid = ?', token.accountUuid],
    ['p.bucket = ?', 'available'],
  ]
  // Every row has its connection, `c`.
  if (token.reaches) conditions.push(['c.is_simulated = ?', token.reaches === 'test'])
  const connection = token.connectionUuid ?? query.provider_uuid
  if (connection)
    conditions.push([
      'p.provider_account_uuid = (select provider_account_uuid from connection where uuid = ?)',
      connection,
    ])
  if (token.connectionUuid && query.provider_uuid && query.provider_uuid !== token.connectionUuid)
    conditions.push(['? = 1', 0])
  if (days?.$gte) conditions.push(['p.created_at >= ?', days.$gte])
  if (days?.$lt) conditions.push(['p.created_at < ?', days.$lt])
  return {
    where: conditions.map(([condition]) => condition).join(' and '),
    values: conditions.map(([, value]) => value),
  }
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
