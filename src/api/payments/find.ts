import { placesThrough } from '../../db/attempts.ts'
import { countCharges, type ReadCharge, readCharge, readCharges } from '../../db/charges.ts'
import type { EntityManager } from '../../db/orm.ts'
import { type Condition, textArray, where } from '../../db/where.ts'
import { charge as life } from '../../domain/charge.ts'
import type { PaymentsQuery } from '../../wire/payment.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'
import { daysBetween, endedBefore, offsetOf, pageOf } from '../pagination.ts'
import { talliedTotal } from '../totals.ts'
import { seenBy } from '../visible.ts'

/** A charge by primary key, whoever's it is. */
export function findCharge(em: EntityManager, uuid: string): Promise<ReadCharge | null> {
  return readCharge(em, where(['uuid = ?', uuid]))
}

/** A charge of the token's account and provider, with the attempts that the token sees (SPEC §9), or 404. */
export async function chargeOf(em: EntityManager, token: Token, uuid: string): Promise<ReadCharge> {
  const charge = await readCharge(em, where(['uuid = ?', uuid], ...seenBy(token)))
  const [seen] = await asSeenBy(em, token, [charge ?? refuse('not_found')])
  return seen!
}

/** For provider-bound tokens: removes the attempts of other providers from `error`. */
async function asSeenBy(
  em: EntityManager,
  { connectionUuid }: Token,
  charges: ReadCharge[],
): Promise<ReadCharge[]> {
  const failed = charges.filter(charge => charge.failure)
  if (connectionUuid === null || failed.length === 0) return charges
  const places = await placesThrough(em, { connectionUuid, subjects: failed.map(({ uuid }) => uuid) })
  return charges.map(charge => {
    const { uuid, failure } = charge
    if (!failure) return charge
    const attempts = failure.attempts.filter((_, index) => index === places.get(uuid))
    return { ...charge, failure: { ...failure, attempts } }
  })
}

/** One page of the charges that a token sees, newest first. */
export async function listCharges(em: EntityManager, token: Token, query: PaymentsQuery) {
  const asked = where(...seenBy(token), ...wanted(query))
  const [rows, tallied] = await Promise.all([
    readCharges(em, asked, { limit: query.per_page, offset: offsetOf(query) }),
    talliedTotal(em, { token, query, noun: 'charge', statesOf: life.shown }),
  ])
  const total = tallied ?? (await countCharges(em, asked))
  return pageOf({ ...query, total, rows: await asSeenBy(em, token, rows) })
}

/** SPEC §1's filters; an absent one asks for nothing. */
function wanted(query: PaymentsQuery): Condition[] {
  const created = daysBetween(query.date_from, query.date_to)
  const paid = daysBetween(query.payment_date_from, query.payment_date_to)
  return [
    query.uuid !== undefined && ['uuid = ?', query.uuid],
    query.status && ['state = any(?::text[])', textArray(query.status.flatMap(life.shown))],
    query.type === 'UNDEFINED' && ['false'],
    query.end_to_end !== undefined && ['end_to_end = ?', query.end_to_end],
    query.external_ref !== undefined && ['external_ref = ?', query.external_ref],
    query.txid !== undefined && ['txid = ?', query.txid],
    query.provider_uuid !== undefined && ['connection_uuid = ?', query.provider_uuid],
    created?.$gte && ['created_at >= ?', created.$gte],
    created?.$lt && ['created_at < ?', created.$lt],
    paid?.$gte && ['paid_at >= ?', paid.$gte],
    ...endedBefore('paid_at', paid?.$lt),
    query.value_min !== undefined && ['value_cents >= ?', query.value_min],
    query.value_max !== undefined && ['value_cents <= ?', query.value_max],
  ]
}
