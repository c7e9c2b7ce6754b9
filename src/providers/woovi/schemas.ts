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
/** A text that Woovi may leave out. Nothing depends on it alone: one of another type is as good as absent. */
export const wooviTextSchema = z.string().nullish().catch(null)
/** An id that means something by its absence: one of another type makes what has it unreadable. */
export const wooviIdSchema = z.string().nullish()
/** Parses ISO 8601 with any offset to UTC. */
const wooviInstantSchema = z.iso.datetime({ offset: true }).transform(time => new Date(time).toISOString())

/** A time that Woovi may leave out, or write in another form. */
export const wooviOptionalInstantSchema = wooviInstantSchema.nullish().catch(null)

/** A CPF or CNPJ, as a text or in an object with its type. */
const taxIDSchema = z
  .union([z.string(), z.object({ taxID: z.string() }).transform(({ taxID }) => taxID)])
  .nullish()
  .catch(null)

const personSchema = z.object({ name: wooviTextSchema, taxID: taxIDSchema }).nullish().catch(null)
/** One side of a movement, in the shape of notifications and newer answers. */
const sideSchema = z
  .object({
    psp: z.object({ id: wooviTextSchema, name: wooviTextSchema }).nullish().catch(null),
    account: z.object({ branch: wooviTextSchema, account: wooviTextSchema }).nullish().catch(null),
    holder: personSchema,
    pixKey: z.object({ pixKey: wooviTextSchema }).nullish().catch(null),
  })
  .nullish()
  .catch(null)

/** A charge. Its payload is in one of three places; its expiry is a time, or seconds since the creation. */
const chargeSchema = z.object({
  correlationID: z.string().min(1),
  value: wooviCentsSchema,
  status: z.enum(['ACTIVE', 'COMPLETED', 'EXPIRED']),
  brCode: wooviTextSchema,
  transactionID: wooviTextSchema,
  identifier: wooviTextSchema,
  pixKey: wooviTextSchema,
  expiresDate: wooviOptionalInstantSchema,
  createdAt: wooviOptionalInstantSchema,
  expiresIn: wooviWholeNumberSchema
    .refine(seconds => seconds > 0)
    .nullish()
    .catch(null),
  paymentMethods: z
    .object({
      pix: z.object({ txId: wooviTextSchema, brCode: wooviTextSchema }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
})
export type WooviCharge = z.infer<typeof chargeSchema>
/** The answer to a charge's creation has the payload next to the charge too. */
export const wooviChargeResponseSchema = z
  .object({ charge: chargeSchema, brCode: wooviTextSchema })
  .transform(({ charge, brCode }) => ({
    charge: { ...charge, brCode: charge.brCode || brCode || charge.paymentMethods?.pix?.brCode },
  }))
export const wooviDeletionResponseSchema = z.object({ status: z.string() })

/** Types of the filter of `GET /api/v1/transaction` (OpenAPI), and two of "Payload de transação recebida". */
const TRANSACTION_TYPES = [
  ...(['PAYMENT', 'DYNAMIC', 'STATIC', 'WITHDRAW', 'REFUND', 'FEE'] as const),
  ...(['INTERNAL_TRANSFER', 'BALANCE_BLOCK', 'BALANCE_UNBLOCK', 'REVERSAL'] as const),
] as const
/** Types of transactions that are PIX, except a WITHDRAW without an end-to-end id. */
export const WOOVI_PIX_TYPES: readonly (typeof TRANSACTION_TYPES)[number][] = [
  ...(['PAYMENT', 'DYNAMIC', 'STATIC', 'WITHDRAW', 'REFUND'] as const),
]
/** Statuses of the schema of `GET /api/v1/transaction` (OpenAPI). */
const TRANSACTION_STATUSES = [
  'CREATED',
  'IN_PROCESSING',
  'CONFIRMED',
  'PARTIAL_REFUND',
  'REFUNDED',
  'REJECTED',
] as const

/**
 * A movement of the account. Woovi writes `endToEndId` in two spellings, and most examples have no status. A PIX moves at
 * least one centavo.
 */
export const wooviTransactionSchema = z
  .object({
    endToEndId: wooviIdSchema,
    endToEndID: wooviIdSchema,
    value: wooviCentsSchema,
    time: wooviInstantSchema,
    type: z.enum(TRANSACTION_TYPES),
    status: z.enum(TRANSACTION_STATUSES).nullish(),
    transactionID: wooviTextSchema,
    globalID: wooviTextSchema,
    payer: personSchema,
    debitParty: sideSchema,
    creditParty: sideSchema,
    charge: z.object({ correlationID: wooviTextSchema, pixKey: wooviTextSchema }).nullish().catch(null),
    providerRejectedReason: wooviTextSchema,
    refunds: z.unknown().optional(),
  })
  .refine(({ type, value }) => value > 0 || !WOOVI_PIX_TYPES.includes(type))
  .transform(({ endToEndID, ...rest }) => ({ ...rest, endToEndId: rest.endToEndId || endToEndID || '' }))
export type WooviTransaction = z.infer<typeof wooviTransactionSchema>
export const wooviTransactionResponseSchema = z.object({ transaction: wooviTransactionSchema })

/** Statuses of "Refund" and of "ChargeRefund" (OpenAPI). */
const refundStatusSchema = z.enum(['IN_PROCESSING', 'CONFIRMED', 'REFUNDED', 'REJECTED', 'NOT_ACCOMPLISHED'])

/** The rail's id of a return. Woovi's examples also show the id of the returned PIX (`E…`) in its place, which names no return. */
const returnIdSchema = wooviTextSchema.transform(id => (id?.startsWith('D') ? id : null))

/** The ids of a return in the list of its PIX, readable with any status. */
export const wooviReturnIdsSchema = z.object({
  endToEndId: returnIdSchema,
  returnIdentification: returnIdSchema,
})
export type WooviReturnIds = z.infer<typeof wooviReturnIdsSchema>
/** A return in the list of its PIX. */
export const wooviReturnSchema = wooviReturnIdsSchema.extend({
  value: wooviCentsSchema.min(1),
  status: refundStatusSchema,
  time: wooviOptionalInstantSchema,
})
/** A refund of ours. The look-up's own example has no status. */
const refundSchema = wooviReturnSchema.extend({
  correlationID: z.string().min(1),
  status: refundStatusSchema.nullish(),
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

/** Why a payment failed: a code with its description, or a reason as in `providerRejectedReason`. */
const failureSchema = z
  .union([
    z.object({ code: wooviTextSchema, description: wooviTextSchema }),
    z.string().transform(reason => ({ code: null, description: null, reason })),
  ])
  .nullish()
  .catch(null)

/** A payment of ours: the order and, when they exist, its transaction and its recipient. */
export const wooviPaymentSchema = z.object({
  payment: z.object({
    correlationID: z.string().min(1),
    value: wooviCentsSchema,
    destinationAlias: wooviTextSchema,
    /** "Payment" (OpenAPI), with APPROVED, PROCESSING and REJECTED of the pages on payments. */
    status: z.enum(['CREATED', 'APPROVED', 'PROCESSING', 'CONFIRMED', 'FAILED', 'REJECTED', 'DENIED']),
  }),
  transaction: z
    .object({
      endToEndId: wooviTextSchema,
      time: wooviOptionalInstantSchema,
      providerRejectedReason: wooviTextSchema,
      providerErrorCode: wooviTextSchema,
    })
    .nullish()
    // One in another shape exists all the same, so the payment does not wait for approval.
    .catch({}),
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
    .nullish()
    .catch(null),
  error: failureSchema,
})
export type WooviPayment = z.infer<typeof wooviPaymentSchema>

/** The ids, ours and the rail's, of a payment in a list, readable with any status. */
export const wooviListedPaymentSchema = z.object({
  payment: z.object({ correlationID: z.string().min(1) }),
  transaction: z.object({ endToEndId: wooviTextSchema }).nullish().catch(null),
})
export type WooviListedPayment = z.infer<typeof wooviListedPaymentSchema>

export const wooviBalanceSchema = z.object({ available: z.int(), blocked: wooviCentsSchema })

export const wooviWebhookSchema = z.object({
  event: wooviTextSchema,
  url: wooviTextSchema,
  isActive: z.boolean().nullish().catch(null),
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
  comment: commentSchema,
})
export const wooviPaymentRequestSchema = z.strictObject({
  type: z.literal('PIX_KEY'),
  correlationID: correlationIdSchema,
  value: amountSchema,
  destinationAlias: z.string().min(1).max(77),
  destinationAliasType: z.enum(['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM']),
  /** The account that pays; without it, Woovi takes the company's default account. */
  sourceAccountId: z.string().min(1),
  comment: commentSchema,
  autoApprove: z.literal(true),
})
export const wooviKeyRequestSchema = z.strictObject({
  type: z.enum(['EVP', 'CNPJ', 'EMAIL', 'PHONE']),
  key: z.string().min(1).max(77).optional(),
})
