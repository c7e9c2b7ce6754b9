import { createStateMachine } from '../shared/state-machine.ts'

export const RECURRENCE_STATUSES = [
  'PENDING',
  'PROCESSING',
  'ACTIVE',
  'REJECTED',
  'EXPIRED',
  'CANCELLED',
  'ENDED',
  'FAILED',
] as const
export type RecurrenceStatus = (typeof RECURRENCE_STATUSES)[number]

export type RecurrenceState =
  | 'creating'
  | 'pending'
  | 'processing'
  | 'active'
  | 'rejected'
  | 'expired'
  | 'cancelled'
  | 'ended'
  | 'failed'

/**
 * `received`: the payer's bank has the recurrence, and the payer decides. `activated`: the payer has authorized it. `expired`: it was not
 * authorized in time. `ended`: the last day of an authorized one has passed.
 */
export type RecurrenceEvent =
  | 'created'
  | 'no_provider_created'
  | 'received'
  | 'activated'
  | 'rejected'
  | 'expired'
  | 'cancelled'
  | 'ended'

/**
 * State machine of a recurrence of Pix Automático. A provider may report the authorization without the receipt before it. EXPIRADA of the
 * pix-api is two states here: a recurrence that was never authorized is expired, an authorized one is ended (bacen/pix-api issue 629).
 */
export const recurrenceMachine = createStateMachine<RecurrenceState, RecurrenceStatus, RecurrenceEvent>({
  creating: { status: 'PENDING', on: { created: 'pending', no_provider_created: 'failed' } },
  pending: {
    status: 'PENDING',
    on: {
      received: 'processing',
      activated: 'active',
      rejected: 'rejected',
      expired: 'expired',
      cancelled: 'cancelled',
    },
  },
  processing: {
    status: 'PROCESSING',
    on: { activated: 'active', rejected: 'rejected', expired: 'expired', cancelled: 'cancelled' },
  },
  active: { status: 'ACTIVE', on: { cancelled: 'cancelled', ended: 'ended' } },
  rejected: { status: 'REJECTED', on: {}, isFinal: true },
  expired: { status: 'EXPIRED', on: {}, isFinal: true },
  cancelled: { status: 'CANCELLED', on: {}, isFinal: true },
  ended: { status: 'ENDED', on: {}, isFinal: true },
  failed: { status: 'FAILED', on: {}, isFinal: true },
})

/** Whether charges of the recurrence may be created: the payer has authorized it, and it is not over. */
export function isChargeableRecurrenceState(state: RecurrenceState): boolean {
  return state === 'active'
}

export const FREQUENCIES = ['WEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUAL', 'ANNUAL'] as const
export type Frequency = (typeof FREQUENCIES)[number]

/** Whether the receiver may have a failed charge debited again after its due day; the payer authorizes it with the recurrence. */
export const RETRY_POLICIES = ['NOT_ALLOWED', 'THREE_IN_SEVEN_DAYS'] as const
export type RetryPolicy = (typeof RETRY_POLICIES)[number]

/**
 * How the payer authorizes the recurrence, journeys 1 to 4 of the pix-api. REQUEST: in a request that their bank shows. QR: by a code.
 * QR_WITH_PAYMENT: by a code that also pays a first charge. PAYMENT_THEN_OFFER: they pay a charge with a due date, and their bank offers the
 * recurrence.
 */
export const JOURNEYS = ['REQUEST', 'QR', 'QR_WITH_PAYMENT', 'PAYMENT_THEN_OFFER'] as const
export type Journey = (typeof JOURNEYS)[number]

/** Whether the worker creates the charge of each cycle, or the merchant does. */
export const CHARGE_GENERATIONS = ['AUTOMATIC', 'MANUAL'] as const
type ChargeGeneration = (typeof CHARGE_GENERATIONS)[number]

/** What a payer authorizes, and when its charges are created. Days are `YYYY-MM-DD` of Brasília. */
export type RecurrenceTerms = {
  /** What each charge asks; null where it varies. */
  valueCents: number | null
  /** The least that the payer may set as their own limit for a charge; null where the value is fixed or there is no such floor. */
  minimumCents: number | null
  frequency: Frequency
  /** The due day of the first cycle. */
  startsOn: string
  /** The last day on which a charge may be due; null where the recurrence has no end. */
  endsOn: string | null
  contract: string
  subject: string | null
  retryPolicy: RetryPolicy
  journey: Journey
  generate: ChargeGeneration
  /** Days before the due day on which a charge is created, where `generate` is AUTOMATIC. */
  daysBefore: number
}
