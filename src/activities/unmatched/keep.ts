import { runInTransaction } from '../../db/client/orm.ts'
import { noQuery } from '../../db/pipeline/query.ts'
import type { KeepUnmatchedInput } from '../../workflows/contracts/messages.ts'
import { holdDisputedFunds } from '../disputes/hold-funds.ts'
import { lockDisputes } from '../disputes/locks.ts'
import { keptPaymentPostings } from '../ledger/apply-inflow.ts'
import { postMovement } from '../ledger/movements.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { returnPayout } from './return-payout.ts'

/**
 * Keeps for its account an unmatched PIX that its provider has refused to send back, or what a dispute has left of it: it
 * waits in `pending` and has no other way out (SPEC §7). Answers the centavos; 0 where it does not wait any more, or where
 * its return was sent again since the operator looked.
 */
export function keepUnmatchedPayment({ orm, log }: ActivityDependencies) {
  return ({ uuid, sending }: KeepUnmatchedInput): Promise<number> =>
    runInTransaction(orm, async em => {
      const [{ original, disputedCents, attempts }] = await returnPayout.lock(em, uuid, noQuery)
      const sendings = attempts[0]?.sendings ?? 0
      if (original.disposition !== 'not_returned' || sending !== sendings) return 0
      const { accountUuid, providerAccountUuid } = original
      const disputes = await lockDisputes(em, { providerAccountUuid, accountUuids: [accountUuid] })
      const cents = original.valueCents - disputedCents
      const at = new Date()
      original.disposition = 'kept'
      original.updatedAt = at
      await postMovement(em, original, await keptPaymentPostings(em, original, cents))
      // A dispute that opened while it waited could not claim it until now.
      await holdDisputedFunds(em, { movement: original, charge: null }, disputes, at)
      log.warn({ movement: uuid, cents }, 'an operator keeps an unmatched payment for its account')
      return cents
    })
}
