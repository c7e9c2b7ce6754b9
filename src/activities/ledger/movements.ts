import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../../db/client/orm.ts'
import { Movement } from '../../db/entities/movement.ts'
import { writePostings } from '../../db/ledger/post.ts'
import type { Leg } from '../../domain/ledger/legs.ts'
import type { ProviderPayout } from '../../domain/providers/provider.ts'

/** Whose movement it is, and where. */
export type MovementOwner = {
  accountUuid: string
  providerAccountUuid: string
  connectionUuid: string | null
}

/** What happened; whatever is absent is not known or does not apply. */
export type MovementFacts = Pick<Movement, 'type' | 'movementType' | 'valueCents' | 'status'> &
  Partial<Omit<Movement, keyof MovementOwner | 'createdAt' | 'updatedAt' | 'sequence'>>

/** A movement that is written with whatever its transaction writes next, its bookings at the latest. */
export function createMovement(
  em: EntityManager,
  place: MovementOwner,
  facts: MovementFacts,
  at: Date,
): Movement {
  const { accountUuid, providerAccountUuid, connectionUuid } = place
  return em.create(Movement, {
    uuid: randomUUID(),
    accountUuid,
    providerAccountUuid,
    connectionUuid,
    ...facts,
    createdAt: at,
    updatedAt: at,
  })
}

/** A sending of ours that its provider says is settled; by no end-to-end id where it has told none. */
export function settleMovement(movement: Movement, sending: ProviderPayout, at: Date): void {
  movement.status = 'SETTLED'
  movement.endToEnd = sending.endToEnd || null
  movement.receiver = sending.receiver ?? movement.receiver
  movement.settledAt = sending.at ? new Date(sending.at) : at
  movement.updatedAt = at
}

export function failMovement(movement: Movement, at: Date): void {
  movement.status = 'FAILED'
  movement.updatedAt = at
}

/** Books the legs of one movement; what is pending of it is written first. */
export async function postMovement(em: EntityManager, movement: Movement, legs: Leg[]): Promise<void> {
  await em.flush()
  await writePostings(em, [
    { movementUuid: movement.uuid, providerAccountUuid: movement.providerAccountUuid, legs },
  ])
}
