import { Charge } from '../../db/entities/charge.ts'
import type { EntityManager } from '../../db/orm.ts'
import { charge as life } from '../../domain/charge.ts'
import type { PaymentsQuery } from '../../wire/payment.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'
import { daysBetween, newestFirst, pageOf } from '../pagination.ts'
import { talliedTotal } from '../totals.ts'
import { visibleTo } from '../visible.ts'

/** All that showing a charge needs; to-one joined, splits in one statement for the whole page. */
const SHOWN = ['connection', 'movement', 'splits.recipient'] as const

/** A charge by primary key, whoever's it is. */
export function findCharge(em: EntityManager, uuid: string) {
  return em.findOne(Charge, uuid, { populate: [...SHOWN] })
}

/** A charge of the token's account and provider, or 404. */
export async function chargeOf(em: EntityManager, token: Token, uuid: string): Promise<Charge> {
  const charge = await em.findOne(Charge, { $and: [{ uuid }, visibleTo(token)] }, { populate: [...SHOWN] })
  return charge ?? refuse('not_found')
}

/** One page of the charges that a token sees, newest first. */
export async function listCharges(em: EntityManager, token: Token, query: PaymentsQuery) {
  const where = { $and: [visibleTo(token), wanted(query)] }
  const rows = await em.find(Charge, where, { populate: [...SHOWN], ...newestFirst(query) })
  const tallied = await talliedTotal(em, { token, query, noun: 'charge', statesOf: life.shown })
  const total = tallied ?? (await em.count(Charge, where))
  return pageOf({ ...query, total, rows })
}

/** SPEC §1's filters; an absent one asks for nothing. */
function wanted(query: PaymentsQuery) {
  const created = daysBetween(query.date_from, query.date_to)
  const paid = daysBetween(query.payment_date_from, query.payment_date_to)
  return {
    ...(query.uuid !== undefined && { uuid: query.uuid }),
    ...(query.status && { state: { $in: query.status.flatMap(life.shown) } }),
    ...(query.type === 'UNDEFINED' && { state: { $in: [] } }),
    ...(query.end_to_end !== undefined && { endToEnd: query.end_to_end }),
    ...(query.external_ref !== undefined && { externalRef: query.external_ref }),
    ...(query.txid !== undefined && { txid: query.txid }),
    ...(query.provider_uuid !== undefined && { connection: query.provider_uuid }),
    ...(created && { createdAt: created }),
    ...(paid && { paidAt: paid }),
    ...((query.value_min !== undefined || query.value_max !== undefined) && {
      valueCents: {
        ...(query.value_min !== undefined && { $gte: query.value_min }),
        ...(query.value_max !== undefined && { $lte: query.value_max }),
      },
    }),
  }
}
