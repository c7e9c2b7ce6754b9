import type { z } from 'zod'
import { EXAMPLE_TIMES, EXAMPLE_UUIDS } from '../shared/example-values.ts'
import type { createPaymentLinkBody, paymentLinkSchema } from './payment-link.ts'

/** Examples of the OpenAPI document: a link for thirty tickets, one of which is paid and one being paid. */

const terms = {
  value: 50,
  message: 'Ingresso do sarau de dezembro',
  external_ref: 'sarau-12',
  max_payments: 30,
}

export const CREATE_PAYMENT_LINK_EXAMPLE: z.input<typeof createPaymentLinkBody> = terms

export const PAYMENT_LINK_EXAMPLE: z.input<typeof paymentLinkSchema> = {
  ...terms,
  uuid: EXAMPLE_UUIDS.paymentLink,
  status: 'ACTIVE',
  url: 'https://pix.example.com/pay/8sJ2cQ0vXb5nKf7LwTz3Rg1YpMd6HaUe',
  splits: [],
  expires_in: 86_400,
  metadata: {},
  payments: { paid: 1, open: 1 },
  created_at: EXAMPLE_TIMES.created,
}

export const CREATED_PAYMENT_LINK_EXAMPLE: z.input<typeof paymentLinkSchema> = {
  ...PAYMENT_LINK_EXAMPLE,
  payments: { paid: 0, open: 0 },
}

export const REVOKED_PAYMENT_LINK_EXAMPLE: z.input<typeof paymentLinkSchema> = {
  ...PAYMENT_LINK_EXAMPLE,
  status: 'REVOKED',
  revoked_at: EXAMPLE_TIMES.ordered,
}
