import { compareDocuments } from '../../domain/pix/document-comparison.ts'
import type { RejectedResult } from '../../domain/providers/provider.ts'
import { rejectForThisProvider } from './outcomes.ts'

/**
 * Compares the owner of a key, whose document a preparation reports, with the document that the order names; null where they agree,
 * or the order names none. A masked owner that fits may be another one.
 */
export function checkKeyOwner(
  document: string | null,
  owner: string | null | undefined,
): RejectedResult | null {
  if (document === null) return null
  switch (compareDocuments(document, owner ?? '')) {
    case 'same':
      return null
    case 'other':
      return ownerDiffers
    case 'unknown':
      return ownerUnknown
  }
}

const ownerUnknown = rejectForThisProvider(
  'document_unchecked',
  'The provider does not report the whole document of the owner of the key',
)
const ownerDiffers: RejectedResult = {
  kind: 'rejected',
  finality: 'final',
  code: 'document_mismatch',
  message: 'The key does not belong to the document of the order',
  refusedBy: 'service',
}
