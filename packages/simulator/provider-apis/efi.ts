import Router from '@koa/router'
import type { ProviderName } from '../../../src/domain/providers/provider.ts'
import type { SimulatedCallRoute } from '../provider-calls.ts'
import type { SimulatorState } from '../state.ts'
import { listRecurrenceRoutes } from './bacen/recurrence-routes.ts'
import { listBacenRoutes } from './bacen/routes.ts'
import {
  createEfiBalanceHandler,
  createEfiConfigurationHandlers,
  createEfiKeyHandlers,
} from './efi/account.ts'
import { authenticateEfiCall, issueEfiToken } from './efi/authentication.ts'
import { createEfiDisputeHandlers } from './efi/disputes.ts'
import * as errors from './efi/errors.ts'
import { createEfiKeyBucketHandler } from './efi/key-bucket.ts'
import { createEfiLocationHandlers } from './efi/location-calls.ts'
import { createEfiResendHandler } from './efi/notification-resends.ts'
import { createEfiProfile, EFI_RECURRENCE_PROFILE } from './efi/profile.ts'
import { createEfiReceiptHandler } from './efi/receipt-document.ts'
import { createEfiReportHandlers } from './efi/reports.ts'
import { createEfiTransferHandlers } from './efi/transfers.ts'
import {
  MALFORMED_JSON,
  type ProviderApiRoute,
  readProviderJson,
  sendProviderResponse,
  serveProviderApi,
} from './serve-calls.ts'

/** Creates the routes of Efí's Pix API for one provider's port. */
export function createEfiRoutes(state: SimulatorState, provider: ProviderName): Router {
  const router = new Router()
  const authentication = { accounts: state.accounts, provider, now: state.now }
  router.post('/oauth/token', async ctx => {
    const body = await readProviderJson(ctx)
    sendProviderResponse(
      ctx,
      body === MALFORMED_JSON ? errors.efiMalformedJson() : issueEfiToken(ctx, body, authentication),
    )
  })
  serveProviderApi(router, state, provider, {
    routes: listEfiCallRoutes(state),
    authenticate: ctx => authenticateEfiCall(ctx, authentication),
    failures: errors.efiFailures,
    malformedJson: errors.efiMalformedJson,
  })
  return router
}

/** Lists the simulated calls of Efí's API with their operations of the provider port. */
function listEfiCallRoutes(state: SimulatorState): ProviderApiRoute[] {
  const [transfers, keys] = [createEfiTransferHandlers(state), createEfiKeyHandlers(state)]
  const configuration = createEfiConfigurationHandlers(state)
  const [locations, reports] = [createEfiLocationHandlers(state), createEfiReportHandlers(state)]
  const infractions = createEfiDisputeHandlers(state)
  const send: SimulatedCallRoute = {
    operation: 'sendTransfer',
    findMagicFault: transfers.findMagicFault,
    handle: transfers.send,
  }
  return [
    ...[
      ...listBacenRoutes(state, createEfiProfile(state), '/v2'),
      ...listRecurrenceRoutes(state, EFI_RECURRENCE_PROFILE, '/v2'),
    ].map(([, ...route]): ProviderApiRoute => route),

    ['post', '/v2/loc', { operation: 'issueCharge', handle: locations.create }],
    ['get', '/v2/loc', { operation: 'statement', handle: locations.list }],
    ['get', '/v2/loc/:id', { operation: 'findCharge', handle: locations.show }],
    ['get', '/v2/loc/:id/qrcode', { operation: 'findCharge', handle: locations.showCode }],
    ['delete', '/v2/loc/:id/txid', { operation: 'cancelCharge', handle: locations.unlink }],

    ['put', '/v3/gn/pix/:idEnvio', send],
    ['put', '/v2/gn/pix/:idEnvio', send],
    ['put', '/v2/gn/pix/:idEnvio/qrcode', { operation: 'sendTransfer', handle: transfers.payCode }],
    [
      'get',
      '/v2/gn/pix/enviados/id-envio/:idEnvio',
      { operation: 'findTransfer', handle: transfers.showById },
    ],
    ['get', '/v2/gn/pix/enviados/:e2eId', { operation: 'findTransfer', handle: transfers.showByEndToEnd }],
    ['get', '/v2/gn/pix/enviados', { operation: 'statement', handle: transfers.list }],

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
      { operation: 'registerNotificationUrl', handle: createEfiResendHandler(state) },
    ],
    ['post', '/v2/gn/relatorios/extrato-conciliacao', { operation: 'statement', handle: reports.create }],
    ['get', '/v2/gn/relatorios/:id', { operation: 'statement', handle: reports.show }],
    ['get', '/v2/gn/pix/comprovantes', { operation: 'findReceipt', handle: createEfiReceiptHandler(state) }],
    [
      'get',
      '/v2/gn/chaves/balde',
      { operation: 'findLookUpBudget', handle: createEfiKeyBucketHandler(state) },
    ],
    ['get', '/v2/gn/saldo', { operation: 'balances', handle: createEfiBalanceHandler(state) }],
  ]
}
