import Router from '@koa/router'
import type { ProviderName } from '../../domain/providers/provider.ts'
import type { SimulatedCallRoute } from '../provider-calls.ts'
import type { SimulatorState } from '../state.ts'
import { type ProviderApiRoute, serveProviderApi } from './serve-calls.ts'
import { createWooviAccountHandlers, createWooviWebhookHandlers } from './woovi/account.ts'
import { authenticateWooviCall } from './woovi/authentication.ts'
import { createWooviChargeHandlers } from './woovi/charges.ts'
import { createWooviDisputeHandlers } from './woovi/disputes.ts'
import * as errors from './woovi/errors.ts'
import { createWooviFileHandlers, readWooviUploadForm } from './woovi/files.ts'
import { createWooviKeyHandlers } from './woovi/pix-keys.ts'
import { createWooviStaticCodeHandlers } from './woovi/static-code-calls.ts'
import { createWooviTransactionHandlers } from './woovi/transactions.ts'
import { createWooviTransferHandlers } from './woovi/transfers.ts'

/** Woovi's (OpenPix's) API as one provider's port serves it. */
export function createWooviRoutes(world: SimulatorState, provider: ProviderName): Router {
  const router = new Router({ prefix: '/api/v1' })
  serveProviderApi(router, world, provider, {
    routes: listWooviCallRoutes(world),
    authenticate: ctx => authenticateWooviCall(ctx, { accounts: world.accounts, provider }),
    failures: errors.wooviFailures,
    malformedJson: errors.wooviMalformedJson,
  })
  return router
}

/** Every call of Woovi's API that is simulated, with the operation of the provider port it serves. */
function listWooviCallRoutes(world: SimulatorState): ProviderApiRoute[] {
  const [charges, pixes, sends] = [
    createWooviChargeHandlers(world),
    createWooviTransactionHandlers(world),
    createWooviTransferHandlers(world),
  ]
  const [accounts, webhooks] = [createWooviAccountHandlers(), createWooviWebhookHandlers(world)]
  const [keys, disputes, files] = [
    createWooviKeyHandlers(world),
    createWooviDisputeHandlers(world),
    createWooviFileHandlers(world),
  ]
  const staticCodes = createWooviStaticCodeHandlers(world)
  const order: SimulatedCallRoute = {
    operation: 'sendTransfer',
    findMagicFault: sends.magicOfOrder,
    handle: sends.order,
  }
  const approve: SimulatedCallRoute = {
    operation: 'sendTransfer',
    findMagicFault: sends.magicOfApproval,
    handle: sends.approve,
  }
  return [
    ['post', '/charge', { operation: 'issueCharge', handle: charges.create }],
    ['get', '/charge/:id', { operation: 'findCharge', handle: charges.show }],
    ['delete', '/charge/:id', { operation: 'cancelCharge', handle: charges.remove }],
    ['get', '/charge', { operation: 'statement', handle: charges.list }],
    ['post', '/charge/:id/refund', { operation: 'refund', handle: pixes.refundCharge }],
    ['get', '/charge/:id/refund', { operation: 'findRefund', handle: pixes.listOfCharge }],

    ['post', '/qrcode-static', { operation: 'issueCharge', handle: staticCodes.create }],
    ['get', '/qrcode-static/:id', { operation: 'findCharge', handle: staticCodes.show }],
    ['delete', '/qrcode-static/:id', { operation: 'cancelCharge', handle: staticCodes.remove }],
    ['get', '/qrcode-static', { operation: 'statement', handle: staticCodes.list }],

    ['get', '/transaction/:id', { operation: 'findPayment', handle: pixes.show }],
    ['get', '/transaction', { operation: 'statement', handle: pixes.list }],
    ['post', '/refund', { operation: 'refund', handle: pixes.refund }],
    ['get', '/refund/:id', { operation: 'findRefund', handle: pixes.showRefund }],
    ['get', '/refund', { operation: 'statement', handle: pixes.listRefunds }],

    ['post', '/payment', order],
    ['post', '/payment/approve', approve],
    ['get', '/payment/:id', { operation: 'findTransfer', handle: sends.show }],
    ['get', '/payment', { operation: 'statement', handle: sends.list }],

    ['get', '/account/:id', { operation: 'balances', handle: accounts.show }],
    ['get', '/account', { operation: 'balances', handle: accounts.list }],

    ['get', '/dispute', { operation: 'listDisputes', handle: disputes.list }],
    ['get', '/dispute/:id', { operation: 'findDispute', handle: disputes.show }],
    ['post', '/dispute/:id/evidence', { operation: 'replyToDispute', handle: disputes.addEvidence }],
    ['get', '/funds-recovery/:id', { operation: 'findDispute', handle: disputes.showRecovery }],
    ['get', '/funds-recovery/:id/disputes', { operation: 'findDispute', handle: disputes.disputesOf }],
    [
      'get',
      '/funds-recovery/:id/refund-solicitations',
      { operation: 'findDispute', handle: disputes.solicitationsOf },
    ],
    ['post', '/files', { operation: 'replyToDispute', handle: files.upload, readBody: readWooviUploadForm }],

    ['post', '/pix-keys', { operation: 'createKey', handle: keys.create }],
    ['get', '/pix-keys', { operation: 'listKeys', handle: keys.list }],
    ['delete', '/pix-keys/:pixKey', { operation: 'deleteKey', handle: keys.remove }],

    ['post', '/webhook', { operation: 'registerNotificationUrl', handle: webhooks.create }],
    ['get', '/webhook', { operation: 'registerNotificationUrl', handle: webhooks.list }],
    ['get', '/webhook/public-keys', { operation: 'registerNotificationUrl', handle: webhooks.publicKeys }],
    ['delete', '/webhook/:id', { operation: 'registerNotificationUrl', handle: webhooks.remove }],
  ]
}
