import type { z } from 'zod'
import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedCharge } from '../../charges.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatedRecurrence } from '../../recurrences/recurrences.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import { createBatch } from './create-batch.ts'
import * as errors from './errors.ts'
import { buildStarkId, parseStarkId } from './ids.ts'
import { buildStarkListPage, createStarkLogHandlers } from './list-page.ts'
import {
  findPullRequestStatus,
  listPullRequestLogs,
  presentPullRequest,
  type StarkPullRequestDetails,
  type StarkPullRequestRow,
  type StarkPullRequestView,
} from './pull-request-presenters.ts'
import { readChargeDetails } from './received-pix.ts'
import { parseStarkBody, pullRequestBody } from './schemas.ts'
import { findSubscription, presentPullLog, readDay } from './subscription-presenters.ts'

type PullOrder = z.infer<typeof pullRequestBody>['requests'][number]
type StarkPullRequestHandlers = Record<
  'create' | 'list' | 'show' | 'cancel' | 'listLogs' | 'showLog',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
>

/** Creates the handlers of the requests to debit the payers of recurrences, `/invoice-pull-request`. */
export function createStarkPullRequestHandlers(state: SimulatorState): StarkPullRequestHandlers {
  const { store, recurring } = state
  const { charges, clock, payers } = recurring
  const toView = (request: StarkPullRequestRow): StarkPullRequestView => ({
    request,
    charge: charges.find(request.accountId, request.txid)!,
    tries: charges.listTries(request),
  })
  const listViews = ({ account }: SimulatedCall) =>
    store
      .all<StarkPullRequestRow>(
        'SELECT * FROM starkPullRequest WHERE accountId = ? ORDER BY number',
        account.id,
      )
      .map(toView)
  const findView = ({ account, params }: SimulatedCall) => {
    const row = store.first<StarkPullRequestRow>(
      'SELECT * FROM starkPullRequest WHERE accountId = ? AND number = ?',
      account.id,
      parseStarkId('pullRequest', params.id!),
    )
    return row && toView(row)
  }
  const show = (call: SimulatedCall): SimulatedResponse => {
    const view = findView(call)
    return view
      ? { status: 200, body: { request: presentPullRequest(view) } }
      : errors.starkNotFound('Request')
  }
  const listLogs = (call: SimulatedCall) => listViews(call).flatMap(listPullRequestLogs)

  return {
    create: ({ account, body }, outcome) => {
      const parsed = parseStarkBody(pullRequestBody, body)
      if ('refusal' in parsed) return parsed.refusal
      const requests = createBatch(store, parsed.value.requests, (order, index) => {
        const created = createPullRequest(state, account, { order, index, outcome })
        return 'refusal' in created ? created : presentPullRequest(toView(created), 'created')
      })
      if ('refusal' in requests) return requests.refusal
      return { status: 200, body: { message: 'Request(s) successfully created', requests } }
    },
    list: call =>
      buildStarkListPage(call, {
        field: 'requests',
        list: () =>
          listViews(call).map(view => ({
            id: buildStarkId('pullRequest', view.request.number),
            createdAt: view.request.createdAt,
            tags: JSON.parse(view.request.tags) as string[],
            status: findPullRequestStatus(view),
            shown: presentPullRequest(view),
          })),
        matches: ({ shown }, { externalIds, invoiceIds, subscriptionIds }) =>
          (externalIds?.includes(shown.externalId) ?? true) &&
          (invoiceIds?.includes(shown.invoiceId) ?? true) &&
          (subscriptionIds?.includes(shown.subscriptionId) ?? true),
        present: ({ shown }) => shown,
      }),
    show,
    cancel: call => {
      const view = findView(call)
      if (!view) return errors.starkNotFound('Request')
      const isPending = ['created', 'pending', 'scheduled'].includes(findPullRequestStatus(view))
      if (!isPending || clock.today() >= view.request.day) return errors.requestNotPending()
      payers.cancelCharge(view.charge, 'SLCR')
      return show(call)
    },
    ...createStarkLogHandlers({
      entity: 'Request',
      filter: 'requestIds',
      list: listLogs,
      present: presentPullLog,
    }),
  }
}

function createPullRequest(
  state: SimulatorState,
  account: SimulatedAccount,
  { order, index, outcome }: { order: PullOrder; index: number; outcome: ScriptedOutcome },
): StarkPullRequestRow | { refusal: SimulatedResponse } {
  const { store, recurring } = state
  const { externalId = null, displayDescription = '', attemptType, invoiceId, tags } = order
  const isDuplicate = store.first(
    'SELECT number FROM starkPullRequest WHERE accountId = ? AND externalId = ?',
    account.id,
    externalId,
  )
  if (isDuplicate) return { refusal: errors.duplicatedExternalId(index) }
  const subscription = findSubscription(store, 'number', parseStarkId('subscription', order.subscriptionId))
  if (subscription?.accountId !== account.id) return { refusal: errors.subscriptionUnknown(index) }
  const invoice = findOpenInvoice(state, account, invoiceId)
  if (!invoice) return { refusal: errors.invoiceUnknown(index) }
  const day = readDay(order.due)
  const recurrence = recurring.recurrences.find(subscription.recurrenceId)!
  const pull = { account, index, recurrence, invoice, day, outcome }
  const refusal = attemptType === 'retry' ? retryInvoice(state, pull) : pullInvoice(state, pull)
  if (refusal) return { refusal }
  const due = order.due.includes('T') ? new Date(order.due).toISOString() : `${day}T07:00:00.000Z`
  const details: StarkPullRequestDetails = { invoiceId, due, attemptType, displayDescription }
  const row: StarkPullRequestRow = {
    number: store.nextCount('starkPullRequest'),
    accountId: account.id,
    subscriptionNumber: subscription.number,
    txid: invoice.txid,
    day,
    externalId,
    details: JSON.stringify(details),
    tags: JSON.stringify(tags),
    createdAt: recurring.clock.now().toISOString(),
  }
  store.insert('starkPullRequest', row)
  return row
}

type Pull = {
  account: SimulatedAccount
  index: number
  recurrence: SimulatedRecurrence
  invoice: SimulatedCharge
  day: string
  outcome: ScriptedOutcome
}

/** Has the payer's bank instructed to pay an invoice; returns why not. */
function pullInvoice(
  { recurring: { charges, clock } }: SimulatorState,
  { account, index, recurrence, invoice, day, outcome }: Pull,
): SimulatedResponse | undefined {
  if (day < clock.today()) return errors.invalidSchedule(index)
  const created = charges.create({
    account,
    recurrence,
    txid: invoice.txid,
    paysCharge: true,
    cents: invoice.cents,
    dueOn: day,
    adjustsDay: false,
    receiver: { account: account.id, kind: 'payment' },
    debtor: undefined,
    info: undefined,
    silent: outcome.kind === 'silent',
  })
  switch (created.kind) {
    case 'created':
      return undefined
    case 'txid_in_use':
      return errors.invoiceUnknown(index)
    case 'cycle_in_use':
      return errors.cycleInUse(index)
    case 'recurrence_ended':
      return errors.subscriptionUnknown(index)
    default:
      return created satisfies never
  }
}

function retryInvoice(
  { recurring: { charges } }: SimulatorState,
  { account, index, recurrence, invoice, day }: Pull,
): SimulatedResponse | undefined {
  const charge = charges.find(account.id, invoice.txid)
  if (charge?.recurrenceId !== recurrence.id) return errors.invoiceUnknown(index)
  const { allowsRetries, payerIspb } = recurrence
  const outcome = charges.retry(charge, {
    day,
    allowsRetries: allowsRetries === 1,
    payerIspb: payerIspb ?? account.ispb,
  })
  return outcome.kind === 'refused' ? errors.retryRefused(index, outcome.why) : undefined
}

function findOpenInvoice(
  { store }: SimulatorState,
  { id }: SimulatedAccount,
  invoiceId: string,
): SimulatedCharge | undefined {
  const charge = store.first<SimulatedCharge>(
    "SELECT * FROM charge WHERE accountId = ? AND rowid = ? AND status = 'active'",
    id,
    parseStarkId('invoice', invoiceId),
  )
  return charge && readChargeDetails(charge).product === 'invoice' ? charge : undefined
}
