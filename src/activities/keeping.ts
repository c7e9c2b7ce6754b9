import { inTransaction } from '../db/orm.ts'
import { NOTHING } from '../db/questions.ts'
import type { KeepOrder } from '../workflows/messages.ts'
import type { Dependencies } from './dependencies.ts'
import { keptFor } from './inflow.ts'
import { coverDisputes } from './med-cover.ts'
import { lockDisputes } from './med-locks.ts'
import { book } from './movements.ts'
import { unmatchedReturn } from './returns.ts'

/**
 * Keeps for its account an unmatched PIX that its provider has refused to send back, or what a dispute has left of it: it
 * waits in `pending` and has no other way out (SPEC §7). Answers the centavos; 0 where it does not wait any more, or where
 * its return was sent again since the operator looked.
 */
export function keepUnmatched({ orm, log }: Dependencies) {
  return ({ uuid, sending }: KeepOrder): Promise<number> =>
    inTransaction(orm, async em => {
      const [{ original, disputedCents, attempts }] = await unmatchedReturn.lock(em, uuid, NOTHING)
      const sendings = attempts[0]?.sendings ?? 0
      if (original.disposition !== 'not_returned' || sending !== sendings) return 0
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
