import type { ProviderName } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import type { Movement } from '../entities/movement.ts'
import { isOfMode, joinConditions, type OptionalSqlCondition } from '../sql-conditions.ts'
import { type ListCounterFilter, readListCounter } from './list-counters.ts'

/** Lines of an account's statement: postings that changed its available balance, with their movements. */

export type LedgerLine = Pick<Movement, 'uuid' | 'type' | 'status' | 'reason'> &
  Record<'end_to_end' | 'charge_uuid' | 'transfer_uuid' | 'refund_uuid', string | null> &
  Record<'cents' | 'balance_cents', number> & {
    connection_uuid: string
    provider: ProviderName
    created_at: Date
  }

/** An account's lines: at the provider account of one connection, or at all; of one mode, or of both. */
type LedgerScope = { accountUuid: string; connectionUuid: string | null; modeScope?: 'live' | 'test' }

/** Reads a page of lines, newest first: found by their numbers alone, their movements are joined only then. */
export function readLedgerLines(
  em: EntityManager,
  scope: LedgerScope,
  { days, limit, offset }: { days: DayRange | undefined; limit: number; offset: number },
): Promise<LedgerLine[]> {
  const { sql, values } = joinConditions(
    ["bucket = 'available'"],
    ...buildScopeConditions(scope, 'provider_account_uuid'),
    ...buildDayConditions(scope, days),
  )
  return em.execute(
    `select m.uuid, m.type, p.cents::float8 as cents, p.balance_cents::float8 as balance_cents, m.status, m.end_to_end, m.reason, m.charge_uuid,
       m.transfer_uuid, m.refund_uuid, c.uuid as connection_uuid, c.provider, p.created_at
     from (select id from posting where ${sql} order by id desc limit ? offset ?) page
     join posting p on p.id = page.id join movement m on m.uuid = p.movement_uuid join ${LINE_CONNECTION_SQL}
     order by p.id desc`,
    [...values, limit, offset, scope.connectionUuid],
  )
}

/** Counts all lines of the days, both inclusive. */
export function countLedgerLines(
  em: EntityManager,
  scope: LedgerScope,
  days: Pick<ListCounterFilter, 'createdFrom' | 'createdTo'>,
) {
  const conditions = buildScopeConditions(scope, 'connection_uuid')
  return readListCounter(em, { noun: 'posting', conditions, states: [], ...days })
}

/**
 * Selects the account's own connection to the provider account of a line: of several the one of the scope, else the one
 * that carried the movement, else the oldest.
 */
const LINE_CONNECTION_SQL = `lateral (
  select c.uuid, c.provider from connection c
  where c.account_uuid = p.account_uuid and c.provider_account_uuid = p.provider_account_uuid
  order by c.uuid = ? desc, c.uuid = m.connection_uuid desc, c.created_at limit 1
) c on true`

/** Builds the conditions of account and provider accounts; `column` holds the provider account. */
function buildScopeConditions(
  { accountUuid, connectionUuid, modeScope }: LedgerScope,
  column: 'provider_account_uuid' | 'connection_uuid',
): OptionalSqlCondition[] {
  return [
    ['account_uuid = ?', accountUuid],
    modeScope &&
      isOfMode(column, 'provider_account_uuid', { accountUuid, isSimulated: modeScope === 'test' }),
    connectionUuid !== null && [
      `${column} = (select k.provider_account_uuid from connection k where k.uuid = ? and k.account_uuid = ?)`,
      connectionUuid,
      accountUuid,
    ],
  ]
}

/** From the first moment up to the last one, exclusive. */
type DayRange = { $gte?: Date; $lt?: Date }

/**
 * Builds the date conditions. Lines are ordered by number, which is the order of time except for overlapping
 * transactions. PostgreSQL therefore scans only between the numbers possible at the limits of the days, not from
 * today on. (`+ 0` keeps the planner from searching these limits in the order of numbers, from the first line on.)
 */
function buildDayConditions(
  { accountUuid }: LedgerScope,
  { $gte, $lt }: DayRange = {},
): OptionalSqlCondition[] {
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
