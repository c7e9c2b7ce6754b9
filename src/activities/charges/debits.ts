import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import { Recurrence } from '../../db/entities/recurrence.ts'
import { type ChargeEvent, chargeMachine } from '../../domain/charges/charge.ts'
import { ERROR_CATALOGUE } from '../../domain/errors/error-catalogue.ts'
import type { FoundCharge } from '../../domain/providers/provider.ts'
import { findDebitEnd, findDebitPollTime, hasDebitDayCome } from '../../domain/recurrences/debit.ts'
import { buildTriedCharge } from '../../domain/recurrences/stored-terms.ts'
import { judgeTryCode, type TriedCharge } from '../../domain/recurrences/tries.ts'
import { computeBrasiliaDay } from '../../domain/shared/brasilia-day.ts'
import { recordChargeEvent } from '../events/record-event.ts'
import { transition } from '../shared/transition.ts'
import { findOpenRevision, refuseRevision } from './revisions.ts'

export type DebitCharge = Charge & { recurrenceUuid: string; cycle: number; debitOn: string }

/** Tells whether a charge debits the payer of a recurrence. */
export function isDebit(charge: Charge): charge is DebitCharge {
  return charge.debitOn != null
}

/** Finds when the provider of a charge is polled next, whether or not it notifies; null of a charge that does not expire. */
export function findPollTime(charge: Charge): Date | null {
  return isDebit(charge) ? findDebitPollTime(charge.debitOn, new Date()) : (charge.expiresAt ?? null)
}

/** Reads what decides about the tries of a debit. */
export async function readTriedCharge(em: EntityManager, charge: DebitCharge): Promise<TriedCharge> {
  const recurrence = await em.findOneOrFail(Recurrence, charge.recurrenceUuid)
  const { cycle, debitOn: dueDay, tries } = charge
  return buildTriedCharge(recurrence, { cycle, dueDay, tries })
}

/** Finds the end of the last day on which a debit may be made, as far as is known. */
export async function findDebitExpiry(em: EntityManager, charge: DebitCharge): Promise<Date> {
  return findDebitEnd(await readTriedCharge(em, charge), new Date())
}

/** Finds the codes of tries that no table lists: each is a failed try, and operators are alerted. */
export function findUnknownTryCodes({ tries = [] }: FoundCharge): string[] {
  return tries.flatMap(({ code }) => (code !== null && judgeTryCode(code) === 'unknown' ? [code] : []))
}

const END_EVENTS: Partial<Record<FoundCharge['status'], ChargeEvent>> = {
  failed: 'debit_failed',
  expired: 'payload_expired',
  removed: 'cancelled',
}

/**
 * Applies what its provider reports of a debit: its tries, that its day has come, or its end. Returns why the report is no answer, null where
 * it is one. The caller holds the charge's row lock, and has recorded the payments.
 */
export async function applyDebitReport(
  em: EntityManager,
  charge: DebitCharge,
  { answer, hasPendingPayment }: { answer: FoundCharge; hasPendingPayment: boolean },
): Promise<string | null> {
  const at = new Date()
  if (answer.tries) charge.tries = answer.tries
  charge.expiresAt = await findDebitExpiry(em, charge)
  charge.updatedAt = at
  const end = END_EVENTS[answer.status]
  if (end && !hasPendingPayment && chargeMachine.accepts(charge.state, end)) {
    await endDebit(em, charge, { event: end, code: answer.endCode, at })
    return null
  }
  const isStarted = hasDebitDayCome(charge.debitOn, computeBrasiliaDay(at))
  if (isStarted && chargeMachine.accepts(charge.state, 'debit_started'))
    transition(charge, chargeMachine, 'debit_started', at)
  // Its payment is listed later than its end.
  return answer.status === 'completed' && chargeMachine.accepts(charge.state, 'payment_started')
    ? 'payment_not_listed'
    : null
}

async function endDebit(
  em: EntityManager,
  charge: DebitCharge,
  { event, code, at }: { event: ChargeEvent; code: string | undefined; at: Date },
) {
  const openRevision = await findOpenRevision(em, charge)
  if (openRevision) refuseRevision(openRevision)
  const lastCode = charge.tries.findLast(one => one.code !== null)?.code
  if (event === 'debit_failed')
    charge.failure = {
      code: code ?? lastCode ?? 'provider_rejected',
      message: ERROR_CATALOGUE.provider_rejected.message,
      attempts: [],
    }
  transition(charge, chargeMachine, event, at)
  await recordChargeEvent(em, charge, { at })
}
