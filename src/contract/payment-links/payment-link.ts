import { z } from 'zod'
import type { PaymentLink } from '../../db/entities/payment-link.ts'
import type { LinkPlaces } from '../../db/repositories/payment-links.ts'
import { createChargeBody, externalRef } from '../charges/charge.ts'
import { payerMessage } from '../charges/due.ts'
import { MAX_SPLITS, splitBody } from '../charges/split.ts'
import { showSplitTerms, splitTerms } from '../qr-codes/qr-code.ts'
import {
  addFieldIssue,
  dayQueryFields,
  externalRefQuery,
  instantSchema,
  pageQueryFields,
  positiveReais,
  RUN_DESPITE_OTHER_ISSUES,
  reaisOutput,
  requireDaysInOrder,
  uuidQuery,
  uuidSchema,
  uuidsQuery,
} from '../shared/fields.ts'

/** Payment links (SPEC §9): the body of POST /payment-links, the list filters and the response. */

/** Most charges of one link that are paid or can be paid at one time. */
const MAX_LINK_PAYMENTS = 10_000

const { provider_uuid, expires_in, metadata } = createChargeBody.shape

/** Fields of the charges that a link creates; a link of a charge has none of them. */
const termFields = {
  value: positiveReais.optional().meta({ description: 'Reais that each payer is asked', examples: [50] }),
  external_ref: externalRef
    .optional()
    .meta({ description: 'Your reference, which every charge of the link has' }),
  provider_uuid,
  splits: z
    .array(splitBody)
    .max(MAX_SPLITS)
    .optional()
    .meta({ description: 'Shares of other accounts in each charge of the link' }),
  expires_in,
  metadata,
  max_payments: z.int().min(1).max(MAX_LINK_PAYMENTS).optional().meta({
    default: 1,
    description:
      'Most charges of the link that are paid or can be paid at one time, by default 1. One that expires, fails or is cancelled unpaid frees its place',
  }),
  expires_at: z.iso
    .datetime({ offset: true })
    .transform(text => new Date(text))
    .optional()
    .meta({
      description:
        'Until then payers may ask for a code: ISO 8601 with offset, in the future, at most 366 days ahead. Without it the link works until it is revoked',
    }),
}

export const createPaymentLinkBody = z
  .strictObject({
    charge_uuid: uuidSchema.optional().meta({
      description:
        'The charge that the link shows; a charge has one link that works. Without it the link creates charges of `value`',
    }),
    message: payerMessage
      .optional()
      .meta({ description: 'Text that the payer reads on the page, and that each charge of the link has' }),
    ...termFields,
  })
  .superRefine((body, context) => {
    const { charge_uuid, value } = Object(body)
    if ((charge_uuid === undefined) === (value === undefined))
      addFieldIssue(context, 'value', 'must be sent, or charge_uuid, and not both')
    if (charge_uuid === undefined) return
    for (const field of Object.keys(termFields))
      if (field !== 'value' && Object(body)[field] !== undefined)
        addFieldIssue(context, field, 'is not for the link of a charge')
  }, RUN_DESPITE_OTHER_ISSUES)
export type CreatePaymentLinkBody = z.output<typeof createPaymentLinkBody>

export const paymentLinksQuery = z
  .strictObject({
    ...pageQueryFields,
    uuid: uuidsQuery,
    charge_uuid: uuidQuery('Of this charge'),
    external_ref: externalRefQuery,
    ...dayQueryFields,
  })
  .superRefine(requireDaysInOrder)
export type PaymentLinksQuery = z.output<typeof paymentLinksQuery>

const LINK_STATUSES = ['ACTIVE', 'FULL', 'EXPIRED', 'REVOKED'] as const
export type PaymentLinkStatus = (typeof LINK_STATUSES)[number]

export const paymentLinkSchema = z
  .object({
    uuid: uuidSchema,
    status: z.enum(LINK_STATUSES).meta({
      description:
        'FULL: every place is taken, by charges that are paid or can be paid; ACTIVE again once one of them ends unpaid',
    }),
    url: z.string().meta({ format: 'uri', description: 'The page of the payer, which needs no token' }),
    charge_uuid: uuidSchema.optional().meta({ description: 'Only of a link that shows one charge' }),
    message: z.string().optional(),
    value: reaisOutput
      .optional()
      .meta({ description: 'Only of a link that creates charges, as are the fields below' }),
    external_ref: z.string().optional(),
    provider_uuid: uuidSchema.optional(),
    splits: z.array(splitTerms).optional(),
    expires_in: z.int().optional().meta({ description: 'Seconds until a charge of the link expires' }),
    metadata: z.record(z.string(), z.string()).optional(),
    max_payments: z.int().optional(),
    payments: z
      .object({
        paid: z.int().min(0).meta({ description: 'Charges that were paid, refunded ones too' }),
        open: z.int().min(0).meta({ description: 'Charges that can be paid, or are being created' }),
      })
      .meta({ id: 'PaymentLinkPlaces' })
      .optional()
      .meta({ description: 'What takes the places. `GET /payments?payment_link_uuid=` lists the charges' }),
    expires_at: instantSchema.optional(),
    created_at: instantSchema,
    revoked_at: instantSchema.optional(),
  })
  .meta({ id: 'PaymentLink' })

type PaymentLinkFacts = { url: string; places: LinkPlaces }

/** Presents a link as it is now. */
export function showPaymentLink(
  link: PaymentLink,
  { url, places }: PaymentLinkFacts,
): z.output<typeof paymentLinkSchema> {
  const { uuid, chargeUuid, note, connectionUuid, expiresAt, revokedAt } = link
  return {
    uuid,
    status: computeLinkStatus(link, places),
    url,
    ...(chargeUuid && { charge_uuid: chargeUuid }),
    ...(note && { message: note }),
    ...(!chargeUuid && {
      value: link.valueCents!,
      ...(link.externalRef && { external_ref: link.externalRef }),
      ...(connectionUuid && { provider_uuid: connectionUuid }),
      splits: showSplitTerms(link.splits),
      expires_in: link.expiresInSeconds!,
      metadata: link.metadata,
      max_payments: link.maxPayments!,
      payments: places,
    }),
    ...(expiresAt && { expires_at: expiresAt }),
    created_at: link.createdAt,
    ...(revokedAt && { revoked_at: revokedAt }),
  }
}

/** Presents a link as its POST answered when it was created, whatever became of it. */
export function showCreatedPaymentLink(link: PaymentLink, url: string): z.output<typeof paymentLinkSchema> {
  const { revoked_at: _, ...shown } = showPaymentLink(link, { url, places: { paid: 0, open: 0 } })
  return { ...shown, status: 'ACTIVE' }
}

/** Computes whether a link still creates charges, or shows the one that it has. */
export function computeLinkStatus(
  { revokedAt, expiresAt, maxPayments }: PaymentLink,
  { paid, open }: LinkPlaces,
): PaymentLinkStatus {
  if (revokedAt) return 'REVOKED'
  if (expiresAt && expiresAt <= new Date()) return 'EXPIRED'
  return maxPayments != null && paid + open >= maxPayments ? 'FULL' : 'ACTIVE'
}
