import { z } from 'zod'
import { MAX_CENTS } from '../../amount.ts'
import { detectDocumentKind, detectKeyKind } from '../../pix-key.ts'
import type { SimulatedResponse } from '../../provider-calls.ts'
import * as errors from './errors.ts'
import { parseTaxId } from './ids.ts'

// Request schemas of Stark's API, with the fields of its SDK 2.42.0 and OpenAPI document 3.1; amounts are whole centavos. An unknown
// field is refused.

const openCents = z.number().int().min(0).max(MAX_CENTS)
const cents = openCents.min(1)
/** "All tags will be converted to lowercase." */
const tags = z.array(z.string().min(1).max(500).toLowerCase()).max(100).default([])
const text = z.string().max(500)
const taxId = z
  .string()
  .transform(parseTaxId)
  .refine(document => detectDocumentKind(document) !== null, 'must be a CPF or CNPJ')
const time = z.iso.datetime({ offset: true })
const day = z.iso.date()
const rules = z.array(z.strictObject({ key: z.string().min(1), value: z.unknown() })).default([])

/** The only payers of a charge, by its rule `allowedTaxIds`. */
export function readAllowedDocuments(chargeRules: { key: string; value: unknown }[]): string[] {
  const values = chargeRules.filter(({ key }) => key === 'allowedTaxIds').flatMap(({ value }) => value)
  return values.map(value => parseTaxId(String(value)))
}

const batch = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(100)

export const brcodeBody = z.strictObject({
  brcodes: batch(
    z.strictObject({
      amount: openCents,
      expiration: z.number().int().min(1).max(2_147_483_647).default(3600),
      tags,
      displayDescription: text.optional(),
      rules,
    }),
  ),
})

const percentage = z.number().min(0).max(100)
/** "Default value: 5097600 (59 days)". */
const INVOICE_EXPIRATION_S = 5_097_600
export const invoiceBody = z.strictObject({
  invoices: batch(
    z.strictObject({
      amount: openCents,
      taxId,
      name: z.string().min(1).max(140),
      due: z.union([time, day]).optional(),
      expiration: z.number().int().min(0).max(2_147_483_647).default(INVOICE_EXPIRATION_S),
      fine: percentage.default(2),
      interest: percentage.default(1),
      discounts: z
        .array(z.strictObject({ percentage, due: z.union([time, day]) }))
        .max(5)
        .default([]),
      rules,
      splits: z.array(z.unknown()).max(0, 'the simulator has no splits').default([]),
      tags,
      descriptions: z
        .array(z.strictObject({ key: text, value: text.optional() }))
        .max(15)
        .default([]),
      displayDescription: text.optional(),
    }),
  ),
})
export const invoiceChangeBody = z.strictObject({
  amount: openCents.optional(),
  due: z.union([time, day]).optional(),
  expiration: z.number().int().min(0).max(2_147_483_647).optional(),
  status: z.literal('canceled').optional(),
})

export const depositChangeBody = z.strictObject({
  amount: openCents,
  reversalDisplayDescription: text.optional(),
})

const bankCode = z.string().regex(/^[0-9A-Z]{1,8}$/, 'must be a bank code or an ISPB')
const accountType = z.enum(['checking', 'savings', 'salary', 'payment'])
const bankAccount = {
  bankCode,
  branchCode: z.string().min(1).max(60),
  name: z.string().min(1).max(140),
}
export const verifiedAccountBody = z.strictObject({
  accounts: batch(
    z.union([
      z.strictObject({ taxId, keyId: z.string().min(1).max(77), tags }),
      z.strictObject({ taxId, ...bankAccount, number: z.string().min(1).max(60), type: accountType, tags }),
    ]),
  ),
})

const externalId = z
  .string()
  .regex(/^[\w.~-]{1,100}$/, 'must be URL safe')
  .optional()
const transferTexts = {
  externalId,
  scheduled: z.union([time, day]).optional(),
  description: text.optional(),
  displayDescription: text.optional(),
  tags,
  rules,
}
export const verifiedTransferBody = z.strictObject({
  transfers: batch(
    z.strictObject({
      amount: cents,
      accountId: z.string().min(1),
      accountType: accountType.optional(),
      ...transferTexts,
    }),
  ),
})
export const transferBody = z.strictObject({
  transfers: batch(
    z.strictObject({
      amount: cents,
      taxId,
      ...bankAccount,
      accountNumber: z.string().min(1).max(200),
      accountType: accountType.default('checking'),
      ...transferTexts,
    }),
  ),
})

/** A recurrence (SDK, InvoicePullSubscription). */
export const subscriptionBody = z.strictObject({
  subscriptions: batch(
    z.strictObject({
      type: z.enum(['push', 'qrcode', 'qrcodeAndPayment', 'paymentAndOrQrcode']),
      interval: z.enum(['week', 'month', 'quarter', 'semester', 'year']),
      start: z.union([time, day]),
      end: z.union([time, day]).optional(),
      pullMode: z.literal('manual', 'the simulator has manual subscriptions only'),
      pullRetryLimit: z.union([z.literal(0), z.literal(3)]),
      amount: openCents.optional(),
      amountMinLimit: openCents.optional(),
      displayDescription: text.optional(),
      due: time.optional(),
      externalId,
      referenceCode: text.optional(),
      name: z.string().min(1).max(140),
      taxId,
      data: z
        .object({ accountNumber: z.string(), bankCode, branchCode: z.string(), taxId })
        .partial()
        .optional(),
      tags,
    }),
  ),
})
/** A request to debit the payer of a recurrence (SDK, InvoicePullRequest). */
export const pullRequestBody = z.strictObject({
  requests: batch(
    z.strictObject({
      subscriptionId: z.string().min(1),
      invoiceId: z.string().min(1),
      due: z.union([time, day]),
      attemptType: z.enum(['default', 'retry']).default('default'),
      externalId,
      displayDescription: text.optional(),
      tags,
    }),
  ),
})

/** The services that may be subscribed to (OpenAPI, "Create a Webhook"; guide, "Pix Subscription"); the simulator notifies five of them. */
const SUBSCRIPTIONS = [
  'deposit',
  'invoice',
  'brcode-payment',
  'transfer',
  'utility-payment',
  'boleto',
  'boleto-payment',
  'darf-payment',
  'payment-request',
  'boleto-holmes',
  'invoice-pull-subscription',
  'invoice-pull-request',
] as const
export type StarkSubscription = Extract<
  (typeof SUBSCRIPTIONS)[number],
  'deposit' | 'invoice' | 'transfer' | 'invoice-pull-subscription' | 'invoice-pull-request'
>
export const starkWebhookBody = z.strictObject({
  url: z.string().min(1).max(1000),
  subscriptions: z.array(z.enum(SUBSCRIPTIONS)).min(1),
})

const list = z
  .string()
  .min(1)
  .transform(text => text.split(','))
  .optional()
/**
 * Filters of lists. `after` and `before` are days of the calendar in UTC, which the range contains, or times. A list of values is one
 * parameter with commas, as the SDK writes it.
 */
export const starkListQuery = z.object({
  after: z.union([day, time]).optional(),
  before: z.union([day, time]).optional(),
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(100).default(100),
  ids: list,
  uuids: list,
  tags: list,
  types: list,
  depositIds: list,
  invoiceIds: list,
  transferIds: list,
  transactionIds: list,
  externalIds: list,
  subscriptionIds: list,
  requestIds: list,
  status: z.string().min(1).optional(),
  taxId: z.string().transform(parseTaxId).optional(),
  sort: z.enum(['created', '-created', 'updated', '-updated']).default('-created'),
})
export type StarkListQuery = z.infer<typeof starkListQuery>

/** Whether a key has the form that DICT stores. */
export function isPixKey(key: string): boolean {
  return detectKeyKind(key) !== null
}

/** Brings a key to the form that DICT stores: "with or without formatting". */
export function normalizeKey(key: string): string {
  const document = parseTaxId(key)
  return detectDocumentKind(document) ? document : key
}

/** Parses a body or query by its schema, or builds Stark's refusal of it. */
export function parseStarkBody<T extends z.ZodType>(
  schema: T,
  body: unknown,
): { value: z.infer<T> } | { refusal: SimulatedResponse } {
  const result = schema.safeParse(body)
  if (result.success) return { value: result.data }
  const messages = result.error.issues.map(issue => `${issue.path.join('.') || 'body'}: ${issue.message}`)
  return { refusal: errors.starkInvalidFields(messages) }
}
