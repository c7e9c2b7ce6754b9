import { z } from 'zod'
import type { SimulatedResponse } from '../../provider-calls.ts'
import * as errors from './errors.ts'

// Request schemas of Woovi's API; amounts are whole centavos.

const cents = z.number().int().min(1)
const correlationID = z.string().min(1).max(255)
const comment = z.string().max(140).optional()

const addressText = z.string().min(1).optional()
/** The customer of a charge (OpenAPI, CustomerPayload): "at least one of name + taxID or name + email or name + phone". */
const customer = z
  .object({
    name: z.string().min(1),
    taxID: z.string().min(1).optional(),
    email: z.string().min(1).optional(),
    phone: z.string().min(1).optional(),
    address: z
      .object({
        zipcode: addressText,
        street: addressText,
        number: addressText,
        neighborhood: addressText,
        city: addressText,
        state: addressText,
        complement: addressText,
        country: addressText,
      })
      .optional(),
  })
  .refine(({ taxID, email, phone }) => taxID ?? email ?? phone, 'taxID, email or phone')

const requiredText = z.string().min(1)
/**
 * A subscription of Pix Automático, `SubscriptionPayload` (OpenAPI) and "Como criar um Pix Automático?", by the journey ONLY_RECURRENCY. The
 * code of PAYMENT_ON_APPROVAL also pays the first debit, which is not simulated.
 */
export const wooviSubscriptionBody = z.object({
  type: z.literal('PIX_RECURRING'),
  correlationID,
  value: cents,
  name: requiredText.optional(),
  /** "Deve ter menos de 30 caracteres". */
  comment: z.string().max(29).optional(),
  /** "É obrigatório o envio do endereço do cliente". */
  customer: z.object({
    name: requiredText,
    taxID: z.string().regex(/^(\d{11}|[0-9A-Z]{12}\d{2})$/),
    email: addressText,
    phone: addressText,
    address: z.object({
      zipcode: requiredText,
      street: requiredText,
      number: addressText,
      neighborhood: addressText,
      city: requiredText,
      state: requiredText,
      complement: addressText,
      country: addressText,
    }),
  }),
  dayGenerateCharge: z.union([z.number().int().min(1).max(31), z.iso.datetime({ offset: true })]).default(5),
  frequency: z.enum(['WEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUALLY', 'ANNUALLY']).default('MONTHLY'),
  dayDue: z.number().int().min(3).default(7),
  installmentCount: z.number().int().min(1).optional(),
  additionalInfo: z.array(z.object({ key: z.string(), value: z.string() })).default([]),
  pixRecurringOptions: z.object({
    journey: z.literal('ONLY_RECURRENCY'),
    retryPolicy: z.enum(['NON_PERMITED', 'THREE_RETRIES_7_DAYS']),
    minimumValue: cents.optional(),
  }),
})
export type SubscriptionBody = z.infer<typeof wooviSubscriptionBody>

/** The debit of an installment that is ordered by hand; `value`: another amount than the subscription's. */
export const debitBody = z.object({ value: cents.optional() })

/** Centavos or basis points. */
const termValue = z.number().int().min(0)
const termType = z.enum(['FIXED', 'PERCENTAGE']).optional()

export const chargeBody = z.object({
  correlationID,
  value: cents,
  comment,
  /** "Expires the charge in seconds (minimum is 5 minutes)". */
  expiresIn: z.number().int().min(300).max(2_147_483_647).default(86_400),
  /** "Additional info of the charge". */
  additionalInfo: z.array(z.object({ key: z.string(), value: z.string() })).default([]),
  customer: customer.optional(),
  /** "true to ensure that the payer taxID must be the same as the customer taxID." */
  ensureSameTaxID: z.boolean().default(false),
  type: z.enum(['DYNAMIC', 'OVERDUE']).default('DYNAMIC'),
  /** The rest is "only considered for charges of type OVERDUE". */
  dueDate: z.union([z.iso.datetime({ offset: true }), z.iso.date()]).optional(),
  daysForDueDate: z.number().int().min(0).max(3_650).optional(),
  daysAfterDueDate: z.number().int().min(0).max(3_650).optional(),
  interests: z.object({ value: termValue, type: termType }).optional(),
  fines: z.object({ value: termValue, type: termType }).optional(),
  discountSettings: z
    .union([
      z.object({
        modality: z.enum(['FIXED_VALUE_UNTIL_SPECIFIED_DATE', 'PERCENTAGE_UNTIL_SPECIFIED_DATE']),
        discountFixedDate: z
          .array(z.object({ daysActive: z.number().int().min(1), value: termValue }))
          .min(1),
      }),
      z.object({
        modality: z.enum([
          'VALUE_PER_RUNNING_DAY_ADVANCE',
          'VALUE_PER_BUSINESS_DAY_ADVANCE',
          'PERCENTAGE_PER_RUNNING_DAY_ADVANCE',
          'PERCENTAGE_PER_BUSINESS_DAY_ADVANCE',
        ]),
        value: z.number().int().min(1),
      }),
    ])
    .optional(),
})
export type ChargeBody = z.infer<typeof chargeBody>

/**
 * A new static code, `PixQrCodePayload` (OpenAPI); `identifier` as in "Como usar a API para criar um QRCode
 * Estático".
 */
export const staticCodeBody = z.object({
  name: z.string().min(1).max(255),
  correlationID: correlationID.optional(),
  identifier: z
    .string()
    .regex(/^[a-zA-Z0-9]{1,25}$/)
    .optional(),
  value: cents.optional(),
  comment,
  pixKey: z.string().min(1).max(77).optional(),
})

export const wooviRefundBody = z.object({
  correlationID,
  transactionEndToEndId: z.string().min(1),
  value: cents,
  comment,
})
export const chargeRefundBody = z.object({ correlationID, value: cents.optional(), comment })

const paymentFields = {
  correlationID,
  value: cents,
  sourceAccountId: z.string().min(1).optional(),
  /** "the end to end id of the pix key used for track pix key consultations" (OpenAPI). */
  pixKeyEndToEndId: z.string().min(1).optional(),
  comment,
  autoApprove: z.boolean().default(false),
}
/** A payment of a key, of a code or to an account, `PaymentCreatePayload` (OpenAPI). */
export const paymentBody = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('PIX_KEY'),
    destinationAlias: z.string().min(1).max(77),
    destinationAliasType: z.enum(['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM']),
    ...paymentFields,
  }),
  z.object({
    type: z.literal('QR_CODE'),
    qrCode: z.string().min(1),
    ...paymentFields,
    value: cents.optional(),
  }),
  z.object({
    type: z.literal('MANUAL'),
    psp: z.string().regex(/^[0-9A-Z]{8}$/),
    holder: z.object({
      name: z.string().min(1).max(140),
      taxID: z.object({ type: z.enum(['BR:CPF', 'BR:CNPJ']), taxID: z.string().regex(/^[0-9A-Z]{11,14}$/) }),
    }),
    account: z.object({
      account: z.string().regex(/^[0-9]{1,20}$/),
      branch: z.string().regex(/^[0-9]{1,4}$/),
      accountType: z.enum(['CACC', 'SLRY', 'SVGS', 'TRAN']),
    }),
    ...paymentFields,
  }),
])
export const approvalBody = z.object({ correlationID })

/** A new key; Woovi's API does not create CPF keys ("Chaves Pix das contas"). */
export const keyBody = z.object({
  type: z.enum(['EVP', 'CNPJ', 'EMAIL', 'PHONE']),
  key: z.string().min(1).max(77).optional(),
})

/** FundsRecoveryPayload (OpenAPI). */
export const recoveryBody = z.object({
  transactionEndToEndId: z.string().min(1),
  situationType: z.enum(['SCAM', 'ACCOUNT_TAKEOVER', 'COERCION', 'FRAUDULENT_ACCESS', 'OTHER', 'UNKNOWN']),
  details: z.string().min(1),
})

/** Evidence; each document has either a URL or an uploaded file. */
export const evidenceBody = z.object({
  documents: z
    .array(
      z
        .object({
          url: z.url({ protocol: /^https?$/ }).optional(),
          fileId: z.string().min(1).optional(),
          description: z.string().default(''),
          correlationID: z.string().min(1).optional(),
        })
        .refine(({ url, fileId }) => !url !== !fileId, 'url or fileId'),
    )
    .min(1),
})
export const uploadBody = z.object({
  purpose: z.literal('DISPUTE_EVIDENCE'),
  correlationID: z.string().min(1).max(255).optional(),
  file: z.object({ name: z.string(), contentType: z.string(), bytes: z.instanceof(Buffer) }),
})

/** Events of the official SDK that may be registered; the simulator never sends the first three. */
const WEBHOOK_EVENTS = [
  'OPENPIX:CHARGE_CREATED',
  'OPENPIX:CHARGE_EXPIRED',
  'OPENPIX:TRANSACTION_REFUND_RECEIVED',
  'OPENPIX:CHARGE_COMPLETED',
  'OPENPIX:CHARGE_COMPLETED_NOT_SAME_CUSTOMER_PAYER',
  'OPENPIX:TRANSACTION_RECEIVED',
  'OPENPIX:MOVEMENT_CONFIRMED',
  'OPENPIX:MOVEMENT_FAILED',
  'OPENPIX:MOVEMENT_REMOVED',
  'PIX_TRANSACTION_REFUND_SENT_CONFIRMED',
  'PIX_TRANSACTION_REFUND_SENT_REJECTED',
  'PIX_TRANSACTION_REFUND_RECEIVED_CONFIRMED',
  'OPENPIX:DISPUTE_CREATED',
  'OPENPIX:DISPUTE_ACCEPTED',
  'OPENPIX:DISPUTE_REJECTED',
  'OPENPIX:DISPUTE_CANCELED',
  'PIX_AUTOMATIC_APPROVED',
  'PIX_AUTOMATIC_REJECTED',
  'PIX_AUTOMATIC_COBR_CREATED',
  'PIX_AUTOMATIC_COBR_APPROVED',
  'PIX_AUTOMATIC_COBR_REJECTED',
  'PIX_AUTOMATIC_COBR_COMPLETED',
  'PIX_AUTOMATIC_COBR_TRY_REJECTED',
  'PIX_AUTOMATIC_COBR_TRY_REQUESTED',
] as const
export type WooviWebhookEvent = (typeof WEBHOOK_EVENTS)[number]

export const wooviWebhookBody = z.object({
  webhook: z.object({
    name: z.string().min(1).max(255),
    event: z.enum(WEBHOOK_EVENTS).default('OPENPIX:TRANSACTION_RECEIVED'),
    url: z.string().min(1).max(1000),
    authorization: z.string().nullish(),
    isActive: z.boolean().default(true),
  }),
})

const time = z.iso.datetime({ offset: true })
export const wooviPageQuery = z.object({
  start: time.default('1970-01-01T00:00:00.000Z'),
  end: time.default('9999-12-31T23:59:59.999Z'),
  skip: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(100).default(100),
})

/** Parses a body by its schema, or builds Woovi's refusal of it. */
export function parseWooviBody<T extends z.ZodType>(
  schema: T,
  body: unknown,
): { value: z.infer<T> } | { refusal: SimulatedResponse } {
  const result = schema.safeParse(body)
  if (result.success) return { value: result.data }
  const messages = result.error.issues.map(issue => `${issue.path.join('.') || 'body'}: ${issue.message}`)
  return { refusal: errors.wooviInvalidFields(messages) }
}
