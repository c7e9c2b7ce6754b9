import type { AccountEntry, AccountEntryKind } from '../../domain/reconciliation/account-entry.ts'
import type { WooviTransaction } from './schemas.ts'

/**
 * Kinds of transactions other than PIX, by the types that `GET /api/v1/transaction` publishes for its filter
 * (`woovi.yml` of Open-Pix/openpix-developers). No page documents which way an INTERNAL_TRANSFER or a REVERSAL moves
 * money.
 */
const ENTRY_KINDS: Readonly<Record<string, AccountEntryKind>> = {
  FEE: 'tariff',
  BALANCE_BLOCK: 'block',
  BALANCE_UNBLOCK: 'unblock',
  INTERNAL_TRANSFER: 'unlisted',
  REVERSAL: 'unlisted',
}

/**
 * Converts a transaction that is not a PIX; null for a PIX. A WITHDRAW without an end-to-end id is a withdrawal to a
 * bank account; with one it is a sent PIX.
 */
export function toAccountEntry(transaction: WooviTransaction): AccountEntry | null {
  const { value: cents, time: at, endToEndId: endToEnd, globalID, transactionID } = transaction
  const type = transaction.type ?? ''
  const kind = type === 'WITHDRAW' && endToEnd === '' ? 'withdrawal' : ENTRY_KINDS[type]
  const id = globalID || transactionID || endToEnd
  if (kind === undefined || !id || cents === 0) return null
  return { id, kind, type, cents, at, ...(endToEnd && { endToEnd }) }
}
