import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { ChargeRevision } from '../../db/entities/charge-revision.ts'
import { findOpenChargeRevision } from '../../db/repositories/charge-revisions.ts'
import { chargeRevisionMachine } from '../../domain/charges/charge-revision.ts'
import { findDueExpiry } from '../../domain/charges/due-payment.ts'
import type { DueTerms } from '../../domain/charges/due-terms.ts'
import type { ProviderRevision } from '../../domain/providers/provider.ts'
import { transitionStatus } from '../shared/transition.ts'

/** A revision that is stored, and what its provider is asked. `isRepeat`: an earlier call may have carried it out. */
export type RevisionRequest = { connectionUuid: string; order: ProviderRevision; isRepeat: boolean }

/** Finds the revision of a charge that its provider has not answered. The caller holds the charge's row lock. */
export async function findOpenRevision(em: EntityManager, charge: Charge): Promise<ChargeRevision | null> {
  return charge.due || charge.debitOn ? findOpenChargeRevision(em, charge.uuid) : null
}

/** Lets a charge ask what a revision does, which its provider has accepted. The caller holds the charge's row lock. */
export function applyRevision(charge: Charge, revision: ChargeRevision, expiresAt: string | null): void {
  const at = new Date()
  const { number, valueCents, feeCents, totalCents, due, message } = revision
  if (!due) throw new Error('the revision of a debit changes nothing of its charge')
  charge.issuedAs ??= {
    valueCents: charge.valueCents,
    totalCents: charge.totalCents,
    due: charge.due!,
    message: charge.message ?? null,
    expiresAt: charge.expiresAt?.toISOString() ?? null,
  }
  Object.assign(charge, { valueCents, feeCents, totalCents, due, message, revision: number, updatedAt: at })
  charge.expiresAt = findLaterExpiry(due, expiresAt)
  endRevision(revision, 'revised', at)
}

/** Ends a revision that its provider has not carried out, and never will. The caller holds the charge's row lock. */
export function refuseRevision(revision: ChargeRevision): void {
  endRevision(revision, 'refused', new Date())
}

export function endRevision(revision: ChargeRevision, event: 'revised' | 'refused', at: Date): void {
  transitionStatus(revision, chargeRevisionMachine, event)
  revision.updatedAt = at
}

/**
 * Finds when the payload of a charge with a due date expires: the end of its last payable day by our calendar, or what its provider says
 * where that is later. `expiresAt`: ISO 8601 UTC.
 */
export function findLaterExpiry(due: DueTerms, expiresAt: string | null): Date {
  const ours = findDueExpiry(due)
  const theirs = expiresAt === null ? ours : new Date(expiresAt)
  return theirs > ours ? theirs : ours
}
