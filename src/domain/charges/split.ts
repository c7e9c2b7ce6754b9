import { computeShareCents } from '../ledger/money.ts'
import { createStateMachine } from '../shared/state-machine.ts'

export type SplitType = 'PERCENTAGE' | 'FIXED'
export const SPLIT_STATUSES = ['PENDING', 'CREDITED', 'FAILED'] as const
export type SplitStatus = (typeof SPLIT_STATUSES)[number]
/** `not_creditable`: its recipient could receive nothing when the charge was paid. */
export type SplitEvent = 'credited' | 'not_creditable'

/** State machine of a split, which is decided once, when its charge is paid. */
export const splitMachine = createStateMachine<SplitStatus, SplitStatus, SplitEvent>({
  PENDING: { status: 'PENDING', on: { credited: 'CREDITED', not_creditable: 'FAILED' } },
  CREDITED: { status: 'CREDITED', on: {}, isFinal: true },
  FAILED: { status: 'FAILED', on: {}, isFinal: true },
})

/** A part of a charge for another account; `amount` is hundredths of a percent, or centavos where FIXED. */
export type ChargeSplit = { type: SplitType; amount: number; recipientAccountUuid: string }

/** 100 %, in hundredths of a percent. */
export const HUNDRED_PERCENT = 10_000

/** What a split gets of the value it divides, in centavos, rounded down: the rest stays with the owner. */
export function computeSplitShareCents(split: Pick<ChargeSplit, 'type' | 'amount'>, valueCents: number) {
  return split.type === 'FIXED' ? split.amount : computeShareCents(valueCents, split.amount)
}

/**
 * Computes what each split of a charge is credited of `baseCents`, in the order of the splits. Fixed amounts come first, then shares of the
 * base; where a charge with a due date was paid with a discount, the last ones get what is left, or nothing.
 */
export function computeSplitCredits(
  splits: Pick<ChargeSplit, 'type' | 'amount'>[],
  baseCents: number,
): number[] {
  const credits: number[] = splits.map(() => 0)
  let leftCents = baseCents
  for (const type of ['FIXED', 'PERCENTAGE'] as const)
    splits.forEach((split, index) => {
      if (split.type !== type) return
      credits[index] = Math.min(computeSplitShareCents(split, baseCents), leftCents)
      leftCents -= credits[index]
    })
  return credits
}

/** As much of a split as could be read: a rule judges those that have all that it is about. */
export type PartialSplit = { [Field in keyof ChargeSplit]?: ChargeSplit[Field] | undefined }

export type SplitError = { field: string; message: string }

/** api-document.txt, POST /payments, rules 1, 2 and 4: what is wrong with some splits, whatever the charge's value. */
export function findSplitErrors(splits: PartialSplit[]): SplitError[] {
  const faults: SplitError[] = []
  const pairs = new Set<string>()
  splits.forEach(({ type, amount = 0, recipientAccountUuid }, index) => {
    if (type === 'PERCENTAGE' && amount > HUNDRED_PERCENT)
      faults.push({ field: `splits.${index}.value`, message: 'must be at most 100 percent' })
    if (!type || !recipientAccountUuid) return
    const pair = `${recipientAccountUuid}/${type}`
    if (pairs.has(pair))
      faults.push({
        field: `splits.${index}.recipient_account_uuid`,
        message: 'must not have two splits of the same type',
      })
    pairs.add(pair)
  })
  const percentages = splits.filter(split => split.type === 'PERCENTAGE')
  if (percentages.reduce((sum, { amount = 0 }) => sum + amount, 0) > HUNDRED_PERCENT)
    faults.push({ field: 'splits', message: 'must not add up to more than 100 percent' })
  return faults
}

/**
 * Rule 3: the splits together may not exceed the charge's value. An open value (0) is not known yet, so only
 * percentages fit (SPEC §2).
 */
export function findSplitSumError(splits: PartialSplit[], valueCents: number): SplitError | null {
  const fixed = splits.findIndex(split => split.type === 'FIXED')
  if (valueCents === 0 && fixed >= 0)
    return {
      field: `splits.${fixed}.type`,
      message: 'must be PERCENTAGE where the value of the charge is 0',
    }
  const sum = splits.reduce((total, split) => total + minimumShareCents(split, valueCents), 0)
  return sum > valueCents
    ? { field: 'splits', message: 'must not add up to more than the value of the charge' }
    : null
}

/** What cannot be read may be nothing. */
function minimumShareCents({ type, amount = 0 }: PartialSplit, valueCents: number): number {
  return type ? computeSplitShareCents({ type, amount }, valueCents) : 0
}
