import Router from '@koa/router'
import type { Context } from 'koa'
import type { ProviderName } from '../../../src/domain/providers/provider.ts'
import type { SimulatedAccount, SimulatedAccounts } from '../accounts.ts'
import type { SimulatedCallRoute, SimulatedResponse } from '../provider-calls.ts'
import type { SimulatorState } from '../state.ts'
import { isSameSecret, type ProviderApiRoute, serveProviderApi } from './serve-calls.ts'
import { createWooviAccountHandlers, createWooviWebhookHandlers } from './woovi/account.ts'
import { createWooviChargeHandlers } from './woovi/charges.ts'
import { createWooviDisputeHandlers } from './woovi/disputes.ts'
import * as errors from './woovi/errors.ts'
import { createWooviFileHandlers, readWooviUploadForm } from './woovi/files.ts'
import { createWooviKeyCheckHandlers } from './woovi/key-checks.ts'
import { createWooviKeyHandlers } from './woovi/pix-keys.ts'
import { createWooviReceiptHandler } from './woovi/receipt-documents.ts'
import { createWooviStaticCodeHandlers } from './woovi/static-code-calls.ts'
import { createWooviSubscriptionHandlers } from './woovi/subscription-calls.ts'
import { createWooviTransactionHandlers } from './woovi/transactions.ts'
import { createWooviTransferHandlers } from './woovi/transfers.ts'

/** Creates the routes of Woovi's (OpenPix's) API for one provider's port. */
export function createWooviRoutes(state: SimulatorState, provider: ProviderName): Router {
  const router = new Router({ prefix: '/api/v1' })
  serveProviderApi(router, state, provider, {
    routes: listWooviCallRoutes(state),
    authenticate: ctx => authenticateWooviCall(ctx, { accounts: state.accounts, provider }),
    failures: errors.wooviFailures,
    malformedJson: errors.wooviMalformedJson,
  })
  return router
}

/** Lists the simulated calls of Woovi's API with their operations of the provider port. */
function listWooviCallRoutes(state: SimulatorState): ProviderApiRoute[] {
  const [charges, transactions, transfers] = [
    createWooviChargeHandlers(state),
    createWooviTransactionHandlers(state),
    createWooviTransferHandlers(state),
  ]
  const [accounts, webhooks] = [createWooviAccountHandlers(state), createWooviWebhookHandlers(state)]
  const [keys, disputes, files] = [
    createWooviKeyHandlers(state),
    createWooviDisputeHandlers(state),
    createWooviFileHandlers(state),
  ]
  const keyChecks = createWooviKeyCheckHandlers(state)
  const staticCodes = createWooviStaticCodeHandlers(state)
  const subscriptions = createWooviSubscriptionHandlers(state)
  const order: SimulatedCallRoute = {
    operation: 'sendTransfer',
    findMagicFault: transfers.findOrderFault,
    handle: transfers.order,
  }
  const approve: SimulatedCallRoute = {
    operation: 'sendTransfer',
    findMagicFault: transfers.findApprovalFault,
    handle: transfers.approve,
  }
  return [
    ['post', '/charge', { operation: 'issueCharge', handle: charges.create }],
    ['get', '/charge/:id', { operation: 'findCharge', handle: charges.show }],
    ['delete', '/charge/:id', { operation: 'cancelCharge', handle: charges.remove }],
    ['get', '/charge', { operation: 'statement', handle: charges.list }],
    ['post', '/charge/:id/refund', { operation: 'refund', handle: transactions.refundCharge }],
    ['get', '/charge/:id/refund', { operation: 'findRefund', handle: transactions.listByCharge }],

    ['post', '/qrcode-static', { operation: 'issueCharge', handle: staticCodes.create }],
    ['get', '/qrcode-static/:id', { operation: 'findCharge', handle: staticCodes.show }],
    ['delete', '/qrcode-static/:id', { operation: 'cancelCharge', handle: staticCodes.remove }],
    ['get', '/qrcode-static', { operation: 'statement', handle: staticCodes.list }],

    ['post', '/subscriptions', { operation: 'issueRecurrence', handle: subscriptions.create }],
    ['get', '/subscriptions', { operation: 'findRecurrence', handle: subscriptions.list }],
    ['get', '/subscriptions/:id', { operation: 'findRecurrence', handle: subscriptions.show }],
    ['put', '/subscriptions/:id/cancel', { operation: 'cancelRecurrence', handle: subscriptions.cancel }],
    [
      'get',
      '/subscriptions/:id/installments',
      { operation: 'findAutomaticCharge', handle: subscriptions.installments },
    ],
    ['get', '/installments/:id', { operation: 'findAutomaticCharge', handle: subscriptions.installment }],
    ['post', '/installments/:id/cobr', { operation: 'issueAutomaticCharge', handle: subscriptions.charge }],
    [
      'post',
      '/installments/:id/cobr/retry',
      { operation: 'retryAutomaticCharge', handle: subscriptions.retry },
    ],

    ['get', '/transaction/:id', { operation: 'findPayment', handle: transactions.show }],
    ['get', '/receipt/:type/:id', { operation: 'findReceipt', handle: createWooviReceiptHandler(state) }],
    ['get', '/transaction', { operation: 'statement', handle: transactions.list }],
    ['post', '/refund', { operation: 'refund', handle: transactions.refund }],
    ['get', '/refund/:id', { operation: 'findRefund', handle: transactions.showRefund }],
    ['get', '/refund', { operation: 'statement', handle: transactions.listRefunds }],

    ['post', '/payment', order],
    ['post', '/payment/approve', approve],
    ['get', '/payment/:id', { operation: 'findTransfer', handle: transfers.show }],
    ['get', '/payment', { operation: 'statement', handle: transfers.list }],

    ['get', '/account/:id', { operation: 'balances', handle: accounts.show }],
    ['get', '/account', { operation: 'balances', handle: accounts.list }],

    ['get', '/dispute', { operation: 'listDisputes', handle: disputes.list }],
    ['get', '/dispute/:id', { operation: 'findDispute', handle: disputes.show }],
    ['post', '/dispute/:id/evidence', { operation: 'replyToDispute', handle: disputes.addEvidence }],
    ['post', '/funds-recovery', { operation: 'requestDispute', handle: disputes.requestRecovery }],
    ['post', '/funds-recovery/:id/cancel', { operation: 'cancelDispute', handle: disputes.cancelRecovery }],
    ['get', '/funds-recovery/:id', { operation: 'findDispute', handle: disputes.showRecovery }],
    ['get', '/funds-recovery/:id/disputes', { operation: 'findDispute', handle: disputes.listByRecovery }],
    [
      'get',
      '/funds-recovery/:id/infraction-reports',
      { operation: 'findDispute', handle: disputes.listReports },
    ],
    [
      'get',
      '/funds-recovery/:id/refund-solicitations',
      { operation: 'findDispute', handle: disputes.listSolicitations },
    ],
    ['post', '/files', { operation: 'replyToDispute', handle: files.upload, readBody: readWooviUploadForm }],

    ['post', '/pix-keys', { operation: 'createKey', handle: keys.create }],
    ['post', '/pix-keys/check', { operation: 'lookUpKey', handle: keyChecks.check, isLookUp: true }],
    ['get', '/pix-keys/tokens', { operation: 'findLookUpBudget', handle: keyChecks.tokens, isLookUp: true }],
    ['get', '/pix-keys', { operation: 'listKeys', handle: keys.list }],
    ['delete', '/pix-keys/:pixKey', { operation: 'deleteKey', handle: keys.remove }],

    ['post', '/webhook', { operation: 'registerNotificationUrl', handle: webhooks.create }],
    ['get', '/webhook', { operation: 'registerNotificationUrl', handle: webhooks.list }],
    ['get', '/webhook/public-keys', { operation: 'registerNotificationUrl', handle: webhooks.publicKeys }],
    ['delete', '/webhook/:id', { operation: 'registerNotificationUrl', handle: webhooks.remove }],
  ]
}

type WooviAuthenticationContext = { accounts: SimulatedAccounts; provider: ProviderName }

/** Authenticates a call by its AppID, the whole `Authorization` header: base64 of `clientId:clientSecret`. */
function authenticateWooviCall(
  ctx: Context,
  { accounts, provider }: WooviAuthenticationContext,
): { account: SimulatedAccount } | { refusal: SimulatedResponse } {
  const [clientId = '', ...secret] = Buffer.from(ctx.get('authorization'), 'base64').toString().split(':')
  const account = accounts.findByClient(provider, clientId)
  const isValid = account?.dialect === 'woovi' && isSameSecret(account.clientSecret, secret.join(':'))
  return isValid ? { account } : { refusal: errors.invalidAppId() }
}
