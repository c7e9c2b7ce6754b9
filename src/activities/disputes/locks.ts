import type { EntityManager } from '../../db/client/orm.ts'
import { Dispute } from '../../db/entities/dispute.ts'
import { ROW_LOCK } from '../../db/locks.ts'
import { UNRESOLVED_DISPUTE_STATES } from '../../domain/disputes/dispute.ts'

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
  const disputes = await em.find(
    Dispute,
    {
      providerAccountUuid,
      accountUuid: { $in: accountUuids },
      kind: 'RECEIVED_MED',
      state: { $in: [...UNRESOLVED_DISPUTE_STATES] },
    },
    { ...ROW_LOCK, orderBy: { uuid: 'asc' }, refresh: true },
  )
  return disputes.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
}
