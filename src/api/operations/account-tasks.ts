import { showDispute } from '../../contract/disputes/dispute.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Dispute } from '../../db/entities/dispute.ts'
import { findDisputesByDeadline, findUnmatchedPayments } from '../../db/repositories/account-tasks.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { scopeOf } from '../authorization/scope.ts'

/** What waits for an action of the merchant. */

/** Most entries of a list that has no pages: what waits is few. */
const MAX_TASKS = 100

/** Lists the disputes that wait for an answer and that a token may see, the nearest deadline first. */
export async function listDisputesByDeadline(em: EntityManager, token: CallerToken) {
  const uuids = (await findDisputesByDeadline(em, scopeOf(token), MAX_TASKS)).map(({ uuid }) => uuid)
  const rows = await em.find(
    Dispute,
    { uuid: { $in: uuids } },
    { populate: ['connection', 'movement'], orderBy: { dueAt: 'asc', uuid: 'asc' } },
  )
  return rows.map(row => showDispute(row, []))
}

/** Lists the payments without a charge that a token may see and that are still held. */
export function listHeldPayments(em: EntityManager, token: CallerToken) {
  return findUnmatchedPayments(em, scopeOf(token), MAX_TASKS)
}
