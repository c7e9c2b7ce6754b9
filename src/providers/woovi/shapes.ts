import { z } from 'zod'

/** Woovi's wire. What comes in is read leniently (only what we need, the rest may be anything); what goes out is strict. */

export const cents = z.int().min(0)
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
export const charge = z
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
    expiresIn: z.coerce.number().positive().nullish(),
    paymentMethods: z.object({ pix: z.object({ txId: text }).nullish() }).nullish(),
  })
  .refine(({ status, brCode }) => status !== 'ACTIVE' || Boolean(brCode))
  .refine(({ expiresDate, createdAt, expiresIn }) => expiresDate || (createdAt && expiresIn))
export type Charge = z.infer<typeof charge>
export const chargeAnswer = z.object({ charge })
export const deletion = z.object({ status: z.literal('OK') })

/** A return as its PIX lists it. */
const returned = z.object({
  endToEndId: text,
  returnIdentification: text,
  value: cents,
  status: text,
  time: instant.nullish(),
})
export type Returned = z.infer<typeof returned>

/** Money that moved on the rail, either way; Woovi writes its id in two ways. */
export const transaction = z
  .object({
    endToEndId: text,
    endToEndID: text,
    value: cents,
    time: instant,
    type: text,
    status: text,
    transactionID: text,
    globalID: text,
    payer: person,
    debitParty: side,
    creditParty: side,
    charge: z.object({ correlationID: text, pixKey: text }).nullish(),
    refunds: z.array(returned).nullish(),
  })
  .transform(({ endToEndID, ...rest }) => ({ ...rest, endToEndId: rest.endToEndId || endToEndID || '' }))
export type Transaction = z.infer<typeof transaction>
export const transactionAnswer = z.object({ transaction })

export const refund = z.object({
  correlationID: z.string().min(1),
  value: cents,
  status: z.enum(['IN_PROCESSING', 'CONFIRMED', 'REFUNDED', 'REJECTED', 'NOT_ACCOMPLISHED']),
  returnIdentification: text,
  endToEndId: text,
  time: instant.nullish(),
  providerRejectedReason: text,
})
export type Refund = z.infer<typeof refund>
/** Created under one name, found under another. */
export const refundAnswer = z.union([
  z.object({ refund }),
  z.object({ pixTransactionRefund: refund }).transform(it => ({ refund: it.pixTransactionRefund })),
])

/** A payment of ours: the order, and, once there are any, its movement and its recipient. */
export const payment = z.object({
  payment: z.object({
    correlationID: z.string().min(1),
    value: cents,
    status: z.enum([
      ...(['CREATED', 'APPROVED', 'PROCESSING', 'IN_PROCESSING'] as const),
      ...(['CONFIRMED', 'FAILED', 'REJECTED', 'DENIED'] as const),
    ]),
    destinationAlias: text,
  }),
  transaction: z
    .object({ endToEndId: text, time: instant.nullish(), providerRejectedReason: text })
    .nullish(),
  destination: z
    .object({ name: text, taxID, bank: text, bankName: text, ispb: text, branch: text, account: text })
    .nullish(),
  error: z.object({ code: text, description: text }).nullish(),
})
export type Payment = z.infer<typeof payment>

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

export const webhooks = z.object({
  webhooks: z.array(z.object({ event: text, url: text, isActive: z.boolean().nullish() })),
})

/** Made under one name, listed under another. */
export const pixKey = z
  .object({ pixKey: text, key: text, type: z.enum(['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'EVP', 'RANDOM']) })
  .transform(({ pixKey, key, type }) => ({ key: pixKey ?? key ?? '', type }))
  .refine(({ key }) => key !== '')
export type PixKey = z.infer<typeof pixKey>
export const keyAnswer = z.union([z.object({ pixKey }), pixKey.transform(one => ({ pixKey: one }))])

const amount = z.int().positive()
const ourId = z.string().regex(/^[a-zA-Z0-9]{1,35}$/)
const comment = z.string().max(140).optional()

export const newCharge = z.strictObject({ correlationID: ourId, value: amount, expiresIn: amount, comment })
export const newRefund = z.strictObject({
  correlationID: ourId,
  transactionEndToEndId: z.string().min(1),
  value: amount,
})
export const newPayment = z.strictObject({
  correlationID: ourId,
  value: amount,
  destinationAlias: z.string().min(1).max(77),
  destinationAliasType: z.enum(['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM']),
  comment,
  autoApprove: z.literal(true),
})
export const newKey = z.strictObject({
  type: z.enum(['EVP', 'CNPJ', 'EMAIL', 'PHONE']),
  pixKey: z.string().min(1).max(77).optional(),
})
