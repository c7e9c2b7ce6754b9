import { showDispute } from '../../contract/disputes/dispute.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Dispute } from '../../db/entities/dispute.ts'
import { findDisputesByDeadline } from '../../db/repositories/account-tasks.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { scopeOf } from '../authorization/scope.ts'

/** Most disputes of a list that has no pages: those that wait for an answer are few. */
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
