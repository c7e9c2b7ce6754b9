import { z } from 'zod'
import {
  centsFromReais,
  centsFromText,
  MAX_CENTS,
  reaisFromCents,
  textFromCents,
} from '../../domain/ledger/money.ts'
import { BANK_ACCOUNT_TYPES } from '../../domain/pix/party.ts'
import { PROVIDER_NAMES } from '../../domain/providers/provider.ts'
import { PAYMENT_STATUSES } from '../../domain/shared/payment-status.ts'
import { formatTimestamp } from '../../domain/shared/timestamp.ts'
import { isTimeZone } from './time-zone.ts'

/**
 * Shared fields of the contract. Every schema works in both directions: `z.decode` parses the wire form to domain
 * values (centavos, Date, upper-case names), `z.encode` writes the wire form, and OpenAPI describes the wire form.
 */

const MAX_REAIS = reaisFromCents(MAX_CENTS)

/**
 * Builds the schema of an amount in a request: reais as a JSON number on the wire, integer centavos after parsing. OpenAPI
 * shows the limits, and no `multipleOf` for the decimals: validators divide binary fractions, where 4.35 / 0.01 is no integer.
 */
function reaisFrom(minCents: number, noun = 'an amount in reais') {
  const min = reaisFromCents(minCents)
  const message = `must be ${noun} from ${min} to ${MAX_REAIS} with at most two decimals`
  const limited = z.number().min(min, message).max(MAX_REAIS, message)
  return z
    .codec(limited, z.int().min(minCents).max(MAX_CENTS), {
      decode: (value, context) => {
        const cents = centsFromReais(value)
        if (cents !== null) return cents
        context.issues.push({ code: 'custom', input: value, message })
        return z.NEVER
      },
      encode: reaisFromCents,
    })
    .meta({ description: 'Reais, at most two decimals', examples: [150.75] })
}

/** Amount in a request that may be zero. */
export const reais = reaisFrom(0)
/** Value of a split: percent or reais, both with at most two decimals; parsed to hundredths of a percent, or centavos. */
export const splitValue = reaisFrom(0, 'a number')
/** Percent or reais, above 0, both with at most two decimals; parsed to hundredths of a percent, or centavos. */
export const positiveNumber = reaisFrom(1, 'a number')
/** Amount of money that moves: at least one centavo. */
export const positiveReais = reaisFrom(1)

/** Amount in a response: balances, and amounts with fees, may exceed the limit of a request's amount. */
export const reaisOutput = z
  .codec(z.number().min(0), z.int().min(0), {
    decode: value => Math.round(value * 100),
    encode: reaisFromCents,
  })
  .meta({ description: 'Reais, at most two decimals', examples: [150.75] })

/** Amount that may be below zero: reais as a JSON number on the wire, integer centavos inside. Only written. */
export const signedReais = z
  .codec(z.number(), z.int(), { decode: value => Math.round(value * 100), encode: reaisFromCents })
  .meta({ description: 'Reais, at most two decimals; may be negative', examples: [150.75] })

/** Amount as text with two decimals on the wire, integer centavos inside. Only written. */
export const reaisText = z
  .codec(z.string().regex(/^-?\d+\.\d{2}$/), z.int(), {
    decode: text => centsFromText(text) ?? Number.NaN,
    encode: textFromCents,
  })
  .meta({ description: 'Reais as a decimal string with two decimals', examples: ['150.75'] })

/** ISO 8601 UTC with six fractional digits on the wire, a Date inside. */
export const instantSchema = z
  .codec(z.iso.datetime(), z.date(), {
    decode: text => new Date(text),
    encode: formatTimestamp,
  })
  .meta({ description: 'UTC, six fractional digits', examples: ['2026-11-21T12:00:00.000000Z'] })

/** Times of a row, the last fields of most resources. */
export const rowTimes = { created_at: instantSchema, updated_at: instantSchema }

/** A change of status, as histories list it. */
export const statusChangeSchema = z
  .object({ status: z.enum(PAYMENT_STATUSES), created_at: z.iso.datetime() })
  .meta({ id: 'StatusChange' })

/** Builds an enum that accepts any case, written in upper case. Other alphabets' letters stay: `ı` is not `I`. */
export function caseInsensitiveEnum<const Names extends readonly [string, ...string[]]>(names: Names) {
  return z.preprocess(
    value => (typeof value === 'string' ? value.replace(/[a-z]/g, letter => letter.toUpperCase()) : value),
    z.enum(names as unknown as readonly [Names[number], ...Names[number][]]),
  )
}

/** Builds the schema of data that the caller keeps with a resource: names and texts, at most so many. */
export function metadataOf(maxEntries: number) {
  return z
    .record(
      z.string().regex(/^[\w.-]{1,40}$/, 'must have names of 1 to 40 letters, digits, _, - and .'),
      z.string().max(255),
    )
    .refine(entries => Object.keys(entries).length <= maxEntries, `must have at most ${maxEntries} entries`)
}

/** UUID; parsed to lower case, so that upper case names the same resource. */
export const uuidSchema = z.guid('must be a UUID').toLowerCase().meta({ description: 'A UUID' })

export const partyName = z.string().trim().min(1).max(140)

export const partySchema = z
  .object({
    name: z.string(),
    document: z.string().meta({ description: 'CPF or CNPJ; masked (`***982247**`) where it is another’s' }),
    account_number: z.string(),
    account_agency: z.string(),
    bank: z
      .object({
        code: z
          .string()
          .meta({ description: 'COMPE code; empty where the bank has none', examples: ['260'] }),
        name: z.string().meta({ examples: ['NU PAGAMENTOS S.A.'] }),
        ispb: z.string().meta({ examples: ['18236120'] }),
      })
      .meta({ id: 'Bank' }),
    account_type: z.enum(BANK_ACCOUNT_TYPES),
  })
  .meta({ id: 'Party', description: 'Sender or receiver of a PIX; unknown texts are empty' })

/** Party shown while the real one is unknown. */
export const UNKNOWN_PARTY: z.output<typeof partySchema> = {
  name: '',
  document: '',
  account_number: '',
  account_agency: '',
  bank: { code: '', name: '', ispb: '' },
  account_type: 'PAYMENT',
}

export const providerReference = z
  .object({ uuid: uuidSchema, provider: z.enum(PROVIDER_NAMES) })
  .meta({ id: 'ProviderShown', description: 'The connection that carries this resource' })

/** Fields of the failure of an operation. */
export const failureFields = { code: z.string(), message: z.string(), provider_code: z.string().optional() }

/** Options of a refinement over several fields: it runs even where other fields are invalid. */
export const RUN_DESPITE_OTHER_ISSUES = {
  when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
}

/** Adds the error of one field of an object that is refined as a whole; `params` fill the gaps of the message. */
export function addFieldIssue(
  context: z.core.$RefinementCtx,
  field: string,
  message: string,
  params?: object,
) {
  context.addIssue({ code: 'custom', path: [field], message, ...(params && { params }) })
}

const nextCursor = z
  .string()
  .nullable()
  .meta({ description: 'The `cursor` of the next page, for 24 hours; null on the last one' })

/** Page information of a numbered page. */
export const pageMeta = z
  .object({
    current_page: z.int().min(1),
    from: z.int().min(0).meta({ description: 'Number of the first row of the page, from 1; 0 without rows' }),
    last_page: z.int().min(1),
    per_page: z.int().min(1).max(100),
    to: z.int().min(0).meta({ description: 'Number of the last row of the page; 0 without rows' }),
    total: z.int().min(0),
    next_cursor: nextCursor,
  })
  .meta({
    id: 'PageMeta',
    description: 'Of a numbered page',
    examples: [{ current_page: 1, from: 1, last_page: 1, per_page: 15, to: 1, total: 1, next_cursor: null }],
  })

/** Page information of a list that is read by cursor, which counts no rows. */
export const cursorPageMeta = z.object({ per_page: z.int().min(1).max(100), next_cursor: nextCursor }).meta({
  id: 'CursorPageMeta',
  description: 'Of a page by `cursor`',
  examples: [{ per_page: 15, next_cursor: null }],
})

export const dataResponse = <T extends z.ZodType>(resource: T) => z.object({ data: resource })
export const pageResponse = <T extends z.ZodType>(resource: T) =>
  z.object({ data: z.array(resource), meta: z.union([pageMeta, cursorPageMeta]) })

/** Body of every error response. */
export const errorBody = z
  .object({
    message: z.string().meta({ description: 'For people' }),
    code: z.string().meta({ description: 'Stable name from the catalogue', examples: ['validation_failed'] }),
    errors: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .meta({
        description: 'Field path to its messages',
        examples: [{ 'splits.0.value': ['must be a number'] }],
      }),
    request_id: z.string(),
  })
  .meta({ id: 'Error' })

/** Common filters and paging of every list. */
export const day = z.iso
  .date({ abort: true })
  .refine(text => text >= '0001-01-01', 'must be a date from 0001-01-01 on')
  .meta({ description: 'A day in `time_zone`, `YYYY-MM-DD`' })

/** Builds a day of a query from what the rows must be. */
export function dayQuery(condition: string) {
  return day.optional().meta({ description: `${condition}, in \`time_zone\`: \`YYYY-MM-DD\`` })
}

/** Zone whose clocks say when the days of a query begin and end. */
const timeZoneQuery = z
  .string()
  .refine(isTimeZone, 'must be an IANA time zone, such as America/Sao_Paulo')
  .default('UTC')
  .meta({
    description: 'IANA time zone of the days in this query; by default UTC',
    examples: ['America/Sao_Paulo'],
  })

/** Days of creation, both included, and the time zone of all days in the query. */
export const dayQueryFields = {
  date_from: dayQuery('Created on this day or later'),
  date_to: dayQuery('Created on this day or earlier'),
  time_zone: timeZoneQuery,
}

/** Refines a query: a period whose last day is before its first would be an empty list, which says nothing of the mistake. */
export function requireDaysInOrder(query: Record<string, unknown>, context: z.RefinementCtx): void {
  for (const [name, first] of Object.entries(query)) {
    if (!/(date|due)_from$/.test(name) || typeof first !== 'string') continue
    const lastName = name.replace(/from$/, 'to')
    const last = query[lastName]
    // `YYYY-MM-DD` sorts as text.
    if (typeof last === 'string' && last < first)
      context.addIssue({ code: 'custom', path: [lastName], message: 'must not be before the first day' })
  }
}

/** Parses a number of a query, in plain digits only: not `0x10`, `1e1` or a space, which JavaScript accepts. */
export function numberQuery<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess(
    value => (typeof value !== 'string' ? value : PLAIN_NUMBER.test(value) ? Number(value) : Number.NaN),
    schema,
  )
}
const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/

/**
 * PIX key of a query. No key contains a blank, so a blank is a `+` that the caller did not encode: of a phone number, or of an
 * e-mail address.
 */
export const keyQuery = z
  .string()
  .max(255)
  .transform(text => text.replaceAll(' ', '+'))

/** Filter by the id of a PIX on the rail. */
export const endToEndQuery = (description: string) =>
  z.string().min(1).max(255).optional().meta({ description })

const DEFAULT_PER_PAGE = 15

/** Paging, and the zone of days: every list takes one, so that a client may send it with all its requests. */
export const pageQueryFields = {
  page: numberQuery(z.int().min(1)).optional().meta({ description: 'Number of the page, from 1' }),
  per_page: numberQuery(z.int().min(1).max(100)).optional().meta({
    description: 'Rows of a page, by default 15; where `uuid` names more, as many as it names',
  }),
  cursor: z.string().max(1_000).optional().meta({
    description:
      'Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added meanwhile neither repeat nor hide others',
  }),
  time_zone: timeZoneQuery,
}

/** Which page of a list a query selects. */
export type PageQuery = {
  page?: number | undefined
  per_page?: number | undefined
  cursor?: string | undefined
  uuid?: string[] | undefined
}

/** Returns the rows of a page: all that `uuid` names, unless the query says how many. */
export function pageSizeOf({ per_page, uuid = [] }: PageQuery): number {
  return per_page ?? Math.max(DEFAULT_PER_PAGE, uuid.length)
}

/** Most resources that one query names by uuid. */
const MAX_UUIDS = 100

/** Parses uuids, repeated (`uuid=a&uuid=b`) or separated by commas. */
export const uuidsQuery = z
  .preprocess(splitValues, z.array(uuidSchema).min(1).max(MAX_UUIDS))
  .optional()
  .meta({ description: `Only these, at most ${MAX_UUIDS}; repeated or separated by commas` })

function splitValues(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).flatMap(part => String(part).split(','))
}

/** Boolean of a query or a form, as browsers and programs write it. */
export const flag = z
  .string()
  .regex(/^(1|0|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$/, 'must be 1, true, 0 or false')
  .transform(value => value === '1' || value.toLowerCase() === 'true')

/** Filter by the uuid of a resource. */
export const uuidQuery = (description: string) => uuidSchema.optional().meta({ description })

/** Provider whose resources a query selects. */
export const providerQuery = uuidQuery('Only of this provider of the account: its `uuid`')

/** Reference of the caller by which a query selects. */
export const externalRefQuery = z
  .string()
  .max(255)
  .optional()
  .meta({ description: 'With exactly this reference of the caller' })

/** Type of payment by which a query selects. */
export const paymentTypeQuery = caseInsensitiveEnum(['UNDEFINED', 'PIX'])
  .optional()
  .meta({ description: 'Every payment is a PIX; `UNDEFINED` selects none' })

/** Filter by names, repeated (`status=A&status=B`) or separated by commas. */
export function namesQuery<const Names extends readonly [string, ...string[]]>(
  names: Names,
  description: string,
) {
  return z
    .preprocess(splitValues, z.array(caseInsensitiveEnum(names)).min(1))
    .optional()
    .meta({ description })
}
