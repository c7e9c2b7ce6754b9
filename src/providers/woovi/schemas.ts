import { z } from 'zod'

// Schemas of what Woovi sends are lenient: they name the fields in use and allow any others. Those of our requests are
// strict.

export const wooviCentsSchema = z.int().min(0)
/** A whole number that Woovi writes as a number or a text, such as a dispute's value or a charge's seconds. */
export const wooviWholeNumberSchema = z.union([
  z.int(),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
])
export const wooviTextSchema = z.string().nullish()
/** Parses ISO 8601 with any offset to UTC. */
export const wooviInstantSchema = z.iso
  .datetime({ offset: true })
  .transform(time => new Date(time).toISOString())

/** A CPF or CNPJ, as a text or in an object with its type. */
const taxIDSchema = z
  .union([z.string(), z.object({ taxID: z.string() }).transform(({ taxID }) => taxID)])
  .nullish()
  .catch(null)

const personSchema = z.object({ name: wooviTextSchema, taxID: taxIDSchema }).nullish()
/** One side of a movement, in the shape of notifications and newer answers. */
const sideSchema = z
  .object({
    psp: z.object({ id: wooviTextSchema, name: wooviTextSchema }).nullish(),
    account: z.object({ branch: wooviTextSchema, account: wooviTextSchema }).nullish(),
    holder: personSchema,
    pixKey: z.object({ pixKey: wooviTextSchema }).nullish(),
  })
  .nullish()

/** A charge. An active one needs its payload; the expiry is a time, or seconds since the creation. */
const chargeSchema = z
  .object({
    correlationID: z.string().min(1),
    value: wooviCentsSchema,
    status: z.enum(['ACTIVE', 'COMPLETED', 'EXPIRED']),
    brCode: wooviTextSchema,
    transactionID: wooviTextSchema,
    identifier: wooviTextSchema,
    pixKey: wooviTextSchema,
    expiresDate: wooviInstantSchema.nullish(),
    createdAt: wooviInstantSchema.nullish(),
    expiresIn: wooviWholeNumberSchema.refine(seconds => seconds > 0).nullish(),
    paymentMethods: z.object({ pix: z.object({ txId: wooviTextSchema }).nullish() }).nullish(),
  })
  .refine(({ status, brCode }) => status !== 'ACTIVE' || Boolean(brCode))
  .refine(({ expiresDate, createdAt, expiresIn }) => expiresDate || (createdAt && expiresIn))
export type WooviCharge = z.infer<typeof chargeSchema>
export const wooviChargeResponseSchema = z.object({ charge: chargeSchema })
export const wooviDeletionResponseSchema = z.object({ status: z.string() })

/** Types of the filter of `GET /api/v1/transaction` (OpenAPI), and two of "Payload de transação recebida". */
const TRANSACTION_TYPES = [
  ...(['PAYMENT', 'DYNAMIC', 'STATIC', 'WITHDRAW', 'REFUND', 'FEE'] as const),
  ...(['INTERNAL_TRANSFER', 'BALANCE_BLOCK', 'BALANCE_UNBLOCK', 'REVERSAL'] as const),
] as const
/** Statuses of the schema of `GET /api/v1/transaction` (OpenAPI). */
const TRANSACTION_STATUSES = [
  'CREATED',
  'IN_PROCESSING',
  'CONFIRMED',
  'PARTIAL_REFUND',
  'REFUNDED',
  'REJECTED',
] as const

/** A movement of the account. Woovi writes `endToEndId` in two spellings, and most examples have no status. */
export const wooviTransactionSchema = z
  .object({
    endToEndId: wooviTextSchema,
    endToEndID: wooviTextSchema,
    value: wooviCentsSchema,
    time: wooviInstantSchema,
    type: z.enum(TRANSACTION_TYPES),
    status: z.enum(TRANSACTION_STATUSES).nullish(),
    transactionID: wooviTextSchema,
    globalID: wooviTextSchema,
    payer: personSchema,
    debitParty: sideSchema,
    creditParty: sideSchema,
    charge: z.object({ correlationID: wooviTextSchema, pixKey: wooviTextSchema }).nullish(),
    refunds: z.unknown().optional(),
  })
  .transform(({ endToEndID, ...rest }) => ({ ...rest, endToEndId: rest.endToEndId || endToEndID || '' }))
export type WooviTransaction = z.infer<typeof wooviTransactionSchema>
export const wooviTransactionResponseSchema = z.object({ transaction: wooviTransactionSchema })

/** Statuses of "Refund" and of "ChargeRefund" (OpenAPI). */
const refundStatusSchema = z.enum(['IN_PROCESSING', 'CONFIRMED', 'REFUNDED', 'REJECTED', 'NOT_ACCOMPLISHED'])

/** The ids of a return in the list of its PIX, readable with any status. */
export const wooviReturnIdsSchema = z.object({
  endToEndId: wooviTextSchema,
  returnIdentification: wooviTextSchema,
})
export type WooviReturnIds = z.infer<typeof wooviReturnIdsSchema>
/** A return in the list of its PIX. */
export const wooviReturnSchema = wooviReturnIdsSchema.extend({
  value: wooviCentsSchema,
  status: refundStatusSchema,
  time: wooviInstantSchema.nullish(),
})
const refundSchema = wooviReturnSchema.extend({
  correlationID: z.string().min(1),
  providerRejectedReason: wooviTextSchema,
})
export type WooviRefund = z.infer<typeof refundSchema>
/** The answer with a refund: its creation and its look-up name it differently. */
export const wooviRefundResponseSchema = z
  .object({ refund: z.unknown().optional(), pixTransactionRefund: z.unknown().optional() })
  .transform(answer => answer.refund ?? answer.pixTransactionRefund)
  .pipe(refundSchema)

/** The ids, ours and the rail's, of a refund in a list, readable with any status. */
export const wooviListedRefundSchema = wooviReturnIdsSchema.extend({ correlationID: z.string().min(1) })
export type WooviListedRefund = z.infer<typeof wooviListedRefundSchema>

/** A payment of ours: the order and, when they exist, its transaction and its recipient. */
export const wooviPaymentSchema = z.object({
  payment: z.object({
    correlationID: z.string().min(1),
    value: wooviCentsSchema,
    /** "Payment" (OpenAPI), with APPROVED and REJECTED of the pages on payments. */
    status: z.enum(['CREATED', 'APPROVED', 'CONFIRMED', 'FAILED', 'REJECTED', 'DENIED']),
  }),
  transaction: z
    .object({
      endToEndId: wooviTextSchema,
      time: wooviInstantSchema.nullish(),
      providerRejectedReason: wooviTextSchema,
      providerErrorCode: wooviTextSchema,
    })
    .nullish(),
  destination: z
    .object({
      name: wooviTextSchema,
      taxID: taxIDSchema,
      bank: wooviTextSchema,
      bankName: wooviTextSchema,
      ispb: wooviTextSchema,
      branch: wooviTextSchema,
      account: wooviTextSchema,
    })
    .nullish(),
  error: z.object({ code: wooviTextSchema, description: wooviTextSchema }).nullish(),
})
export type WooviPayment = z.infer<typeof wooviPaymentSchema>

/** The ids, ours and the rail's, of a payment in a list, readable with any status. */
export const wooviListedPaymentSchema = z.object({
  payment: z.object({ correlationID: z.string().min(1) }),
  transaction: z.object({ endToEndId: wooviTextSchema }).nullish(),
})
export type WooviListedPayment = z.infer<typeof wooviListedPaymentSchema>

const accountSchema = z.object({
  isDefault: z.boolean().nullish(),
  balance: z.object({ available: z.int(), blocked: wooviCentsSchema }),
})
export const wooviAccountsSchema = z.object({ accounts: z.array(accountSchema).min(1) })

export const wooviWebhookSchema = z.object({
  event: wooviTextSchema,
  url: wooviTextSchema,
  isActive: z.boolean().nullish(),
})
export type WooviWebhook = z.infer<typeof wooviWebhookSchema>

/** A PIX key: its creation and the list name it differently. */
export const wooviPixKeySchema = z
  .object({
    pixKey: wooviTextSchema,
    key: wooviTextSchema,
    type: z.enum(['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'EVP', 'RANDOM']),
  })
  .transform(({ pixKey, key, type }) => ({ key: pixKey ?? key ?? '', type }))
  .refine(({ key }) => key !== '')
export type WooviPixKey = z.infer<typeof wooviPixKeySchema>
export const wooviKeyResponseSchema = z.union([
  wooviPixKeySchema,
  z.object({ pixKey: wooviPixKeySchema }).transform(answer => answer.pixKey),
])

const amountSchema = z.int().positive()
const correlationIdSchema = z.string().regex(/^[a-zA-Z0-9]{1,35}$/)
const commentSchema = z.string().max(140).optional()

/** "Expires the charge in seconds (minimum is 5 minutes)" (OpenAPI, ChargePayload). */
export const MIN_CHARGE_EXPIRY_S = 300
export const wooviChargeRequestSchema = z.strictObject({
  correlationID: correlationIdSchema,
  value: amountSchema,
  expiresIn: z.int().min(MIN_CHARGE_EXPIRY_S),
  comment: commentSchema,
})
export const wooviRefundRequestSchema = z.strictObject({
  correlationID: correlationIdSchema,
  transactionEndToEndId: z.string().min(1),
  value: amountSchema,
})
export const wooviPaymentRequestSchema = z.strictObject({
  type: z.literal('PIX_KEY'),
  correlationID: correlationIdSchema,
  value: amountSchema,
  destinationAlias: z.string().min(1).max(77),
  destinationAliasType: z.enum(['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM']),
  comment: commentSchema,
  autoApprove: z.literal(true),
})
export const wooviKeyRequestSchema = z.strictObject({
  type: z.enum(['EVP', 'CNPJ', 'EMAIL', 'PHONE']),
  key: z.string().min(1).max(77).optional(),
})
