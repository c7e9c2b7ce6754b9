import Router from '@koa/router'
import { z } from 'zod'
import type { ProviderName } from '../../../src/domain/providers/provider.ts'
import type { SimulatorState } from '../state.ts'
import { authenticateBoundCall, type BoundTokenProfile, serveBoundTokens } from './bacen/bound-tokens.ts'
import { createPaymentWebhookHandlers, type PaymentWebhookProfile } from './bacen/payment-webhooks.ts'
import { listBacenRoutes, type ScopedRoute } from './bacen/routes.ts'
import { serveProviderApi } from './serve-calls.ts'
import { createSicoobAccountHandlers } from './sicoob/account.ts'
import * as errors from './sicoob/errors.ts'
import { SICOOB_SENT_KIND } from './sicoob/notifications.ts'
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
  for (const [scope, ...route] of listSicoobRoutes(state)) {
    // The current account's description requires the header `client_id`; a wrong one is refused everywhere.
    const isOfAccount = route[1].startsWith(CURRENT_ACCOUNT)
    serveProviderApi(router, state, provider, {
      routes: [route],
      authenticate: ctx => {
        const authentication = authenticateBoundCall(ctx, scope, context)
        if ('refusal' in authentication) return authentication
        const clientId = ctx.get('client_id')
        const isOther = clientId !== '' && clientId !== authentication.account.clientId
        if (isOther || (isOfAccount && clientId === ''))
          return { refusal: errors.sicoobTokenRefusals.invalidToken() }
        return authentication
      },
      failures: isOfAccount ? errors.sicoobAccountFailures : errors.sicoobFailures,
      malformedJson: errors.sicoobMalformedJson,
    })
  }
  return router
}

/** Lists the simulated routes of Sicoob's APIs with their scopes and operations of the provider port. */
function listSicoobRoutes(state: SimulatorState): ScopedRoute[] {
  const payments = createSicoobPaymentHandlers(state)
  const webhook = createPaymentWebhookHandlers(state, SICOOB_PAYMENT_WEBHOOK)
  const account = createSicoobAccountHandlers(state)
  const operation = 'registerNotificationUrl'
  const [webhookScope, webhookPath] = ['pixpagamentos_webhook', `${PAYMENTS}/pagamentos/webhook`]
  return [
    ...listBacenRoutes(state, SICOOB_PROFILE, PIX),
    [
      'pixpagamentos_escrita',
      'post',
      `${PAYMENTS}/pagamentos`,
      { operation: 'prepareTransfer', handle: payments.start },
    ],
    [
      'pixpagamentos_escrita',
      'post',
      `${PAYMENTS}/pagamentos/confirmacao`,
      { operation: 'sendTransfer', handle: payments.confirm, findMagicFault: payments.findMagicFault },
    ],
    [webhookScope, 'put', webhookPath, { operation, handle: webhook.put }],
    [webhookScope, 'get', webhookPath, { operation, handle: webhook.show }],
    [webhookScope, 'delete', webhookPath, { operation, handle: webhook.remove }],
    [
      'pixpagamentos_consulta',
      'get',
      `${PAYMENTS}/pagamentos/:id`,
      { operation: 'findTransfer', handle: payments.show },
    ],
    [
      'cco_consulta',
      'get',
      `${CURRENT_ACCOUNT}/saldo`,
      { operation: 'balances', handle: account.showBalance },
    ],
    [
      'cco_consulta',
      'get',
      `${CURRENT_ACCOUNT}/extrato/:mes/:ano`,
      { operation: 'statement', handle: account.showStatement },
    ],
  ]
}

/** The webhook of sent PIX, `/pagamentos/webhook`: one for an account. */
const SICOOB_PAYMENT_WEBHOOK: PaymentWebhookProfile = {
  kinds: [SICOOB_SENT_KIND],
  body: z.object({ webhookUrl: z.url().max(200) }),
  registered: 200,
  refusals: {
    kindUnknown: errors.sicoobPaymentNotFound,
    urlInvalid: errors.sicoobRefusals.webhookUrlInvalid,
    urlInsecure: errors.sicoobRefusals.webhookUrlInsecure,
    webhookNotFound: errors.sicoobPaymentNotFound,
  },
}
