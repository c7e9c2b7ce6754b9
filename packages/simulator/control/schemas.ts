import { createPublicKey } from 'node:crypto'
import { z } from 'zod'
import { PROVIDER_APIS, PROVIDER_NAMES } from '../../../src/domain/providers/provider.ts'
import { accountOptionsBody } from '../account-options.ts'
import { centsFromReais } from '../amount.ts'
import { FAULT_OPERATIONS, FAULTS, isFaultOf, PROVIDER_OPERATIONS } from '../faults.ts'
import { DEFAULT_INBOX_BODY } from '../inbox.ts'
import { PANEL_KINDS } from '../panel.ts'
import { RECURRENCE_REJECTION_CODES, TRY_CODES } from '../recurrences/codes.ts'

// Request bodies of the control API. Only these schemas convert reais to centavos.

const provider = z.enum(PROVIDER_NAMES)
const name = z.string().min(1).max(140)
const document = z
  .string()
  .regex(/^(?:\d{11}|[0-9A-Z]{12}\d{2})$/, 'must be a CPF or CNPJ without punctuation')
const delayMs = z.number().int().min(0).max(600_000)

const amount = z.number().transform((reais, ctx) => {
  const cents = centsFromReais(reais)
  if (cents !== null) return cents
  ctx.addIssue({ code: 'custom', message: 'must be reais with at most two decimals' })
  return z.NEVER
})
const positiveAmount = amount.refine(cents => cents > 0, 'must be above zero')
/** A holder or payer. */
export const personBody = z.object({ name, document })

export const accountBody = z
  .object({
    provider,
    dialect: z.enum(PROVIDER_APIS),
    client_id: z.string().min(1),
    /** Of a Stark account its public key, which the bank knows instead of a secret: secp256k1, PEM. */
    client_secret: z.string().min(1),
    holder: personBody,
    city: z.string().min(1).max(60).default('SAO PAULO'),
    ispb: z.string().regex(/^[0-9A-Z]{8}$/, 'must be eight digits'),
    keys: z.array(z.string().min(1).max(77)).max(100),
    balance: amount.default(0),
    requires_certificate: z.boolean().default(false),
    amount_magic: z.boolean().default(false),
    notification_secret: z.string().min(1).nullable().default(null),
    options: accountOptionsBody.prefault({}),
  })
  .refine(({ dialect, client_secret }) => dialect !== 'stark' || isStarkPublicKey(client_secret), {
    path: ['client_secret'],
    message: 'must be a public key of the curve secp256k1, as PEM',
  })

function isStarkPublicKey(pem: string): boolean {
  if (!pem.includes('BEGIN PUBLIC KEY')) return false
  try {
    return createPublicKey(pem).asymmetricKeyDetails?.namedCurve === 'secp256k1'
  } catch {
    return false
  }
}

export const payBody = z.object({
  payload: z.string().min(1),
  value: positiveAmount.optional(),
  payer: personBody.optional(),
  force: z.boolean().default(false),
  /** Of a charge with a due date: the day in Brasília on which it is paid; absent: today. */
  on: z.iso.date().optional(),
  /** Of a static code: the payer's app leaves its txid out. */
  drop_txid: z.boolean().default(false),
  /** Of a composite code: how the payer answers its recurrence; absent: authorises it. */
  recurrence: z.enum(['accept', 'reject', 'ignore']).optional(),
  /** Highest amount of a charge that the payer allows with the authorisation; absent: any. */
  ceiling: positiveAmount.optional(),
})

export const depositBody = z
  .object({
    account: z.string().optional(),
    provider: provider.optional(),
    key: z.string().optional(),
    txid: z
      .string()
      .regex(/^[a-zA-Z0-9]{1,35}$/)
      .optional(),
    value: positiveAmount,
    payer: personBody.optional(),
    message: z.string().max(140).optional(),
  })
  .refine(body => body.account ?? body.provider ?? body.key, 'must name an account, a provider or a key')

export const returnBody = z.object({ end_to_end: z.string().min(1), value: positiveAmount.optional() })

/** A movement without the provider API: a tariff, or an order in the provider's panel. */
export const movementBody = z
  .object({
    provider,
    /** Absent: the provider's first account. */
    account: z.string().min(1).optional(),
    kind: z.enum(PANEL_KINDS),
    value: positiveAmount,
    end_to_end: z.string().min(1).optional(),
  })
  .refine(({ kind, end_to_end }) => kind !== 'return' || end_to_end !== undefined, {
    path: ['end_to_end'],
    message: 'must name the PIX that is returned',
  })

/** DICT's situation of each dispute type of our API (DICT API 2.12.1). */
export const SITUATION_BY_DISPUTE_TYPE = {
  UNDEFINED: 'OTHER',
  SCAM: 'SCAM',
  WRONG_TRANSACTION: 'ACCOUNT_TAKEOVER',
  COERCION_CRIME: 'COERCION',
  UNAUTHORIZED_ACCESS: 'FRAUDULENT_ACCESS',
} as const
const DISPUTE_TYPES = Object.keys(SITUATION_BY_DISPUTE_TYPE) as (keyof typeof SITUATION_BY_DISPUTE_TYPE)[]

export const disputeBody = z.object({
  end_to_end: z.string().min(1),
  type: z.enum(DISPUTE_TYPES).default('SCAM'),
  value: positiveAmount.optional(),
  due_at: z.iso
    .datetime({ offset: true })
    .transform(at => new Date(at).toISOString())
    .optional(),
})
export const decisionBody = z.object({
  decision: z.enum(['agreed', 'disagreed', 'cancelled']),
  /** Of the returns that follow. */
  nature: z.enum(['MED_FRAUDE', 'MED_OPERACIONAL']).optional(),
  /** What each account returns that the money of a transfer has reached; by default one returns all. */
  returned: z.array(positiveAmount).optional(),
})

/** A payer's answer to a recurrence. */
export const recurrenceDecisionBody = z
  .object({
    decision: z.enum(['accept', 'reject']),
    /** Of a rejection; absent: AP13. */
    code: z.enum(RECURRENCE_REJECTION_CODES).optional(),
    /** Highest amount of a charge; absent: any. */
    ceiling: positiveAmount.optional(),
    /** Absent: the debtor, or the recipient of the request. */
    payer_document: document.optional(),
    /** Absent: 1 where a request waits for an answer, or else 2. */
    journey: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)]).optional(),
  })
  .refine(({ decision, code }) => decision === 'reject' || code === undefined, 'code is of a rejection')
/** A cancellation of a recurrence, or of one of its charges (`txid`); absent code: by the payer, SLDB or SLBD. */
export const recurrenceCancellationBody = z.object({
  txid: z.string().min(1).optional(),
  code: z.string().length(4).optional(),
})
export const recurrenceCeilingBody = z.object({ value: amount.nullable() })
/** What the payer's account holds whenever a try runs; null: enough. */
export const recurrenceFundsBody = z.object({
  value: amount.nullable(),
  /** In the evening of the day, when a try that found no money in the morning is made again; absent: `value`. */
  evening_value: amount.optional(),
})
export const recurrenceRefusalBody = z.object({
  code: z.enum(TRY_CODES),
  times: z.number().int().min(1).max(1_000).default(1),
})
/** Days by which the clock of recurrences is advanced; 0 runs the current day until the period. */
export const dayBody = z.object({
  days: z.number().int().min(0).max(1_000).default(1),
  until: z.enum(['MORNING', 'EVENING']).default('EVENING'),
})

export const faultBody = z
  .object({
    provider,
    /** Absent: any operation. */
    operation: z.enum(PROVIDER_OPERATIONS).optional(),
    /** Absent: any account of the provider. */
    account: z.string().min(1).optional(),
    fault: z.enum(FAULTS),
    times: z.number().int().min(1).max(1_000_000).default(1),
    delay_ms: delayMs.optional(),
    /** Status of an unlisted refusal; absent: status and body of the provider API's next one. */
    status: z.number().int().min(400).max(499).optional(),
    /** Body of an unlisted refusal, as text or as an object for JSON; absent: an empty body if `status` is given. */
    body: z.union([z.string().max(10_000), z.record(z.string(), z.unknown())]).optional(),
    /** Of `page_cap`; absent: 50. */
    page_size: z.number().int().min(1).max(1_000).optional(),
  })
  .refine(
    ({ account, fault }) => !account || fault !== 'unreachable',
    'account must be absent for unreachable: before the handshake the account is unknown',
  )
  .refine(({ status, body }) => body === undefined || status !== undefined, 'body needs a status')
  .refine(
    ({ status, fault }) => status === undefined || fault.endsWith('unlisted_refusal'),
    'status is for unlisted refusals only',
  )
  .refine(({ page_size, fault }) => page_size === undefined || fault === 'page_cap', {
    message: 'page_size is for page_cap only',
  })
  .refine(({ operation, fault }) => isFaultOf(fault, operation), {
    message: `these faults need their operation: ${Object.entries(FAULT_OPERATIONS)
      .map(([fault, operations]) => `${fault} is for ${operations.join(' or ')}`)
      .join(', ')}`,
  })

export const inboxAnswerBody = z.object({
  status: z.number().int().min(200).max(599).default(200),
  delay_ms: delayMs.default(0),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().max(65_536).default(DEFAULT_INBOX_BODY),
})

export const certificateBody = z.object({
  common_name: z
    .string()
    .regex(/^[\w .-]{1,64}$/, 'must be 1 to 64 letters, digits, blanks, dots or hyphens'),
})

export const statementQuery = z.object({ provider: provider.optional(), account: z.string().optional() })

/** Absent: today. */
export const dueChargesQuery = z.object({ on: z.iso.date().optional() })

export type AccountBody = z.input<typeof accountBody>
export type PayBody = z.input<typeof payBody>
export type DepositBody = z.input<typeof depositBody>
export type ReturnBody = z.input<typeof returnBody>
export type MovementBody = z.input<typeof movementBody>
export type DisputeBody = z.input<typeof disputeBody>
export type DecisionBody = z.input<typeof decisionBody>
export type RecurrenceDecisionBody = z.input<typeof recurrenceDecisionBody>
export type RecurrenceCancellationBody = z.input<typeof recurrenceCancellationBody>
export type RecurrenceFundsBody = z.input<typeof recurrenceFundsBody>
export type RecurrenceRefusalBody = z.input<typeof recurrenceRefusalBody>
export type DayBody = z.input<typeof dayBody>
export type FaultBody = z.input<typeof faultBody>
export type InboxAnswerBody = z.input<typeof inboxAnswerBody>
