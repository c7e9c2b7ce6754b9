import type { EntityManager } from '../../../db/client/orm.ts'
import { Recurrence } from '../../../db/entities/recurrence.ts'
import { findOpenChargeRevision } from '../../../db/repositories/charge-revisions.ts'
import type { ReadCharge } from '../../../db/repositories/charges.ts'
import { isRevisableChargeState } from '../../../domain/charges/charge.ts'
import { buildTriedCharge, type StoredTerms } from '../../../domain/recurrences/stored-terms.ts'
import { listRetryDays } from '../../../domain/recurrences/tries.ts'
import { computeBrasiliaDay } from '../../../domain/shared/brasilia-day.ts'

/** Presents what the debit of a recurrence has of its own: its cycle, its tries, and the days of a further one; null of any other charge. */
export async function presentDebit(em: EntityManager, charge: ReadCharge) {
  const { uuid, recurrenceUuid, cycle, debitOn, tries } = charge
  if (!recurrenceUuid || cycle == null || debitOn == null) return null
  const recurrence = await em.findOneOrFail(Recurrence, recurrenceUuid)
  const openRetry = await findOpenChargeRevision(em, uuid)
  return {
    recurrence: { uuid: recurrenceUuid, contract: recurrence.contract },
    cycle,
    dueOn: debitOn,
    tries,
    openRetryOn: openRetry?.retryOn ?? null,
    retryDays: openRetry ? [] : listOpenRetryDays(recurrence, charge),
  }
}

/** Lists the days on which a debit can be tried again; none once it is over. */
export function listOpenRetryDays(
  recurrence: StoredTerms,
  { state, cycle, debitOn, tries }: ReadCharge,
): string[] {
  if (cycle == null || debitOn == null || !isRevisableChargeState(state)) return []
  const tried = buildTriedCharge(recurrence, { cycle, dueDay: debitOn, tries })
  return listRetryDays(tried, computeBrasiliaDay(new Date()))
}
