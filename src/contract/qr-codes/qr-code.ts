import { z } from 'zod'
import type { QrCode } from '../../db/entities/qr-code.ts'
import type { ChargeSplit } from '../../domain/charges/split.ts'
import {
  MAX_STATIC_TXID_LENGTH,
  QR_CODE_PAYMENT_POLICIES,
  QR_CODE_STATUSES,
} from '../../domain/qr-codes/qr-code.ts'
import { PAYMENT_STATUSES } from '../../domain/shared/payment-status.ts'
import { chosenProvider, externalRef } from '../charges/charge.ts'
import { MAX_SPLITS, splitBody } from '../charges/split.ts'
import {
  caseInsensitiveEnum,
  dayQueryFields,
  externalRefQuery,
  metadataOf,
  namesQuery,
  pageQueryFields,
  providerQuery,
  providerReference,
  reais,
  reaisOutput,
  requireDaysInOrder,
  rowTimes,
  uuidSchema,
  uuidsQuery,
} from '../shared/fields.ts'

/** QR codes of a merchant (SPEC §2): the body of POST /qr-codes, the list filters and the response. */

const referenceText = z
  .string()
  .regex(
    new RegExp(`^[a-zA-Z0-9]{1,${MAX_STATIC_TXID_LENGTH}}$`),
    `must be 1 to ${MAX_STATIC_TXID_LENGTH} letters and digits`,
  )

const metadata = metadataOf(20)

export const createQrCodeBody = z.strictObject({
  provider_uuid: chosenProvider.optional(),
  value: reais.default(0).meta({
    description: 'Reais that every payer is asked; 0, or absent, where the payer chooses',
    examples: [12.5],
  }),
  reference: referenceText.optional().meta({
    description:
      'The txid of every PIX to the code, one code of a provider account each; where absent, one is made',
  }),
  description: z
    .string()
    .trim()
    .min(1)
    .max(72)
    .refine(text => !/\p{Cc}/u.test(text), 'must be one line, without control characters')
    .optional()
    .meta({
      description:
        'What the payer reads. It shares 99 bytes of the payload with the PIX key, so that a long key leaves less',
    }),
  external_ref: externalRef
    .optional()
    .meta({ description: 'Your reference, which every charge of the code has' }),
  splits: z.array(splitBody).max(MAX_SPLITS).default([]).meta({
    description:
      'Shares of other accounts in each charge of the code; only PERCENTAGE where the payer chooses the value',
  }),
  on_payment: caseInsensitiveEnum(QR_CODE_PAYMENT_POLICIES).default('KEEP').meta({
    description:
      'What becomes of a PIX of another value, or after the code was disabled: KEEP makes it a charge like the others, RETURN sends it back to its payer',
  }),
  metadata: metadata
    .optional()
    .meta({ description: 'Texts of yours, at most 20', examples: [{ counter: '3' }] }),
})
export type CreateQrCodeBody = z.output<typeof createQrCodeBody>

export const qrCodesQuery = z
  .strictObject({
    ...pageQueryFields,
    uuid: uuidsQuery,
    status: namesQuery(QR_CODE_STATUSES, 'In one of these statuses'),
    reference: referenceText.optional().meta({ description: 'With this reference' }),
    external_ref: externalRefQuery,
    provider_uuid: providerQuery,
    ...dayQueryFields,
  })
  .superRefine(requireDaysInOrder)
export type QrCodesQuery = z.output<typeof qrCodesQuery>

export const qrCodePaymentsQuery = z
  .strictObject({
    ...pageQueryFields,
    status: namesQuery(PAYMENT_STATUSES, 'In one of these statuses'),
    ...dayQueryFields,
  })
  .superRefine(requireDaysInOrder)
export type QrCodePaymentsQuery = z.output<typeof qrCodePaymentsQuery>

/** A share of another account in charges to come. */
export const splitTerms = z
  .object({
    type: z.enum(['PERCENTAGE', 'FIXED']),
    value: reaisOutput.meta({ description: 'Percent where PERCENTAGE, reais where FIXED' }),
    recipient_account_uuid: uuidSchema,
  })
  .meta({ id: 'QrCodeSplit' })

/** Presents the shares of other accounts in charges to come. */
export function showSplitTerms(splits: ChargeSplit[]): z.output<typeof splitTerms>[] {
  return splits.map(({ type, amount, recipientAccountUuid }) => ({
    type,
    value: amount,
    recipient_account_uuid: recipientAccountUuid,
  }))
}

export const qrCodeSchema = z
  .object({
    uuid: uuidSchema,
    status: z.enum(QR_CODE_STATUSES),
    payload: z.string().meta({ description: 'The copy-and-paste PIX code, which does not expire' }),
    value: reaisOutput.meta({ description: 'Reais that each charge is of; 0 where the payer chooses' }),
    total_value: reaisOutput.meta({
      description: 'Reais that the payload asks: `value` and `fees`; 0 where the payer chooses',
    }),
    fees: reaisOutput.meta({ description: 'Reais that each payer pays on top of `value`' }),
    reference: z.string().meta({ description: 'The txid of every PIX to the code' }),
    pix_key: z.string(),
    description: z.string().optional(),
    external_ref: z.string().optional(),
    splits: z.array(splitTerms),
    on_payment: z.enum(QR_CODE_PAYMENT_POLICIES),
    metadata: z.record(z.string(), z.string()),
    received: z.object({ count: z.int().min(0), value: reaisOutput }).meta({
      id: 'QrCodeReceived',
      description: 'The charges that were paid to the code, refunded ones too',
    }),
    provider: providerReference,
    ...rowTimes,
  })
  .meta({ id: 'QrCode' })

/** Presents a code as it is now; its connection is loaded. */
export function showQrCode(code: QrCode): z.output<typeof qrCodeSchema> {
  const { uuid, connection, valueCents, feeCents } = code
  const value = valueCents ?? 0
  return {
    uuid,
    status: code.status,
    payload: code.payload,
    value,
    total_value: value + feeCents,
    fees: feeCents,
    reference: code.txid,
    pix_key: code.pixKey,
    ...(code.description && { description: code.description }),
    ...(code.externalRef && { external_ref: code.externalRef }),
    splits: showSplitTerms(code.splits),
    on_payment: code.onPayment,
    metadata: code.metadata,
    received: { count: code.receivedCount, value: code.receivedCents },
    provider: { uuid: connection.uuid, provider: connection.provider },
    created_at: code.createdAt,
    updated_at: code.updatedAt,
  }
}

/** Presents a code as its POST answered when it was created, whatever became of it. */
export function showCreatedQrCode(code: QrCode): z.output<typeof qrCodeSchema> {
  return {
    ...showQrCode(code),
    status: 'ACTIVE',
    received: { count: 0, value: 0 },
    updated_at: code.createdAt,
  }
}
