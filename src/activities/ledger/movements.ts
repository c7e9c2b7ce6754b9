import { v7 as createOrderedUuid } from 'uuid'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { Dispute } from '../../db/entities/dispute.ts'
import { Movement } from '../../db/entities/movement.ts'
import { writePostings } from '../../db/ledger/post.ts'
import { sendChanges } from '../../db/pipeline/query.ts'
import type { Leg } from '../../domain/ledger/legs.ts'
import { movementMachine } from '../../domain/ledger/movement.ts'
import type { ProviderPayout } from '../../domain/providers/provider.ts'
import { transitionStatus } from '../shared/transition.ts'

/** Columns of a new movement; an absent one is unknown or does not apply. */
export type MovementToCreate = Pick<
  Movement,
  'accountUuid' | 'providerAccountUuid' | 'connectionUuid' | 'type' | 'movementType' | 'valueCents' | 'status'
> &
  Partial<Omit<Movement, 'createdAt' | 'updatedAt' | 'sequence'>>

/** Creates a movement. It is inserted with the transaction's next flush, at the latest by `postMovement`. */
export function createMovement(em: EntityManager, at: Date, movement: MovementToCreate): Movement {
  return em.create(Movement, { uuid: createOrderedUuid(), ...movement, createdAt: at, updatedAt: at })
}

/** A dispute with its PIX and the charge that this paid, all under their row locks. */
export type DisputeRows = { dispute: Dispute; movement: Movement; charge: Charge | null }

/** Creates a settled movement of a dispute: a hold of its money, a share of a split, or a return that the provider made. */
export function createDisputeMovement(
  em: EntityManager,
  at: Date,
  { dispute, movement, charge }: DisputeRows,
  columns: Pick<MovementToCreate, 'type' | 'movementType' | 'valueCents'> & Partial<MovementToCreate>,
): Movement {
  return createMovement(em, at, {
    accountUuid: dispute.accountUuid,
    providerAccountUuid: dispute.providerAccountUuid,
    connectionUuid: dispute.connection.uuid,
    status: 'SETTLED',
    chargeUuid: charge?.uuid,
    originalUuid: movement.uuid,
    disputeUuid: dispute.uuid,
    settledAt: at,
    ...columns,
  })
}

/** Marks a movement as settled by a provider's report; without an end-to-end id where the provider gave none. */
export function settleMovement(movement: Movement, payout: ProviderPayout, at: Date): void {
  transitionStatus(movement, movementMachine, 'settled')
  movement.endToEnd = payout.endToEnd || null
  movement.receiver = payout.receiver ?? movement.receiver
  movement.settledAt = payout.at ? new Date(payout.at) : at
  movement.updatedAt = at
}

export function failMovement(movement: Movement, at: Date): void {
  transitionStatus(movement, movementMachine, 'failed')
  movement.updatedAt = at
}

/** Posts the legs of one movement, after a flush that inserts or updates the movement itself. */
export async function postMovement(em: EntityManager, movement: Movement, legs: Leg[]): Promise<void> {
  await sendChanges(em)
  await writePostings(em, [
    { movementUuid: movement.uuid, providerAccountUuid: movement.providerAccountUuid, legs },
  ])
}
