import type { z } from 'zod'
import type { SimulatedAccount } from '../../accounts.ts'
import { buildDynamicBrCode } from '../../br-code.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import { createBatch } from './create-batch.ts'
import * as errors from './errors.ts'
import { buildStarkId, parseStarkId } from './ids.ts'
import { buildStarkListPage, createStarkLogHandlers } from './list-page.ts'
import { parseStarkBody, subscriptionBody } from './schemas.ts'
import {
  findSubscription,
  findSubscriptionStatus,
  listSubscriptionLogs,
  presentPullLog,
  presentSubscription,
  readDay,
  STARK_INTERVALS,
  type StarkSubscriptionDetails,
  type StarkSubscriptionRow,
  type StarkSubscriptionView,
} from './subscription-presenters.ts'

type SubscriptionOrder = z.infer<typeof subscriptionBody>['subscriptions'][number]
type StarkSubscriptionHandlers = Record<
  'create' | 'list' | 'show' | 'cancel' | 'listLogs' | 'showLog',
  (call: SimulatedCall) => SimulatedResponse
>

/** "2 days after creation". */
const DEFAULT_DUE_MS = 2 * 86_400_000

/** Creates the handlers of recurrences, `/invoice-pull-subscription`. */
export function createStarkSubscriptionHandlers(state: SimulatorState): StarkSubscriptionHandlers {
  const { store, recurring } = state
  const toView = (subscription: StarkSubscriptionRow): StarkSubscriptionView => ({
    subscription,
    recurrence: recurring.recurrences.find(subscription.recurrenceId)!,
    now: recurring.clock.now(),
  })
  const listViews = ({ account }: SimulatedCall) =>
    store
      .all<StarkSubscriptionRow>(
        'SELECT * FROM starkSubscription WHERE accountId = ? ORDER BY number',
        account.id,
      )
      .map(toView)
  const findView = ({ account, params }: SimulatedCall) => {
    const row = findSubscription(store, 'number', parseStarkId('subscription', params.id!))
    return row?.accountId === account.id ? toView(row) : undefined
  }
  const show = (call: SimulatedCall): SimulatedResponse => {
    const view = findView(call)
    return view
      ? { status: 200, body: { subscription: presentSubscription(view) } }
      : errors.starkNotFound('Subscription')
  }
  const listLogs = (call: SimulatedCall) => listViews(call).flatMap(listSubscriptionLogs)

  return {
    create: ({ account, body }) => {
      const parsed = parseStarkBody(subscriptionBody, body)
      if ('refusal' in parsed) return parsed.refusal
      const subscriptions = createBatch(store, parsed.value.subscriptions, (order, index) => {
        const created = createSubscription(state, account, { order, index })
        return 'refusal' in created ? created : presentSubscription(toView(created))
      })
      if ('refusal' in subscriptions) return subscriptions.refusal
      return { status: 200, body: { message: 'Subscription(s) successfully created', subscriptions } }
    },
    list: call =>
      buildStarkListPage(call, {
        field: 'subscriptions',
        list: () =>
          listViews(call).map(view => ({
            id: buildStarkId('subscription', view.subscription.number),
            createdAt: view.subscription.createdAt,
            tags: JSON.parse(view.subscription.tags) as string[],
            status: findSubscriptionStatus(view),
            view,
          })),
        matches: ({ view }, { externalIds }) =>
          externalIds?.includes(view.subscription.externalId ?? '') ?? true,
        present: ({ view }) => presentSubscription(view),
      }),
    show,
    cancel: call => {
      const view = findView(call)
      if (!view) return errors.starkNotFound('Subscription')
      if (findSubscriptionStatus(view) !== 'active') return errors.subscriptionNotActive()
      recurring.payers.cancel(view.recurrence.id, 'SLCR')
      return show(call)
    },
    ...createStarkLogHandlers({
      entity: 'Subscription',
      filter: 'subscriptionIds',
      list: listLogs,
      present: presentPullLog,
    }),
  }
}

function createSubscription(
  { store, recurring }: SimulatorState,
  account: SimulatedAccount,
  { order, index }: { order: SubscriptionOrder; index: number },
): StarkSubscriptionRow | { refusal: SimulatedResponse } {
  const { clock, locations, recurrences, requests } = recurring
  const { type, data = {}, externalId = null, amount = 0, amountMinLimit = 0, tags } = order
  if (type !== 'push' && type !== 'qrcode') return { refusal: errors.journeyUnsupported(index) }
  if (amount === 0 && amountMinLimit === 0) return { refusal: errors.amountMissing(index) }
  const [startsOn, endsOn] = [readDay(order.start), order.end === undefined ? null : readDay(order.end)]
  if (startsOn < clock.today() || (endsOn !== null && endsOn < startsOn))
    return { refusal: errors.invalidSchedule(index) }
  const isDuplicate = store.first(
    'SELECT number FROM starkSubscription WHERE accountId = ? AND externalId = ?',
    account.id,
    externalId,
  )
  if (isDuplicate) return { refusal: errors.duplicatedExternalId(index) }
  const { accountNumber, bankCode, branchCode, taxId } = data
  const recipient =
    accountNumber && bankCode && branchCode && taxId
      ? { account: accountNumber, ispb: bankCode, branch: branchCode, document: taxId }
      : null
  if (type === 'push' && !recipient) return { refusal: errors.payerAccountMissing(index) }

  const { displayDescription = '', referenceCode = '' } = order
  const recurrence = recurrences.create(account, {
    contract: referenceCode,
    subject: displayDescription || null,
    debtorName: order.name,
    debtorDocument: order.taxId,
    startsOn,
    endsOn,
    frequency: STARK_INTERVALS[order.interval],
    cents: amount || null,
    minimumCents: amount ? null : amountMinLimit,
    allowsRetries: order.pullRetryLimit === 3 ? 1 : 0,
    agreement: null,
    activationTxid: null,
  })
  const dueAt = new Date(order.due ?? clock.now().getTime() + DEFAULT_DUE_MS).toISOString()
  let brcode = ''
  if (type === 'push') {
    requests.create(account, { recurrenceId: recurrence.id, expiresAt: dueAt, recipient: recipient! })
  } else {
    const location = locations.create(account.id)
    locations.attach(location, recurrence.id)
    brcode = buildDynamicBrCode({
      url: null,
      recurrenceUrl: locations.buildUrl(location.token),
      totalCents: 0,
      merchantName: account.holderName,
      merchantCity: account.city,
    })
  }
  const details: StarkSubscriptionDetails = {
    type,
    amount,
    amountMinLimit,
    displayDescription,
    referenceCode,
    data,
    brcode,
  }
  const row: StarkSubscriptionRow = {
    number: store.nextCount('starkSubscription'),
    accountId: account.id,
    recurrenceId: recurrence.id,
    externalId,
    details: JSON.stringify(details),
    tags: JSON.stringify(tags),
    dueAt,
    createdAt: recurrence.createdAt,
  }
  store.insert('starkSubscription', row)
  return row
}
