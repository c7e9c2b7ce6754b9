import { z } from 'zod'
import { RECOVERY_STAGES } from '../../domain/disputes/provider-dispute.ts'
import { optionalField, optionalInstant, optionalText, requiredInstant } from '../adapter/fields.ts'
import { wooviCentsSchema, wooviIdSchema, wooviWholeNumberSchema } from './schemas.ts'

/**
 * A dispute in a list, by its id, or under its funds recovery; each has some of the fields, and one of its ids. The statuses are those of
 * "Dispute" and `GET /api/v1/dispute/{id}` (OpenAPI), of "Payload de Disputa criada" and of "Como consultar as disputas
 * relacionadas a uma recuperação de fundos (MED)?".
 */
export const wooviDisputeSchema = z
  .object({
    id: optionalText,
    endToEndId: optionalText,
    type: optionalText,
    status: z.enum([
      'IN_REVIEW',
      'CREATED',
      'OPENED',
      'PENDING',
      'PENDING_DOCUMENTATION',
      'ACKNOWLEDGED',
      'ACCEPTED',
      'REJECTED',
      'CANCELED',
      'CLOSED',
    ]),
    value: optionalField(wooviWholeNumberSchema.refine(value => value > 0)),
    disputeReason: optionalText,
    situationType: optionalText,
    sentOrReceived: optionalText,
    createdAt: optionalInstant,
  })
  .refine(({ id, endToEndId }) => id || endToEndId)
export type WooviDispute = z.infer<typeof wooviDisputeSchema>
export const wooviDisputeResponseSchema = z.object({ dispute: wooviDisputeSchema })

/** The Central Bank's request to one account to return what it received of a disputed PIX. */
export const wooviRefundSolicitationSchema = z.object({
  endToEndId: wooviIdSchema,
  status: optionalText,
  EffectiveRefundedAmount: wooviCentsSchema.nullish(),
  refundTransactionId: optionalText,
  refundedAt: optionalInstant,
  lastModified: optionalInstant,
})
export type WooviRefundSolicitation = z.infer<typeof wooviRefundSolicitationSchema>

/** A funds recovery (OpenAPI, FundsRecovery). */
export const wooviRecoverySchema = z.object({
  dictId: z.string().min(1),
  rootTransactionId: z.string().min(1),
  status: z.enum(RECOVERY_STAGES),
  direction: optionalText,
  situationType: optionalText,
  creationTime: optionalInstant,
  createdAt: optionalInstant,
  events: optionalField(z.array(z.object({ event: z.string(), timestamp: requiredInstant }))),
})
export type WooviRecovery = z.infer<typeof wooviRecoverySchema>

/** OpenAPI, FundsRecoveryPayload. */
export const wooviRecoveryRequestSchema = z.strictObject({
  transactionEndToEndId: z.string().min(1),
  situationType: z.enum(['SCAM', 'ACCOUNT_TAKEOVER', 'COERCION', 'FRAUDULENT_ACCESS', 'OTHER']),
  details: z.string().min(1),
})

/** The infraction report of a dispute, which contains the decision of a closed one. */
export const wooviInfractionReportSchema = z.object({
  transactionId: z.string().min(1),
  status: optionalText,
  analysisResult: z.enum(['AGREED', 'DISAGREED']).nullish(),
})

/** Gets the items of a list under a funds recovery, with or without an envelope; undefined if there is no list. */
export function findRecoveryList(json: unknown, field: string): unknown[] | undefined {
  if (Array.isArray(json)) return json
  const list = (json as Record<string, unknown> | null)?.[field]
  return Array.isArray(list) ? list : undefined
}

export const wooviEvidenceResponseSchema = z.object({ documents: z.array(z.unknown()) })
export const wooviFileResponseSchema = z.object({ file: z.object({ id: z.string().min(1) }) })

const evidenceDocumentSchema = z.strictObject({
  url: z.url().optional(),
  fileId: z.string().min(1).optional(),
  description: z.string(),
  correlationID: z.string().min(1),
})
export const wooviEvidenceRequestSchema = z.strictObject({
  documents: z.array(evidenceDocumentSchema).min(1),
})
