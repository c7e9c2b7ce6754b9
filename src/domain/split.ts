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

export type SplitFault = { path: (string | number)[]; message: string }

/** api-document.txt, POST /payments, rules 1, 2 and 4: what is wrong with some splits, whatever the charge's value. */
export function splitFaults(splits: Split[]): SplitFault[] {
  const faults: SplitFault[] = []
  const seen = new Set<string>()
  splits.forEach((split, index) => {
    if (split.type === 'PERCENTAGE' && split.amount > WHOLE)
      faults.push({ path: [index, 'value'], message: 'a percentage may not exceed 100' })
    const pair = `${split.recipientAccountUuid}/${split.type}`
    if (seen.has(pair))
      faults.push({
        path: [index, 'recipient_account_uuid'],
        message: 'this recipient already has a split of this type',
      })
    seen.add(pair)
  })
  const percentages = splits.filter(split => split.type === 'PERCENTAGE')
  if (percentages.reduce((sum, split) => sum + split.amount, 0) > WHOLE)
    faults.push({ path: [], message: 'the percentages together may not exceed 100' })
  return faults
}

/**
 * Rule 3: the splits together may not exceed the charge's value. An open value (0) is not known yet, so only
 * percentages fit (SPEC §2).
 */
export function sumFault(splits: Split[], valueCents: number): { field: string; message: string } | null {
  const fixed = splits.findIndex(split => split.type === 'FIXED')
  if (valueCents === 0 && fixed >= 0)
    return {
      field: `splits.${fixed}.type`,
      message: 'a charge with an open value takes PERCENTAGE splits only',
    }
  const sum = splits.reduce((total, split) => total + splitShare(split, valueCents), 0)
  return sum > valueCents
    ? { field: 'splits', message: 'the splits together may not exceed the value of the charge' }
    : null
}
