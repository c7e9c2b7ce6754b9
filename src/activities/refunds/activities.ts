import { Charge } from '../../db/entities/charge.ts'
import { Refund } from '../../db/entities/refund.ts'
import {
  constantQuery,
  mapQuery,
  noQuery,
  type Query,
  transactionReturning,
} from '../../db/pipeline/query.ts'
import type { RefundState } from '../../domain/refunds/refund.ts'
import type { RefundInput } from '../../workflows/contracts/messages.ts'
import { getFailureBeforeRestore, restoreRefundEnd } from '../disaster-recovery/restore-final-state.ts'
import { type FollowUps, pendingFollowUps } from '../events/follow-ups.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { lockCharge } from '../shared/transition.ts'
import { planRefund, storeRefund } from './open.ts'
import { refundPayout } from './refund-payout.ts'

export type OpenRefundResult = FollowUps & { state: RefundState }

/**
 * Stores a refund and holds its money, or stores it FAILED where the charge cannot be refunded any more: everything is
 * decided here, under the charge's row lock, so that any number of requests never exceed what was received (SPEC §3).
 */
export function openRefund({ orm }: ActivityDependencies) {
  return (order: RefundInput): Promise<OpenRefundResult> =>
    transactionReturning(orm, async em => {
      const charge = await lockCharge(em, order.chargeUuid)
      const stored = await em.findOne(Refund, order.uuid)
      return queryOpenRefundResult(
        stored ?? (await storeRefund(em, order, await planRefund(em, order, charge))),
      )
    })
}

/** A refund that is newer than its restored database; `unknown` until its charge is rebuilt and can bear it. */
export type RebuildRefundResult =
  | { kind: 'known'; opened: OpenRefundResult }
  | { kind: 'unknown'; code: string }

/**
 * Stores such a refund again, or gives it back the failure that its history proves. What went was covered when it went, so
 * whatever keeps it now is still to come back as well.
 */
export function rebuildRefund({ orm }: ActivityDependencies) {
  return (order: RefundInput): Promise<RebuildRefundResult> =>
    transactionReturning(orm, async em => {
      if ((await em.count(Charge, order.chargeUuid)) === 0) return certainUnknownRefund('not_found')
      const charge = await lockCharge(em, order.chargeUuid)
      const stored = await em.findOne(Refund, order.uuid)
      const { restored = null } = order
      if (stored) {
        const [devolved] = await refundPayout.lock(em, order.uuid, noQuery)
        if (restored) await restoreRefundEnd(em, devolved, restored)
        return queryKnownRefund(devolved.refund)
      }
      const planned = await planRefund(em, order, charge)
      if (restored?.ended === 'failed')
        return queryKnownRefund(
          await storeRefund(em, order, { ...planned, code: getFailureBeforeRestore(restored).code }),
        )
      if (planned.code !== null) return certainUnknownRefund(planned.code)
      return queryKnownRefund(await storeRefund(em, order, planned))
    })
}

const certainUnknownRefund = (code: string) => constantQuery<RebuildRefundResult>({ kind: 'unknown', code })

function queryKnownRefund(refund: Refund): Query<RebuildRefundResult> {
  return mapQuery(queryOpenRefundResult(refund), opened => ({ kind: 'known', opened }))
}

function queryOpenRefundResult({ uuid, state }: Refund): Query<OpenRefundResult> {
  return mapQuery(pendingFollowUps(uuid), left => ({ state, ...left }))
}

/** Where a refund stands, and who sends it. */
export function getRefund({ orm }: ActivityDependencies) {
  return async (uuid: string): Promise<{ state: RefundState; connectionUuid: string }> => {
    const { state, connectionUuid } = await orm.em.fork().findOneOrFail(Refund, uuid)
    return { state, connectionUuid }
  }
}
