import { distance } from 'fastest-levenshtein'
import type { z } from 'zod'
import { listFieldsAt } from './field-names.ts'

/** Which field of a request an unknown name means, so that its error can suggest the right one. */

/** Names that other APIs, or people, give our fields, as normalized by `normalizeFieldName`; the first one present counts. */
const FIELD_SYNONYMS: Record<string, string[]> = {
  key: ['pix_key'],
  receiver: ['pix_key'],
  destination: ['pix_key'],
  to: ['pix_key', 'date_to'],
  externalid: ['external_ref'],
  correlationid: ['external_ref'],
  referenceid: ['external_ref'],
  orderid: ['external_ref'],
  provider: ['provider_uuid'],
  schedule: ['scheduled_for'],
  scheduleddate: ['scheduled_for'],
  expiration: ['expires_in'],
  expiry: ['expires_in'],
  expiresat: ['expires_in'],
  ttl: ['expires_in'],
  taxid: ['document'],
  split: ['splits'],
  recipient: ['recipient_account_uuid', 'pix_key'],
  account: ['recipient_account_uuid'],
  endpoint: ['url'],
  enabled: ['status'],
  active: ['status'],
  code: ['auth_code'],
  file: ['attachments'],
  files: ['attachments'],
  evidence: ['attachments'],
  limit: ['per_page'],
  pagesize: ['per_page'],
  offset: ['page'],
  after: ['cursor'],
  startingafter: ['cursor'],
  nextcursor: ['cursor'],
  pagetoken: ['cursor'],
  tz: ['time_zone'],
  e2e: ['end_to_end'],
  e2eid: ['end_to_end'],
}

/** Words of such names, and ours for them. */
const WORD_SYNONYMS: Record<string, string> = {
  amount: 'value',
  total: 'value',
  price: 'value',
  valor: 'value',
  percent: 'value',
  percentage: 'value',
  chave: 'key',
  reference: 'ref',
  id: 'uuid',
  cpf: 'document',
  cnpj: 'document',
  documento: 'document',
  schedule: 'scheduled',
  secret: 'token',
  start: 'from',
  since: 'from',
  after: 'from',
  end: 'to',
  until: 'to',
  before: 'to',
  created: 'date',
  paid: 'payment',
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
  const fieldNames = listFieldsAt(schema, path)
  const written = normalizeFieldName(name)
  if (CENTS_NAME.test(written) && fieldNames.includes('value')) return VALUE_IN_REAIS
  const exact = fieldNames.find(field => normalizeFieldName(field) === written)
  if (exact) return exact
  const synonyms = Object.hasOwn(FIELD_SYNONYMS, written) ? FIELD_SYNONYMS[written]! : []
  return (
    synonyms.find(field => fieldNames.includes(field)) ??
    findNearestSpelling(fieldNames, written) ??
    findCommonWords(fieldNames, name)
  )
}

function findNearestSpelling(fieldNames: string[], written: string): string | undefined {
  const [nearest] = fieldNames
    .map(field => ({ field, typos: distance(normalizeFieldName(field), written) }))
    .sort((a, b) => a.typos - b.typos)
  return nearest && nearest.typos <= MAX_TYPOS && nearest.typos < written.length ? nearest.field : undefined
}

/** Finds the field with the largest share of common words: "refund_value" means `value`. */
function findCommonWords(fieldNames: string[], name: string): string | undefined {
  const written = splitWords(name)
  const [best] = fieldNames
    .map(field => ({ field, share: computeCommonShare(splitWords(field), written) }))
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
    .map(word => (Object.hasOwn(WORD_SYNONYMS, word) ? WORD_SYNONYMS[word]! : word))
  return new Set(words.filter(word => word !== '' && !FILLER_WORDS.has(word)))
}

/** Normalizes a field name: without case, blanks and underscores, so `scheduledFor` equals `scheduled_for`. */
function normalizeFieldName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
