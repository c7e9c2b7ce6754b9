import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import { type ChargeRevision, type DueRevision, isDueRevision } from '../../db/entities/charge-revision.ts'
import { matchDueVersion } from '../../domain/charges/due-payment.ts'
import type { DueTerms } from '../../domain/charges/due-terms.ts'
import type { IncomingPix } from '../../domain/providers/provider.ts'
import { applyRevision, findOpenRevision, refuseRevision } from './revisions.ts'

type ChargeWithDue = Charge & { due: DueTerms }

/** Tells whether a charge has a due date, so that its provider computes what is paid. */
export function hasDueDate(charge: Charge): charge is ChargeWithDue {
  return charge.due != null
}

/** Tells whether a PIX is of the value that a charge with a due date asks on its day, or would ask by a revision whose answer is missing. */
export function isOfDueValue(
  charge: ChargeWithDue,
  payment: IncomingPix,
  openRevision: ChargeRevision | null,
): boolean {
  return matchPaidVersion(charge, payment, openRevision) !== null
}

/**
 * Records by which terms a charge with a due date is paid, and what the payment consists of where its provider reports it. A revision
 * without an answer is the charge's where the payment fits it better than what is stored, and is over else. The fee is at most what was
 * paid. The caller holds the charge's row lock, and makes the charge paid in this transaction.
 */
export async function applyPaidVersion(
  em: EntityManager,
  charge: ChargeWithDue,
  payment: IncomingPix,
): Promise<void> {
  const openRevision = await findOpenRevision(em, charge)
  const matched = matchPaidVersion(charge, payment, openRevision)
  if (openRevision) {
    if (matched?.version === openRevision) applyRevision(charge, openRevision, null)
    else refuseRevision(openRevision)
  }
  charge.paidParts = matched?.parts ?? null
  charge.feeCents = Math.min(charge.feeCents, payment.cents)
}

function matchPaidVersion(charge: ChargeWithDue, payment: IncomingPix, openRevision: ChargeRevision | null) {
  return matchDueVersion<ChargeWithDue | DueRevision>(
    openRevision && isDueRevision(openRevision) ? [charge, openRevision] : [charge],
    payment,
  )
}
