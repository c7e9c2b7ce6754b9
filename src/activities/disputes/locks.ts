import type { EntityManager } from '../../db/client/orm.ts'
import { Dispute } from '../../db/entities/dispute.ts'
import { hasLoaded } from '../../db/pipeline/entity-mapper.ts'
import { runQuery, sendChanges } from '../../db/pipeline/query.ts'
import { unresolvedDisputesLock } from '../../db/repositories/disputes.ts'

/**
 * Locks the unresolved disputes of accounts at one provider account, in the order of their uuids, and returns them
 * oldest first. Every transaction that changes what a dispute holds locks all of them, after the charge and before any
 * balance, so that an inflow, a refund and a dispute never deadlock.
 */
export async function lockDisputes(
  em: EntityManager,
  { providerAccountUuid, accountUuids }: { providerAccountUuid: string; accountUuids: string[] },
): Promise<Dispute[]> {
  if (accountUuids.length === 0) return []
  if (hasLoaded(em, Dispute)) await sendChanges(em) // Written before the rows are read again.
  const disputes = await runQuery(em, unresolvedDisputesLock(em, { providerAccountUuid, accountUuids }))
  return disputes.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
}
