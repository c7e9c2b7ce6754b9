import type { ObjectQuery } from '@mikro-orm/core'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Movement } from '../../db/entities/movement.ts'
import { Refund } from '../../db/entities/refund.ts'
import { Transfer } from '../../db/entities/transfer.ts'
import type { AttemptOperation } from '../../domain/providers/attempt.ts'

/** Filters of the movement of a payout, by the uuid of the attempt's subject. */
const MOVEMENT_FILTERS: Partial<Record<AttemptOperation, (uuid: string) => ObjectQuery<Movement>>> = {
  transfer: uuid => ({ type: 'EXTERNAL_TRANSFER', transferUuid: uuid }),
  refund: uuid => ({ type: 'EXTERNAL_REFUND', refundUuid: uuid }),
  // Without the returns that the provider made without an order of ours, by a dispute or in its panel.
  return: uuid => ({
    type: 'EXTERNAL_REFUND',
    originalUuid: uuid,
    refundUuid: null,
    disputeUuid: null,
    $or: [{ reason: null }, { reason: { $ne: 'panel_return' } }],
  }),
}

/**
 * Records the end-to-end id that a provider reports of a payout after its settlement: on the attempt, its movement and
 * the order. Returns false, and changes nothing, where the attempt has an id, where another movement carries this one,
 * where the attempt has no movement of its own without an id, or where `isExpected` does not accept that movement. The
 * caller holds the row lock of the payout. Repeatable.
 */
export async function recordLateEndToEndId(
  em: EntityManager,
  attempt: Attempt,
  endToEnd: string,
  isExpected: (movement: Movement) => boolean | Promise<boolean> = () => true,
): Promise<boolean> {
  const { operation, state, providerAccountUuid, subjectUuid } = attempt
  const filterOf = MOVEMENT_FILTERS[operation]
  const hasSettled = state === 'settled' || state === 'duplicate'
  if (!filterOf || !hasSettled || attempt.endToEnd || endToEnd === '') return false
  const movementFilter = { providerAccountUuid, movementType: 'OUT' as const }
  if ((await em.count(Movement, { ...movementFilter, endToEnd })) > 0) return false
  const [movement, second] = await em.find(Movement, {
    ...movementFilter,
    ...filterOf(subjectUuid),
    status: 'SETTLED',
    endToEnd: null,
  })
  if (!movement || second || !(await isExpected(movement))) return false
  const at = new Date()
  attempt.endToEnd = endToEnd
  Object.assign(movement, { endToEnd, updatedAt: at })
  for (const order of await findOrders(em, attempt, movement))
    Object.assign(order, { endToEnd, updatedAt: at })
  return true
}

/** Finds the transfer or refund that shows the movement as its own; a duplicate and a return of a PIX have none. */
async function findOrders(
  em: EntityManager,
  { operation, subjectUuid: uuid }: Attempt,
  movement: Movement,
): Promise<(Transfer | Refund)[]> {
  if (operation === 'transfer') return em.find(Transfer, { uuid, movement })
  return operation === 'refund' ? em.find(Refund, { uuid, movement }) : []
}
