import Router from '@koa/router'
import type { Middleware } from 'koa'
import type { ProviderName } from '../../../src/domain/providers/provider.ts'
import type { SimulatedCallRoute } from '../provider-calls.ts'
import type { SimulatorState } from '../state.ts'
import { type ProviderApiRoute, sendProviderResponse, serveProviderApi } from './serve-calls.ts'
import { createStarkAccountHandlers, createStarkWebhookHandlers } from './stark/account.ts'
import { authenticateStarkCall } from './stark/authentication.ts'
import { createStarkDepositHandlers } from './stark/deposits.ts'
import { createStarkKeyHandlers } from './stark/dict-keys.ts'
import { createStarkBrcodeHandlers } from './stark/dynamic-brcodes.ts'
import * as errors from './stark/errors.ts'
import { createStarkInvoiceHandlers } from './stark/invoices.ts'
import { createStarkPullRequestHandlers } from './stark/pull-requests.ts'
import { createStarkSubscriptionHandlers } from './stark/subscriptions.ts'
import { createStarkTransactionHandlers } from './stark/transactions.ts'
import { createStarkTransferHandlers } from './stark/transfers.ts'
import { createStarkVerifiedAccountHandlers } from './stark/verified-accounts.ts'

/** Serves the requests with an Access-Id of Stark Bank's API on one provider's port, and no others. */
export function serveStarkApi(state: SimulatorState, provider: ProviderName): Middleware {
  const router = new Router({ prefix: '/v2' })
  const { accounts, now } = state
  serveProviderApi(router, state, provider, {
    routes: listStarkCallRoutes(state),
    authenticate: ctx => authenticateStarkCall(ctx, { accounts, provider, now }),
    failures: errors.starkFailures,
    malformedJson: errors.starkMalformedJson,
  })
  const serve = router.routes() as unknown as Middleware
  return (ctx, next) => {
    if (ctx.get('access-id') === '') return next()
    return serve(ctx, async () => sendProviderResponse(ctx, errors.starkFailures.unknownRoute()))
  }
}

/** A list by tags or ids looks one object up; without them it is the statement. */
const byTagsOr = (...operations: OneOrMore<OperationName>): SimulatedCallRoute['operation'] => {
  return ({ query }) => (query.has('tags') || query.has('ids') ? operations : ['statement'])
}
type OperationName = Extract<SimulatedCallRoute['operation'], string>
type OneOrMore<Item> = [Item, ...Item[]]

/** Names the operation of a change of an invoice: its cancellation, its schedule, or what a refund leaves of it. */
function nameInvoiceChange({ body }: { body: unknown }): ['cancelCharge' | 'reviseCharge' | 'refund'] {
  const { status, due, expiration } = (body ?? {}) as Record<string, unknown>
  if (status !== undefined) return ['cancelCharge']
  return due === undefined && expiration === undefined ? ['refund'] : ['reviseCharge']
}

const SUBSCRIPTION = '/invoice-pull-subscription'
const PULL_REQUEST = '/invoice-pull-request'

/** Names the operation of a request to debit a payer, by its first element. */
function namePull({ body }: { body: unknown }): ['issueAutomaticCharge' | 'retryAutomaticCharge'] {
  const [first] = (body as { requests?: { attemptType?: string }[] } | null)?.requests ?? []
  return [first?.attemptType === 'retry' ? 'retryAutomaticCharge' : 'issueAutomaticCharge']
}

/** Lists the simulated calls of Stark Bank's API with their operations of the provider port. */
function listStarkCallRoutes(state: SimulatorState): ProviderApiRoute[] {
  const [brcodes, invoices] = [createStarkBrcodeHandlers(state), createStarkInvoiceHandlers(state)]
  const [deposits, transfers] = [createStarkDepositHandlers(state), createStarkTransferHandlers(state)]
  const verified = createStarkVerifiedAccountHandlers(state)
  const [accounts, webhooks] = [createStarkAccountHandlers(state), createStarkWebhookHandlers(state)]
  const [keys, transactions] = [createStarkKeyHandlers(state), createStarkTransactionHandlers(state)]
  const [subscriptions, pulls] = [
    createStarkSubscriptionHandlers(state),
    createStarkPullRequestHandlers(state),
  ]
  const { findMagicFault } = transfers
  /** The look-up of a received PIX serves a refund before and after it as well. */
  const findReceived = () => ['findPayment', 'prepareRefund', 'findRefund'] as const
  const lookUpOfKey = () => ['prepareTransfer', 'lookUpKey'] as const
  return [
    ['post', '/dynamic-brcode', { operation: 'issueCharge', handle: brcodes.create }],
    ['get', '/dynamic-brcode', { operation: byTagsOr('findCharge'), handle: brcodes.list, isLookUp: true }],
    ['get', '/dynamic-brcode/:uuid', { operation: 'findCharge', handle: brcodes.show, isLookUp: true }],

    ['post', '/invoice', { operation: 'issueCharge', handle: invoices.create }],
    ['get', '/invoice', { operation: byTagsOr('findCharge'), handle: invoices.list, isLookUp: true }],
    ['get', '/invoice/log', { operation: 'statement', handle: invoices.listLogs, isLookUp: true }],
    ['get', '/invoice/log/:id', { operation: 'findCharge', handle: invoices.showLog, isLookUp: true }],
    [
      'get',
      '/invoice/:id',
      {
        operation: () => ['findCharge', 'findPayment', 'prepareRefund', 'findRefund'],
        handle: invoices.show,
        isLookUp: true,
      },
    ],
    [
      'patch',
      '/invoice/:id',
      {
        operation: nameInvoiceChange,
        handle: invoices.update,
      },
    ],
    [
      'get',
      '/invoice/:id/payment',
      { operation: () => ['findCharge', 'findPayment'], handle: invoices.showPayment, isLookUp: true },
    ],

    [
      'get',
      '/deposit',
      { operation: byTagsOr('findCharge', 'findPayment'), handle: deposits.list, isLookUp: true },
    ],
    ['get', '/deposit/log', { operation: findRefundLogs, handle: deposits.listLogs, isLookUp: true }],
    ['get', '/deposit/log/:id', { operation: 'findRefund', handle: deposits.showLog, isLookUp: true }],
    ['get', '/deposit/:id', { operation: findReceived, handle: deposits.show, isLookUp: true }],
    ['patch', '/deposit/:id', { operation: 'refund', handle: deposits.update }],

    ['get', '/dict-key', { operation: 'listKeys', handle: keys.list, isLookUp: true }],
    ['get', '/dict-key/:id', { operation: lookUpOfKey, handle: keys.show, isLookUp: true }],
    ['get', '/dict-key/:id/:rest', { operation: lookUpOfKey, handle: keys.show, isLookUp: true }],
    ['post', '/verified-account', { operation: 'prepareTransfer', handle: verified.create }],
    ['get', '/verified-account', { operation: 'prepareTransfer', handle: verified.list, isLookUp: true }],
    ['get', '/verified-account/:id', { operation: 'prepareTransfer', handle: verified.show, isLookUp: true }],
    ['delete', '/verified-account/:id', { operation: 'prepareTransfer', handle: verified.cancel }],

    [
      'post',
      '/verified-transfer',
      { operation: 'sendTransfer', findMagicFault, handle: transfers.createVerified },
    ],
    [
      'get',
      '/verified-transfer',
      { operation: byTagsOr('findTransfer'), handle: transfers.listVerified, isLookUp: true },
    ],
    [
      'get',
      '/verified-transfer/:id',
      { operation: 'findTransfer', handle: transfers.showVerified, isLookUp: true },
    ],
    ['post', '/transfer', { operation: 'sendTransfer', handle: transfers.create }],
    ['get', '/transfer', { operation: byTagsOr('findTransfer'), handle: transfers.list, isLookUp: true }],
    ['get', '/transfer/log', { operation: 'findTransfer', handle: transfers.listLogs, isLookUp: true }],
    ['get', '/transfer/log/:id', { operation: 'findTransfer', handle: transfers.showLog, isLookUp: true }],
    ['get', '/transfer/:id', { operation: 'findTransfer', handle: transfers.show, isLookUp: true }],
    ['delete', '/transfer/:id', { operation: 'sendTransfer', handle: transfers.cancel, isLookUp: true }],

    ['get', '/balance', { operation: 'balances', handle: accounts.balance, isLookUp: true }],
    ['get', '/workspace', { operation: 'balances', handle: accounts.workspaces, isLookUp: true }],
    ['get', '/workspace/:id', { operation: 'balances', handle: accounts.workspace, isLookUp: true }],
    ['get', '/transaction', { operation: 'statement', handle: transactions.list, isLookUp: true }],
    ['get', '/transaction/:id', { operation: 'statement', handle: transactions.show, isLookUp: true }],

    ['post', SUBSCRIPTION, { operation: 'issueRecurrence', handle: subscriptions.create }],
    ['get', SUBSCRIPTION, { operation: 'findRecurrence', handle: subscriptions.list, isLookUp: true }],
    [
      'get',
      `${SUBSCRIPTION}/log`,
      { operation: 'findRecurrence', handle: subscriptions.listLogs, isLookUp: true },
    ],
    [
      'get',
      `${SUBSCRIPTION}/log/:id`,
      { operation: 'findRecurrence', handle: subscriptions.showLog, isLookUp: true },
    ],
    [
      'get',
      `${SUBSCRIPTION}/:id`,
      { operation: 'findRecurrence', handle: subscriptions.show, isLookUp: true },
    ],
    ['delete', `${SUBSCRIPTION}/:id`, { operation: 'cancelRecurrence', handle: subscriptions.cancel }],
    ['post', PULL_REQUEST, { operation: namePull, handle: pulls.create }],
    ['get', PULL_REQUEST, { operation: 'findAutomaticCharge', handle: pulls.list, isLookUp: true }],
    [
      'get',
      `${PULL_REQUEST}/log`,
      { operation: 'findAutomaticCharge', handle: pulls.listLogs, isLookUp: true },
    ],
    [
      'get',
      `${PULL_REQUEST}/log/:id`,
      { operation: 'findAutomaticCharge', handle: pulls.showLog, isLookUp: true },
    ],
    ['get', `${PULL_REQUEST}/:id`, { operation: 'findAutomaticCharge', handle: pulls.show, isLookUp: true }],
    ['delete', `${PULL_REQUEST}/:id`, { operation: 'cancelAutomaticCharge', handle: pulls.cancel }],

    ['post', '/webhook', { operation: 'registerNotificationUrl', handle: webhooks.create }],
    ['get', '/webhook', { operation: 'registerNotificationUrl', handle: webhooks.list }],
    ['get', '/webhook/:id', { operation: 'registerNotificationUrl', handle: webhooks.show }],
    ['delete', '/webhook/:id', { operation: 'registerNotificationUrl', handle: webhooks.remove }],
    ['get', '/public-key', { operation: 'registerNotificationUrl', handle: accounts.publicKeys }],
  ]
}

const findRefundLogs: SimulatedCallRoute['operation'] = ({ query }) =>
  query.has('depositIds') ? ['findRefund', 'prepareRefund'] : ['statement']
