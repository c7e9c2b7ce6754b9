import { runInTransaction } from '../../db/client/orm.ts'
import { noQuery } from '../../db/pipeline/query.ts'
import { unmatchedKeptLegs } from '../../domain/ledger/legs.ts'
import type { KeepUnmatchedInput } from '../../workflows/contracts/unmatched.ts'
import { holdDisputedFunds } from '../disputes/hold-funds.ts'
import { lockDisputes } from '../disputes/locks.ts'
import { creditPostings } from '../ledger/apply-inflow.ts'
import { postMovement } from '../ledger/movements.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { returnPayout } from './return-payout.ts'

/**
 * Keeps an unmatched PIX for its account where its provider has refused the return, or the rest of it after a dispute:
 * its money is in `pending` and has no other way out (SPEC §7). Returns the centavos; 0 where nothing is pending any
 * more, or where the return was sent again after the operator read it.
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
      await postMovement(em, original, await creditPostings(em, unmatchedKeptLegs, original, cents))
      // A dispute opened while the money was pending could not claim it until now.
      await holdDisputedFunds(em, { movement: original, charge: null }, disputes, at)
      log.warn({ movement: uuid, cents }, 'an operator kept an unmatched payment for its account')
      return cents
    })
}
