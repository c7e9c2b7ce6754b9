import { z } from 'zod'

/** Woovi's wire. What comes in is read leniently (only what we need, the rest may be anything); what goes out is strict. */

export const cents = z.int().min(0)
/** A whole number that Woovi documents as a text, as the value of one dispute and the seconds of a charge. */
export const wholeNumber = z.union([
  z.int(),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
])
export const text = z.string().nullish()
/** ISO 8601 with any offset, to UTC. */
export const instant = z.iso.datetime({ offset: true }).transform(time => new Date(time).toISOString())

/** A CPF or CNPJ: plain, or with its type beside it. */
const taxID = z
  .union([z.string(), z.object({ taxID: z.string() }).transform(it => it.taxID)])
  .nullish()
  .catch(null)

const person = z.object({ name: text, taxID }).nullish()
/** One side of a movement, as the notices and newer answers describe it. */
const side = z
  .object({
    psp: z.object({ id: text, name: text }).nullish(),
    account: z.object({ branch: text, account: text }).nullish(),
    holder: person,
    pixKey: z.object({ pixKey: text }).nullish(),
  })
  .nullish()

/** A charge. One that can still be paid comes with its payload, and its end as a time or as seconds from its making. */
const charge = z
  .object({
    correlationID: z.string().min(1),
    value: cents,
    status: z.enum(['ACTIVE', 'COMPLETED', 'EXPIRED']),
    brCode: text,
    transactionID: text,
    identifier: text,
    pixKey: text,
    expiresDate: instant.nullish(),
    createdAt: instant.nullish(),
    expiresIn: wholeNumber.refine(seconds => seconds > 0).nullish(),
    paymentMethods: z.object({ pix: z.object({ txId: text }).nullish() }).nullish(),
  })
  .refine(({ status, brCode }) => status !== 'ACTIVE' || Boolean(brCode))
  .refine(({ expiresDate, createdAt, expiresIn }) => expiresDate || (createdAt && expiresIn))
export type Charge = z.infer<typeof charge>
export const chargeAnswer = z.object({ charge })
export const deletion = z.object({ status: z.literal('OK') })

/**
 * What a transaction is, by the filter of `GET /api/v1/transaction` (OpenAPI); a PIX that was received is also DYNAMIC or
 * STATIC ("Payload de transação recebida"). How it stands, by the schema of the same call.
 */
const TRANSACTION_TYPES = [
  ...(['PAYMENT', 'DYNAMIC', 'STATIC', 'WITHDRAW', 'REFUND', 'FEE'] as const),
  ...(['INTERNAL_TRANSFER', 'BALANCE_BLOCK', 'BALANCE_UNBLOCK', 'REVERSAL'] as const),
] as const
const TRANSACTION_STATUSES = [
  'CREATED',
  'IN_PROCESSING',
  'CONFIRMED',
  'PARTIAL_REFUND',
  'REFUNDED',
  'REJECTED',
] as const

/**
 * Money that moved on the rail, either way; Woovi writes its id in two ways, and leaves the status of most transactions out
 * in its own examples. `refunds` is read item by item.
 */
export const transaction = z
  .object({
    endToEndId: text,
    endToEndID: text,
    value: cents,
    time: instant,
    type: z.enum(TRANSACTION_TYPES),
    status: z.enum(TRANSACTION_STATUSES).nullish(),
    transactionID: text,
    globalID: text,
    payer: person,
    debitParty: side,
    creditParty: side,
    charge: z.object({ correlationID: text, pixKey: text }).nullish(),
    refunds: z.unknown().optional(),
  })
  .transform(({ endToEndID, ...rest }) => ({ ...rest, endToEndId: rest.endToEndId || endToEndID || '' }))
export type Transaction = z.infer<typeof transaction>
export const transactionAnswer = z.object({ transaction })

/** A refund has the statuses of "Refund" or of "ChargeRefund" (OpenAPI). */
const refundStatus = z.enum(['IN_PROCESSING', 'CONFIRMED', 'REFUNDED', 'REJECTED', 'NOT_ACCOMPLISHED'])

/** A return as its PIX lists it. */
export const returned = z.object({
  endToEndId: text,
  returnIdentification: text,
  value: cents,
  status: refundStatus,
  time: instant.nullish(),
})
/** The ids of the same, whatever it says of how it stands. */
export const returnedIds = z.object({ endToEndId: text, returnIdentification: text })
export type ReturnedIds = z.infer<typeof returnedIds>

export const refund = z.object({
  correlationID: z.string().min(1),
  value: cents,
  status: refundStatus,
  returnIdentification: text,
  endToEndId: text,
  time: instant.nullish(),
  providerRejectedReason: text,
})
export type Refund = z.infer<typeof refund>
/** Created under one name, found under another. */
export const refundAnswer = z
  .object({ refund: z.unknown().optional(), pixTransactionRefund: z.unknown().optional() })
  .transform(answer => answer.refund ?? answer.pixTransactionRefund)

/** What a list of refunds tells of each, whatever its state: our id and the rail's. */
export const listedRefund = z.object({
  correlationID: z.string().min(1),
  returnIdentification: text,
  endToEndId: text,
})
export type ListedRefund = z.infer<typeof listedRefund>

/** A payment of ours: the order, and, once there are any, its movement and its recipient. */
export const payment = z.object({
  payment: z.object({
    correlationID: z.string().min(1),
    value: cents,
    /** "Payment" (OpenAPI), with APPROVED and REJECTED of the pages on payments. */
    status: z.enum(['CREATED', 'APPROVED', 'CONFIRMED', 'FAILED', 'REJECTED', 'DENIED']),
    destinationAlias: text,
  }),
  transaction: z
    .object({
      endToEndId: text,
      time: instant.nullish(),
      providerRejectedReason: text,
      providerErrorCode: text,
    })
    .nullish(),
  destination: z
    .object({ name: text, taxID, bank: text, bankName: text, ispb: text, branch: text, account: text })
    .nullish(),
  error: z.object({ code: text, description: text }).nullish(),
})
export type Payment = z.infer<typeof payment>

/** What a list of payments tells of each, whatever its state: our id and the rail's. */
export const listedPayment = z.object({
  payment: z.object({ correlationID: z.string().min(1) }),
  transaction: z.object({ endToEndId: text }).nullish(),
})
export type ListedPayment = z.infer<typeof listedPayment>

export const accounts = z.object({
  accounts: z
    .array(
      z.object({
        isDefault: z.boolean().nullish(),
        balance: z.object({ available: z.int(), blocked: cents }),
      }),
    )
    .min(1),
})

export const webhook = z.object({ event: text, url: text, isActive: z.boolean().nullish() })
export type Webhook = z.infer<typeof webhook>

/** Made under one name, listed under another. */
export const pixKey = z
  .object({ pixKey: text, key: text, type: z.enum(['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'EVP', 'RANDOM']) })
  .transform(({ pixKey, key, type }) => ({ key: pixKey ?? key ?? '', type }))
  .refine(({ key }) => key !== '')
export type PixKey = z.infer<typeof pixKey>
export const keyAnswer = z.union([pixKey, z.object({ pixKey }).transform(answer => answer.pixKey)])

const amount = z.int().positive()
const ourId = z.string().regex(/^[a-zA-Z0-9]{1,35}$/)
const comment = z.string().max(140).optional()

/** "Expires the charge in seconds (minimum is 5 minutes)" (OpenAPI, ChargePayload). */
export const SHORTEST_CHARGE_S = 300
export const newCharge = z.strictObject({
  correlationID: ourId,
  value: amount,
  expiresIn: z.int().min(SHORTEST_CHARGE_S),
  comment,
})
export const newRefund = z.strictObject({
  correlationID: ourId,
  transactionEndToEndId: z.string().min(1),
  value: amount,
})
export const newPayment = z.strictObject({
  type: z.literal('PIX_KEY'),
  correlationID: ourId,
  value: amount,
  destinationAlias: z.string().min(1).max(77),
  destinationAliasType: z.enum(['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM']),
  comment,
  autoApprove: z.literal(true),
})
export const newKey = z.strictObject({
  type: z.enum(['EVP', 'CNPJ', 'EMAIL', 'PHONE']),
  key: z.string().min(1).max(77).optional(),
})
