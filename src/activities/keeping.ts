import { inTransaction } from '../db/orm.ts'
import { NOTHING } from '../db/questions.ts'
import type { Dependencies } from './dependencies.ts'
import { keptFor } from './inflow.ts'
import { book } from './movements.ts'
import { unmatchedReturn } from './returns.ts'

/**
 * Keeps for its account an unmatched PIX that its provider has refused to send back, or what a dispute has left of it: it
 * waits in `pending` and has no other way out (SPEC §7). Answers the centavos; 0 where it does not wait any more.
 */
export function keepUnmatched({ orm, log }: Dependencies) {
  return ({ uuid }: { uuid: string }): Promise<number> =>
    inTransaction(orm, async em => {
      const [{ original, disputedCents }] = await unmatchedReturn.lock(em, uuid, NOTHING)
      if (original.disposition !== 'not_returned') return 0
      const cents = original.valueCents - disputedCents
      original.disposition = 'kept'
      original.updatedAt = new Date()
      await book(em, original, await keptFor(em, original, cents))
      log.warn({ movement: uuid, cents }, 'an operator keeps an unmatched payment for its account')
      return cents
    })
}
