import { Med } from '../db/entities/med.ts'
import { ALONE } from '../db/lock.ts'
import type { EntityManager } from '../db/orm.ts'
import { UNRESOLVED } from '../domain/med.ts'

/**
 * The unresolved disputes of some accounts at one provider account, the oldest first, locked in the order of their
 * uuids. Whoever changes what a dispute has takes all of them, after its charge and before any balance: so an inflow, a
 * refund and a dispute never wait for each other.
 */
export async function lockDisputes(
  em: EntityManager,
  { providerAccountUuid, accountUuids }: { providerAccountUuid: string; accountUuids: string[] },
): Promise<Med[]> {
  if (accountUuids.length === 0) return []
  const disputes = await em.find(
    Med,
    {
      providerAccountUuid,
      accountUuid: { $in: accountUuids },
      kind: 'RECEIVED_MED',
      state: { $in: [...UNRESOLVED] },
    },
    { ...ALONE, orderBy: { uuid: 'asc' }, refresh: true },
  )
  return disputes.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
}
