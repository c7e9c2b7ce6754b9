import { z } from 'zod'
import { cents, instant, text, wholeNumber } from './shapes.ts'

/**
 * A dispute, in a list, by its id, or under its funds recovery, each with some of the fields. Its statuses are those of
 * "Dispute" and `GET /api/v1/dispute/{id}` (OpenAPI), of "Payload de Disputa criada" and of "Como consultar as disputas
 * relacionadas a uma recuperação de fundos (MED)?".
 */
export const dispute = z.object({
  id: text,
  endToEndId: z.string().min(1),
  type: text,
  status: z.enum([
    ...(['IN_REVIEW', 'CREATED', 'OPENED', 'PENDING', 'PENDING_DOCUMENTATION', 'ACKNOWLEDGED'] as const),
    ...(['ACCEPTED', 'REJECTED', 'CANCELED', 'CLOSED'] as const),
  ]),
  value: wholeNumber
    .refine(value => value > 0)
    .nullish()
    .catch(null),
  disputeReason: text,
  situationType: text,
  sentOrReceived: text,
  createdAt: instant.nullish(),
})
export type Dispute = z.infer<typeof dispute>
export const disputeAnswer = z.object({ dispute })

/** The Central Bank's request to give a disputed PIX back, of one leg of its way. */
export const solicitation = z.object({
  bacenRefundId: text,
  endToEndId: text,
  status: text,
  EffectiveRefundedAmount: cents.nullish(),
  refundTransactionId: text,
  refundedAt: instant.nullish(),
  lastModified: instant.nullish(),
})
export type Solicitation = z.infer<typeof solicitation>

/** The report of the infraction behind a dispute, which says how a closed one was decided. */
export const infractionReport = z.object({
  transactionId: z.string().min(1),
  status: text,
  analysisResult: z.enum(['AGREED', 'DISAGREED']).nullish(),
})

/** The items of a list under a funds recovery, which Woovi writes bare; undefined where it is no list. */
export function listUnder(json: unknown, field: string): unknown[] | undefined {
  if (Array.isArray(json)) return json
  const named = (json as Record<string, unknown> | null)?.[field]
  return Array.isArray(named) ? named : undefined
}

export const evidenceAnswer = z.object({ documents: z.array(z.unknown()) })
export const fileAnswer = z.object({ file: z.object({ id: z.string().min(1) }) })

const document = z.strictObject({
  url: z.url().optional(),
  fileId: z.string().min(1).optional(),
  description: z.string(),
  correlationID: z.string().min(1),
})
export const newEvidence = z.strictObject({ documents: z.array(document).min(1) })
