import Router from '@koa/router'
import type { ProviderName } from '../../domain/providers/provider.ts'
import type { SimulatedCallRoute } from '../provider-calls.ts'
import type { SimulatorState } from '../state.ts'
import {
  createEfiBalanceHandler,
  createEfiConfigurationHandlers,
  createEfiKeyHandlers,
  createEfiWebhookHandlers,
} from './efi/account.ts'
import { authenticateEfiCall, issueEfiToken } from './efi/authentication.ts'
import { createEfiChargeHandlers } from './efi/charges.ts'
import { createEfiDisputeHandlers } from './efi/disputes.ts'
import * as errors from './efi/errors.ts'
import { createEfiKeyBucketHandler } from './efi/key-bucket.ts'
import { createEfiLocationHandlers } from './efi/location-calls.ts'
import { createEfiResendHandler } from './efi/notification-resends.ts'
import { createEfiReceiptHandler } from './efi/receipt-document.ts'
import { createEfiReceivedPixHandlers } from './efi/received-pix.ts'
import { createEfiReportHandlers } from './efi/reports.ts'
import { createEfiTransferHandlers } from './efi/transfers.ts'
import {
  MALFORMED_JSON,
  type ProviderApiRoute,
  readProviderJson,
  sendProviderResponse,
  serveProviderApi,
} from './serve-calls.ts'

/** Efí's Pix API as one provider's port serves it. */
export function createEfiRoutes(world: SimulatorState, provider: ProviderName): Router {
  const router = new Router()
  const gate = { accounts: world.accounts, provider, now: world.now }
  router.post('/oauth/token', async ctx => {
    const body = await readProviderJson(ctx)
    sendProviderResponse(
      ctx,
      body === MALFORMED_JSON ? errors.efiMalformedJson() : issueEfiToken(ctx, body, gate),
    )
  })
  serveProviderApi(router, world, provider, {
    routes: listEfiCallRoutes(world),
    authenticate: ctx => authenticateEfiCall(ctx, gate),
    failures: errors.efiFailures,
    malformedJson: errors.efiMalformedJson,
  })
  return router
}

/** Every call of Efí's API that is simulated, with the operation of the provider port it serves. */
function listEfiCallRoutes(world: SimulatorState): ProviderApiRoute[] {
  const [cobs, pixes, sends] = [
    createEfiChargeHandlers(world),
    createEfiReceivedPixHandlers(world),
    createEfiTransferHandlers(world),
  ]
  const [webhooks, keys] = [createEfiWebhookHandlers(world), createEfiKeyHandlers(world)]
  const configuration = createEfiConfigurationHandlers(world)
  const [locations, reports] = [createEfiLocationHandlers(world), createEfiReportHandlers(world)]
  const infractions = createEfiDisputeHandlers(world)
  const send: SimulatedCallRoute = {
    operation: 'sendTransfer',
    findMagicFault: sends.findMagicFault,
    handle: sends.send,
  }
  return [
    ['put', '/v2/cob/:txid', { operation: 'issueCharge', handle: cobs.create }],
    ['post', '/v2/cob', { operation: 'issueCharge', handle: cobs.create }],
    ['get', '/v2/cob/:txid', { operation: 'findCharge', handle: cobs.show }],
    ['patch', '/v2/cob/:txid', { operation: 'cancelCharge', handle: cobs.revise }],
    ['get', '/v2/cob', { operation: 'statement', handle: cobs.list }],

    ['post', '/v2/loc', { operation: 'issueCharge', handle: locations.create }],
    ['get', '/v2/loc', { operation: 'statement', handle: locations.list }],
    ['get', '/v2/loc/:id', { operation: 'findCharge', handle: locations.show }],
    ['get', '/v2/loc/:id/qrcode', { operation: 'findCharge', handle: locations.showCode }],
    ['delete', '/v2/loc/:id/txid', { operation: 'cancelCharge', handle: locations.unlink }],

    ['get', '/v2/pix/:e2eId', { operation: 'findPayment', handle: pixes.show }],
    ['get', '/v2/pix', { operation: 'statement', handle: pixes.list }],
    ['put', '/v2/pix/:e2eId/devolucao/:id', { operation: 'refund', handle: pixes.refund }],
    ['get', '/v2/pix/:e2eId/devolucao/:id', { operation: 'findRefund', handle: pixes.showRefund }],

    ['put', '/v3/gn/pix/:idEnvio', send],
    ['put', '/v2/gn/pix/:idEnvio', send],
    ['get', '/v2/gn/pix/enviados/id-envio/:idEnvio', { operation: 'findTransfer', handle: sends.showById }],
    ['get', '/v2/gn/pix/enviados/:e2eId', { operation: 'findTransfer', handle: sends.showByEndToEnd }],
    ['get', '/v2/gn/pix/enviados', { operation: 'statement', handle: sends.list }],

    ['put', '/v2/webhook/:chave', { operation: 'registerNotificationUrl', handle: webhooks.put }],
    ['get', '/v2/webhook/:chave', { operation: 'registerNotificationUrl', handle: webhooks.show }],
    ['get', '/v2/webhook', { operation: 'registerNotificationUrl', handle: webhooks.list }],
    ['delete', '/v2/webhook/:chave', { operation: 'registerNotificationUrl', handle: webhooks.remove }],

    ['put', '/v2/gn/config', { operation: 'registerNotificationUrl', handle: configuration.put }],
    ['get', '/v2/gn/config', { operation: 'registerNotificationUrl', handle: configuration.show }],

    ['post', '/v2/gn/evp', { operation: 'createKey', handle: keys.create }],
    ['get', '/v2/gn/evp', { operation: 'listKeys', handle: keys.list }],
    ['delete', '/v2/gn/evp/:chave', { operation: 'deleteKey', handle: keys.remove }],
    ['get', '/v2/gn/infracoes', { operation: 'listDisputes', handle: infractions.list }],
    [
      'post',
      '/v2/gn/infracoes/:idInfracao/defesa',
      { operation: 'replyToDispute', handle: infractions.defend },
    ],
    [
      'post',
      '/v2/gn/webhook/reenviar',
      { operation: 'registerNotificationUrl', handle: createEfiResendHandler(world) },
    ],
    ['post', '/v2/gn/relatorios/extrato-conciliacao', { operation: 'statement', handle: reports.create }],
    ['get', '/v2/gn/relatorios/:id', { operation: 'statement', handle: reports.show }],
    ['get', '/v2/gn/pix/comprovantes', { operation: 'findPayment', handle: createEfiReceiptHandler(world) }],
    ['get', '/v2/gn/chaves/balde', { operation: 'listKeys', handle: createEfiKeyBucketHandler(world) }],
    ['get', '/v2/gn/saldo', { operation: 'balances', handle: createEfiBalanceHandler(world) }],
  ]
}
