import { Charge } from '../db/entities/charge.ts'
import { Refund } from '../db/entities/refund.ts'
import { certain, heardAs, inTransactionAsking, NOTHING, type Question } from '../db/questions.ts'
import type { RefundState } from '../domain/refund.ts'
import type { RefundOrder } from '../workflows/messages.ts'
import type { Dependencies } from './dependencies.ts'
import { type LeftToDo, leftToDo } from './left-to-do.ts'
import { lockCharge } from './move.ts'
import { plan, store } from './refund-opening.ts'
import { devolution } from './refunds.ts'
import { endRefundAsBefore, failureBefore } from './restoring.ts'

export type OpenedRefund = LeftToDo & { state: RefundState }

/**
 * Stores a refund and holds its money, or stores it FAILED where the charge cannot be refunded any more: everything is
 * decided here, under the charge's row lock, so that any number of requests never exceed what was received (SPEC §3).
 */
export function openRefund({ orm }: Dependencies) {
  return (order: RefundOrder): Promise<OpenedRefund> =>
    inTransactionAsking(orm, async em => {
      const charge = await lockCharge(em, order.chargeUuid)
      const stored = await em.findOne(Refund, order.uuid)
      return openedAs(stored ?? (await store(em, order, await plan(em, order, charge))))
    })
}

/** A refund that is newer than its restored database; `unknown` until its charge is rebuilt and can bear it. */
export type ReopenedRefund = { kind: 'known'; opened: OpenedRefund } | { kind: 'unknown'; code: string }

/**
 * Stores such a refund again, or gives it back the failure that its history proves. What went was covered when it went, so
 * whatever keeps it now is still to come back as well.
 */
export function reopenRefund({ orm }: Dependencies) {
  return (order: RefundOrder): Promise<ReopenedRefund> =>
    inTransactionAsking(orm, async em => {
      if ((await em.count(Charge, order.chargeUuid)) === 0) return unknown('not_found')
      const charge = await lockCharge(em, order.chargeUuid)
      const stored = await em.findOne(Refund, order.uuid)
      const { restored = null } = order
      if (stored) {
        const [devolved] = await devolution.lock(em, order.uuid, NOTHING)
        if (restored) await endRefundAsBefore(em, devolved, restored)
        return known(devolved.refund)
      }
      const planned = await plan(em, order, charge)
      if (restored?.ended === 'failed')
        return known(await store(em, order, { ...planned, code: failureBefore(restored).code }))
      if (planned.code !== null) return unknown(planned.code)
      return known(await store(em, order, planned))
    })
}

const unknown = (code: string) => certain<ReopenedRefund>({ kind: 'unknown', code })

function known(refund: Refund): Question<ReopenedRefund> {
  return heardAs(openedAs(refund), opened => ({ kind: 'known', opened }))
}

function openedAs({ uuid, state }: Refund): Question<OpenedRefund> {
  return heardAs(leftToDo(uuid), left => ({ state, ...left }))
}

/** Where a refund stands, and who sends it. */
export function refundNow({ orm }: Dependencies) {
  return async (uuid: string): Promise<{ state: RefundState; connectionUuid: string }> => {
    const { state, connectionUuid } = await orm.em.fork().findOneOrFail(Refund, uuid)
    return { state, connectionUuid }
  }
}
