import type { EntityManager } from '../../db/client/orm.ts'
import { readCharges } from '../../db/repositories/charges.ts'
import { readDisputes } from '../../db/repositories/disputes.ts'
import { readRecurrences } from '../../db/repositories/recurrences.ts'
import {
  findOperations,
  type SearchHit,
  type SearchScope,
  type SearchTerms,
} from '../../db/repositories/search.ts'
import { readTransfers } from '../../db/repositories/transfers.ts'
import { readUnmatchedPayments } from '../../db/repositories/unmatched-payments.ts'
import { hasAnyUuid, joinConditions, type OptionalSqlCondition } from '../../db/sql-conditions.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { disputeMachine } from '../../domain/disputes/dispute.ts'
import { parseBrCode } from '../../domain/pix/br-code.ts'
import { isDocument, normalizeDocument } from '../../domain/pix/document.ts'
import { showEndToEndId } from '../../domain/pix/identifiers.ts'
import { interpretTypedKey } from '../../domain/pix-keys/key-format.ts'
import { recurrenceMachine } from '../../domain/recurrences/recurrence.ts'
import type { SearchedNoun } from '../../domain/shared/nouns.ts'
import { foldSearchText, MAX_WORD_LENGTH, MIN_PREFIX_LENGTH } from '../../domain/shared/search-text.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import { sha256 } from '../../security/sealing.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibilityConditions, visibleConnectionConditions } from '../authorization/visibility.ts'

/** Search over the operations of an account, by whatever a person may know of one (SPEC §9). */

/** Most words of a search: each is a condition of its statement. */
const MAX_WORDS = 12
/** Characters of the hash by which a PIX code is found (src/db/migrations/initial/search-entries.ts). */
const CODE_WORD_LENGTH = 32

/** Reads what a text may mean; `cents` where it is an amount in the language of the user. */
export function readSearchTerms(text: string, cents: number | undefined): SearchTerms {
  const code = parseBrCode(text.trim())
  if (code.kind !== 'invalid') {
    const codeWord = sha256(text.trim()).toString('hex').slice(0, CODE_WORD_LENGTH)
    return { wordLists: [[codeWord], ...(code.txid === null ? [] : [toWords(code.txid)])] }
  }
  if (cents !== undefined && !/^\d+$/.test(text)) return { wordLists: [], cents }
  const key = interpretTypedKey(text)?.key
  const lists = [
    toWords(text),
    // What people write with hyphens and dots is stored without.
    text.split(/\s+/).flatMap(part => readUnmaskedWord(part) ?? toWords(part)),
    key === undefined ? [] : toWords(key),
  ]
  const isSearched = (words: string[]) => words.some(word => word.length >= MIN_PREFIX_LENGTH)
  const distinct = new Map(lists.filter(isSearched).map(words => [words.join(' '), words]))
  return { wordLists: [...distinct.values()], cents }
}

function toWords(text: string): string[] {
  const folded = foldSearchText(text)
  const words = folded.split(' ').map(word => word.slice(0, MAX_WORD_LENGTH))
  return folded === '' ? [] : [...new Set(words)].slice(0, MAX_WORDS)
}

/** Reads a document, or the beginning of a uuid, as one word; undefined where the text is neither. */
function readUnmaskedWord(text: string): string | undefined {
  if (/^[\da-f]{8}-[\da-f-]*$/i.test(text)) return text.replaceAll('-', '').toLowerCase()
  const document = normalizeDocument(text.replaceAll(/[.\-/]/g, ''))
  return isDocument(document) ? document.toLowerCase() : undefined
}

/** An operation that a search has found. */
export type SearchResult = {
  noun: SearchedNoun
  uuid: string
  accountUuid: string
  createdAt: Date
  status: string
  /** Null of a recurrence whose charges vary. */
  cents: number | null
  /** Name of the payer or the receiver, or the key that was paid. */
  party?: string | null | undefined
  reference?: string | null | undefined
  /** What else it may have been found by, without documents, which lists do not show. */
  texts: string[]
}

/** Finds the operations that a token may see and that the terms may mean, newest first. */
export function searchOperations(
  em: EntityManager,
  token: CallerToken,
  terms: SearchTerms,
): Promise<SearchResult[]> {
  const { accountUuid } = token
  const conditions = visibleConnectionConditions(token)
  return search(
    em,
    { scope: { accountUuid, conditions }, readConditions: visibilityConditions(token) },
    terms,
  )
}

/** Most rows of a list that its search finds: the newest. */
const MAX_LISTED_HITS = 1_000

/** Finds the uuids of what a token may see of a noun and the terms may mean, for a list that has only those. */
export async function searchListedUuids(
  em: EntityManager,
  token: CallerToken,
  { noun, terms }: { noun: SearchedNoun; terms: SearchTerms },
): Promise<string[]> {
  const scope = { accountUuid: token.accountUuid, conditions: visibleConnectionConditions(token) }
  const hits = await findOperations(em, scope, terms, { nouns: [noun], maxHits: MAX_LISTED_HITS })
  return hits.map(({ uuid }) => uuid)
}

/** Finds the operations of every account that the terms may mean, newest first, for operators. */
export function searchAllOperations(em: EntityManager, terms: SearchTerms): Promise<SearchResult[]> {
  return search(em, { scope: { accountUuid: null, conditions: [] }, readConditions: [] }, terms)
}

/** `readConditions`: of the rows that are shown, on their own columns. */
type SearchedRows = { scope: SearchScope; readConditions: OptionalSqlCondition[] }

async function search(
  em: EntityManager,
  { scope, readConditions }: SearchedRows,
  terms: SearchTerms,
): Promise<SearchResult[]> {
  const hits = await findOperations(em.fork(), scope, terms)
  const readers = Object.entries(READERS) as [SearchedNoun, Reader][]
  const results = await Promise.all(
    readers.map(async ([noun, read]) => {
      const found = hits.filter(hit => hit.noun === noun)
      if (found.length === 0) return []
      const uuids = found.map(({ uuid }) => uuid)
      return (await read(em.fork(), uuids, readConditions)).map(result => ({
        ...result,
        noun,
        accountUuid: findAccount(found, result.uuid),
        texts: result.texts.filter((text): text is string => typeof text === 'string' && text !== ''),
      }))
    }),
  )
  return results.flat().toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
}

function findAccount(hits: SearchHit[], uuid: string): string {
  return hits.find(hit => hit.uuid === uuid)!.accountUuid
}

type ReadResult = Omit<SearchResult, 'noun' | 'accountUuid' | 'texts'> & {
  texts: (string | null | undefined)[]
}
/** Reads the rows of the uuids, with the conditions of the scope: an entry is what is searched, never what is shown. */
type Reader = (
  em: EntityManager,
  uuids: string[],
  conditions: OptionalSqlCondition[],
) => Promise<ReadResult[]>

const pageOf = (uuids: string[], conditions: OptionalSqlCondition[]) => ({
  ...joinConditions(hasAnyUuid(uuids), ...conditions),
  isFiltered: true,
  limit: uuids.length,
  offset: 0,
})

const READERS: Record<SearchedNoun, Reader> = {
  charge: async (em, uuids, conditions) =>
    (await readCharges(em, pageOf(uuids, conditions))).map(charge => ({
      uuid: charge.uuid,
      createdAt: charge.createdAt,
      status: chargeMachine.statusOf(charge.state),
      cents: charge.totalCents,
      party: charge.movement?.sender?.name || charge.debtorName,
      reference: charge.externalRef,
      texts: [
        showEndToEndId(charge.endToEnd),
        charge.txid,
        charge.debtorName,
        charge.beneficiaryName,
        charge.message,
      ],
    })),
  transfer: async (em, uuids, conditions) =>
    (await readTransfers(em, pageOf(uuids, conditions), null)).map(transfer => ({
      uuid: transfer.uuid,
      createdAt: transfer.createdAt,
      status: transferMachine.statusOf(transfer.state),
      cents: transfer.valueCents,
      party: transfer.receiver?.name || transfer.bankAccount?.name || transfer.pixKey,
      reference: transfer.externalRef,
      texts: [showEndToEndId(transfer.endToEnd), transfer.pixKey, transfer.beneficiaryName],
    })),
  recurrence: async (em, uuids, conditions) =>
    (await readRecurrences(em, pageOf(uuids, conditions))).map(recurrence => ({
      uuid: recurrence.uuid,
      createdAt: recurrence.createdAt,
      status: recurrenceMachine.statusOf(recurrence.state),
      cents: recurrence.valueCents == null ? null : recurrence.valueCents + recurrence.feeCents,
      party: recurrence.debtorName,
      reference: recurrence.contract,
      texts: [recurrence.externalRef, recurrence.subject, recurrence.railId],
    })),
  dispute: async (em, uuids, conditions) =>
    (await readDisputes(em, pageOf(uuids, conditions))).map(dispute => ({
      uuid: dispute.uuid,
      createdAt: dispute.createdAt,
      status: disputeMachine.statusOf(dispute.state),
      cents: dispute.valueCents,
      party: (dispute.movement.movementType === 'IN' ? dispute.movement.sender : dispute.movement.receiver)
        ?.name,
      texts: [showEndToEndId(dispute.endToEnd), dispute.providerDisputeId, dispute.details],
    })),
  unmatched: async (em, uuids, conditions) =>
    (
      await readUnmatchedPayments(em, [hasAnyUuid(uuids), ...conditions], { limit: uuids.length, offset: 0 })
    ).map(payment => ({
      uuid: payment.uuid,
      createdAt: payment.createdAt,
      status: payment.disposition ?? 'credited',
      cents: payment.cents,
      party: payment.payer?.name,
      texts: [showEndToEndId(payment.endToEnd)],
    })),
}
