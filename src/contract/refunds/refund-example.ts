import type { z } from 'zod'
import { MOVEMENT_EXAMPLE, RETURN_MOVEMENT_EXAMPLE } from '../ledger/ledger-example.ts'
import { EXAMPLE_PROVIDER, EXAMPLE_TIMES, EXAMPLE_UUIDS } from '../shared/example-values.ts'
import type { acceptedRefundResponse, createRefundBody, listedRefundSchema, refundSchema } from './refund.ts'

/** Examples of the OpenAPI document: a part of the charge is given back. */

const { created, paying, paid, refunded } = EXAMPLE_TIMES

export const CREATE_REFUND_EXAMPLE: z.input<typeof createRefundBody> = {
  value: 50.25,
  description: 'Pedido 1042 cancelado',
}

const history = [
  { status: 'PENDING', created_at: created },
  { status: 'PROCESSING', created_at: paying },
  { status: 'PAID', created_at: paid },
] as const

export const REFUND_EXAMPLE: z.input<typeof refundSchema> = {
  uuid: EXAMPLE_UUIDS.charge,
  status: 'PARTIALLY_REFUNDED',
  value: 150.75,
  fees: 0.99,
  refund: {
    uuid: EXAMPLE_UUIDS.refund,
    status: 'COMPLETED',
    value: 50.25,
    fees: 0,
    description: 'Pedido 1042 cancelado',
    pix_original: MOVEMENT_EXAMPLE,
    pix_refund: RETURN_MOVEMENT_EXAMPLE,
    created_at: refunded,
    updated_at: refunded,
  },
  history: [
    ...history,
    { status: 'PROCESSING', created_at: refunded },
    { status: 'PARTIALLY_REFUNDED', created_at: refunded },
  ],
  provider: EXAMPLE_PROVIDER,
  created_at: created,
  updated_at: refunded,
}

export const LISTED_REFUND_EXAMPLE: z.input<typeof listedRefundSchema> = {
  ...REFUND_EXAMPLE.refund,
  charge_uuid: EXAMPLE_UUIDS.charge,
  provider: EXAMPLE_PROVIDER,
}

export const ACCEPTED_REFUND_EXAMPLE: z.input<typeof acceptedRefundResponse> = {
  message: 'The refund was accepted.',
  data: {
    ...REFUND_EXAMPLE,
    status: 'PROCESSING',
    history: [...history, { status: 'PROCESSING', created_at: refunded }],
    refund: {
      ...REFUND_EXAMPLE.refund,
      status: 'PROCESSING',
      pix_refund: {
        ...RETURN_MOVEMENT_EXAMPLE,
        initiation: { ...RETURN_MOVEMENT_EXAMPLE.initiation, status: 'PENDING' },
        status: 'PENDING',
        end_to_end: '',
        settled_at: null,
      },
    },
  },
}

/** A refund that its provider has refused, as the error of its POST carries it. */
export const FAILED_REFUND_EXAMPLE: z.input<typeof refundSchema> = {
  ...REFUND_EXAMPLE,
  status: 'PAID',
  history: [
    ...history,
    { status: 'PROCESSING', created_at: refunded },
    { status: 'PAID', created_at: refunded },
  ],
  refund: {
    ...REFUND_EXAMPLE.refund,
    status: 'FAILED',
    pix_refund: {
      ...RETURN_MOVEMENT_EXAMPLE,
      initiation: { ...RETURN_MOVEMENT_EXAMPLE.initiation, status: 'FAILED' },
      status: 'FAILED',
      end_to_end: '',
      settled_at: null,
    },
    error: { code: 'AC06', message: "the receiver's account is blocked", provider_code: 'AC06' },
  },
}
