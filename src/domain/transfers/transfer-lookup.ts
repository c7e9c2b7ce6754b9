import { isDocument } from '../pix/document.ts'
import type { MismatchPolicy } from '../pix-keys/key-look-up.ts'
import type { ProviderCapabilities } from '../providers/capabilities.ts'

/**
 * The look-up that a transfer names, copied when it is ordered: the row of a look-up is kept for a shorter time than a transfer may be
 * scheduled ahead. `owner`: as the provider reported it. `endToEnd`: binds one payment to the look-up at that provider account.
 */
export type TransferLookup = {
  uuid: string
  onMismatch: MismatchPolicy
  owner: { name: string; document: string }
  providerAccountUuid: string
  /** ISO 8601 UTC: from then on the owner is looked up again before anything is sent. */
  expiresAt: string
  endToEnd?: string
}

export type ReceiverOrder = {
  document?: string | null | undefined
  lookup?: Pick<TransferLookup, 'onMismatch' | 'owner'> | null | undefined
}

/**
 * Tells whether a transfer may be sent through a provider API: where its receiver must be who the order names, only through one that
 * names the owner of the key before it sends, or compares a whole document itself.
 */
export function canEnforceReceiver(
  { canLookUpKey, canCheckDocument }: Pick<ProviderCapabilities, 'canLookUpKey' | 'canCheckDocument'>,
  { document, lookup }: ReceiverOrder,
): boolean {
  if (canLookUpKey) return true
  if (document && !canCheckDocument) return false
  if (lookup?.onMismatch !== 'REFUSE') return true
  return canCheckDocument && isDocument(document ?? lookup.owner.document)
}
