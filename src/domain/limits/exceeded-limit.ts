import { type AccountLimits, isTrustedReceiver } from './account-limits.ts'
import type { OrderWindows, UsageWindowName } from './usage-window.ts'

/** The limits that can refuse an order, by their names in the API. */
export const LIMIT_NAMES = [
  'allowed_receivers_only',
  'per_transfer',
  'new_receiver',
  'per_receiver_per_day',
  'per_night',
  'per_day',
] as const
export type LimitName = (typeof LIMIT_NAMES)[number]

/** The limit that an order exceeds, what it leaves, and when more is left: null where time alone does not change it. */
export type ExceededLimit = { limit: LimitName; leftCents: number; resetsAt: Date | null }

/** A transfer as the limits see it. */
export type LimitedTransfer = {
  valueCents: number
  /** Null where it goes to an account. */
  pixKey: string | null | undefined
  document?: string | null | undefined
}

/** Finds the limit that a transfer exceeds whatever was sent before: who is paid, and the value of one transfer. */
export function findExceededOrderLimit(
  limits: AccountLimits,
  transfer: LimitedTransfer,
): ExceededLimit | null {
  if (limits.allowedReceiversOnly && !isTrustedReceiver(limits, transfer))
    return { limit: 'allowed_receivers_only', leftCents: 0, resetsAt: null }
  const { perTransferCents } = limits
  if (perTransferCents !== null && transfer.valueCents > perTransferCents)
    return { limit: 'per_transfer', leftCents: perTransferCents, resetsAt: null }
  return null
}

/** Counted centavos of each window of an order; a window that is absent has counted none. */
export type UsedCents = Partial<Record<UsageWindowName, number>>

/**
 * Finds the limit of a window that an order exceeds, in the order of `LIMIT_NAMES`. `newReceiverUntil`: when the receiver is
 * new no more, null where that is not known yet.
 */
export function findExceededWindowLimit(
  limits: AccountLimits,
  { valueCents, usedCents }: { valueCents: number; usedCents: UsedCents },
  { windows, dayEndsAt, nightEndsAt }: OrderWindows,
  newReceiverUntil: Date | null = null,
): ExceededLimit | null {
  const rules: { name: UsageWindowName; limit: LimitName; cents: number | null; resetsAt: Date | null }[] = [
    {
      name: 'new_receiver',
      limit: 'new_receiver',
      cents: limits.newReceiver?.valueCents ?? null,
      resetsAt: newReceiverUntil,
    },
    {
      name: 'receiver_day',
      limit: 'per_receiver_per_day',
      cents: limits.perReceiverPerDayCents,
      resetsAt: dayEndsAt,
    },
    { name: 'night', limit: 'per_night', cents: limits.perNightCents, resetsAt: nightEndsAt },
    { name: 'day', limit: 'per_day', cents: limits.perDayCents, resetsAt: dayEndsAt },
  ]
  for (const { name, limit, cents, resetsAt } of rules) {
    if (cents === null || !windows.some(window => window.name === name)) continue
    const leftCents = Math.max(0, cents - (usedCents[name] ?? 0))
    if (valueCents > leftCents) return { limit, leftCents, resetsAt }
  }
  return null
}
