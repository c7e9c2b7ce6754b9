import type { z } from 'zod'
import { EXAMPLE_TIMES, EXAMPLE_UUIDS } from '../shared/example-values.ts'
import type { createWebhookBody, updateWebhookBody, webhookSchema } from './webhook.ts'
import type { deliverySchema } from './webhook-delivery.ts'

/** Examples of the OpenAPI document: an endpoint, and an event that reached it at the second attempt. */

const url = 'https://loja.example.com/pix'

export const CREATE_WEBHOOK_EXAMPLE: z.input<typeof createWebhookBody> = {
  url,
  events: ['PAYMENT', 'REFUND', 'TRANSFER'],
}

export const UPDATE_WEBHOOK_EXAMPLE: z.input<typeof updateWebhookBody> = {
  url: 'https://loja.example.com/v2/pix',
  status: 'ACTIVE',
}

export const WEBHOOK_EXAMPLE: z.input<typeof webhookSchema> = {
  uuid: EXAMPLE_UUIDS.webhook,
  url,
  token: 'whsec_****Yw==',
  status: 'ACTIVE',
  events: ['PAYMENT', 'REFUND', 'TRANSFER'],
  created_at: EXAMPLE_TIMES.created,
}

/** The only answers that show the token whole. */
export const CREATED_WEBHOOK_EXAMPLE: z.input<typeof webhookSchema> = {
  ...WEBHOOK_EXAMPLE,
  token: 'whsec_q3vPz0m1Jt8cR5xN2bK7wF4hD9sG6yL1aU8eT3oIpYw=',
}

export const ROTATED_WEBHOOK_EXAMPLE: z.input<typeof webhookSchema> = {
  ...WEBHOOK_EXAMPLE,
  token: 'whsec_X7dLr2VwB9kQ4nHs1yTf6cMz0pJe5gAu8iRo3bKtYm4=',
  previous_token_expires_at: EXAMPLE_TIMES.expires,
}

export const DELIVERY_EXAMPLE: z.input<typeof deliverySchema> = {
  uuid: EXAMPLE_UUIDS.delivery,
  event: { id: EXAMPLE_UUIDS.event, type: 'PAYMENT' },
  status: 'DELIVERED',
  next_attempt_at: null,
  attempts: [
    {
      number: 1,
      at: '2026-11-21T12:04:28.015332Z',
      status: 503,
      duration_ms: 184,
      answer: 'upstream connect error',
    },
    { number: 2, at: '2026-11-21T12:04:33.240187Z', status: 200, duration_ms: 61, answer: '{"ok":true}' },
  ],
  created_at: EXAMPLE_TIMES.paid,
  updated_at: '2026-11-21T12:04:33.301555Z',
}

export const STARTED_DELIVERY_EXAMPLE: z.input<typeof deliverySchema> = {
  ...DELIVERY_EXAMPLE,
  status: 'PENDING',
  attempts: [],
  updated_at: EXAMPLE_TIMES.paid,
}
