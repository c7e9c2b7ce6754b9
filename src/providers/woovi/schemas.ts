import { z } from 'zod'
import { optionalField, optionalInstant, optionalText, requiredInstant } from '../adapter/fields.ts'

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
/** An id that means something by its absence: one of another type makes what has it unreadable. */
export const wooviIdSchema = z.string().nullish()
/** A CPF or CNPJ, as a text or in an object with its type. */
const taxIDSchema = optionalField(
  z.union([z.string(), z.object({ taxID: z.string() }).transform(({ taxID }) => taxID)]),
)

const personSchema = optionalField(z.object({ name: optionalText, taxID: taxIDSchema }))
/** One side of a movement, in the shape of notifications and newer answers. */
const sideSchema = optionalField(
  z.object({
    psp: optionalField(z.object({ id: optionalText, name: optionalText })),
    account: optionalField(z.object({ branch: optionalText, account: optionalText })),
    holder: personSchema,
    pixKey: optionalField(z.object({ pixKey: optionalText })),
  }),
)

const termSchema = optionalField(z.object({ value: z.number() }))

/** A charge. Its payload is in one of three places; its expiry is a time, or seconds since the creation. */
const chargeSchema = z.object({
  correlationID: z.string().min(1),
  value: wooviCentsSchema,
  status: z.enum(['ACTIVE', 'COMPLETED', 'EXPIRED']),
  brCode: optionalText,
  transactionID: optionalText,
  identifier: optionalText,
  pixKey: optionalText,
  expiresDate: optionalInstant,
  createdAt: optionalInstant,
  expiresIn: optionalField(wooviWholeNumberSchema.refine(seconds => seconds > 0)),
  type: optionalField(z.enum(['DYNAMIC', 'OVERDUE', 'BOLETO'])),
  dueDate: optionalText,
  /** Fine and interest of a charge with a due date ("Como usar a API para criar uma cobrança com vencimento, multa e juros"). */
  interestsSettings: optionalField(z.object({ fines: termSchema, interests: termSchema })),
  discountSettings: optionalField(
    z.object({ discountFixedDate: optionalField(z.array(z.object({ data: optionalText }))) }),
  ),
  paymentMethods: optionalField(
    z.object({
      pix: optionalField(z.object({ txId: optionalText, brCode: optionalText })),
    }),
  ),
})
export type WooviCharge = z.infer<typeof chargeSchema>
/** The answer to a charge's creation has the payload next to the charge too. */
export const wooviChargeResponseSchema = z
  .object({ charge: chargeSchema, brCode: optionalText })
  .transform(({ charge, brCode }) => ({
    charge: { ...charge, brCode: charge.brCode || brCode || charge.paymentMethods?.pix?.brCode },
  }))
export const wooviDeletionResponseSchema = z.object({ status: z.string() })

/** Types of the filter of `GET /api/v1/transaction` (OpenAPI), and two of "Payload de transação recebida". */
const TRANSACTION_TYPES = [
  'PAYMENT',
  'DYNAMIC',
  'STATIC',
  'WITHDRAW',
  'REFUND',
  'FEE',
  'INTERNAL_TRANSFER',
  'BALANCE_BLOCK',
  'BALANCE_UNBLOCK',
  'REVERSAL',
] as const
/** Types of transactions that are PIX, except a WITHDRAW without an end-to-end id. */
export const WOOVI_PIX_TYPES: readonly (typeof TRANSACTION_TYPES)[number][] = [
  'PAYMENT',
  'DYNAMIC',
  'STATIC',
  'WITHDRAW',
  'REFUND',
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
    time: requiredInstant,
    type: z.enum(TRANSACTION_TYPES),
    status: z.enum(TRANSACTION_STATUSES).nullish(),
    transactionID: optionalText,
    globalID: optionalText,
    payer: personSchema,
    debitParty: sideSchema,
    creditParty: sideSchema,
    charge: optionalField(z.object({ correlationID: optionalText, pixKey: optionalText })),
    providerRejectedReason: optionalText,
    refunds: z.unknown().optional(),
  })
  .refine(({ type, value }) => value > 0 || !WOOVI_PIX_TYPES.includes(type))
  .transform(({ endToEndID, ...rest }) => ({ ...rest, endToEndId: rest.endToEndId || endToEndID || '' }))
export type WooviTransaction = z.infer<typeof wooviTransactionSchema>
export const wooviTransactionResponseSchema = z.object({ transaction: wooviTransactionSchema })

/** Statuses of "Refund" and of "ChargeRefund" (OpenAPI). */
const refundStatusSchema = z.enum(['IN_PROCESSING', 'CONFIRMED', 'REFUNDED', 'REJECTED', 'NOT_ACCOMPLISHED'])

/** The rail's id of a return. Woovi's examples also show the id of the returned PIX (`E…`) in its place, which names no return. */
const returnIdSchema = optionalText.transform(id => (id?.startsWith('D') ? id : null))

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
  time: optionalInstant,
})
export type WooviReturn = z.infer<typeof wooviReturnSchema>
/** A refund of ours. The look-up's own example has no status. */
const refundSchema = wooviReturnSchema.extend({
  correlationID: z.string().min(1),
  status: refundStatusSchema.nullish(),
  providerRejectedReason: optionalText,
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
const failureSchema = optionalField(
  z.union([
    z.object({ code: optionalText, description: optionalText }),
    z.string().transform(reason => ({ code: null, description: null, reason })),
  ]),
)

/** A payment of ours: the order and, when they exist, its transaction and its recipient. */
export const wooviPaymentSchema = z.object({
  payment: z.object({
    correlationID: z.string().min(1),
    value: wooviCentsSchema,
    destinationAlias: optionalText,
    /** "Payment" (OpenAPI), with APPROVED, PROCESSING and REJECTED of the pages on payments. */
    status: z.enum(['CREATED', 'APPROVED', 'PROCESSING', 'CONFIRMED', 'FAILED', 'REJECTED', 'DENIED']),
  }),
  transaction: z
    .object({
      endToEndId: optionalText,
      time: optionalInstant,
      providerRejectedReason: optionalText,
      providerErrorCode: optionalText,
    })
    .nullish()
    // One in another shape exists all the same, so the payment does not wait for approval.
    .catch({}),
  destination: optionalField(
    z.object({
      name: optionalText,
      taxID: taxIDSchema,
      pixKey: optionalText,
      bank: optionalText,
      bankName: optionalText,
      ispb: optionalText,
      branch: optionalText,
      account: optionalText,
    }),
  ),
  error: failureSchema,
})
export type WooviPayment = z.infer<typeof wooviPaymentSchema>

/** The ids, ours and the rail's, of a payment in a list, readable with any status. */
export const wooviListedPaymentSchema = z.object({
  payment: z.object({ correlationID: z.string().min(1) }),
  transaction: optionalField(z.object({ endToEndId: optionalText })),
})
export type WooviListedPayment = z.infer<typeof wooviListedPaymentSchema>

export const wooviBalanceSchema = z.object({ available: z.int(), blocked: wooviCentsSchema })

export const wooviWebhookSchema = z.object({
  event: optionalText,
  url: optionalText,
  isActive: optionalField(z.boolean()),
})

/** A PIX key: its creation and the list name it differently. */
export const wooviPixKeySchema = z
  .object({
    pixKey: optionalText,
    key: optionalText,
    type: z.enum(['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'EVP', 'RANDOM']),
  })
  .transform(({ pixKey, key, type }) => ({ key: pixKey ?? key ?? '', type }))
  .refine(({ key }) => key !== '')
export type WooviPixKey = z.infer<typeof wooviPixKeySchema>
export const wooviKeyResponseSchema = z.union([
  wooviPixKeySchema,
  z.object({ pixKey: wooviPixKeySchema }).transform(answer => answer.pixKey),
])

export const wooviAmountSchema = z.int().positive()
export const wooviCorrelationIdSchema = z.string().regex(/^[a-zA-Z0-9]{1,35}$/)
const commentSchema = z.string().max(140).optional()

/** "Expires the charge in seconds (minimum is 5 minutes)" (OpenAPI, ChargePayload). */
export const MIN_CHARGE_EXPIRY_S = 300
const customerFields = {
  name: z.string().min(1),
  taxID: z.string().min(11),
  email: z.string().optional(),
}
const chargeRequestFields = {
  correlationID: wooviCorrelationIdSchema,
  value: wooviAmountSchema,
  comment: commentSchema,
  additionalInfo: z
    .array(z.strictObject({ key: z.string().min(1), value: z.string() }))
    .min(1)
    .optional(),
  ensureSameTaxID: z.literal(true).optional(),
}
export const wooviChargeRequestSchema = z.strictObject({
  ...chargeRequestFields,
  expiresIn: z.int().min(MIN_CHARGE_EXPIRY_S),
  customer: z.strictObject(customerFields).optional(),
})
const termAmountSchema = z.int().min(0)
const dueChargeFields = {
  type: z.literal('OVERDUE'),
  dueDate: z.iso.datetime(),
  daysAfterDueDate: termAmountSchema,
  /** Centavos, or basis points. */
  fines: z.strictObject({ type: z.enum(['FIXED', 'PERCENTAGE']), value: termAmountSchema }),
  /** Basis points a day. */
  interests: z.strictObject({ type: z.literal('PERCENTAGE'), value: termAmountSchema }),
  /** Centavos, or basis points. */
  discountSettings: z
    .union([
      z.strictObject({
        modality: z.enum(['FIXED_VALUE_UNTIL_SPECIFIED_DATE', 'PERCENTAGE_UNTIL_SPECIFIED_DATE']),
        discountFixedDate: z
          .array(z.strictObject({ daysActive: wooviAmountSchema, value: wooviAmountSchema }))
          .min(1),
      }),
      z.strictObject({
        modality: z.enum([
          'VALUE_PER_RUNNING_DAY_ADVANCE',
          'VALUE_PER_BUSINESS_DAY_ADVANCE',
          'PERCENTAGE_PER_RUNNING_DAY_ADVANCE',
          'PERCENTAGE_PER_BUSINESS_DAY_ADVANCE',
        ]),
        value: wooviAmountSchema,
      }),
    ])
    .optional(),
}
export type WooviDueChargeFields = z.infer<z.ZodObject<typeof dueChargeFields>>
/** A customer with the address that charges with a due date and subscriptions need. */
export const wooviCustomerSchema = z.strictObject({
  ...customerFields,
  address: z.strictObject({
    zipcode: z.string().regex(/^\d{8}$/),
    street: z.string().min(1),
    number: z.string().optional(),
    complement: z.string().optional(),
    neighborhood: z.string().optional(),
    city: z.string().min(1),
    state: z.string().length(2),
    country: z.literal('BR'),
  }),
})
export const wooviDueChargeRequestSchema = z.strictObject({
  ...chargeRequestFields,
  ...dueChargeFields,
  customer: wooviCustomerSchema,
})
export const wooviRefundRequestSchema = z.strictObject({
  correlationID: wooviCorrelationIdSchema,
  transactionEndToEndId: z.string().min(1),
  value: wooviAmountSchema,
  comment: commentSchema,
})
const paymentRequestFields = {
  correlationID: wooviCorrelationIdSchema,
  value: wooviAmountSchema,
  /** The account that pays; without it, Woovi takes the company's default account. */
  sourceAccountId: z.string().min(1),
  /** Binds the payment to the look-up of its key. */
  pixKeyEndToEndId: z.string().min(1).optional(),
  comment: commentSchema,
  autoApprove: z.literal(true),
}
const accountTextSchema = z.string().regex(/^[0-9]{1,20}$/)
export const wooviPaymentRequestSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('PIX_KEY'),
    destinationAlias: z.string().min(1).max(77),
    destinationAliasType: z.enum(['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM']),
    ...paymentRequestFields,
  }),
  z.strictObject({ type: z.literal('QR_CODE'), qrCode: z.string().min(1).max(512), ...paymentRequestFields }),
  z.strictObject({
    type: z.literal('MANUAL'),
    psp: z.string().length(8),
    holder: z.strictObject({
      name: z.string().min(1),
      taxID: z.strictObject({ type: z.enum(['BR:CPF', 'BR:CNPJ']), taxID: z.string().min(11) }),
    }),
    account: z.strictObject({
      account: accountTextSchema,
      branch: accountTextSchema,
      accountType: z.enum(['CACC', 'TRAN', 'SVGS', 'SLRY']),
    }),
    ...paymentRequestFields,
  }),
])
export const wooviKeyRequestSchema = z.strictObject({
  type: z.enum(['EVP', 'CNPJ', 'EMAIL', 'PHONE']),
  key: z.string().min(1).max(77).optional(),
})
