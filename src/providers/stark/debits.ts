import { findBusinessDay } from '../../domain/charges/business-days.ts'
import { showEndToEndId } from '../../domain/pix/identifiers.ts'
import type {
  CancelChargeOutcome,
  FindChargeOutcome,
  FoundCharge,
  IssueChargeOutcome,
  IssuedCharge,
  NoAnswerResult,
  ProviderChargeRequest,
  ReviseChargeOutcome,
} from '../../domain/providers/provider.ts'
import type { ChargeTry } from '../../domain/recurrences/charge-try.ts'
import { computeBrasiliaDay } from '../../domain/shared/brasilia-day.ts'
import { encodePath } from '../http/client.ts'
import type { StarkClient } from './client.ts'
import { chargeEnded, issueDueInvoice, REFERENCE_IN_USE, toUnissued } from './due-invoices.ts'
import { cancelOwnInvoices, chargePaid, findInvoiceCharge, type SharedInvoiceFields } from './invoices.ts'
import { STARK_LISTS } from './lists.ts'
import { hasTag } from './mapping.ts'
import { findStarkSubscription } from './recurrences.ts'
import {
  oneCreatedStarkEntity,
  oneStarkEntity,
  type StarkPullRequest,
  starkPullRequestRequestSchema,
  starkPullRequestSchema,
} from './schemas.ts'

type DebitOrder = ProviderChargeRequest & Required<Pick<ProviderChargeRequest, 'debit'>>
type DebitSubject = { call: 'findDebit' | 'cancelDebit' | 'retryDebit'; reference: string }
/** The tries of a debit, by their days. */
type PullRequests = { kind: 'found'; requests: StarkPullRequest[]; hasUnreadable: boolean }

/** How long the invoice of a debit can be paid after its day, in days: as long as it may be tried again. */
const INVOICE_DAYS = 7

/**
 * Creates the calls about the debits of recurrences: an invoice with our tag, which names the value, and for each try an
 * `invoice-pull-request` with our tag and an `externalId` of our id and its day, "unique among all your InvoicePullRequests". The invoice
 * alone debits nobody.
 */
export function createStarkDebits(client: StarkClient) {
  return {
    /**
     * Issues the invoice and requests that it is debited. Both are looked up first, so that it may be repeated after any outcome: an invoice
     * that is there is taken, and a try of the day is not requested again.
     */
    async issueDebit(order: DebitOrder, shared: SharedInvoiceFields): Promise<IssueChargeOutcome> {
      const { reference, debit } = order
      const on = findBusinessDay(debit.dueOn)
      const requestList = await readRequests({ call: 'findDebit', reference })
      if (requestList.kind === 'no_answer') return toUnissued(requestList)
      if (requestList.requests.length > 0 || requestList.hasUnreadable)
        return takeExisting(order, on, requestList)
      const due = { on, payableDaysAfter: INVOICE_DAYS, ...NO_RATES }
      const issued = await issueDueInvoice(client, { ...order, due }, shared)
      if (issued.kind !== 'accepted') return issued
      const invoiceId = issued.charge.txid
      const request = { subscriptionId: debit.railId, invoiceId, on, attemptType: 'default' } as const
      const call = { call: 'requestDebit', ...buildRequest(reference, request) } as const
      return client.send(call, createdRequestSchema, created =>
        isRequested(created, request) ? { charge: toDebit(issued.charge) } : undefined,
      )
    },

    findDebit,

    /** Cancels what was requested, so that no try is left, and then the invoice. */
    async cancelDebit(reference: string): Promise<CancelChargeOutcome> {
      const subject = { call: 'cancelDebit', reference } as const
      const requestList = await readRequests(subject)
      if (requestList.kind === 'no_answer') return requestList
      const { requests, hasUnreadable } = requestList
      if (hasUnreadable) return requestUnreadable
      if (requests.some(({ status }) => status === 'success')) return chargePaid
      const schema = oneStarkEntity('request', starkPullRequestSchema)
      for (const { id } of requests.filter(isPending)) {
        const path = STARK_LISTS.pullRequests.path + encodePath`/${id}`
        const outcome = await client.lookUpExisting(
          { ...subject, method: 'DELETE', path },
          schema,
          changed => (changed.id === id && changed.status === 'canceled' ? {} : undefined),
        )
        if (outcome.kind === 'no_answer') return outcome
      }
      const outcome = await cancelOwnInvoices(client, subject)
      return outcome.kind === 'not_found' && requests.length > 0 ? invoiceNotListed : outcome
    },

    /** Requests a further try of a debit on a day. May be repeated: a day that was requested is not requested again. */
    async retryDebit(reference: string, on: string): Promise<ReviseChargeOutcome> {
      const subject = { call: 'retryDebit', reference } as const
      const found = await findInvoiceCharge(client, subject)
      if (found.kind !== 'found') return found
      const requestList = await readRequests(subject)
      if (requestList.kind === 'no_answer') return requestList
      const { requests, hasUnreadable } = requestList
      const charge = toDebit(found.charge)
      if (requests.some(one => one.attemptType === 'retry' && getDay(one) === on))
        return { kind: 'revised', charge }
      if (hasUnreadable) return requestUnreadable
      const [first] = requests
      if (!first) return { kind: 'not_found' }
      if (found.status === 'completed') return chargePaid
      if (found.status !== 'open') return chargeEnded
      if (requests.some(isUndecided)) return tryPending
      const { subscriptionId, invoiceId } = first
      const request = { subscriptionId, invoiceId, on, attemptType: 'retry' } as const
      const call = { call: 'retryDebit', ...buildRequest(reference, request) } as const
      const outcome = await client.lookUpExisting(call, createdRequestSchema, created =>
        isRequested(created, request) ? {} : undefined,
      )
      return outcome.kind === 'found' ? { kind: 'revised', charge } : outcome
    },
  }

  /** Finds the debit with our tag. An invoice that was never requested to be debited is none: nobody is debited by it. */
  async function findDebit(reference: string): Promise<FindChargeOutcome> {
    const subject = { call: 'findDebit', reference } as const
    const requestList = await readRequests(subject)
    if (requestList.kind === 'no_answer') return requestList
    const { requests, hasUnreadable } = requestList
    const isRequestedOnce = requests.length > 0 || hasUnreadable
    const found = await findInvoiceCharge(client, subject)
    if (found.kind === 'no_answer') return found
    if (found.kind === 'not_found') return isRequestedOnce ? invoiceNotListed : found
    if (found.status === 'open' && !isRequestedOnce) return { kind: 'not_found' }
    const status = await findStatus(found.status, requestList)
    if (typeof status !== 'string') return status
    const paidBy = found.payments[0]?.endToEnd
    const tries = requests.map(request => mapTry(request, paidBy))
    return { ...found, status, charge: toDebit(found.charge), ...(!hasUnreadable && { tries }) }
  }

  /**
   * Finds the status of a debit by that of its invoice and its tries: it has not ended while one of them may still be paid. Whether a failed one
   * may be tried again is asked of the recurrence.
   */
  async function findStatus(
    invoiceStatus: FoundCharge['status'],
    { requests, hasUnreadable }: PullRequests,
  ): Promise<FoundCharge['status'] | NoAnswerResult> {
    if (invoiceStatus === 'completed') return 'completed'
    const last = requests.at(-1)
    if (hasUnreadable || requests.some(isUndecided)) return 'open'
    if (invoiceStatus !== 'open' || !last) return invoiceStatus
    if (last.status === 'canceled') return 'removed'
    const found = await findStarkSubscription(client, { call: 'findDebit', railId: last.subscriptionId })
    if (found.kind !== 'found') return found.kind === 'not_found' ? subscriptionMissing : found
    const retryCount = requests.filter(({ attemptType }) => attemptType === 'retry').length
    const { pullRetryLimit } = found.subscription
    return pullRetryLimit != null && retryCount >= pullRetryLimit ? 'failed' : 'open'
  }

  /** Finds the debit that an earlier call has requested; another one under our id is a refusal. */
  async function takeExisting(
    { reference, totalCents, debit }: DebitOrder,
    on: string,
    { requests, hasUnreadable }: PullRequests,
  ): Promise<IssueChargeOutcome> {
    const found = await findDebit(reference)
    if (found.kind === 'not_found' || hasUnreadable) return { ...requestUnreadable, kind: 'unknown' }
    if (found.kind === 'no_answer') return { ...found, kind: 'unknown' }
    const [first] = requests
    const isOrdered =
      first?.subscriptionId === debit.railId &&
      getDay(first) === on &&
      (found.charge.totalCents ?? totalCents) === totalCents
    return isOrdered ? { kind: 'accepted', charge: found.charge } : REFERENCE_IN_USE
  }

  async function readRequests(subject: DebitSubject): Promise<PullRequests | NoAnswerResult> {
    const { reference } = subject
    const list = await client.readAllPages({
      ...subject,
      ...STARK_LISTS.pullRequests,
      filter: { tags: reference },
    })
    if (list.kind === 'no_answer') return list
    const requests = list.items
      .filter(request => hasTag(request, reference))
      .toSorted((a, b) => a.due.localeCompare(b.due))
    return { kind: 'found', requests, hasUnreadable: list.unreadableItems.length > 0 }
  }
}

const NO_RATES = { fine: null, interest: null, abatement: null, discount: null }

const createdRequestSchema = oneCreatedStarkEntity('requests', starkPullRequestSchema)

type Try = Pick<StarkPullRequest, 'subscriptionId' | 'invoiceId' | 'attemptType'> & { on: string }

/** Builds the request of a try, at noon in Brasília: no text says in which zone its day is. */
function buildRequest(reference: string, { on, ...request }: Try) {
  const due = `${on}T15:00:00.000Z`
  const externalId = `${reference}-${on}`
  const json = starkPullRequestRequestSchema.parse({
    requests: [{ ...request, due, externalId, tags: [reference] }],
  })
  return { reference, method: 'POST', path: STARK_LISTS.pullRequests.path, json } as const
}

function isRequested(created: StarkPullRequest, { on, ...request }: Try): boolean {
  return (
    created.subscriptionId === request.subscriptionId &&
    created.invoiceId === request.invoiceId &&
    created.attemptType === request.attemptType &&
    getDay(created) === on
  )
}

const getDay = ({ due }: StarkPullRequest) => computeBrasiliaDay(new Date(due))

const TRY_STATUSES = {
  created: 'REQUESTED',
  pending: 'REQUESTED',
  processing: 'REQUESTED',
  scheduled: 'SCHEDULED',
  success: 'PAID',
  failed: 'REJECTED',
  denied: 'REJECTED',
  expired: 'EXPIRED',
  canceled: 'CANCELLED',
} as const satisfies Record<StarkPullRequest['status'], ChargeTry['status']>

/** Maps a try. Why it failed is in its log only, as free texts, which are not read. */
function mapTry(request: StarkPullRequest, paidBy: string | undefined): ChargeTry {
  const status = TRY_STATUSES[request.status]
  return {
    on: getDay(request),
    kind: request.attemptType === 'retry' ? 'RETRY' : 'FIRST',
    status,
    code: null,
    endToEnd: (status === 'PAID' && paidBy && showEndToEndId(paidBy)) || null,
  }
}

function isPending({ status }: StarkPullRequest): boolean {
  return TRY_STATUSES[status] === 'REQUESTED' || TRY_STATUSES[status] === 'SCHEDULED'
}

/** Tells whether a try may still be paid, or was paid by a payment that is not listed yet. */
function isUndecided(request: StarkPullRequest): boolean {
  return isPending(request) || request.status === 'success'
}

/** A debit has no code that is shown, and ends by its tries. */
function toDebit(charge: IssuedCharge): IssuedCharge {
  return { ...charge, payload: '', expiresAt: null }
}

const requestUnreadable: NoAnswerResult = {
  kind: 'no_answer',
  code: 'unreadable_answer',
  message: 'Stark Bank lists a try of the debit, but it is unreadable',
}
const invoiceNotListed: NoAnswerResult = {
  kind: 'no_answer',
  code: 'not_found',
  message: 'Stark Bank lists the tries of the debit, and not its invoice yet',
}
const subscriptionMissing: NoAnswerResult = {
  kind: 'no_answer',
  code: 'not_found',
  message: 'Stark Bank does not find the recurrence of the debit',
}
const tryPending = {
  kind: 'refused',
  code: 'charge_refused',
  message: 'The debit is being tried already',
} as const
