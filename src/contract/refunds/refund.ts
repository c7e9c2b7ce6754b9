import { z } from 'zod'
import type { Movement } from '../../db/entities/movement.ts'
import type { Refund } from '../../db/entities/refund.ts'
import type { ReadCharge } from '../../db/repositories/charges.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { refundMachine } from '../../domain/refunds/refund.ts'
import { PAYMENT_STATUSES } from '../../domain/shared/payment-status.ts'
import { movementSchema, showMovement } from '../ledger/movement.ts'
import {
  pageQueryFields,
  positiveReais,
  providerReference,
  reaisOutput,
  rowTimes,
  statusChangeSchema,
  uuidSchema,
} from '../shared/fields.ts'

/** Refunds (api-document.txt, Refund result): the response of POST, GET and REFUND events. */

export const createRefundBody = z.strictObject({
  value: positiveReais
    .optional()
    .meta({ description: 'Reais; what is still refundable where absent', examples: [50.25] }),
})

export const refundsQuery = z.strictObject(pageQueryFields)

/** One refund of a charge, with the movement that paid the charge and the movement that pays it back. */
const refundPartSchema = z
  .object({
    uuid: uuidSchema,
    status: z.enum(['PROCESSING', 'COMPLETED', 'FAILED']),
    value: reaisOutput,
    fees: reaisOutput,
    pix_original: movementSchema,
    pix_refund: movementSchema,
    error: z
      .object({ code: z.string(), message: z.string(), provider_code: z.string().optional() })
      .meta({ id: 'RefundError' })
      .optional(),
    ...rowTimes,
  })
  .meta({ id: 'Refund' })

export const refundSchema = z
  .object({
    uuid: uuidSchema.meta({ description: 'The charge' }),
    status: z.enum(PAYMENT_STATUSES),
    value: reaisOutput,
    fees: reaisOutput,
    refund: refundPartSchema,
    history: z.array(statusChangeSchema),
    provider: providerReference,
    ...rowTimes,
  })
  .meta({ id: 'RefundResult' })

export const acceptedRefundResponse = z.object({ message: z.string(), data: refundSchema })

/** Presents the current refund, as GET shows it. The caller has loaded both movements. */
export function showRefund(refund: Refund, charge: ReadCharge): z.output<typeof refundSchema> {
  return {
    uuid: charge.uuid,
    status: chargeMachine.statusOf(charge.state),
    value: charge.valueCents,
    fees: charge.feeCents,
    refund: {
      uuid: refund.uuid,
      status: refundMachine.statusOf(refund.state),
      value: refund.valueCents,
      fees: refund.feeCents,
      pix_original: showMovement(charge.movement as Movement),
      pix_refund: showMovement(refund.movement as Movement),
      ...(refund.failure && { error: refund.failure }),
      created_at: refund.createdAt,
      updated_at: refund.updatedAt,
    },
    history: charge.history,
    provider: { uuid: charge.connection.uuid, provider: charge.connection.provider },
    created_at: charge.createdAt,
    updated_at: charge.updatedAt,
  }
}

/** Presents the refund as its POST accepted it, whatever its current state is (SPEC §3). */
export function showAcceptedRefund(refund: Refund, charge: ReadCharge): z.output<typeof refundSchema> {
  const current = showRefund(refund, charge)
  const { error: _, pix_refund, ...part } = current.refund
  return {
    ...current,
    status: 'PROCESSING',
    history: charge.history.filter(entry => new Date(entry.created_at) <= refund.createdAt),
    updated_at: refund.createdAt,
    refund: {
      ...part,
      status: 'PROCESSING',
      updated_at: refund.createdAt,
      pix_refund: {
        ...pix_refund,
        initiation: { ...pix_refund.initiation, status: 'PENDING', updated_at: pix_refund.created_at },
        status: 'PENDING',
        end_to_end: '',
        settled_at: null,
        updated_at: pix_refund.created_at,
      },
    },
  }
}
