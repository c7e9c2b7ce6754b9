import { z } from 'zod'
import { computeLastInstantOfDay } from '../adapter/due-days.ts'
import { optionalField, optionalInstant, optionalText, requiredInstant } from '../adapter/fields.ts'

// Schemas of what Stark Bank sends are lenient: they name the fields in use and allow any others. Those of our requests are
// strict. The fields are those of npm package starkbank 2.42.0; the OpenAPI document describes requests only.

const starkCentsSchema = z.int().min(0)
/** An id, which published examples write as a text or as a number. */
const starkIdSchema = z.union([z.string().min(1), z.int().positive()]).transform(String)
/** "All tags will be converted to lowercase." */
const tagsSchema = z
  .array(z.string())
  .nullish()
  .transform(tags => tags ?? [])
const transactionIdsSchema = z
  .array(starkIdSchema)
  .nullish()
  .transform(ids => ids ?? [])

/** An answer with one entity, by its name. */
export const oneStarkEntity = <Entity extends z.ZodType>(name: string, entity: Entity) =>
  z.object({ [name]: entity }).transform(answer => answer[name] as z.output<Entity>)
/** The answer to a creation of one entity, in a list by its name. */
export const oneCreatedStarkEntity = <Entity extends z.ZodType>(name: string, entity: Entity) =>
  z.object({ [name]: z.tuple([entity]) }).transform(answer => answer[name]![0] as z.output<Entity>)

/** A dynamic BR code. `id` is the payload; `amount` 0: any value is accepted; `expiration`: seconds from the creation. */
export const starkBrcodeSchema = z.object({
  id: z.string().min(1),
  uuid: z.string().min(1),
  amount: starkCentsSchema,
  expiration: z.int().min(0),
  tags: tagsSchema,
  created: requiredInstant,
})
export type StarkBrcode = z.infer<typeof starkBrcodeSchema>

/**
 * A received payment. `amount` is what is left after its reversals; the first transaction credited it, the others are "reversals or
 * failed reversal chargebacks" (Stark Bank SDK for Python, Deposit).
 */
export const starkDepositSchema = z.object({
  id: starkIdSchema,
  amount: starkCentsSchema,
  type: z.enum(['pix', 'ted']),
  tags: tagsSchema,
  transactionIds: transactionIdsSchema,
  created: requiredInstant,
  updated: optionalInstant,
  name: optionalText,
  taxId: optionalText,
  bankCode: optionalText,
  branchCode: optionalText,
  accountNumber: optionalText,
})
export type StarkDeposit = z.infer<typeof starkDepositSchema>

/** A due time, or the end of a due day in Brasília: Stark Bank takes both ("use dates instead of datetimes"). */
const dueSchema = z.union([requiredInstant, z.iso.date().transform(computeLastInstantOfDay)])

/**
 * A charge of a payer. `brcode` is the payload; `amount` is what it asks for, and once it is paid what is left after its reversals;
 * `expiration`: seconds from `due` until it cannot be paid any more. Its transactions are as those of a deposit.
 */
export const starkInvoiceSchema = z.object({
  id: starkIdSchema,
  amount: starkCentsSchema,
  /** What it was issued for. */
  nominalAmount: optionalField(starkCentsSchema),
  brcode: z.string().min(1),
  due: dueSchema,
  expiration: z.int().min(0),
  status: z.enum(['created', 'overdue', 'paid', 'canceled', 'expired']),
  tags: tagsSchema,
  transactionIds: transactionIdsSchema,
  created: requiredInstant,
  updated: optionalInstant,
  /** In percent, the interest a month. */
  fine: optionalField(z.number()),
  interest: optionalField(z.number()),
  discounts: optionalField(z.array(z.object({ percentage: z.number(), due: z.string() }))),
  /** What it was paid with, "calculated over nominalAmount". */
  fineAmount: optionalField(starkCentsSchema),
  interestAmount: optionalField(starkCentsSchema),
  discountAmount: optionalField(starkCentsSchema),
})
export type StarkInvoice = z.infer<typeof starkInvoiceSchema>

/** How an invoice was paid, whatever was reversed since. */
export const starkInvoicePaymentSchema = z.object({
  amount: starkCentsSchema.min(1),
  endToEndId: optionalField(z.string().regex(/^E[0-9A-Za-z]{31}$/)),
  name: optionalText,
  taxId: optionalText,
  bankCode: optionalText,
  branchCode: optionalText,
  accountNumber: optionalText,
})
export type StarkInvoicePayment = z.infer<typeof starkInvoicePaymentSchema>

/** A change of a deposit or invoice, with its state then. A reversal that was carried out has the type "reversed". */
export const starkReceivedLogSchema = <Entity extends z.ZodType>(name: string, entity: Entity) =>
  z
    .object({ id: starkIdSchema, type: z.string(), created: requiredInstant, [name]: entity })
    .transform(log => ({
      id: log.id as string,
      type: log.type as string,
      created: log.created as string,
      entity: log[name] as z.output<Entity>,
    }))

/** A change of the balance by `amount`, less `fee`. `source`: the entity that made it, such as `transfer/92873912873/chargeback`. */
export const starkTransactionSchema = z.object({
  id: starkIdSchema,
  amount: z.int(),
  fee: starkCentsSchema.nullish(),
  source: z.string().min(1),
  tags: tagsSchema,
  created: requiredInstant,
})
export type StarkTransaction = z.infer<typeof starkTransactionSchema>

/** A transfer, verified or not: both have the same ids (npm package starkbank, tests/testVerifiedTransfer.js). */
export const starkTransferSchema = z.object({
  id: starkIdSchema,
  amount: starkCentsSchema,
  status: z.enum(['created', 'processing', 'success', 'failed', 'canceled']),
  externalId: z.string().nullish(),
  accountId: starkIdSchema.nullish(),
  tags: tagsSchema,
  transactionIds: transactionIdsSchema,
  updated: optionalInstant,
  name: optionalText,
  taxId: optionalText,
  bankCode: optionalText,
  branchCode: optionalText,
  accountNumber: optionalText,
})
export type StarkTransfer = z.infer<typeof starkTransferSchema>

/** A PIX key with its owner. Branch and account are encrypted, and are not read. */
export const starkDictKeySchema = z.object({
  taxId: optionalText,
  name: optionalText,
  ispb: optionalText,
  bankName: optionalText,
})
export type StarkDictKey = z.infer<typeof starkDictKeySchema>

/** An account to which verified transfers go, once it is active. */
export const starkVerifiedAccountSchema = z.object({
  id: starkIdSchema,
  status: z.enum(['creating', 'created', 'processing', 'active', 'failed', 'canceled']),
  taxId: z.string().nullish(),
  keyId: z.string().nullish(),
  bankCode: optionalText,
  branchCode: optionalText,
  number: optionalText,
  type: optionalText,
  tags: tagsSchema,
  name: optionalText,
  bankName: optionalText,
})
export type StarkVerifiedAccount = z.infer<typeof starkVerifiedAccountSchema>

/**
 * A recurrence: an agreement with a payer. Its statuses are those of npm package starkbank, InvoicePullSubscription, and of the same agreement
 * in Stark Infra's SDKs, PixPullSubscription.
 */
export const starkSubscriptionSchema = z.object({
  id: starkIdSchema,
  status: z.enum(['created', 'pending', 'approved', 'active', 'denied', 'failed', 'canceled', 'expired']),
  externalId: optionalText,
  interval: optionalText,
  amount: optionalField(starkCentsSchema),
  /** The code by which the payer consents. */
  brcode: optionalText,
  /** How many retries each debit may have. */
  pullRetryLimit: optionalField(z.int().min(0)),
  tags: tagsSchema,
})
export type StarkSubscription = z.infer<typeof starkSubscriptionSchema>

/**
 * A try to debit the payer of a recurrence for an invoice, at the time `due`. Its statuses are those of npm package starkbank,
 * InvoicePullRequest, and of Stark Infra's SDKs, PixPullRequest.
 */
export const starkPullRequestSchema = z.object({
  id: starkIdSchema,
  subscriptionId: starkIdSchema,
  invoiceId: starkIdSchema,
  due: dueSchema,
  attemptType: z.enum(['default', 'retry']),
  status: z.enum([
    'created',
    'pending',
    'processing',
    'scheduled',
    'success',
    'failed',
    'denied',
    'expired',
    'canceled',
  ]),
  tags: tagsSchema,
})
export type StarkPullRequest = z.infer<typeof starkPullRequestSchema>

/** Above zero or below: what is in the workspace. */
export const starkBalancesSchema = z.object({ balances: z.tuple([z.object({ amount: z.int() })]) })
export const starkWorkspaceSchema = z.object({ id: starkIdSchema })
export const starkWebhookSchema = z.object({
  id: starkIdSchema,
  url: z.string(),
  subscriptions: z.array(z.string()),
})
export const starkPublicKeysSchema = z.object({
  publicKeys: z.array(z.object({ content: z.string() })).min(1),
})

const amountSchema = z.int().positive()
/** Our ids: Stark Bank lower-cases tags. */
const externalIdSchema = z.string().regex(/^[a-z0-9]{1,35}$/)
const requestTagsSchema = z.tuple([externalIdSchema])
const displayDescriptionSchema = z.string().max(140).optional()

/** What a charge has in both its forms. */
const chargeRequestFields = {
  amount: starkCentsSchema,
  expiration: amountSchema,
  tags: requestTagsSchema,
  displayDescription: displayDescriptionSchema,
  rules: z
    .tuple([z.strictObject({ key: z.literal('allowedTaxIds'), value: z.tuple([z.string().min(11)]) })])
    .optional(),
}
export const starkBrcodeRequestSchema = z.strictObject({
  brcodes: z.tuple([z.strictObject(chargeRequestFields)]),
})
/** Most texts that an invoice is sent with. The SDK names no limit, and an invoice that is refused for its texts could not be paid. */
export const MAX_STARK_DESCRIPTIONS = 15
const invoiceRequestFields = {
  ...chargeRequestFields,
  name: z.string().min(1),
  taxId: z.string().min(11),
  descriptions: z
    .array(z.strictObject({ key: z.string().min(1), value: z.string() }))
    .min(1)
    .max(MAX_STARK_DESCRIPTIONS)
    .optional(),
}
export const starkInvoiceRequestSchema = z.strictObject({
  invoices: z.tuple([
    z.strictObject({
      ...invoiceRequestFields,
      due: z.iso.datetime(),
      fine: z.literal(0),
      interest: z.literal(0),
    }),
  ]),
})
const percentageSchema = z.number().min(0)
export const starkDueInvoiceRequestSchema = z.strictObject({
  invoices: z.tuple([
    z.strictObject({
      ...invoiceRequestFields,
      amount: amountSchema,
      due: z.iso.date(),
      fine: percentageSchema,
      interest: percentageSchema,
      discounts: z
        .array(z.strictObject({ percentage: percentageSchema, due: z.iso.date() }))
        .min(1)
        .max(5)
        .optional(),
    }),
  ]),
})
export const starkRescheduleRequestSchema = z.strictObject({ due: z.iso.date(), expiration: amountSchema })
export const starkCancellationRequestSchema = z.strictObject({ status: z.literal('canceled') })
export const starkVerifiedAccountRequestSchema = z.strictObject({
  accounts: z.tuple([
    z.union([
      z.strictObject({
        taxId: z.string().min(11),
        keyId: z.string().min(1).max(77),
        tags: requestTagsSchema,
      }),
      z.strictObject({
        taxId: z.string().min(11),
        name: z.string().min(1),
        bankCode: z.string().length(8),
        branchCode: z.string().min(1),
        number: z.string().min(1),
        type: z.enum(['checking', 'savings', 'salary', 'payment']),
        tags: requestTagsSchema,
      }),
    ]),
  ]),
})
export const starkVerifiedTransferRequestSchema = z.strictObject({
  transfers: z.tuple([
    z.strictObject({
      amount: amountSchema,
      accountId: z.string().min(1),
      externalId: externalIdSchema,
      tags: requestTagsSchema,
      displayDescription: displayDescriptionSchema,
    }),
  ]),
})
const intervalSchema = z.enum(['week', 'month', 'quarter', 'semester', 'year'])
export type StarkInterval = z.infer<typeof intervalSchema>
export const starkSubscriptionRequestSchema = z.strictObject({
  subscriptions: z.tuple([
    z.strictObject({
      type: z.enum(['push', 'qrcode']),
      interval: intervalSchema,
      start: z.iso.date(),
      end: z.iso.date().optional(),
      pullMode: z.literal('manual'),
      pullRetryLimit: z.union([z.literal(0), z.literal(3)]),
      amount: amountSchema.optional(),
      amountMinLimit: amountSchema.optional(),
      displayDescription: displayDescriptionSchema,
      externalId: externalIdSchema,
      referenceCode: externalIdSchema,
      name: z.string().min(1),
      taxId: z.string().min(11),
      tags: requestTagsSchema,
      due: z.iso.datetime().optional(),
      data: z
        .strictObject({
          accountNumber: z.string().min(1),
          bankCode: z.string().length(8),
          branchCode: z.string().min(1),
          taxId: z.string().min(11),
        })
        .optional(),
    }),
  ]),
})
export const starkPullRequestRequestSchema = z.strictObject({
  requests: z.tuple([
    z.strictObject({
      subscriptionId: z.string().min(1),
      invoiceId: z.string().min(1),
      due: z.iso.datetime(),
      attemptType: starkPullRequestSchema.shape.attemptType,
      /** Our id and the day of the try. */
      externalId: z.string().regex(/^[a-z0-9]{1,35}-\d{4}-\d{2}-\d{2}$/),
      tags: requestTagsSchema,
    }),
  ]),
})
/** The text for the payer is a field of deposits only. */
export const starkReversalRequestSchema = z.strictObject({
  amount: starkCentsSchema,
  reversalDisplayDescription: displayDescriptionSchema,
})
export const starkWebhookRequestSchema = z.strictObject({
  url: z.string(),
  subscriptions: z.array(z.string()).min(1),
})
