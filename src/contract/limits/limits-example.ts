import type { z } from 'zod'
import { EXAMPLE_TIMES } from '../shared/example-values.ts'
import type { limitsSchema, limitUsageSchema, replaceLimitsBody } from './limits.ts'

/** Examples of the OpenAPI document: limits of which a raised one is pending. */

export const REPLACE_LIMITS_EXAMPLE: z.input<typeof replaceLimitsBody> = {
  per_transfer: 5_000,
  per_day: 20_000,
  per_night: 1_000,
  night: { from: '20:00', to: '06:00' },
  new_receiver: { value: 500, hours: 24 },
  trusted_receivers: [{ document: '11222333000181' }, { pix_key: 'joao.lima@example.com' }],
  duplicate_guard: { seconds: 300 },
  approvals: {
    above: 2_500,
    count: 1 as const,
    expires_hours: 72,
    callout_url: 'https://loja.example.com/approvals',
  },
}

const IN_FORCE = {
  per_transfer: 5_000,
  per_day: 10_000,
  per_night: 1_000,
  night: { from: '20:00', to: '06:00' },
  per_receiver_per_day: null,
  new_receiver: { value: 500, hours: 24 },
  trusted_receivers: [{ document: '11222333000181' }, { pix_key: 'joao.lima@example.com' }],
  allowed_receivers_only: false,
  duplicate_guard: { seconds: 300 },
  approvals: {
    above: 2_500,
    count: 1 as const,
    expires_hours: 72,
    callout_url: 'https://loja.example.com/approvals',
  },
}

export const LIMITS_EXAMPLE: z.input<typeof limitsSchema> = {
  ...IN_FORCE,
  callout_token: 'whsec_****Ym4=',
  pending: { limits: { ...IN_FORCE, per_day: 20_000 }, effective_at: '2026-11-22T12:00:00.000000Z' },
  version: 2,
  updated_at: EXAMPLE_TIMES.ordered,
}

/** One of the answers that show the secret of the call-outs whole. */
export const ROTATED_CALLOUT_EXAMPLE: z.input<typeof limitsSchema> = {
  ...LIMITS_EXAMPLE,
  callout_token: 'whsec_X7dLr2VwB9kQ4nHs1yTf6cMz0pJe5gAu8iRo3bKtYm4=',
}

export const LIMIT_USAGE_EXAMPLE: z.input<typeof limitUsageSchema> = {
  per_day: { limit: 10_000, used: 1_587.64, left: 8_412.36, resets_at: '2026-11-22T03:00:00.000000Z' },
  per_night: { limit: 1_000, used: 0, left: 1_000, resets_at: null },
}
