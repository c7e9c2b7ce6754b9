import type { EntityManager } from '../../db/client/orm.ts'
import type { Movement } from '../../db/entities/movement.ts'
import type { LedgerAdjustment } from '../../db/entities/reconciliation.ts'
import { recordUnownedMovementEvent } from '../events/record-event.ts'
import { unheldMovementPostings } from './apply-inflow.ts'
import { createMovement, postMovement } from './movements.ts'

/**
 * Posts the movement of an approved adjustment with its event. The caller's transaction holds the adjustment's row, and the
 * lock of its connection (src/admin/ledger-adjustments.ts).
 */
export async function postAdjustmentMovement(
  em: EntityManager,
  { uuid, accountUuid, connection, direction, cents }: LedgerAdjustment,
): Promise<Movement> {
  const at = new Date()
  const { providerAccountUuid } = connection
  const movement = createMovement(em, at, {
    accountUuid,
    providerAccountUuid,
    connectionUuid: connection.uuid,
    type: 'ADJUSTMENT',
    movementType: direction,
    valueCents: cents,
    status: 'SETTLED',
    entryName: `adjustment/${uuid}`,
    reason: 'adjustment',
    settledAt: at,
  })
  await postMovement(em, movement, await unheldMovementPostings(em, movement))
  await recordUnownedMovementEvent(em, movement, at)
  return movement
}
