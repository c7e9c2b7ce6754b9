import type { EntityManager } from '../../db/client/orm.ts'
import { Charge } from '../../db/entities/charge.ts'
import { Refund } from '../../db/entities/refund.ts'
import {
  constantQuery,
  mapQuery,
  noQuery,
  type Query,
  transactionReturning,
} from '../../db/pipeline/query.ts'
import { queryWithFollowUps } from '../../db/repositories/follow-ups.ts'
import type { RefundState, RefundTerms } from '../../domain/refunds/refund.ts'
import type { Sealer } from '../../security/sealing.ts'
import type {
  OpenRefundResult,
  RebuildRefundResult,
  RefundInput,
  RefundInputDetails,
} from '../../workflows/contracts/refunds.ts'
import { getFailureBeforeRestore, restoreRefundEnd } from '../disaster-recovery/restore-final-state.ts'
import { getCreditedAccounts } from '../ledger/credited-accounts.ts'
import { reduceDisputeClaims } from '../ledger/dispute-claims.ts'
import { lockDisputesAndBalances } from '../ledger/dispute-locks.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { lockCharge } from '../shared/transition.ts'
import { getRefundRefusal, planRefund, storeRefund } from './open.ts'
import { refundPayout } from './refund-payout.ts'

/**
 * Stores a refund and holds its money, or stores it as FAILED where the charge cannot be refunded any more. All rules
 * are checked here, under the charge's row lock, so that concurrent refunds never exceed what was received (SPEC §3).
 * Repeatable.
 */
export function openRefund({ orm, sealer }: ActivityDependencies) {
  return (input: RefundInput): Promise<OpenRefundResult> =>
    transactionReturning(orm, async em => {
      const order = openRefundOrder(sealer, input)
      const charge = await lockCharge(em, order.chargeUuid)
      const stored = await em.findOne(Refund, order.uuid)
      const { uuid, state } = stored ?? (await storeRefund(em, order, await planRefund(em, order, charge)))
      return queryWithFollowUps(uuid, { state })
    })
}

/**
 * Stores a refund again after a restore, or records the failure that its workflow history proves. Its money was covered
 * when it was ordered: what the restored balance lacks is a shortfall, which credits that are restored later repay. Any other
 * refusal means that rows it depends on are still to be rebuilt: the result is `unknown`.
 */
export function rebuildRefund({ orm, sealer }: ActivityDependencies) {
  return (order: RefundInput): Promise<RebuildRefundResult> =>
    transactionReturning(orm, async (em): Promise<Query<RebuildRefundResult>> => {
      if ((await em.count(Charge, order.chargeUuid)) === 0)
        return constantQuery({ kind: 'unknown', code: 'not_found' })
      const charge = await lockCharge(em, order.chargeUuid)
      const stored = await em.findOne(Refund, order.uuid)
      const { restored = null } = order
      if (stored) {
        const [locked] = await refundPayout.lock(em, order.uuid, noQuery)
        if (restored) await restoreRefundEnd(em, locked, restored)
        return queryKnownRefund(locked.refund)
      }
      const terms = await releaseLaterDisputes(em, order, charge)
      const plan = await planRefund(em, order, charge, terms)
      if (restored?.ended === 'failed') plan.code = getFailureBeforeRestore(restored).code
      else if (plan.code === 'insufficient_balance') plan.code = null
      else if (plan.code !== null) return constantQuery({ kind: 'unknown', code: plan.code })
      return queryKnownRefund(await storeRefund(em, openRefundOrder(sealer, order), plan))
    })
}

/** Opens the sealed details of a refund's order. */
function openRefundOrder(sealer: Sealer, order: RefundInput): RefundInput & { description: string | null } {
  const description = order.details ? sealer.open<RefundInputDetails>(order.details).description : null
  return { ...order, description }
}

/**
 * Releases what disputes claim of a charge for a refund that was ordered before them: no refund is ordered while a dispute
 * claims the charge, but a dispute may be rebuilt first. Returns the terms of the charge without its disputes.
 */
async function releaseLaterDisputes(
  em: EntityManager,
  order: RefundInput,
  charge: Charge,
): Promise<RefundTerms> {
  const { state, paidAt, receivedCents, refundedCents, refundingCents, disputedCents } = charge
  const terms = { state, paidAt, receivedCents, refundedCents, refundingCents, disputedCents: 0 }
  const hasFailed = order.restored?.ended === 'failed'
  if (disputedCents === 0 || hasFailed || getRefundRefusal(order, terms) !== null) return terms
  const disputes = await lockDisputesAndBalances(em, getCreditedAccounts(charge))
  const disputed = { charge, movement: charge.movement! }
  await reduceDisputeClaims(em, disputed, disputes, { refundCents: order.valueCents, at: new Date() })
  return terms
}

function queryKnownRefund({ uuid, state }: Refund): Query<RebuildRefundResult> {
  return mapQuery(queryWithFollowUps(uuid, { state }), opened => ({ kind: 'known', opened }))
}

/** Reads the state of a refund and the connection that sends it. */
export function getRefund({ orm }: ActivityDependencies) {
  return async (uuid: string): Promise<{ state: RefundState; connectionUuid: string }> => {
    const { state, connectionUuid } = await orm.em.fork().findOneOrFail(Refund, uuid)
    return { state, connectionUuid }
  }
}
