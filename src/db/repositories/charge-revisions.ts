import type { EntityManager } from '../client/orm.ts'
import { ChargeRevision } from '../entities/charge-revision.ts'

/** Finds the revision of a charge that its provider has not answered; null where none is under way. */
export function findOpenChargeRevision(
  em: EntityManager,
  chargeUuid: string,
): Promise<ChargeRevision | null> {
  return em.findOne(ChargeRevision, { chargeUuid, status: 'requested' })
}
