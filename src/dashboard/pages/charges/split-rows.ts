import type { ReadCharge, ReadSplit } from '../../../db/repositories/charges.ts'
import { computeSplitCredits } from '../../../domain/charges/split.ts'

/** Presents the splits of a charge, each with what it gets: credited, or expected of a charge whose value is known. */
export function presentSplits({ splits, valueCents }: ReadCharge) {
  const rows = Array.from<ReadSplit>(splits)
  const expected = computeSplitCredits(rows, valueCents)
  return rows.map(({ type, amount, status, creditedCents, recipient }, index) => {
    const cents = status === 'PENDING' ? expected[index]! : creditedCents
    return {
      recipient: recipient.name,
      status,
      hundredthsOfPercent: type === 'PERCENTAGE' ? amount : null,
      /** Null where the payer chooses the value that is divided. */
      cents: status === 'PENDING' && valueCents === 0 ? null : cents,
    }
  })
}
