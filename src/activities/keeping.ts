import { inTransaction } from '../db/orm.ts'
import { NOTHING } from '../db/questions.ts'
import type { Dependencies } from './dependencies.ts'
import { keptFor } from './inflow.ts'
import { coverDisputes } from './med-cover.ts'
import { lockDisputes } from './med-locks.ts'
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
      const { accountUuid, providerAccountUuid } = original
      const disputes = await lockDisputes(em, { providerAccountUuid, accountUuids: [accountUuid] })
      const cents = original.valueCents - disputedCents
      const at = new Date()
      original.disposition = 'kept'
      original.updatedAt = at
      await book(em, original, await keptFor(em, original, cents))
      // A dispute that opened while it waited could not claim it until now.
      await coverDisputes(em, { movement: original, charge: null }, disputes, at)
      log.warn({ movement: uuid, cents }, 'an operator keeps an unmatched payment for its account')
      return cents
    })
}
