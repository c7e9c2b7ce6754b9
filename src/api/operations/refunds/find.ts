import type { z } from 'zod'
import { type refundsQuery, showRefund } from '../../../contract/refunds/refund.ts'
import { type EntityManager, readInSnapshot } from '../../../db/client/orm.ts'
import { Refund } from '../../../db/entities/refund.ts'
import { fail } from '../../../http/api-error.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import { requireVisibleCharge } from '../charges/find.ts'
import { buildListPage, newestFirstOptions } from '../pagination.ts'

export function listRefunds(
  outside: EntityManager,
  token: CallerToken,
  chargeUuid: string,
  query: z.output<typeof refundsQuery>,
) {
  return readInSnapshot(outside, async em => {
    const charge = await requireVisibleCharge(em, token, chargeUuid)
    const [rows, total] = await em.findAndCount(
      Refund,
      { chargeUuid: charge.uuid },
      { populate: ['movement'], ...newestFirstOptions(query) },
    )
    return buildListPage({ ...query, total, rows: rows.map(refund => showRefund(refund, charge)) })
  })
}

export function readVisibleRefund(
  outside: EntityManager,
  token: CallerToken,
  of: { charge: string; refund: string },
) {
  return readInSnapshot(outside, async em => {
    const charge = await requireVisibleCharge(em, token, of.charge)
    const refund = await em.findOne(
      Refund,
      { uuid: of.refund, chargeUuid: charge.uuid },
      { populate: ['movement'] },
    )
    return showRefund(refund ?? fail('not_found'), charge)
  })
}
