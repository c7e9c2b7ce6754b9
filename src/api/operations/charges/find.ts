import type { ChargesQuery } from '../../../contract/charges/charge.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { findAttemptPositions } from '../../../db/repositories/attempts.ts'
import { type ReadCharge, readCharge, readCharges } from '../../../db/repositories/charges.ts'
import { joinConditions } from '../../../db/sql-conditions.ts'
import { chargeMachine } from '../../../domain/charges/charge.ts'
import { fail } from '../../../http/api-error.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import { scopeOf } from '../../authorization/scope.ts'
import { buildDayConditions } from '../pagination.ts'
import { listVisibleRows } from '../visible-list.ts'

export function findCharge(em: EntityManager, uuid: string): Promise<ReadCharge | null> {
  return readCharge(em, joinConditions(['uuid = ?', uuid]))
}

/** Reads a charge that the token may see, with the attempts that the token may see (SPEC §9), or fails with 404. */
export async function requireVisibleCharge(em: EntityManager, token: CallerToken, uuid: string) {
  const charge = await readCharge(em, joinConditions(['uuid = ?', uuid], ...scopeOf(token)))
  const [redacted] = await redactChargesForToken(em, token, [charge ?? fail('not_found')])
  return redacted!
}

/** Removes the attempts of other providers from `error`, for provider-bound tokens. */
async function redactChargesForToken(
  em: EntityManager,
  { connectionUuid }: CallerToken,
  charges: ReadCharge[],
): Promise<ReadCharge[]> {
  const failed = charges.filter(charge => charge.failure)
  if (connectionUuid === null || failed.length === 0) return charges
  const positions = await findAttemptPositions(em, {
    connectionUuid,
    subjects: failed.map(({ uuid }) => uuid),
  })
  return charges.map(charge => {
    const { uuid, failure } = charge
    if (!failure) return charge
    const attempts = failure.attempts.filter((_, index) => index === positions.get(uuid))
    return { ...charge, failure: { ...failure, attempts } }
  })
}

export function listCharges(em: EntityManager, token: CallerToken, query: ChargesQuery) {
  return listVisibleRows(em, {
    ...{ noun: 'charge', token, query, states: query.status?.flatMap(chargeMachine.statesShowing) },
    filters: [
      query.uuid !== undefined && ['uuid = ?', query.uuid],
      query.type === 'UNDEFINED' && ['false'],
      query.end_to_end !== undefined && ['end_to_end = ?', query.end_to_end],
      query.external_ref !== undefined && ['external_ref = ?', query.external_ref],
      query.txid !== undefined && ['txid = ?', query.txid],
      query.provider_uuid !== undefined && ['connection_uuid = ?', query.provider_uuid],
      ...buildDayConditions('created_at', query.date_from, query.date_to),
      ...buildDayConditions('paid_at', query.payment_date_from, query.payment_date_to),
      query.value_min !== undefined && ['value_cents >= ?', query.value_min],
      query.value_max !== undefined && ['value_cents <= ?', query.value_max],
    ],
    read: page => readCharges(em, page),
    show: async rows => redactChargesForToken(em, token, rows),
  })
}
