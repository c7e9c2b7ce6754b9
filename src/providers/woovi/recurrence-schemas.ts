import { z } from 'zod'
import { optionalField, optionalText } from '../adapter/fields.ts'
import {
  wooviAmountSchema,
  wooviCentsSchema,
  wooviCorrelationIdSchema,
  wooviCustomerSchema,
} from './schemas.ts'

/** Frequencies of Pix Automático (OpenAPI, SubscriptionPayload): BIMONTHLY is of other subscriptions. */
const frequencySchema = z.enum(['WEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUALLY', 'ANNUALLY'])
export type WooviFrequency = z.infer<typeof frequencySchema>

/** "Deve ter menos de 30 caracteres" ("Como criar um Pix Automático?"). */
export const MAX_WOOVI_COMMENT_LENGTH = 29

/** "Days that the charge will take to expire": those of the retries. Its least is 3. */
export const WOOVI_DAYS_DUE = { NOT_ALLOWED: 3, THREE_IN_SEVEN_DAYS: 7 } as const

export const wooviSubscriptionRequestSchema = z.strictObject({
  type: z.literal('PIX_RECURRING'),
  correlationID: wooviCorrelationIdSchema,
  value: wooviAmountSchema,
  name: z.string().min(1).optional(),
  comment: z.string().min(1).max(MAX_WOOVI_COMMENT_LENGTH).optional(),
  customer: wooviCustomerSchema,
  frequency: frequencySchema,
  dayGenerateCharge: z.iso.datetime(),
  dayDue: z.union([z.literal(WOOVI_DAYS_DUE.NOT_ALLOWED), z.literal(WOOVI_DAYS_DUE.THREE_IN_SEVEN_DAYS)]),
  installmentCount: z.int().min(1).optional(),
  pixRecurringOptions: z.strictObject({
    journey: z.literal('ONLY_RECURRENCY'),
    retryPolicy: z.enum(['NON_PERMITED', 'THREE_RETRIES_7_DAYS']),
  }),
})

/**
 * A subscription of Pix Automático. The OpenAPI document has its code and status in `pixRecurringOptions`; its own example, and the pages,
 * have them in `pixRecurring`, with the rail's id.
 */
const subscriptionSchema = z.object({
  globalID: z.string().min(1),
  correlationID: z.string().min(1),
  value: wooviCentsSchema,
  /** INACTIVE is of "Máquina de Estados do Pix Automático". */
  status: optionalField(z.enum(['ACTIVE', 'COMPLETED', 'EXPIRED', 'INACTIVE'])),
  pixRecurring: z.object({
    recurrencyId: z.string().min(1),
    emv: optionalText,
    status: z.enum(['CREATED', 'APPROVED', 'REJECTED', 'CANCELED', 'EXPIRED']),
  }),
})
export type WooviSubscription = z.infer<typeof subscriptionSchema>
export const wooviSubscriptionResponseSchema = z.object({ subscription: subscriptionSchema })

/** A try, "CobRTry". Its kind is the rail's purpose of the instruction. */
const trySchema = z.object({
  tryStatus: z.enum(['REQUESTED', 'SCHEDULED', 'PAID', 'REJECTED', 'CANCELED', 'EXPIRED']),
  finalityPurpose: z.enum(['AGND', 'NTAG', 'RIFL']),
  requestedExecutionDate: z.iso.datetime({ offset: true }),
  rejectCode: optionalText,
})
export type WooviTry = z.infer<typeof trySchema>

/** A debit, "CobR". A paid one is CONCLUDED on one page and COMPLETED on another. */
const cobrSchema = z.object({
  identifierId: z.string().min(1),
  status: z.enum(['CREATED', 'ACTIVE', 'FAILED_TRY', 'CONCLUDED', 'COMPLETED', 'REJECTED', 'CANCELED']),
  value: optionalField(wooviCentsSchema),
  endToEndId: optionalText,
  rejectCode: optionalText,
  /** Absent where one of them is unreadable, because it may be one that is pending. */
  tries: optionalField(z.array(trySchema)),
})
export type WooviCobr = z.infer<typeof cobrSchema>

/** An installment of a subscription: one cycle, whose debit Woovi makes four days before `dateGenerateCharge`. */
export const wooviInstallmentSchema = z.object({
  globalID: z.string().min(1),
  dateGenerateCharge: z.iso.datetime({ offset: true }),
  value: wooviCentsSchema,
  status: optionalText,
  cobr: cobrSchema.nullish(),
})
export type WooviInstallment = z.infer<typeof wooviInstallmentSchema>
