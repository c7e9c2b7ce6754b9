import { distance } from 'fastest-levenshtein'
import type { z } from 'zod'
import { listFieldNames } from './field-names.ts'

/** Which field of a request an unknown name means, so that its error can suggest the right one. */

/** Our fields, and the names that others give them, as normalized by `normalizeFieldName`; the first field present counts. */
const FIELD_SYNONYMS = listWords({
  recipient_account_uuid: 'recipient account',
  pix_key: 'key receiver destination to recipient',
  date_to: 'to',
  external_ref: 'externalid correlationid referenceid orderid',
  provider_uuid: 'provider',
  scheduled_for: 'schedule scheduleddate',
  expires_in: 'expiration expiry expiresat ttl',
  document: 'taxid',
  splits: 'split',
  url: 'endpoint',
  status: 'enabled active',
  auth_code: 'code',
  attachments: 'file files evidence',
  per_page: 'limit pagesize',
  page: 'offset',
  cursor: 'after startingafter nextcursor pagetoken',
  time_zone: 'tz',
  end_to_end: 'e2e e2eid',
})

/** Words of our fields, and those of other names that mean them. */
const WORD_SYNONYMS = listWords({
  value: 'amount total price valor percent percentage',
  key: 'chave',
  ref: 'reference',
  uuid: 'id',
  document: 'cpf cnpj documento',
  scheduled: 'schedule',
  token: 'secret',
  from: 'start since after',
  to: 'end until before',
  date: 'created',
  payment: 'paid',
})

function listWords(texts: Record<string, string>): { meant: string; words: string[] }[] {
  return Object.entries(texts).map(([meant, text]) => ({ meant, words: text.split(' ') }))
}

/** Words that say too little to compare names by. */
const FILLER_WORDS = new Set(['at', 'for', 'in', 'of'])
const VAGUE_WORDS = new Set(['uuid', 'date', 'key', 'type'])

/** An amount in centavos that is only renamed would be a hundred times as much. */
const CENTS_NAME = /(?<!per)cent(s|avo|$)/
const VALUE_IN_REAIS = 'value, in reais'

/** Largest edit distance between an unknown name and the field it suggests. */
const MAX_TYPOS = 2
/** Least share of words that two names have in common, of 0 to 1. */
const MIN_COMMON_WORDS = 0.6

/** Suggests the schema field that an unknown name at a path most likely means; undefined where none is close. */
export function suggestField(
  schema: z.core.$ZodType,
  path: readonly PropertyKey[],
  name: string,
): string | undefined {
  const fieldNames = listFieldNames(schema, path)
  const normalizedName = normalizeFieldName(name)
  if (CENTS_NAME.test(normalizedName) && fieldNames.includes('value')) return VALUE_IN_REAIS
  const exact = fieldNames.find(field => normalizeFieldName(field) === normalizedName)
  if (exact) return exact
  return (
    FIELD_SYNONYMS.find(({ meant, words }) => words.includes(normalizedName) && fieldNames.includes(meant))
      ?.meant ??
    findNearestSpelling(fieldNames, normalizedName) ??
    findCommonWords(fieldNames, name)
  )
}

function findNearestSpelling(fieldNames: string[], normalizedName: string): string | undefined {
  const [nearest] = fieldNames
    .map(field => ({ field, typos: distance(normalizeFieldName(field), normalizedName) }))
    .sort((a, b) => a.typos - b.typos)
  return nearest && nearest.typos <= MAX_TYPOS && nearest.typos < normalizedName.length
    ? nearest.field
    : undefined
}

/** Finds the field with the largest share of common words: "refund_value" means `value`. */
function findCommonWords(fieldNames: string[], name: string): string | undefined {
  const words = splitWords(name)
  const [best] = fieldNames
    .map(field => ({ field, share: computeCommonShare(splitWords(field), words) }))
    .sort((a, b) => b.share - a.share)
  return best && best.share >= MIN_COMMON_WORDS ? best.field : undefined
}

/** Computes the Dice coefficient of two sets of words; 0 where they only share vague ones. */
function computeCommonShare(one: Set<string>, other: Set<string>): number {
  const common = [...one].filter(word => other.has(word))
  if (common.every(word => VAGUE_WORDS.has(word))) return 0
  return (2 * common.length) / (one.size + other.size)
}

/** Splits a name in any case (scheduledAt, scheduled_at) into words, each in the singular and as our fields have it. */
function splitWords(name: string): Set<string> {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map(word => word.replace(/s$/, ''))
    .map(word => WORD_SYNONYMS.find(({ words }) => words.includes(word))?.meant ?? word)
  return new Set(words.filter(word => word !== '' && !FILLER_WORDS.has(word)))
}

/** Normalizes a field name: without case, blanks and underscores, so `scheduledFor` equals `scheduled_for`. */
function normalizeFieldName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
