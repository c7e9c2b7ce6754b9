import { z } from 'zod'
import { cents, instant, text } from './shapes.ts'

/** A dispute, in a list, by its id, or under its funds recovery, each with some of the fields. */
export const dispute = z.object({
  id: text,
  endToEndId: z.string().min(1),
  type: text,
  status: z.enum(['IN_REVIEW', 'CREATED', 'OPENED', 'ACCEPTED', 'REJECTED', 'CANCELED', 'CANCELLED']),
  value: z.coerce.number().int().positive().nullish().catch(null),
  disputeReason: text,
  situationType: text,
  sentOrReceived: text,
  createdAt: instant.nullish(),
})
export type Dispute = z.infer<typeof dispute>
export const disputeAnswer = z.object({ dispute })
export const recoveryDisputes = z.union([
  z.array(dispute),
  z.object({ disputes: z.array(dispute) }).transform(it => it.disputes),
  dispute.transform(one => [one]),
])

/** The Central Bank's request to give a disputed PIX back, of one leg of its way. */
const solicitation = z.object({
  bacenRefundId: text,
  endToEndId: text,
  status: text,
  EffectiveRefundedAmount: cents.nullish(),
  refundTransactionId: text,
  refundedAt: instant.nullish(),
  lastModified: instant.nullish(),
})
export type Solicitation = z.infer<typeof solicitation>
export const solicitations = z.union([
  z.array(solicitation),
  z.object({ refundSolicitations: z.array(solicitation) }).transform(it => it.refundSolicitations),
])
export const evidenceAnswer = z.object({ documents: z.array(z.unknown()) })
export const fileAnswer = z.object({ file: z.object({ id: z.string().min(1) }) })

const document = z.strictObject({
  url: z.url().optional(),
  fileId: z.string().min(1).optional(),
  description: z.string(),
  correlationID: z.string().min(1),
})
export const newEvidence = z.strictObject({ documents: z.array(document).min(1) })
