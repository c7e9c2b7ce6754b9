import Router from '@koa/router'
import { z } from 'zod'
import type { ProviderName } from '../../../src/domain/providers/provider.ts'
import { readAccountOptions } from '../account-options.ts'
import type { SimulatedAccount } from '../accounts.ts'
import type { SimulatorState } from '../state.ts'
import { authenticateBoundCall, type BoundTokenProfile, serveBoundTokens } from './bacen/bound-tokens.ts'
import { createPaymentWebhookHandlers, type PaymentWebhookProfile } from './bacen/payment-webhooks.ts'
import { bacenAccessDenied } from './bacen/problems.ts'
import { listRecurrenceRoutes, RECURRENCE_SCOPES } from './bacen/recurrence-routes.ts'
import { listBacenRoutes, type ScopedRoute } from './bacen/routes.ts'
import { createInterAccountHandlers } from './inter/account.ts'
import * as errors from './inter/errors.ts'
import { INTER_SENT_KIND } from './inter/notifications.ts'
import { type CallPace, createPaceLimiter } from './inter/pace.ts'
import { createInterPaymentHandlers, readInterOrder } from './inter/payments.ts'
import { createInterProfile, INTER_RECURRENCE_PROFILE } from './inter/profile.ts'
import { type ProviderApiRoute, serveProviderApi } from './serve-calls.ts'

const PIX = '/pix/v2'
const BANKING = '/banking/v2'
const TOKEN_PACE: CallPace = { name: 'token', perMinute: 5 }

/** Creates the routes of Inter's APIs for one provider's port: Pix, banking, and their tokens, each within its pace. */
export function createInterRoutes(state: SimulatorState, provider: ProviderName): Router {
  const router = new Router()
  const limiter = createPaceLimiter(state)
  const limitPace = (account: SimulatedAccount, pace: CallPace) =>
    readAccountOptions(account).enforces_pace && !limiter.admit(account, pace) ? errors.paceExceeded() : null
  const profile: BoundTokenProfile = {
    dialect: 'inter',
    path: '/oauth/v2/token',
    ttlS: 3_600,
    scopes: INTER_SCOPES,
    needsSecret: true,
    needsScope: true,
    refusals: errors.interTokenRefusals,
    failures: errors.interFailures,
    presentToken: token => ({ ...token, token_type: 'Bearer' }),
    limitPace: account => limitPace(account, TOKEN_PACE),
  }
  serveBoundTokens(router, { state, provider, profile })
  for (const [scope, ...route] of listInterRoutes(state)) {
    const pace = findPace(route)
    const isPix = route[1].startsWith(PIX)
    const refuseAccess = isPix ? bacenAccessDenied : errors.bankingAccessDenied
    const refusals = { ...profile.refusals, scopeMissing: refuseAccess }
    const context = { state, provider, profile: { ...profile, refusals } }
    serveProviderApi(router, state, provider, {
      routes: [route],
      authenticate: ctx => {
        const authentication = authenticateBoundCall(ctx, scope, context)
        if ('refusal' in authentication) return authentication
        const { account } = authentication
        const number = ctx.get('x-conta-corrente')
        if (number !== '' && number !== readAccountOptions(account).account_number)
          return { refusal: refuseAccess() }
        const refusal = limitPace(account, pace)
        return refusal ? { refusal } : authentication
      },
      failures: isPix ? errors.interPixFailures : errors.interFailures,
      malformedJson: isPix ? errors.interPixMalformedJson : errors.interMalformedJson,
    })
  }
  return router
}

const INTER_SCOPES = [
  'cob.read',
  'cob.write',
  'cobv.read',
  'cobv.write',
  'pix.read',
  'pix.write',
  'webhook.read',
  'webhook.write',
  'payloadlocation.read',
  'payloadlocation.write',
  ...RECURRENCE_SCOPES,
  'extrato.read',
  'pagamento-pix.read',
  'pagamento-pix.write',
  'webhook-banking.read',
  'webhook-banking.write',
]

/** Paces of calls, as published with each. The Pix API's are 120 a minute, and all others 10. */
const PACES: Record<string, Omit<CallPace, 'name'>> = {
  [`post ${BANKING}/pix`]: { perMinute: 60, perSecond: 1 },
  [`get ${BANKING}/pix/:codigoSolicitacao`]: { perMinute: 20 },
}

function findPace([method, path]: ProviderApiRoute): CallPace {
  const name = `${method} ${path}`
  const isUsual = path.startsWith(PIX) && !path.startsWith(`${PIX}/webhook`)
  return { name, ...(PACES[name] ?? { perMinute: isUsual ? 120 : 10 }) }
}

/** Lists the simulated routes of Inter's APIs with their scopes and operations of the provider port. */
function listInterRoutes(state: SimulatorState): ScopedRoute[] {
  const payments = createInterPaymentHandlers(state)
  const webhooks = createPaymentWebhookHandlers(state, INTER_PAYMENT_WEBHOOKS)
  const account = createInterAccountHandlers(state)
  const operation = 'registerNotificationUrl'
  const webhookPath = `${BANKING}/webhooks/:tipoWebhook`
  return [
    ...listBacenRoutes(state, createInterProfile(state), PIX),
    ...listRecurrenceRoutes(state, INTER_RECURRENCE_PROFILE, PIX),
    [
      'pagamento-pix.write',
      'post',
      `${BANKING}/pix`,
      {
        operation: 'sendTransfer',
        handle: payments.order,
        findMagicFault: payments.findMagicFault,
        readBody: readInterOrder,
      },
    ],
    [
      'pagamento-pix.read',
      'get',
      `${BANKING}/pix/:codigoSolicitacao`,
      { operation: 'findTransfer', handle: payments.show },
    ],
    ['extrato.read', 'get', `${BANKING}/saldo`, { operation: 'balances', handle: account.showBalance }],
    [
      'extrato.read',
      'get',
      `${BANKING}/extrato/completo`,
      { operation: 'statement', handle: account.showStatement },
    ],
    ['webhook-banking.write', 'put', webhookPath, { operation, handle: webhooks.put }],
    ['webhook-banking.read', 'get', webhookPath, { operation, handle: webhooks.show }],
    ['webhook-banking.write', 'delete', webhookPath, { operation, handle: webhooks.remove }],
  ]
}

const webhookUrlRefused = () =>
  errors.invalidData({ razao: 'O valor deve seguir o padrão ^https://.*$', propriedade: 'webhookUrl' })

/** The webhooks of the banking API, `/banking/v2/webhooks/{tipoWebhook}`. */
const INTER_PAYMENT_WEBHOOKS: PaymentWebhookProfile = {
  kinds: [INTER_SENT_KIND, 'boleto-pagamento'],
  body: z.object({ webhookUrl: z.url() }),
  registered: 204,
  refusals: {
    kindUnknown: () => errors.invalidData({ razao: 'Valor não suportado', propriedade: 'tipoWebhook' }),
    urlInvalid: webhookUrlRefused,
    urlInsecure: webhookUrlRefused,
    webhookNotFound: errors.bankingNotFound,
  },
}
