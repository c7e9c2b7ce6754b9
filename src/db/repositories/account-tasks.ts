import type { EntityManager } from '../client/orm.ts'
import { joinConditions, type OptionalSqlCondition } from '../sql-conditions.ts'
import { WAITS_FOR_PERSON_SQL } from './approvals.ts'

/** What waits for an action of the merchant: disputes to answer, payments without a charge, and orders to approve. */

/** Condition on a dispute: it waits for the account's answer. */
export const AWAITS_REPLY_SQL = `state = 'open' and kind = 'RECEIVED_MED' and replied_at is null`

/** Condition on a dispute: its provider has no answer yet, because the account gave none or it could not be sent. */
export const IS_UNANSWERED_SQL = `(${AWAITS_REPLY_SQL} or reply_state = 'pending')`

/** Condition on a movement: a payment without a charge that is still held; the predicate of its indexes. */
export const IS_UNMATCHED_SQL = `disposition in ('held', 'returning', 'not_returned')`

export type AccountTasks = { disputes: number; unmatched: number; approvals: number }

/**
 * Counts the open disputes that wait for an answer, the payments without a charge that are still held, and the orders whose approval
 * waits for a person, by e-mail.
 */
export async function countAccountTasks(
  em: EntityManager,
  accountUuid: string,
  person: string,
): Promise<AccountTasks> {
  const [row] = await em.execute<AccountTasks[]>(
    `select (select count(*)::int from dispute where account_uuid = ? and ${AWAITS_REPLY_SQL}) as disputes,
       (select count(*)::int from movement where account_uuid = ? and ${IS_UNMATCHED_SQL}) as unmatched,
       (select count(*)::int from approval_request r where account_uuid = ? and ${WAITS_FOR_PERSON_SQL}) as approvals`,
    [accountUuid, accountUuid, accountUuid, person, person],
  )
  return row!
}

/** Lists the uuids of disputes that wait for an answer, the nearest deadline first. */
export function findDisputesByDeadline(
  em: EntityManager,
  scope: OptionalSqlCondition[],
  limit: number,
): Promise<{ uuid: string }[]> {
  const { sql, values } = joinConditions(...scope)
  return em.execute(
    `select uuid from dispute where ${sql} and ${AWAITS_REPLY_SQL}
     order by due_at, uuid limit ?`,
    [...values, limit],
  )
}
