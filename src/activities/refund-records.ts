import { Charge } from '../db/entities/charge.ts'
import { Refund } from '../db/entities/refund.ts'
import type { EntityManager } from '../db/orm.ts'
import { ask, certain, heardAs, inTransactionAsking, NOTHING, type Question } from '../db/questions.ts'
import { REFUSALS } from '../domain/errors.ts'
import { refund as life, type RefundState } from '../domain/refund.ts'
import type { RefundOrder } from '../workflows/messages.ts'
import type { Dependencies } from './dependencies.ts'
import { type LeftToDo, leftToDo } from './left-to-do.ts'
import { lockCharge } from './move.ts'
import { plan, store } from './refund-opening.ts'
import { devolution, endUnsent } from './refunds.ts'
import { endRefundAsBefore, failureBefore } from './restoring.ts'
import { overIn, timeLeft } from './taking.ts'

export type OpenedRefund = LeftToDo & { state: RefundState }

/**
 * Stores a refund and holds its money, or stores it FAILED where the charge cannot be refunded any more: everything is
 * decided here, under the charge's row lock, so that any number of requests never exceed what was received (SPEC §3).
 */
export function openRefund({ orm }: Dependencies) {
  return async (order: RefundOrder): Promise<OpenedRefund> => {
    let isTooLate = () => false
    const opened = await inTransactionAsking(orm, async em => {
      const charge = await lockCharge(em, order.chargeUuid)
      const stored = await em.findOne(Refund, order.uuid)
      if (stored) return openedAs(stored)
      const planned = await plan(em, order, charge)
      if (order.takeBefore) isTooLate = overIn(await ask(em, timeLeft(order)))
      // Whoever waited for the charge and its money may have waited too long.
      return openedAs(await store(em, order, isTooLate() ? { ...planned, code: 'not_taken' } : planned))
    })
    return isTooLate() ? inTransactionAsking(orm, em => notTaken(em, order.uuid)) : opened
  }
}

/** Its commit took so long that its caller has heard otherwise, and may have ordered anew (SPEC §4). */
async function notTaken(em: EntityManager, uuid: string): Promise<Question<OpenedRefund>> {
  const [devolved] = await devolution.lock(em, uuid, NOTHING)
  const { refund } = devolved
  const failure = { code: 'not_taken', message: REFUSALS.not_taken.message }
  if (life.accepts(refund.state, 'refused')) await endUnsent(em, devolved, 'refused', failure)
  return openedAs(refund)
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
