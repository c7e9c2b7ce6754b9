import type { z } from 'zod'
import { Refund } from '../../db/entities/refund.ts'
import { type EntityManager, inSnapshot } from '../../db/orm.ts'
import { type refundsQuery, showRefund } from '../../wire/refund.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'
import { newestFirst, pageOf } from '../pagination.ts'
import { chargeOf } from '../payments/find.ts'

/** One page of the refunds of a charge that the token sees, newest first. */
export function listRefunds(
  outside: EntityManager,
  token: Token,
  chargeUuid: string,
  query: z.output<typeof refundsQuery>,
) {
  return inSnapshot(outside, async em => {
    const charge = await chargeOf(em, token, chargeUuid)
    const [rows, total] = await em.findAndCount(
      Refund,
      { chargeUuid: charge.uuid },
      { populate: ['movement'], ...newestFirst(query) },
    )
    return pageOf({ ...query, total, rows: rows.map(refund => showRefund(refund, charge)) })
  })
}

/** A refund of a charge that the token sees, or 404. */
export function refundOf(outside: EntityManager, token: Token, of: { charge: string; refund: string }) {
  return inSnapshot(outside, async em => {
    const charge = await chargeOf(em, token, of.charge)
    const refund = await em.findOne(
      Refund,
      { uuid: of.refund, chargeUuid: charge.uuid },
      { populate: ['movement'] },
    )
    return showRefund(refund ?? refuse('not_found'), charge)
  })
}
