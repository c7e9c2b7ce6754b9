import { shareOf } from './money.ts'

export type SplitType = 'PERCENTAGE' | 'FIXED'
export type SplitStatus = 'PENDING' | 'CREDITED' | 'FAILED'

/** A part of a charge for another account; `amount` is hundredths of a percent, or centavos where FIXED. */
export type Split = { type: SplitType; amount: number; recipientAccountUuid: string }

/** 100 %, in hundredths of a percent. */
export const WHOLE = 10_000

/** What a split gets of the value it divides, in centavos, rounded down: the rest stays with the owner. */
export function splitShare(split: Pick<Split, 'type' | 'amount'>, valueCents: number): number {
  return split.type === 'FIXED' ? split.amount : shareOf(valueCents, split.amount)
}

export type SplitFault = {
  index: number | null
  field: 'value' | 'recipient_account_uuid' | null
  message: string
}

/**
 * Checks the splits of a new charge (api-document.txt, POST /payments, rules 1 to 4; SPEC §2) and names every fault.
 * `valueCents` 0 is an open amount: nothing is known to share out, so only percentages fit.
 */
export function splitFaults(splits: Split[], valueCents: number): SplitFault[] {
  const faults: SplitFault[] = []
  const seen = new Set<string>()
  splits.forEach((split, index) => {
    if (split.type === 'PERCENTAGE' && split.amount > WHOLE)
      faults.push({ index, field: 'value', message: 'a percentage may not exceed 100' })
    if (split.type === 'FIXED' && valueCents === 0)
      faults.push({
        index,
        field: 'value',
        message: 'a charge with an open value takes PERCENTAGE splits only',
      })
    const pair = `${split.recipientAccountUuid}/${split.type}`
    if (seen.has(pair))
      faults.push({
        index,
        field: 'recipient_account_uuid',
        message: 'this recipient already has a split of this type',
      })
    seen.add(pair)
  })
  const percentages = splits.filter(split => split.type === 'PERCENTAGE')
  if (percentages.reduce((sum, split) => sum + split.amount, 0) > WHOLE)
    faults.push({ index: null, field: null, message: 'the percentages together may not exceed 100' })
  if (valueCents > 0 && splits.reduce((sum, split) => sum + splitShare(split, valueCents), 0) > valueCents)
    faults.push({
      index: null,
      field: null,
      message: 'the splits together may not exceed the value of the charge',
    })
  return faults
}
