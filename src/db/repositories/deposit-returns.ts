import { UNRESOLVED_DISPUTE_STATES } from '../../domain/disputes/dispute.ts'
import { DEPOSIT_REASONS, type DepositReturnTerms } from '../../domain/unmatched/deposit-return.ts'
import type { EntityManager } from '../client/orm.ts'
import { DepositReturn } from '../entities/deposit-return.ts'
import { selectValue } from '../select-values.ts'
import { formatTextArray, joinConditions, type OptionalSqlCondition } from '../sql-conditions.ts'

/** Condition on a movement: a received PIX that pays no charge. */
const DEPOSIT_SQL =
  "movement_type = 'IN' and type = 'EXTERNAL_TRANSFER' and status = 'SETTLED' and reason = any(?::text[])"
const IS_DEPOSIT: OptionalSqlCondition = [DEPOSIT_SQL, formatTextArray([...DEPOSIT_REASONS])]
const IS_OR_WAS_DEPOSIT: OptionalSqlCondition = [
  `(${DEPOSIT_SQL} or exists (select from deposit_assignment a where a.movement_uuid = movement.uuid))`,
  formatTextArray([...DEPOSIT_REASONS]),
]

/** Tests whether a movement that the conditions allow is a deposit, or was one until its account assigned it to a code. */
export function isOrWasDeposit(em: EntityManager, conditions: OptionalSqlCondition[]): Promise<boolean> {
  const { sql, values } = joinConditions(...conditions, IS_OR_WAS_DEPOSIT)
  return selectValue(em, `select exists (select from movement where ${sql})`, values)
}

/**
 * Reads what decides whether a deposit may be returned; undefined where the movement is no deposit. An attempt that may not
 * begin again (`canStartAttempt`) was refused by its provider.
 */
export async function readDepositReturnTerms(
  em: EntityManager,
  uuid: string,
): Promise<DepositReturnTerms | undefined> {
  const { sql, values } = joinConditions(['uuid = ?', uuid], IS_DEPOSIT)
  const [terms] = await em.execute<(Omit<DepositReturnTerms, 'settledAt'> & { settledAt: string })[]>(
    `select m.disposition, m.settled_at as "settledAt",
       m.connection_uuid is not null and m.end_to_end is not null as "hasRoute",
       exists (select from movement back where back.original_uuid = m.uuid and back.type = 'EXTERNAL_REFUND'
         and back.status <> 'FAILED') as "hasReturns",
       exists (select from attempt a where a.operation = 'return' and a.subject_uuid = m.uuid
         and a.state <> 'unreachable' and not (a.state = 'rejected' and a.is_refused_before_call)) as "isRefused",
       exists (select from dispute d where d.movement_uuid = m.uuid and d.kind = 'RECEIVED_MED'
         and d.state = any(?::text[])) as "isDisputed",
       exists (select from balance b where b.account_uuid = m.account_uuid
         and b.provider_account_uuid = m.provider_account_uuid and b.bucket = 'available'
         and b.cents >= m.value_cents) as "isCovered"
     from (select * from movement where ${sql}) m`,
    [formatTextArray([...UNRESOLVED_DISPUTE_STATES]), ...values],
  )
  return terms && { ...terms, settledAt: new Date(terms.settledAt) }
}

/** Finds the order that says how a deposit is returned: the one that held its money last, else the latest one. */
export async function findReturnOrder(
  em: EntityManager,
  movementUuid: string,
): Promise<DepositReturn | null> {
  const orders = await em.find(DepositReturn, { movementUuid }, { orderBy: { createdAt: 'desc' } })
  return orders.find(({ heldAt }) => heldAt) ?? orders[0] ?? null
}
