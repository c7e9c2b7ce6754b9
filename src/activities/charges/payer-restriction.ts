import type { Charge } from '../../db/entities/charge.ts'
import { buildPayerRestriction, type PayerRestriction } from '../../domain/charges/payer-restriction.ts'

/** Returns who may pay a charge; undefined where anybody may. */
export function restrictionOf(
  charge: Pick<Charge, 'isSenderVerified' | 'debtorDocument' | 'payerKind' | 'payerMatch'>,
): PayerRestriction | undefined {
  const { isSenderVerified, debtorDocument, payerKind: kind, payerMatch: match } = charge
  return buildPayerRestriction({ isSenderVerified, debtorDocument, kind, match })
}
