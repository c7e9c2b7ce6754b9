import { randomUUID } from 'node:crypto'
import { Movement } from '../db/entities/movement.ts'
import type { EntityManager } from '../db/orm.ts'
import { post } from '../db/post.ts'
import type { Leg } from '../domain/ledger.ts'
import type { Sending } from '../domain/provider.ts'

/** Whose movement it is, and where. */
export type Place = { accountUuid: string; providerAccountUuid: string; connectionUuid: string | null }

/** What happened; whatever is absent is not known or does not apply. */
export type Facts = Pick<Movement, 'type' | 'movementType' | 'valueCents' | 'status'> &
  Partial<Omit<Movement, keyof Place | 'createdAt' | 'updatedAt' | 'sequence'>>

/** A movement that is written with whatever its transaction writes next, its bookings at the latest. */
export function newMovement(em: EntityManager, place: Place, facts: Facts, at: Date): Movement {
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
export function settleMovement(movement: Movement, sending: Sending, at: Date): void {
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
export async function book(em: EntityManager, movement: Movement, legs: Leg[]): Promise<void> {
  await em.flush()
  await post(em, [{ movementUuid: movement.uuid, providerAccountUuid: movement.providerAccountUuid, legs }])
}
