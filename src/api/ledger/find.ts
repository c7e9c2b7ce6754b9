import type { z } from 'zod'
import type { LedgerQuery, ledgerLineSchema } from '../../contract/ledger/ledger-line.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { readListCounter } from '../../db/repositories/list-counters.ts'
import { joinConditions, type OptionalSqlCondition } from '../../db/sql-conditions.ts'
import type { ProviderName } from '../../domain/providers/provider.ts'
import { buildDayRange, buildListPage, computePageOffset } from '../http/pagination.ts'
import type { CallerToken } from '../middleware/authenticate.ts'

/** Lists one page of the ledger lines that changed the available balance a token may see, newest first. */
export async function listLedgerLines(em: EntityManager, token: CallerToken, query: LedgerQuery) {
  const [rows, total] = await Promise.all([
    findLedgerLines(em, token, query),
    countLedgerLines(em, token, query),
  ])
  return buildListPage({ ...query, total, rows: rows.map(showLedgerLine) })
}

type LedgerLineRow = {
  uuid: string
  type: z.output<typeof ledgerLineSchema>['type']
  cents: string
  balance_cents: string
  status: 'PENDING' | 'SETTLED' | 'FAILED'
  end_to_end: string | null
  reason: z.output<typeof ledgerLineSchema>['reason'] | null
  charge_uuid: string | null
  transfer_uuid: string | null
  refund_uuid: string | null
  connection_uuid: string
  provider: ProviderName
  created_at: Date
}

/** Finds the lines of a page by their numbers alone; their movements are joined only then. */
function findLedgerLines(
  em: EntityManager,
  token: CallerToken,
  query: LedgerQuery,
): Promise<LedgerLineRow[]> {
  const { sql, values } = joinConditions(
    ["bucket = 'available'"],
    ...buildLedgerScope(token, query, 'provider_account_uuid'),
    ...buildLedgerDateConditions(token, query),
  )
  return em.execute(
    `select m.uuid, m.type, p.cents, p.balance_cents, m.status, m.end_to_end, m.reason, m.charge_uuid,
       m.transfer_uuid, m.refund_uuid, c.uuid as connection_uuid, c.provider, p.created_at
     from (select id from posting where ${sql} order by id desc limit ? offset ?) page
     join posting p on p.id = page.id join movement m on m.uuid = p.movement_uuid join ${LINE_CONNECTION_SQL}
     order by p.id desc`,
    [
      ...values,
      query.per_page,
      computePageOffset(query),
      token.connectionUuid ?? query.provider_uuid ?? null,
    ],
  )
}

function countLedgerLines(em: EntityManager, token: CallerToken, query: LedgerQuery): Promise<number> {
  return readListCounter(em, {
    noun: 'posting',
    conditions: buildLedgerScope(token, query, 'connection_uuid'),
    states: [],
    createdFrom: query.date_from,
    createdTo: query.date_to,
  })
}

/**
 * Selects the account's own connection to the provider account of a line: of several the one that the token or the query
 * names, else the one that carried the movement, else the oldest.
 */
const LINE_CONNECTION_SQL = `lateral (
  select c.uuid, c.provider from connection c
  where c.account_uuid = p.account_uuid and c.provider_account_uuid = p.provider_account_uuid
  order by c.uuid = ? desc, c.uuid = m.connection_uuid desc, c.created_at limit 1
) c on true`

/** Builds the conditions of account and provider accounts; `column` holds the provider account. */
function buildLedgerScope(
  { accountUuid, connectionUuid, modeScope: reaches }: CallerToken,
  query: LedgerQuery,
  column: 'provider_account_uuid' | 'connection_uuid',
): OptionalSqlCondition[] {
  const connectionCondition = (uuid: string): OptionalSqlCondition => [
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
    connectionUuid !== null && connectionCondition(connectionUuid),
    query.provider_uuid !== undefined && connectionCondition(query.provider_uuid),
    // A provider-bound token may name another connection in the filter, though both may share one provider account.
    connectionUuid !== null &&
      query.provider_uuid !== undefined &&
      query.provider_uuid !== connectionUuid && ['false'],
  ]
}

/**
 * Builds the date conditions. Lines are ordered by number, which is the order of time except for overlapping
 * transactions. PostgreSQL therefore scans only between the numbers possible at the limits of the days, not from
 * today on. (`+ 0` keeps the planner from searching these limits in the order of numbers, from the first line on.)
 */
function buildLedgerDateConditions(
  { accountUuid }: CallerToken,
  { date_from, date_to }: LedgerQuery,
): OptionalSqlCondition[] {
  const { $gte, $lt } = buildDayRange(date_from, date_to) ?? {}
  const accountPostings = `from posting where account_uuid = ? and bucket = 'available' and created_at`
  return [
    $gte && ['created_at >= ?', $gte],
    $gte && [
      `id >= (select min(id + 0) ${accountPostings} >= ? and created_at < (select min(created_at) ${accountPostings} >= ?) + ${MAX_TRANSACTION_OVERLAP})`,
      ...[accountUuid, $gte, accountUuid, $gte],
    ],
    $lt && ['created_at < ?', $lt],
    $lt && [
      `id <= (select max(id + 0) ${accountPostings} < ? and created_at > (select max(created_at) ${accountPostings} < ?) - ${MAX_TRANSACTION_OVERLAP})`,
      ...[accountUuid, $lt, accountUuid, $lt],
    ],
  ]
}

/** Upper limit of a transaction's duration. */
const MAX_TRANSACTION_OVERLAP = `interval '1 day'`

function showLedgerLine(row: LedgerLineRow): z.output<typeof ledgerLineSchema> {
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
