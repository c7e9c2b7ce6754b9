import type { MovementReason } from '../ledger/movement.ts'

/**
 * What an entry of a provider's statement is that is no PIX. `unlisted`: neither a published document of the provider nor
 * its other lists say which way it moved money; a movement with its rail id explains it, or an operator by an adjustment.
 */
export type AccountEntryKind = 'tariff' | 'withdrawal' | 'credit' | 'block' | 'unblock' | 'unlisted'

/** One settled entry that is no PIX, or a return of a PIX in an unknown direction, at one provider account. */
export type AccountEntry = {
  /** The provider's own id, unique among the entries of one type at one account; of a return its end-to-end id. */
  id: string
  kind: AccountEntryKind
  /** The provider's own name of the type. */
  type: string
  cents: number
  /** ISO 8601 UTC. */
  at: string
  /** The PIX that it is about, where the provider names one. */
  endToEnd?: string
}

/** Tells whether an entry is itself a return of a PIX, whose direction the provider does not say. */
export function isUndirectedReturn({ id, kind, endToEnd }: AccountEntry): boolean {
  return kind === 'unlisted' && id === endToEnd
}

/** How each kind is booked. A block keeps the money in the account, but not in `available`. */
export const ENTRY_MOVEMENTS = {
  tariff: { type: 'ADJUSTMENT', direction: 'OUT', reason: 'provider_tariff' },
  withdrawal: { type: 'ADJUSTMENT', direction: 'OUT', reason: 'provider_withdrawal' },
  credit: { type: 'ADJUSTMENT', direction: 'IN', reason: 'provider_credit' },
  block: { type: 'HOLD', direction: 'OUT', reason: 'provider_block' },
  unblock: { type: 'HOLD', direction: 'IN', reason: 'provider_unblock' },
} as const satisfies Record<Exclude<AccountEntryKind, 'unlisted'>, EntryMovement>

type EntryMovement = { type: 'ADJUSTMENT' | 'HOLD'; direction: 'IN' | 'OUT'; reason: MovementReason }

/** What the identity of an entry is made of, as movements name it: unique within one provider account and direction. */
export function entryIdentityOf({ type, id }: Pick<AccountEntry, 'type' | 'id'>): string {
  return `${type}/${id}`
}

/** What blocks of one account at one provider account come to, in centavos, without the entry that is booked now. */
export type BlockedEntryTotals = {
  /** Blocks less their releases, as the provider's statement lists them; below zero where a release was listed first. */
  listedCents: number
  /** What the bucket `blocked` holds for them: less than is listed where `available` did not cover it. */
  heldCents: number
}

/** How many centavos a block takes from `available`: none that a release, listed before it, has ended. */
export function computeBlockCents(
  cents: number,
  { listedCents, heldCents, availableCents }: BlockedEntryTotals & { availableCents: number },
): number {
  return Math.min(cents, availableCents, Math.max(0, listedCents + cents - heldCents))
}

/** How many centavos a release gives back to `available`: what is held beyond the blocks that remain. */
export function computeUnblockCents(cents: number, { listedCents, heldCents }: BlockedEntryTotals): number {
  return Math.max(0, heldCents - Math.max(0, listedCents - cents))
}
