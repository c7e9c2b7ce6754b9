import { z } from 'zod'
import type { Movement } from '../../db/entities/movement.ts'
import type { Refund } from '../../db/entities/refund.ts'
import type { OperationFailure } from '../../db/entities/transfer.ts'
import type { ReadCharge } from '../../db/repositories/charges.ts'
import type { ReadRefund } from '../../db/repositories/refunds.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { REFUND_STATUSES, refundMachine } from '../../domain/refunds/refund.ts'
import { PAYMENT_STATUSES } from '../../domain/shared/payment-status.ts'
import { type MovementCarrier, movementSchema, showMovement } from '../ledger/movement.ts'
import { limitFailureFields, showExceededLimit } from '../limits/limit-failure.ts'
import {
  dayQueryFields,
  endToEndQuery,
  failureFields,
  namesQuery,
  pageQueryFields,
  positiveReais,
  providerQuery,
  providerReference,
  reaisOutput,
  requireDaysInOrder,
  rowTimes,
  statusChangeSchema,
  uuidQuery,
  uuidSchema,
  uuidsQuery,
} from '../shared/fields.ts'

/** Refunds (api-document.txt, Refund result): the response of POST, GET and REFUND events. */

/** Length of a text for the payer: the rail has 140 characters (pacs.004), and both providers publish the same limit. */
const MAX_DESCRIPTION_LENGTH = 140

export const createRefundBody = z.strictObject({
  value: positiveReais
    .optional()
    .meta({ description: 'Reais; what is still refundable where absent', examples: [50.25] }),
  description: z
    .string()
    .trim()
    .min(1)
    .max(MAX_DESCRIPTION_LENGTH)
    .refine(text => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), 'must be one line, without control characters')
    .optional()
    .meta({
      description: 'Why, in words for the payer: the provider gets them with the refund',
      examples: ['Pedido 1042 cancelado'],
    }),
})

export const refundsQuery = z.strictObject(pageQueryFields)

/** Filters of the refunds of all charges. */
export const allRefundsQuery = z
  .strictObject({
    ...pageQueryFields,
    uuid: uuidsQuery,
    status: namesQuery(REFUND_STATUSES, 'In one of these statuses'),
    ...dayQueryFields,
    provider_uuid: providerQuery,
    charge_uuid: uuidQuery('Of this charge'),
    end_to_end: endToEndQuery('Sent by the PIX with this end-to-end id, which is not that of the payment'),
  })
  .superRefine(requireDaysInOrder)
export type AllRefundsQuery = z.output<typeof allRefundsQuery>

const refundError = z.object({ ...failureFields, ...limitFailureFields }).meta({ id: 'RefundError' })

/** One refund of a charge, with the movement that paid the charge and the movement that pays it back. */
const refundPartFields = {
  uuid: uuidSchema,
  status: z.enum(REFUND_STATUSES),
  value: reaisOutput,
  fees: reaisOutput,
  description: z.string().optional().meta({ description: 'The text for the payer, where one was given' }),
  pix_original: movementSchema,
  pix_refund: movementSchema,
  error: refundError.optional(),
  ...rowTimes,
}
const refundPartSchema = z.object(refundPartFields).meta({ id: 'Refund' })

/** One refund in the list of all: under its own uuid, with the charge that it is of. */
export const listedRefundSchema = z
  .object({
    ...refundPartFields,
    charge_uuid: uuidSchema,
    external_ref: z.string().optional().meta({ description: 'Of the charge' }),
    provider: providerReference,
  })
  .meta({ id: 'ListedRefund' })

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
    refund: showRefundPart(refund, {
      movement: refund.movement as Movement,
      original: charge.movement as Movement,
      connection: charge.connection,
    }),
    history: charge.history,
    provider: { uuid: charge.connection.uuid, provider: charge.connection.provider },
    created_at: charge.createdAt,
    updated_at: charge.updatedAt,
  }
}

function showRefundPart(
  refund: Omit<Refund, 'movement'>,
  { movement, original, connection }: { movement: Movement; original: Movement; connection: MovementCarrier },
): z.output<typeof refundPartSchema> {
  return {
    uuid: refund.uuid,
    status: refundMachine.statusOf(refund.state),
    value: refund.valueCents,
    fees: refund.feeCents,
    ...(refund.description && { description: refund.description }),
    pix_original: showMovement(original, connection),
    pix_refund: showMovement(movement, connection),
    ...(refund.failure && { error: showRefundFailure(refund.failure) }),
    created_at: refund.createdAt,
    updated_at: refund.updatedAt,
  }
}

function showRefundFailure({ exceeded, ...failure }: OperationFailure): z.output<typeof refundError> {
  return { ...failure, ...showExceededLimit(exceeded) }
}

/** Presents a refund in the list of all. */
export function showListedRefund(refund: ReadRefund): z.output<typeof listedRefundSchema> {
  return {
    ...showRefundPart(refund, refund),
    charge_uuid: refund.chargeUuid,
    ...(refund.externalRef !== null && { external_ref: refund.externalRef }),
    provider: refund.connection,
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
