import { runInTransaction } from '../../db/client/transaction.ts'
import { Refund } from '../../db/entities/refund.ts'
import { queryWithFollowUps } from '../../db/repositories/follow-ups.ts'
import type { RefundState } from '../../domain/refunds/refund.ts'
import type { Sealer } from '../../security/sealing.ts'
import type { OpenRefundResult, RefundInput, RefundInputDetails } from '../../workflows/contracts/refunds.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { lockCharge } from '../shared/transition.ts'
import { planRefund, storeRefund } from './open.ts'

/**
 * Stores a refund and holds its money, or stores it as FAILED where the charge cannot be refunded any more. All rules
 * are checked here, under the charge's row lock, so that concurrent refunds never exceed what was received (SPEC §3).
 * Repeatable.
 */
export function openRefund({ orm, sealer }: ActivityDependencies) {
  return (input: RefundInput): Promise<OpenRefundResult> =>
    runInTransaction(orm, async em => {
      const order = openRefundOrder(sealer, input)
      const charge = await lockCharge(em, order.chargeUuid)
      const stored = await em.findOne(Refund, order.uuid)
      const { uuid, state } = stored ?? (await storeRefund(em, order, await planRefund(em, order, charge)))
      return queryWithFollowUps(uuid, { state })
    })
}

/** Opens the sealed details of a refund's order. */
export function openRefundOrder(
  sealer: Sealer,
  order: RefundInput,
): RefundInput & { description: string | null } {
  const description = order.details ? sealer.open<RefundInputDetails>(order.details).description : null
  return { ...order, description }
}

/** Reads the state of a refund and the connection that sends it. */
export function getRefund({ orm }: ActivityDependencies) {
  return async (uuid: string): Promise<{ state: RefundState; connectionUuid: string }> => {
    const { state, connectionUuid } = await orm.em.fork().findOneOrFail(Refund, uuid)
    return { state, connectionUuid }
  }
}
