import Router from '@koa/router'
import type { ProviderName } from '../../../src/domain/providers/provider.ts'
import type { FailureResponses, SimulatedCallRoute } from '../provider-calls.ts'
import type { SimulatorState } from '../state.ts'
import { authenticateBoundCall, type BoundTokenProfile, serveBoundTokens } from './bacen/bound-tokens.ts'
import { createBacenChargeHandlers } from './bacen/charges.ts'
import { createBacenReceivedPixHandlers } from './bacen/received-pix.ts'
import { createBacenWebhookHandlers } from './bacen/webhooks.ts'
import { type ProviderApiRoute, serveProviderApi } from './serve-calls.ts'
import { createSicoobAccountHandlers } from './sicoob/account.ts'
import * as errors from './sicoob/errors.ts'
import { createSicoobPaymentWebhookHandlers } from './sicoob/payment-webhook.ts'
import { createSicoobPaymentHandlers } from './sicoob/payments.ts'
import { SICOOB_PROFILE } from './sicoob/profile.ts'

/** Paths of Sicoob's APIs, as in the servers and token URL of their descriptions. */
const PIX = '/pix/api/v2'
const PAYMENTS = '/pix-pagamentos/v2'
const CURRENT_ACCOUNT = '/conta-corrente/v4'

const SICOOB_TOKENS: BoundTokenProfile = {
  dialect: 'sicoob',
  path: '/auth/realms/cooperado/protocol/openid-connect/token',
  // As users of the API publish it.
  ttlS: 300,
  scopes: [
    'cob.read',
    'cob.write',
    'cobv.read',
    'cobv.write',
    'lotecobv.read',
    'lotecobv.write',
    'pix.read',
    'pix.write',
    'webhook.read',
    'webhook.write',
    'payloadlocation.read',
    'payloadlocation.write',
    'pixpagamentos_escrita',
    'pixpagamentos_consulta',
    'pixpagamentos_webhook',
    'cco_consulta',
    'cco_transferencias',
    'openid',
  ],
  needsSecret: false,
  needsScope: false,
  refusals: errors.sicoobTokenRefusals,
  failures: errors.sicoobFailures,
  presentToken: token => ({
    ...token,
    refresh_expires_in: 0,
    token_type: 'Bearer',
    'not-before-policy': 0,
  }),
}

/** Creates the routes of Sicoob's APIs for one provider's port: Pix, payments, the current account, and their tokens. */
export function createSicoobRoutes(state: SimulatorState, provider: ProviderName): Router {
  const router = new Router()
  const context = { state, provider, profile: SICOOB_TOKENS }
  serveBoundTokens(router, context)
  for (const { scope, failures, needsClientId, routes } of listSicoobCalls(state)) {
    serveProviderApi(router, state, provider, {
      routes,
      authenticate: ctx => {
        const authentication = authenticateBoundCall(ctx, scope, context)
        if ('refusal' in authentication) return authentication
        const clientId = ctx.get('client_id')
        const isOther = clientId !== '' && clientId !== authentication.account.clientId
        if (isOther || (needsClientId && clientId === ''))
          return { refusal: errors.sicoobTokenRefusals.invalidToken() }
        return authentication
      },
      failures,
      malformedJson: errors.sicoobMalformedJson,
    })
  }
  return router
}

type ScopedCalls = {
  scope: string
  failures: FailureResponses
  /** True where the description requires the header `client_id`; a wrong one is refused everywhere. */
  needsClientId: boolean
  routes: ProviderApiRoute[]
}

/** Lists the simulated calls of Sicoob's APIs with their scopes and operations of the provider port. */
function listSicoobCalls(state: SimulatorState): ScopedCalls[] {
  const cobs = createBacenChargeHandlers(state, SICOOB_PROFILE)
  const receivedPix = createBacenReceivedPixHandlers(state, SICOOB_PROFILE)
  const webhooks = createBacenWebhookHandlers(state, SICOOB_PROFILE)
  const payments = createSicoobPaymentHandlers(state)
  const paymentWebhook = createSicoobPaymentWebhookHandlers(state)
  const account = createSicoobAccountHandlers(state)
  const call = (operation: SimulatedCallRoute['operation'], handle: SimulatedCallRoute['handle']) => ({
    operation,
    handle,
  })
  const scoped = (scope: string, routes: ProviderApiRoute[]): ScopedCalls => ({
    scope,
    failures: errors.sicoobFailures,
    needsClientId: false,
    routes,
  })
  return [
    scoped('cob.write', [
      ['put', `${PIX}/cob/:txid`, call('issueCharge', cobs.create)],
      ['post', `${PIX}/cob`, call('issueCharge', cobs.create)],
      ['patch', `${PIX}/cob/:txid`, call('cancelCharge', cobs.revise)],
    ]),
    scoped('cob.read', [
      ['get', `${PIX}/cob/:txid`, call('findCharge', cobs.show)],
      ['get', `${PIX}/cob`, call('statement', cobs.list)],
    ]),
    scoped('pix.read', [
      ['get', `${PIX}/pix/:e2eId`, call('findPayment', receivedPix.show)],
      ['get', `${PIX}/pix`, call('statement', receivedPix.list)],
      ['get', `${PIX}/pix/:e2eId/devolucao/:id`, call('findRefund', receivedPix.showRefund)],
    ]),
    scoped('pix.write', [['put', `${PIX}/pix/:e2eId/devolucao/:id`, call('refund', receivedPix.refund)]]),
    scoped('webhook.write', [
      ['put', `${PIX}/webhook/:chave`, call('registerNotificationUrl', webhooks.put)],
      ['delete', `${PIX}/webhook/:chave`, call('registerNotificationUrl', webhooks.remove)],
    ]),
    scoped('webhook.read', [
      ['get', `${PIX}/webhook/:chave`, call('registerNotificationUrl', webhooks.show)],
      ['get', `${PIX}/webhook`, call('registerNotificationUrl', webhooks.list)],
    ]),
    scoped('pixpagamentos_escrita', [
      ['post', `${PAYMENTS}/pagamentos`, call('prepareTransfer', payments.start)],
      [
        'post',
        `${PAYMENTS}/pagamentos/confirmacao`,
        { ...call('sendTransfer', payments.confirm), findMagicFault: payments.findMagicFault },
      ],
    ]),
    scoped('pixpagamentos_webhook', [
      ['put', `${PAYMENTS}/pagamentos/webhook`, call('registerNotificationUrl', paymentWebhook.put)],
      ['get', `${PAYMENTS}/pagamentos/webhook`, call('registerNotificationUrl', paymentWebhook.show)],
      ['delete', `${PAYMENTS}/pagamentos/webhook`, call('registerNotificationUrl', paymentWebhook.remove)],
    ]),
    scoped('pixpagamentos_consulta', [
      ['get', `${PAYMENTS}/pagamentos/:id`, call('findTransfer', payments.show)],
    ]),
    {
      ...scoped('cco_consulta', [
        ['get', `${CURRENT_ACCOUNT}/saldo`, call('balances', account.showBalance)],
        ['get', `${CURRENT_ACCOUNT}/extrato/:mes/:ano`, call('statement', account.showStatement)],
      ]),
      failures: errors.sicoobAccountFailures,
      needsClientId: true,
    },
  ]
}
