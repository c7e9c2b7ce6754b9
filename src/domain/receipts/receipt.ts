import type { MovementStatus } from '../ledger/movement.ts'
import { referenceOf, uuidFromReference } from '../pix/identifiers.ts'
import { DAY } from '../shared/intervals.ts'

/** Receipts of settled money (SPEC §7): what their authentication code is made of, and until when it can be checked. */

/** Whole years after its settlement for which a receipt can be checked: as long as Brazilian tax law has its holder keep it. */
const CHECKABLE_YEARS = 5

/** For how long after it was read anybody can open a receipt by its `share_url`. */
export const SHARED_MS = DAY

/** Tests whether a movement has a receipt: its money has settled, which never changes. */
export function hasReceipt<M extends { status: MovementStatus; settledAt?: Date | null | undefined }>(
  movement: M | null | undefined,
): movement is M & { settledAt: Date } {
  return movement?.status === 'SETTLED' && movement.settledAt != null
}

/** What a receipt is authenticated by: of a settled movement, what nothing learned later changes, as an end-to-end id may be. */
export type ReceiptFacts = {
  uuid: string
  accountUuid: string
  movementType: 'IN' | 'OUT'
  valueCents: number
  settledAt: Date
}

/** Writes the text whose MAC authenticates a receipt. */
export function writeReceiptFacts({ uuid, accountUuid, movementType, valueCents, settledAt }: ReceiptFacts) {
  return `receipt of the movement ${uuid} of the account ${accountUuid}: ${movementType} ${valueCents} at ${settledAt.toISOString()}`
}

/** Computes the moment from which a receipt can no longer be checked. */
export function computeReceiptEnd(settledAt: Date): Date {
  const end = new Date(settledAt)
  end.setUTCFullYear(end.getUTCFullYear() + CHECKABLE_YEARS)
  return end
}

/** Formats an authentication code: the movement, the id of the key and the MAC (`mac.<key id>.<base64url>`). */
export function formatAuthentication(movementUuid: string, mac: string): string {
  return `${referenceOf(movementUuid)}${mac.slice('mac'.length)}`
}

/** Parses an authentication code; null where the text is none. */
export function parseAuthentication(text: string): { movementUuid: string; mac: string } | null {
  const [, reference = '', tail = ''] = /^([0-9a-f]{32})(\.[a-z0-9]+\.[\w-]{43})$/.exec(text) ?? []
  const movementUuid = uuidFromReference(reference)
  return movementUuid ? { movementUuid, mac: `mac${tail}` } : null
}

/** Shortens a name to the initials of its words, without its particles: `M. S.` of `Maria da Silva`. */
export function shortenToInitials(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? []
  return words
    .filter(word => !NAME_PARTICLE.test(word))
    .map(word => `${String.fromCodePoint(word.codePointAt(0)!).toUpperCase()}.`)
    .join(' ')
}

const NAME_PARTICLE = /^(d[aeo]|d[ao]s|e)$/i
