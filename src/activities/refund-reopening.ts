import { Charge } from '../db/entities/charge.ts'
import { Refund } from '../db/entities/refund.ts'
import { certain, heardAs, inTransactionAsking, type Question } from '../db/questions.ts'
import type { RefundOrder } from '../workflows/messages.ts'
import type { Dependencies } from './dependencies.ts'
import { lockCharge } from './move.ts'
import { type OpenedRefund, openedAs, plan, store } from './refund-opening.ts'

/** A refund that is newer than its restored database; `unknown` until its charge is rebuilt and can bear it. */
export type ReopenedRefund = { kind: 'known'; opened: OpenedRefund } | { kind: 'unknown'; code: string }

/**
 * Stores such a refund again. What went was covered when it went, so whatever keeps it now is still to come back as well;
 * only one whose life had failed may have been kept by the same before.
 */
export function reopenRefund(dependencies: Dependencies) {
  return (order: RefundOrder): Promise<ReopenedRefund> =>
    inTransactionAsking(dependencies.orm, async em => {
      if ((await em.count(Charge, order.chargeUuid)) === 0) return unknown('not_found')
      const charge = await lockCharge(em, order.chargeUuid)
      const stored = await em.findOne(Refund, order.uuid)
      if (stored) return known(stored)
      const planned = await plan(em, order, charge)
      if (planned.code !== null && order.restored?.ended !== 'failed') return unknown(planned.code)
      return known(await store(em, order, planned))
    })
}

const unknown = (code: string) => certain<ReopenedRefund>({ kind: 'unknown', code })

function known(refund: Refund): Question<ReopenedRefund> {
  return heardAs(openedAs(refund), opened => ({ kind: 'known', opened }))
}
