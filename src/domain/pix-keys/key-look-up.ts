import { detectDocumentKind } from '../pix/document.ts'
import { compareDocuments, compareReportedDocuments } from '../pix/document-comparison.ts'
import type { Party } from '../pix/party.ts'
import type { NoAnswerResult, NotFoundResult } from '../providers/provider.ts'
import { MINUTE, SECOND } from '../shared/intervals.ts'

/** Looking up the owner of a PIX key before it is paid: outcomes, comparisons and periods (SPEC §9). */

/**
 * Outcome of looking a key up at a provider, which moves nothing. `owner`: as the provider reports it, masked where the provider masks.
 * `endToEnd`: the id by which the provider binds a payment to this look-up, where it has one. `refused`: DICT has the key and no provider
 * pays it.
 */
export type LookUpKeyOutcome =
  | { kind: 'found'; owner: Party; endToEnd?: string }
  | { kind: 'refused'; code: 'key_blocked_for_fraud' }
  | NotFoundResult
  | NoAnswerResult

/** Outcome of a look-up, as its row stores it. */
export type KeyLookupOutcome = LookUpKeyOutcome['kind']

/** How long the answer about a key is used for further look-ups of it, of whatever account, in ms. */
export const ANSWER_VALIDITY_MS: Record<KeyLookupOutcome, number> = {
  found: MINUTE,
  not_found: 10 * MINUTE,
  refused: MINUTE,
  // Parallel look-ups of an account share a failure; the next one asks again.
  no_answer: SECOND,
}

/** How long a transfer may name a look-up, in ms. */
export const LOOKUP_VALIDITY_MS = 15 * MINUTE

export const OWNER_DOCUMENT_MATCHES = ['MATCH', 'MISMATCH', 'UNKNOWN'] as const
export type OwnerDocumentMatch = (typeof OWNER_DOCUMENT_MATCHES)[number]

export const OWNER_NAME_MATCHES = ['EXACT', 'PARTIAL', 'NONE', 'UNKNOWN'] as const
export type OwnerNameMatch = (typeof OWNER_NAME_MATCHES)[number]

/** What a transfer does where its look-up contradicts the order: it is refused, or sent all the same. */
export const MISMATCH_POLICIES = ['REFUSE', 'WARN'] as const
export type MismatchPolicy = (typeof MISMATCH_POLICIES)[number]

type KeyOwner = Pick<Party, 'name' | 'document'>

/**
 * Compares a document with the owner of a key. A key that is itself a document belongs to its holder (DICT), whatever the provider
 * masks. UNKNOWN: no document is given, or the provider masks the owner's and it does not contradict.
 */
export function matchDocument(
  document: string | null | undefined,
  { key, owner }: { key: string; owner: KeyOwner },
): OwnerDocumentMatch {
  if (!document) return 'UNKNOWN'
  if (detectDocumentKind(key) !== null) return key === document ? 'MATCH' : 'MISMATCH'
  switch (compareDocuments(document, owner.document)) {
    case 'same':
      return 'MATCH'
    case 'other':
      return 'MISMATCH'
    case 'unknown':
      return 'UNKNOWN'
  }
}

/** Splits a name into words without accents and punctuation, and without the particles and company forms that banks leave out. */
function splitName(name: string): string[] {
  const plain = name.normalize('NFD').replaceAll(/\p{M}/gu, '').toUpperCase()
  return plain.split(/[^A-Z0-9]+/).filter(word => word !== '' && !OPTIONAL_WORDS.includes(word))
}

const OPTIONAL_WORDS = ['DA', 'DE', 'DO', 'DAS', 'DOS', 'E', 'LTDA', 'ME', 'EPP', 'EIRELI', 'SA', 'S', 'A']

/**
 * Compares a name with the owner's by their words, in any case and without accents. PARTIAL: the first words agree, and all words of the
 * shorter one are in the longer one, or begin one of its words. UNKNOWN: no name is given, or the provider masks or omits the owner's.
 */
export function matchName(name: string | null | undefined, owner: Pick<KeyOwner, 'name'>): OwnerNameMatch {
  const [given, reported] = [splitName(name ?? ''), splitName(owner.name)]
  if (given.length === 0 || reported.length === 0 || owner.name.includes('*')) return 'UNKNOWN'
  if (given.join(' ') === reported.join(' ')) return 'EXACT'
  const [shorter, longer] = given.length <= reported.length ? [given, reported] : [reported, given]
  const isContained = shorter.every(word => longer.some(other => other.startsWith(word)))
  return isContained && longer[0]!.startsWith(shorter[0]!) ? 'PARTIAL' : 'NONE'
}

/** Tells whether a look-up contradicts what its caller named: another document, or another name. */
export function isLookupMismatch(match: {
  documentMatch: OwnerDocumentMatch
  nameMatch: OwnerNameMatch
}): boolean {
  return match.documentMatch === 'MISMATCH' || match.nameMatch === 'NONE'
}

/**
 * Tells whether a later report names another owner than a look-up. Documents decide where both show enough, because banks write
 * names differently; an owner who moves the key to another bank stays the same.
 */
export function isOtherOwner(earlier: KeyOwner, later: KeyOwner): boolean {
  const documents = compareReportedDocuments(earlier.document, later.document)
  if (documents !== 'unknown') return documents === 'other'
  return matchName(earlier.name, later) === 'NONE'
}
