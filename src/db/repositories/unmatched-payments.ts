import type { MovementReason, UnmatchedDisposition } from '../../domain/ledger/movement.ts'
import type { Party } from '../../domain/pix/party.ts'
import type { ProviderName } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import { selectValue } from '../select-values.ts'
import { joinConditions, type OptionalSqlCondition } from '../sql-conditions.ts'

/** A payment that an account received without a charge to match. */
export type UnmatchedPayment = {
  uuid: string
  cents: number
  reason: MovementReason
  /** Null: a deposit that nothing was ever decided about. */
  disposition: UnmatchedDisposition | null
  endToEnd: string | null
  /** What its provider reported of the payer. */
  payer: Partial<Party> | null
  chargeUuid: string | null
  connectionUuid: string | null
  provider: ProviderName
  settledAt: Date | null
  createdAt: Date
}

/** Reads a page of an account's payments without a charge, newest first; the conditions say which, by a predicate of an index. */
export function readUnmatchedPayments(
  em: EntityManager,
  conditions: OptionalSqlCondition[],
  page: { limit: number; offset: number },
): Promise<UnmatchedPayment[]> {
  return readPayments(em, conditions, page)
}

/** Reads one payment without a charge that the conditions allow, deposits included; undefined where there is none. */
export async function findUnmatchedPayment(
  em: EntityManager,
  conditions: OptionalSqlCondition[],
): Promise<UnmatchedPayment | undefined> {
  const isUnmatched: OptionalSqlCondition = ["(disposition is not null or reason = 'deposit')"]
  const [payment] = await readPayments(em, [...conditions, isUnmatched], { limit: 1, offset: 0 })
  return payment
}

async function readPayments(
  em: EntityManager,
  conditions: OptionalSqlCondition[],
  { limit, offset }: { limit: number; offset: number },
): Promise<UnmatchedPayment[]> {
  const { sql, values } = joinConditions(...conditions)
  const rows: UnmatchedPayment[] = await em.execute(
    `select m.uuid, m.value_cents::float8 as cents, m.reason, m.disposition, m.end_to_end as "endToEnd", m.sender as payer,
       m.charge_uuid as "chargeUuid", m.connection_uuid as "connectionUuid", p.provider, m.settled_at as "settledAt",
       m.created_at as "createdAt"
     from (select uuid from movement where ${sql} order by created_at desc, uuid desc limit ? offset ?) page
     join movement m on m.uuid = page.uuid
     join provider_account p on p.uuid = m.provider_account_uuid
     order by m.created_at desc, m.uuid desc`,
    [...values, limit, offset],
  )
  return rows.map(row => ({
    ...row,
    settledAt: row.settledAt && new Date(row.settledAt),
    createdAt: new Date(row.createdAt),
  }))
}

/**
 * SQL of what an unmatched PIX still is, in centavos: its value less what its provider has returned of it without an order of
 * ours, by a dispute or in its panel. It is in `pending` unless a return of ours is under way or the PIX is kept.
 *
 * @param movement - name of the movement in the statement
 */
export const buildUnreturnedSql = (movement: string) => `(${movement}.value_cents - coalesce((
    select sum(back.value_cents) from movement back
    where back.original_uuid = ${movement}.uuid and back.type = 'EXTERNAL_REFUND'
      and (back.dispute_uuid is not null or back.reason = 'panel_return')), 0))`

/** Reads what an unmatched PIX still is (`buildUnreturnedSql`). */
export function readUnreturnedCents(em: EntityManager, uuid: string): Promise<number> {
  const sql = `select ${buildUnreturnedSql('movement')}::float8 from movement where uuid = ?`
  return selectValue<number>(em, sql, [uuid])
}

export function countUnmatchedPayments(em: EntityManager, conditions: OptionalSqlCondition[]) {
  const { sql, values } = joinConditions(...conditions)
  return selectValue<number>(em, `select count(*)::int from movement where ${sql}`, values)
}

/** Condition on a movement: a deposit that stays with its account, of which nothing was decided; the predicate of its index. */
export const IS_CREDITED_SQL = `disposition is null and reason = 'deposit'`
