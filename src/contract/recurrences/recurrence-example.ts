import type { z } from 'zod'
import { CREATED_CHARGE_EXAMPLE } from '../charges/charge-example.ts'
import { EXAMPLE_PROVIDER, EXAMPLE_TIMES, EXAMPLE_UUIDS } from '../shared/example-values.ts'
import type {
  chargeRecurrenceBody,
  createRecurrenceBody,
  recurrenceSchema,
  retryChargeBody,
} from './recurrence.ts'

/** Examples of the OpenAPI document: a monthly recurrence that its payer has authorized. */

const terms = {
  value: 49.9,
  frequency: 'MONTHLY',
  starts_on: '2026-12-10',
  contract: 'plan-77',
  subject: 'Plano mensal',
  debtor: { name: 'Maria da Silva', document: '52998224725' },
  retry_policy: 'THREE_IN_SEVEN_DAYS',
  journey: 'REQUEST',
  days_before: 4,
  external_ref: 'subscription-77',
} as const

export const CREATE_RECURRENCE_EXAMPLE: z.input<typeof createRecurrenceBody> = {
  ...terms,
  payer_account: { ispb: '18236120', agency: '0001', account: '77120943' },
}
export const CHARGE_RECURRENCE_EXAMPLE: z.input<typeof chargeRecurrenceBody> = { due_on: '2026-12-10' }
export const RETRY_CHARGE_EXAMPLE: z.input<typeof retryChargeBody> = { on: '2026-12-13' }

export const CREATED_RECURRENCE_EXAMPLE: z.input<typeof recurrenceSchema> = {
  ...terms,
  uuid: EXAMPLE_UUIDS.recurrence,
  status: 'PENDING',
  total_value: 50.89,
  fees: 0.99,
  generate: 'AUTOMATIC',
  splits: [],
  metadata: {},
  rail_id: 'RR3068082920261121a1b2c3d4e5f',
  payload: null,
  request_expires_at: '2026-11-28T12:00:00.000000Z',
  next_charge_on: null,
  is_past_due: false,
  skipped: [],
  history: [{ status: 'PENDING', created_at: EXAMPLE_TIMES.created }],
  provider: EXAMPLE_PROVIDER,
  created_at: EXAMPLE_TIMES.created,
  updated_at: EXAMPLE_TIMES.created,
}

export const RECURRENCE_EXAMPLE: z.input<typeof recurrenceSchema> = {
  ...CREATED_RECURRENCE_EXAMPLE,
  status: 'ACTIVE',
  next_charge_on: '2026-12-10',
  history: [...CREATED_RECURRENCE_EXAMPLE.history, { status: 'ACTIVE', created_at: EXAMPLE_TIMES.paid }],
  updated_at: EXAMPLE_TIMES.paid,
}

export const CANCELLED_RECURRENCE_EXAMPLE: z.input<typeof recurrenceSchema> = {
  ...RECURRENCE_EXAMPLE,
  status: 'CANCELLED',
  next_charge_on: null,
  reason: { code: 'SLCR', by: 'receiver' },
  history: [...RECURRENCE_EXAMPLE.history, { status: 'CANCELLED', created_at: EXAMPLE_TIMES.ordered }],
  updated_at: EXAMPLE_TIMES.ordered,
}

const { splits: _, expires_in: __, ...charge } = { expires_in: 0, ...CREATED_CHARGE_EXAMPLE }

/** The charge of a cycle, as its POST answers. */
export const RECURRENCE_CHARGE_EXAMPLE = {
  ...charge,
  value: 49.9,
  total_value: 50.89,
  splits: [],
  recurrence: { uuid: EXAMPLE_UUIDS.recurrence, cycle: 1 },
  payment: {
    ...CREATED_CHARGE_EXAMPLE.payment,
    payload: '',
    value: 50.89,
    pix: { ...CREATED_CHARGE_EXAMPLE.payment.pix, value: '50.89', type: 'AUTOMATIC' as const, pix_key: '' },
    due: { on: '2026-12-10', payable_days_after: 0 },
    tries: [],
  },
}
