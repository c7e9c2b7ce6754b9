import { LockMode } from '@mikro-orm/core'
import { Charge } from '../db/entities/charge.ts'
import type { EntityManager } from '../db/orm.ts'
import { type ChargeEvent, charge as life } from '../domain/charge.ts'
import { shownInstant } from '../domain/time.ts'

/** The charge under its row lock, with all that showing it needs: whoever changes a charge starts here. */
export function lockCharge(em: EntityManager, uuid: string): Promise<Charge> {
  return em.findOneOrFail(Charge, uuid, {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    strategy: 'select-in',
    populate: ['connection', 'movement', 'splits.recipient'],
  })
}

/**
 * One step of a charge's life, and the only writer of its state: the table decides from the state found under the
 * row lock, never from a remembered one. Throws where the table has no such step; ask `accepts` first.
 */
export function moveCharge(charge: Charge, event: ChargeEvent, at: Date): void {
  charge.state = life.next(charge.state, event)
  charge.updatedAt = at
  charge.history = [...charge.history, { status: life.shows(charge.state), created_at: shownInstant(at) }]
}
