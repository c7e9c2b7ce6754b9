import type { ChargesQuery } from '../../../contract/charges/charge.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { findAttemptPositions } from '../../../db/repositories/attempts.ts'
import { type ReadCharge, readCharge, readCharges } from '../../../db/repositories/charges.ts'
import {
  countRows,
  hasAnyState,
  joinConditions,
  type OptionalSqlCondition,
} from '../../../db/sql-conditions.ts'
import { chargeMachine } from '../../../domain/charges/charge.ts'
import { fail } from '../../../http/api-error.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import { scopeOf } from '../../authorization/scope.ts'
import { readListTotal } from '../list-total.ts'
import { buildDayConditions, buildListPage, computePageOffset } from '../pagination.ts'

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

export async function listCharges(em: EntityManager, token: CallerToken, query: ChargesQuery) {
  const conditions = joinConditions(...scopeOf(token), ...buildChargeConditions(query))
  const [rows, countedTotal] = await Promise.all([
    readCharges(em, conditions, { limit: query.per_page, offset: computePageOffset(query) }),
    readListTotal(em, { token, query, noun: 'charge', statesOf: chargeMachine.statesShowing }),
  ])
  const total = countedTotal ?? (await countRows(em, 'charge', conditions))
  return buildListPage({ ...query, total, rows: await redactChargesForToken(em, token, rows) })
}

function buildChargeConditions(query: ChargesQuery): OptionalSqlCondition[] {
  return [
    query.uuid !== undefined && ['uuid = ?', query.uuid],
    query.status && hasAnyState(query.status.flatMap(chargeMachine.statesShowing)),
    query.type === 'UNDEFINED' && ['false'],
    query.end_to_end !== undefined && ['end_to_end = ?', query.end_to_end],
    query.external_ref !== undefined && ['external_ref = ?', query.external_ref],
    query.txid !== undefined && ['txid = ?', query.txid],
    query.provider_uuid !== undefined && ['connection_uuid = ?', query.provider_uuid],
    ...buildDayConditions('created_at', query.date_from, query.date_to),
    ...buildDayConditions('paid_at', query.payment_date_from, query.payment_date_to),
    query.value_min !== undefined && ['value_cents >= ?', query.value_min],
    query.value_max !== undefined && ['value_cents <= ?', query.value_max],
  ]
}
