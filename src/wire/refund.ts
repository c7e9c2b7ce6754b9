import { z } from 'zod'
import type { ReadCharge } from '../db/charges.ts'
import type { Movement } from '../db/entities/movement.ts'
import type { Refund } from '../db/entities/refund.ts'
import { CHARGE_STATUSES, charge as chargeLife } from '../domain/charge.ts'
import { refund as life } from '../domain/refund.ts'
import { instant, one, page, pageQuery, providerShown, reais, reaisShown, uuid } from './common.ts'
import { movementShown, showMovement } from './movement.ts'

/** api-document.txt, Refund result: the answer of a refund, of its look-ups and of REFUND events. */

export const createRefund = z.strictObject({
  value: reais
    .refine(cents => cents >= 1, 'must be at least 0.01')
    .optional()
    .meta({ description: 'What is still refundable where absent' }),
})

export const refundsQuery = z.strictObject(pageQuery)

/** A movement that need not exist yet, or no more than in its ledger form. */
const refundPart = z
  .object({
    uuid,
    status: z.enum(['PROCESSING', 'COMPLETED', 'FAILED']),
    value: reaisShown,
    fees: reaisShown,
    pix_original: movementShown,
    pix_refund: movementShown,
    error: z
      .object({ code: z.string(), message: z.string(), provider_code: z.string().optional() })
      .optional(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Refund' })

export const refundShown = z
  .object({
    uuid: uuid.meta({ description: 'The charge' }),
    status: z.enum(CHARGE_STATUSES),
    value: reaisShown,
    fees: reaisShown,
    refund: refundPart,
    history: z.array(z.object({ status: z.enum(CHARGE_STATUSES), created_at: z.iso.datetime() })),
    provider: providerShown,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'RefundResult' })

export const refundAnswer = one(refundShown)
export const refundPage = page(refundShown)
export const refundedAnswer = z.object({ message: z.string(), data: refundShown })

/** The refund of a charge as GET shows it now; the caller has loaded both movements. */
export function showRefund(refund: Refund, charge: ReadCharge): z.output<typeof refundShown> {
  return {
    uuid: charge.uuid,
    status: chargeLife.shows(charge.state),
    value: charge.valueCents,
    fees: charge.feeCents,
    refund: {
      uuid: refund.uuid,
      status: life.shows(refund.state),
      value: refund.valueCents,
      fees: refund.feeCents,
      pix_original: showMovement(charge.movement as Movement),
      pix_refund: showMovement(refund.movement as Movement),
      ...(refund.failure && {
        error: {
          code: refund.failure.code,
          message: refund.failure.message,
          ...(refund.failure.provider_code && { provider_code: refund.failure.provider_code }),
        },
      }),
      created_at: refund.createdAt,
      updated_at: refund.updatedAt,
    },
    history: charge.history,
    provider: { uuid: charge.connection.uuid, provider: charge.connection.provider },
    created_at: charge.createdAt,
    updated_at: charge.updatedAt,
  }
}

/** The answer of the POST: what was accepted, whatever has become of it since (SPEC §3). */
export function showAcceptedRefund(refund: Refund, charge: ReadCharge): z.output<typeof refundShown> {
  const shown = showRefund(refund, charge)
  const { error: _, pix_refund, ...part } = shown.refund
  return {
    ...shown,
    status: 'PROCESSING',
    history: upToRefund(charge, refund),
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

/** The charge's history as it was when this refund had just begun. */
function upToRefund(charge: ReadCharge, refund: Refund) {
  return charge.history.filter(entry => new Date(entry.created_at) <= refund.createdAt)
}
