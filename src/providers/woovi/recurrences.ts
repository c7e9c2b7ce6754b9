import { addDays } from '../../domain/charges/business-days.ts'
import type { NoAnswerResult, RejectedResult } from '../../domain/providers/provider.ts'
import type {
  CancelRecurrenceOutcome,
  ProviderRecurrence,
  ProviderRecurrenceRequest,
} from '../../domain/providers/provider-recurrence.ts'
import { findLastCycleNumber } from '../../domain/recurrences/cycles.ts'
import type { Frequency } from '../../domain/recurrences/recurrence.ts'
import { computeBrasiliaDay } from '../../domain/shared/brasilia-day.ts'
import { ANY_ANSWER } from '../adapter/answer-parsing.ts'
import { rejectForThisProvider } from '../adapter/outcomes.ts'
import { encodePath } from '../http/client.ts'
import type { RecurrenceCalls } from '../port.ts'
import type { WooviClient } from './client.ts'
import { toCustomerWithAddress, toWooviDay } from './due-charges.ts'
import {
  MAX_WOOVI_COMMENT_LENGTH,
  WOOVI_DAYS_DUE,
  type WooviFrequency,
  type WooviSubscription,
  wooviSubscriptionRequestSchema,
  wooviSubscriptionResponseSchema,
} from './recurrence-schemas.ts'

/**
 * Creates the calls about recurrences, which are subscriptions of the type PIX_RECURRING. The correlationID is our reference, by which one
 * is found whose answer is lost. Woovi makes its debits itself (src/providers/woovi/debits.ts).
 */
export function createWooviRecurrences(
  client: WooviClient,
  now: () => number,
): Omit<RecurrenceCalls, 'requestConsent'> {
  const find = (reference: string) =>
    findWooviSubscription(client, reference, subscription => ({ recurrence: mapRecurrence(subscription) }))

  return {
    /** Creates a recurrence by one request. A refusal, of which no sentence is published, counts where a look-up does not find it. */
    async createRecurrence(order) {
      const refusal = refuseOrder(order, now())
      if (refusal) return refusal
      const { reference } = order
      const call = {
        call: 'createRecurrence',
        method: 'POST',
        reference,
        path: '/api/v1/subscriptions',
      } as const
      const request = { ...call, json: buildRequest(order), hasOwnConnection: true } as const
      const outcome = await client.send(request, wooviSubscriptionResponseSchema, ({ subscription }) =>
        subscription.correlationID === reference && subscription.value === order.valueCents
          ? { recurrence: mapRecurrence(subscription) }
          : undefined,
      )
      if (outcome.kind !== 'unknown' || outcome.code !== 'http_400') return outcome
      const found = await find(reference)
      if (found.kind === 'found') return { kind: 'accepted', recurrence: found.recurrence }
      return found.kind === 'not_found' ? creationRefused : outcome
    },

    findRecurrence: ({ reference }) => find(reference),

    /** Cancels a recurrence, and tells what became of it by a look-up: no answer to the request is published. */
    async cancelRecurrence({ reference }): Promise<CancelRecurrenceOutcome> {
      const path = encodePath`/api/v1/subscriptions/${reference}/cancel`
      const call = { call: 'cancelRecurrence', method: 'PUT', reference, path } as const
      const request = await client.lookUpExisting(call, ANY_ANSWER, () => ({}))
      const found = await find(reference)
      if (found.kind !== 'found') return found
      switch (found.recurrence.status) {
        case 'cancelled':
          return { kind: 'cancelled' }
        case 'rejected':
        case 'expired':
          return { kind: 'refused', code: 'recurrence_refused', message: 'The recurrence has ended' }
        default:
          return request.kind === 'no_answer' ? request : cancellationPending
      }
    },
  }
}

/** Looks up a subscription by our reference. */
export function findWooviSubscription<T extends object>(
  client: WooviClient,
  reference: string,
  read: (subscription: WooviSubscription) => T,
) {
  const path = encodePath`/api/v1/subscriptions/${reference}`
  const call = { call: 'findRecurrence', reference, path } as const
  return client.lookUp(call, wooviSubscriptionResponseSchema, ({ subscription }) =>
    subscription.correlationID === reference ? read(subscription) : undefined,
  )
}

const FREQUENCIES: Record<Frequency, WooviFrequency> = {
  WEEKLY: 'WEEKLY',
  MONTHLY: 'MONTHLY',
  QUARTERLY: 'QUARTERLY',
  SEMIANNUAL: 'SEMIANNUALLY',
  ANNUAL: 'ANNUALLY',
}

const RETRY_POLICIES = { NOT_ALLOWED: 'NON_PERMITED', THREE_IN_SEVEN_DAYS: 'THREE_RETRIES_7_DAYS' } as const

const STATUSES = {
  CREATED: 'waiting',
  APPROVED: 'active',
  // By its payer, also after the authorization: "Autorização removida pelo consumidor".
  REJECTED: 'rejected',
  CANCELED: 'cancelled',
  EXPIRED: 'expired',
} as const satisfies Record<WooviSubscription['pixRecurring']['status'], ProviderRecurrence['status']>

/** "A data de início precisa estar a pelo menos 3 dias de hoje" ("Como criar um Pix Automático?", ONLY_RECURRENCY). */
const LEAST_DAYS_TO_START = 3

/** Builds the refusal, without a call, of a recurrence that Woovi would refuse, or would debit otherwise than it was ordered. */
function refuseOrder(order: ProviderRecurrenceRequest, nowMs: number): RejectedResult | undefined {
  if (order.journey !== 'QR') return refuse('The provider does not offer the journey of the recurrence')
  if (order.valueCents === undefined) return refuse('The provider debits a fixed value itself')
  if (!order.debtor.address) return refuse('The provider needs the address of the debtor')
  const firstStart = addDays(computeBrasiliaDay(new Date(nowMs)), LEAST_DAYS_TO_START)
  return order.startsOn < firstStart
    ? refuse('The recurrence must start at least three days after today at this provider')
    : undefined
}

function refuse(message: string): RejectedResult {
  return rejectForThisProvider('provider_validation', message)
}

function buildRequest(order: ProviderRecurrenceRequest) {
  const { subject, frequency, startsOn, endsOn = null, retryPolicy } = order
  const count = findLastCycleNumber({ frequency, startsOn, endsOn })
  return wooviSubscriptionRequestSchema.parse({
    type: 'PIX_RECURRING',
    correlationID: order.reference,
    value: order.valueCents,
    ...(subject !== undefined && { name: subject, comment: subject.slice(0, MAX_WOOVI_COMMENT_LENGTH) }),
    customer: toCustomerWithAddress(order.debtor),
    frequency: FREQUENCIES[frequency],
    dayGenerateCharge: toWooviDay(startsOn),
    dayDue: WOOVI_DAYS_DUE[retryPolicy],
    ...(count !== null && { installmentCount: count }),
    pixRecurringOptions: {
      journey: 'ONLY_RECURRENCY',
      retryPolicy: RETRY_POLICIES[retryPolicy],
    },
  })
}

/** Maps a subscription. One that is INACTIVE was cancelled, whatever its authorization says; Woovi names neither who nor why. */
function mapRecurrence({ status, pixRecurring }: WooviSubscription): ProviderRecurrence {
  const { recurrencyId: railId, emv } = pixRecurring
  const reported = STATUSES[pixRecurring.status]
  const isCancelled = status === 'INACTIVE' && (reported === 'waiting' || reported === 'active')
  return { railId, status: isCancelled ? 'cancelled' : reported, payload: emv || null }
}

const creationRefused = rejectForThisProvider('recurrence_refused', 'The provider refused the recurrence')

const cancellationPending: NoAnswerResult = {
  kind: 'no_answer',
  code: 'cancellation_pending',
  message: 'The provider has the cancellation and has not carried it out yet',
}
