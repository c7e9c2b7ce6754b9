import { z } from 'zod'
import { wooviCentsSchema, wooviInstantSchema, wooviTextSchema, wooviWholeNumberSchema } from './schemas.ts'

/**
 * A dispute, in a list, by its id, or under its funds recovery, each with some of the fields. Its statuses are those of
 * "Dispute" and `GET /api/v1/dispute/{id}` (OpenAPI), of "Payload de Disputa criada" and of "Como consultar as disputas
 * relacionadas a uma recuperação de fundos (MED)?".
 */
export const wooviDisputeSchema = z.object({
  id: wooviTextSchema,
  endToEndId: z.string().min(1),
  type: wooviTextSchema,
  status: z.enum([
    ...(['IN_REVIEW', 'CREATED', 'OPENED', 'PENDING', 'PENDING_DOCUMENTATION', 'ACKNOWLEDGED'] as const),
    ...(['ACCEPTED', 'REJECTED', 'CANCELED', 'CLOSED'] as const),
  ]),
  value: wooviWholeNumberSchema
    .refine(value => value > 0)
    .nullish()
    .catch(null),
  disputeReason: wooviTextSchema,
  situationType: wooviTextSchema,
  sentOrReceived: wooviTextSchema,
  createdAt: wooviInstantSchema.nullish(),
})
export type WooviDispute = z.infer<typeof wooviDisputeSchema>
export const wooviDisputeResponseSchema = z.object({ dispute: wooviDisputeSchema })

/** The Central Bank's request to give a disputed PIX back, of one leg of its way. */
export const wooviRefundSolicitationSchema = z.object({
  bacenRefundId: wooviTextSchema,
  endToEndId: wooviTextSchema,
  status: wooviTextSchema,
  EffectiveRefundedAmount: wooviCentsSchema.nullish(),
  refundTransactionId: wooviTextSchema,
  refundedAt: wooviInstantSchema.nullish(),
  lastModified: wooviInstantSchema.nullish(),
})
export type WooviRefundSolicitation = z.infer<typeof wooviRefundSolicitationSchema>

/** The report of the infraction behind a dispute, which says how a closed one was decided. */
export const wooviInfractionReportSchema = z.object({
  transactionId: z.string().min(1),
  status: wooviTextSchema,
  analysisResult: z.enum(['AGREED', 'DISAGREED']).nullish(),
})

/** The items of a list under a funds recovery, which Woovi writes bare; undefined where it is no list. */
export function findRecoveryList(json: unknown, field: string): unknown[] | undefined {
  if (Array.isArray(json)) return json
  const named = (json as Record<string, unknown> | null)?.[field]
  return Array.isArray(named) ? named : undefined
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
