import { Charge } from '../../db/entities/charge.ts'
import type { EntityManager } from '../../db/orm.ts'
import { charge as life } from '../../domain/charge.ts'
import type { PaymentsQuery } from '../../wire/payment.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'
import { daysBetween, newestFirst, pageOf } from '../pagination.ts'

/** All that showing a charge needs; to-one joined, splits in one statement for the whole page. */
const SHOWN = ['connection', 'movement', 'splits.recipient'] as const

/** A charge by primary key, whoever's it is. */
export function findCharge(em: EntityManager, uuid: string) {
  return em.findOne(Charge, uuid, { populate: [...SHOWN] })
}

/** A charge of the token's account and provider, or 404. */
export async function chargeOf(em: EntityManager, token: Token, uuid: string): Promise<Charge> {
  const charge = await em.findOne(Charge, { uuid, ...visibleTo(token) }, { populate: [...SHOWN] })
  return charge ?? refuse('not_found')
}

/** One page of the charges that a token sees, newest first. */
export async function listCharges(em: EntityManager, token: Token, query: PaymentsQuery) {
  const [rows, total] = await em.findAndCount(
    Charge,
    { $and: [visibleTo(token), wanted(query)] },
    { populate: [...SHOWN], ...newestFirst(query) },
  )
  return pageOf({ ...query, total, rows })
}

function visibleTo(token: Token) {
  return {
    accountUuid: token.accountUuid,
    ...(token.connectionUuid !== null && { connection: token.connectionUuid }),
  }
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
