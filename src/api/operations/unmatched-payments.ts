import { z } from 'zod'
import { dayQueryFields, pageQueryFields } from '../../contract/shared/fields.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { IS_UNMATCHED_SQL } from '../../db/repositories/account-tasks.ts'
import {
  countUnmatchedPayments,
  findUnmatchedPayment,
  IS_CREDITED_SQL,
  readUnmatchedPayments,
} from '../../db/repositories/unmatched-payments.ts'
import type { OptionalSqlCondition } from '../../db/sql-conditions.ts'
import { fail } from '../../http/api-error.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibilityConditions } from '../authorization/visibility.ts'
import { buildCreationConditions, isAfterPosition, readPage } from './pagination.ts'

/** What became of the payments that the list shows; `waiting`: they are still held; `credited`: deposits that stay with the account. */
export const UNMATCHED_OUTCOMES = ['waiting', 'returned', 'kept', 'credited', 'all'] as const

export const unmatchedPaymentsQuery = z.strictObject({
  ...pageQueryFields,
  outcome: z.enum(UNMATCHED_OUTCOMES).default('waiting'),
  ...dayQueryFields,
})

const OUTCOME_CONDITIONS: Record<(typeof UNMATCHED_OUTCOMES)[number], OptionalSqlCondition> = {
  waiting: [IS_UNMATCHED_SQL],
  returned: ["disposition = 'returned'"],
  kept: ["disposition = 'kept'"],
  credited: [IS_CREDITED_SQL],
  all: ['disposition is not null'],
}

/** Lists one page of the payments without a charge that a token may see, newest first. */
export function listAccountUnmatchedPayments(
  em: EntityManager,
  token: CallerToken,
  query: z.output<typeof unmatchedPaymentsQuery>,
) {
  const conditions = [
    ...visibilityConditions(token),
    OUTCOME_CONDITIONS[query.outcome],
    ...buildCreationConditions(query),
  ]
  return readPage({
    name: 'unmatched',
    query,
    read: ({ after, ...rows }) => readUnmatchedPayments(em, [...conditions, isAfterPosition(after)], rows),
    count: () => countUnmatchedPayments(em, conditions),
  })
}

/** Finds a payment without a charge that a token may see; undefined where there is none, or it was assigned to a code. */
export function findVisibleUnmatchedPayment(em: EntityManager, token: CallerToken, uuid: string) {
  return findUnmatchedPayment(em, [...visibilityConditions(token), ['uuid = ?', uuid]])
}

/** Reads a payment without a charge that a token may see, or fails with 404. */
export async function requireVisibleUnmatchedPayment(em: EntityManager, token: CallerToken, uuid: string) {
  return (await findVisibleUnmatchedPayment(em, token, uuid)) ?? fail('not_found')
}
