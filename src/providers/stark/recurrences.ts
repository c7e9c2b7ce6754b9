import type { NoAnswerResult, NotFoundResult } from '../../domain/providers/provider.ts'
import type {
  CancelRecurrenceOutcome,
  FindRecurrenceOutcome,
  ProviderRecurrence,
  ProviderRecurrenceRequest,
  RequestConsentOutcome,
} from '../../domain/providers/provider-recurrence.ts'
import type { Frequency } from '../../domain/recurrences/recurrence.ts'
import { payerBranchMissing } from '../adapter/outcomes.ts'
import { encodePath } from '../http/client.ts'
import type { RecurrenceCalls } from '../port.ts'
import type { StarkClient } from './client.ts'
import { STARK_LISTS } from './lists.ts'
import { hasTag } from './mapping.ts'
import {
  oneCreatedStarkEntity,
  oneStarkEntity,
  type StarkInterval,
  type StarkSubscription,
  starkSubscriptionRequestSchema,
  starkSubscriptionSchema,
} from './schemas.ts'

type FoundSubscription = { kind: 'found'; subscription: StarkSubscription } | NotFoundResult | NoAnswerResult

/**
 * Creates the calls about recurrences (`invoice-pull-subscription`). Our id is the `externalId`, "unique among all your subscriptions", and
 * the tag, by which a recurrence is found whose answer is lost. `railId` is Stark Bank's id of it: no call finds one by the rail's.
 */
export function createStarkRecurrences(client: StarkClient): Required<RecurrenceCalls> {
  return {
    async createRecurrence(order) {
      if (order.consentRequest && !order.consentRequest.payerAccount.agency) return payerBranchMissing
      const { path } = STARK_LISTS.subscriptions
      const json = buildRequest(order)
      const { reference } = order
      const call = { call: 'createRecurrence', reference, method: 'POST', path, json } as const
      return client.send(call, oneCreatedStarkEntity('subscriptions', starkSubscriptionSchema), created =>
        isOrdered(order, created) ? { recurrence: mapSubscription(created) } : undefined,
      )
    },

    async findRecurrence({ railId, reference }): Promise<FindRecurrenceOutcome> {
      const found = railId === null ? await findByTag(reference) : await findById(railId)
      return found.kind === 'found'
        ? { kind: 'found', recurrence: mapSubscription(found.subscription) }
        : found
    },

    /** Stark Bank sends the request with the creation, so that a recurrence that it has is requested. */
    async requestConsent({ railId }): Promise<RequestConsentOutcome> {
      const found = await findById(railId)
      if (found.kind === 'found') return { kind: 'requested' }
      return found.kind === 'not_found'
        ? subscriptionMissing
        : { kind: 'unknown', code: found.code, message: found.message }
    },

    /** "The subscription must be with "active" status to be canceled": until its payer has answered, the caller asks again. */
    async cancelRecurrence({ railId }): Promise<CancelRecurrenceOutcome> {
      const found = await findById(railId)
      if (found.kind !== 'found') return found
      switch (mapSubscription(found.subscription).status) {
        case 'cancelled':
          return { kind: 'cancelled' }
        case 'rejected':
        case 'expired':
          return recurrenceEnded
        case 'waiting':
        case 'received':
          return consentPending
        case 'active':
          return cancelActive(railId)
      }
    },
  }

  async function cancelActive(railId: string): Promise<CancelRecurrenceOutcome> {
    const call = { call: 'cancelRecurrence', reference: railId, method: 'DELETE' } as const
    const outcome = await client.lookUpExisting(
      { ...call, path: buildPath(railId) },
      oneStarkEntity('subscription', starkSubscriptionSchema),
      ({ id, status }) => (id === railId && status === 'canceled' ? {} : undefined),
    )
    return outcome.kind === 'found' ? { kind: 'cancelled' } : outcome
  }

  function findById(railId: string): Promise<FoundSubscription> {
    return findStarkSubscription(client, { call: 'findRecurrence', railId })
  }

  /** Finds the recurrence with our tag. An unreadable one may be ours, and leaves it without an answer. */
  async function findByTag(reference: string): Promise<FoundSubscription> {
    const call = { call: 'findRecurrence', reference } as const
    const list = await client.readAllPages({
      ...call,
      ...STARK_LISTS.subscriptions,
      filter: { tags: reference },
    })
    if (list.kind === 'no_answer') return list
    const subscription = list.items.find(listed => hasTag(listed, reference))
    if (subscription) return { kind: 'found', subscription }
    return list.unreadableItems.length > 0 ? subscriptionUnreadable : { kind: 'not_found' }
  }
}

/** Looks a recurrence up by Stark Bank's id. */
export function findStarkSubscription(
  client: Pick<StarkClient, 'lookUp'>,
  { call, railId }: { call: 'findRecurrence' | 'findDebit'; railId: string },
): Promise<FoundSubscription> {
  const schema = oneStarkEntity('subscription', starkSubscriptionSchema)
  return client.lookUp({ call, reference: railId, path: buildPath(railId) }, schema, subscription =>
    subscription.id === railId ? { subscription } : undefined,
  )
}

const buildPath = (railId: string) => STARK_LISTS.subscriptions.path + encodePath`/${railId}`

const INTERVALS: Record<Frequency, StarkInterval> = {
  WEEKLY: 'week',
  MONTHLY: 'month',
  QUARTERLY: 'quarter',
  SEMIANNUAL: 'semester',
  ANNUAL: 'year',
}

/** `pullRetryLimit`: "Options are 0 and 3". */
const RETRY_LIMITS = { NOT_ALLOWED: 0, THREE_IN_SEVEN_DAYS: 3 } as const

function buildRequest(order: ProviderRecurrenceRequest) {
  const { reference, debtor, journey, consentRequest } = order
  if (journey !== 'QR' && (journey !== 'REQUEST' || !consentRequest))
    throw new Error(`the journey ${journey} is none of this API, or lacks the account of the payer`)
  return starkSubscriptionRequestSchema.parse({
    subscriptions: [
      {
        type: journey === 'QR' ? 'qrcode' : 'push',
        interval: INTERVALS[order.frequency],
        start: order.startsOn,
        end: order.endsOn,
        pullMode: 'manual',
        pullRetryLimit: RETRY_LIMITS[order.retryPolicy],
        // "Required if an amount is not informed. Minimum = 1".
        ...(order.valueCents === undefined
          ? { amountMinLimit: order.minimumCents ?? 1 }
          : { amount: order.valueCents }),
        displayDescription: order.subject,
        externalId: reference,
        referenceCode: reference,
        name: debtor.name,
        taxId: debtor.document,
        tags: [reference],
        ...(consentRequest && {
          due: consentRequest.expiresAt,
          data: {
            accountNumber: consentRequest.payerAccount.account,
            bankCode: consentRequest.payerAccount.ispb,
            branchCode: consentRequest.payerAccount.agency,
            taxId: debtor.document,
          },
        }),
      },
    ],
  })
}

/** Tells whether a recurrence is the ordered one; what Stark Bank leaves out contradicts nothing. */
function isOrdered(order: ProviderRecurrenceRequest, created: StarkSubscription): boolean {
  const isSame = (shown: unknown, ordered: unknown) => shown == null || shown === ordered
  return (
    hasTag(created, order.reference) &&
    isSame(created.externalId, order.reference) &&
    isSame(created.interval, INTERVALS[order.frequency]) &&
    (order.valueCents === undefined || isSame(created.amount, order.valueCents))
  )
}

const STATUSES = {
  created: 'waiting',
  pending: 'waiting',
  approved: 'waiting',
  active: 'active',
  denied: 'rejected',
  failed: 'rejected',
  canceled: 'cancelled',
  expired: 'expired',
} as const satisfies Record<StarkSubscription['status'], ProviderRecurrence['status']>

/** Maps a recurrence. Why it ended is in its log only, as free texts, which are not read. */
function mapSubscription({ id, status, brcode }: StarkSubscription): ProviderRecurrence {
  return { railId: id, status: STATUSES[status], payload: brcode || null }
}

const subscriptionUnreadable: NoAnswerResult = {
  kind: 'no_answer',
  code: 'unreadable_answer',
  message: 'Stark Bank lists the recurrence, but it is unreadable',
}
const subscriptionMissing = {
  kind: 'unknown',
  code: 'not_found',
  message: 'Stark Bank does not find the recurrence',
} as const
const recurrenceEnded = {
  kind: 'refused',
  code: 'recurrence_refused',
  message: 'The recurrence has ended',
} as const
const consentPending: NoAnswerResult = {
  kind: 'no_answer',
  code: 'cancellation_pending',
  message: 'Stark Bank cancels a recurrence only once its payer has authorized it',
}
