import type { AttachmentLinker } from '../../contract/disputes/dispute.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { scheduleDeliveriesForSweep } from '../../db/repositories/events.ts'
import type { DisputeReturn } from '../../domain/disputes/provider-dispute.ts'
import { applyDisputeEvent, isMoreReturnable, type LockedDispute } from './apply-provider-state.ts'
import { recordDisputeReturn } from './record-returns.ts'

/**
 * Records a return of an accepted dispute that only the provider's statement has: some providers list no returns with
 * a dispute. The dispute ends where no more may be returned; the rest of its claim stays held until then. The caller has
 * found that the return is not recorded. The next sweep starts the deliveries.
 */
export async function recordStatementReturn(
  em: EntityManager,
  locked: LockedDispute,
  returned: DisputeReturn,
  linkTo: AttachmentLinker,
): Promise<void> {
  const { dispute } = locked
  const at = new Date()
  await em.populate(dispute, ['connection', 'movement'])
  await recordDisputeReturn(em, locked, returned, at)
  if (!isMoreReturnable(locked)) await applyDisputeEvent(em, locked, 'returned', { linkTo }, at)
  await scheduleDeliveriesForSweep(em, dispute.uuid)
}
