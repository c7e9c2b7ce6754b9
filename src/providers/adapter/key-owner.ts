import type { ProviderTransferRequest, RejectedResult } from '../../domain/providers/provider.ts'
import { rejectForThisProvider } from './outcomes.ts'

/**
 * Compares the owner of a key, whose document a preparation reports without punctuation, with the document that the order names;
 * null where they agree, or the order names none.
 */
export function checkKeyOwner(
  { document }: Pick<ProviderTransferRequest, 'document'>,
  owner: string | null | undefined,
): RejectedResult | null {
  if (document === null) return null
  if (!owner) return ownerUnknown
  return owner.toUpperCase() === document.toUpperCase() ? null : ownerDiffers
}

const ownerUnknown = rejectForThisProvider(
  'document_unchecked',
  'The provider does not report the owner of the key',
)
const ownerDiffers: RejectedResult = {
  kind: 'rejected',
  finality: 'final',
  code: 'document_mismatch',
  message: 'The key does not belong to the document of the order',
}
