import Router from '@koa/router'
import type { ProviderName } from '../../../src/domain/providers/provider.ts'
import { readAccountOptions } from '../account-options.ts'
import type { SimulatedAccount } from '../accounts.ts'
import type { SimulatedCallRoute } from '../provider-calls.ts'
import type { SimulatorState } from '../state.ts'
import { authenticateBoundCall, type BoundTokenProfile, serveBoundTokens } from './bacen/bound-tokens.ts'
import { createBacenChargeHandlers } from './bacen/charges.ts'
import { bacenAccessDenied } from './bacen/problems.ts'
import { createBacenReceivedPixHandlers } from './bacen/received-pix.ts'
import { createBacenWebhookHandlers } from './bacen/webhooks.ts'
import { createInterAccountHandlers } from './inter/account.ts'
import * as errors from './inter/errors.ts'
import { type CallPace, createPaceLimiter } from './inter/pace.ts'
import { createInterWebhookHandlers } from './inter/payment-webhooks.ts'
import { createInterPaymentHandlers, readInterOrder } from './inter/payments.ts'
import { createInterProfile } from './inter/profile.ts'
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
  for (const { scope, pace, route } of listInterCalls(state)) {
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
  'extrato.read',
  'pagamento-pix.read',
  'pagamento-pix.write',
  'webhook-banking.read',
  'webhook-banking.write',
]

/** A call with its scope and its pace, as published with it. */
type InterCall = { scope: string; pace: CallPace; route: ProviderApiRoute }

/** Lists the simulated calls of Inter's APIs with their operations of the provider port. */
function listInterCalls(state: SimulatorState): InterCall[] {
  const profile = createInterProfile(state)
  const cobs = createBacenChargeHandlers(state, profile)
  const receivedPix = createBacenReceivedPixHandlers(state, profile)
  const webhooks = createBacenWebhookHandlers(state, profile)
  const payments = createInterPaymentHandlers(state)
  const paymentWebhooks = createInterWebhookHandlers(state)
  const account = createInterAccountHandlers(state)
  const call = (
    scope: string,
    [method, path, operation, handle]: [
      ProviderApiRoute[0],
      string,
      SimulatedCallRoute['operation'],
      SimulatedCallRoute['handle'],
    ],
    { perMinute, perSecond, ...more }: Partial<SimulatedCallRoute> & Omit<CallPace, 'name'>,
  ): InterCall => ({
    scope,
    pace: { name: `${method} ${path}`, perMinute, ...(perSecond === undefined ? {} : { perSecond }) },
    route: [method, path, { operation, handle, ...more }],
  })
  const usual = { perMinute: 120 }
  const rare = { perMinute: 10 }
  return [
    call('cob.write', ['put', `${PIX}/cob/:txid`, 'issueCharge', cobs.create], usual),
    call('cob.write', ['post', `${PIX}/cob`, 'issueCharge', cobs.create], usual),
    call('cob.write', ['patch', `${PIX}/cob/:txid`, 'cancelCharge', cobs.revise], usual),
    call('cob.read', ['get', `${PIX}/cob/:txid`, 'findCharge', cobs.show], usual),
    call('cob.read', ['get', `${PIX}/cob`, 'statement', cobs.list], usual),

    call('pix.read', ['get', `${PIX}/pix/:e2eId`, 'findPayment', receivedPix.show], usual),
    call('pix.read', ['get', `${PIX}/pix`, 'statement', receivedPix.list], usual),
    call('pix.write', ['put', `${PIX}/pix/:e2eId/devolucao/:id`, 'refund', receivedPix.refund], usual),
    call('pix.read', ['get', `${PIX}/pix/:e2eId/devolucao/:id`, 'findRefund', receivedPix.showRefund], usual),

    call('webhook.write', ['put', `${PIX}/webhook/:chave`, 'registerNotificationUrl', webhooks.put], rare),
    call('webhook.read', ['get', `${PIX}/webhook/:chave`, 'registerNotificationUrl', webhooks.show], rare),
    call(
      'webhook.write',
      ['delete', `${PIX}/webhook/:chave`, 'registerNotificationUrl', webhooks.remove],
      rare,
    ),

    call('pagamento-pix.write', ['post', `${BANKING}/pix`, 'sendTransfer', payments.order], {
      perMinute: 60,
      perSecond: 1,
      findMagicFault: payments.findMagicFault,
      readBody: readInterOrder,
    }),
    call('pagamento-pix.read', ['get', `${BANKING}/pix/:codigoSolicitacao`, 'findTransfer', payments.show], {
      perMinute: 20,
    }),
    call('extrato.read', ['get', `${BANKING}/saldo`, 'balances', account.showBalance], rare),
    call('extrato.read', ['get', `${BANKING}/extrato/completo`, 'statement', account.showStatement], rare),

    call(
      'webhook-banking.write',
      ['put', `${BANKING}/webhooks/:tipoWebhook`, 'registerNotificationUrl', paymentWebhooks.put],
      rare,
    ),
    call(
      'webhook-banking.read',
      ['get', `${BANKING}/webhooks/:tipoWebhook`, 'registerNotificationUrl', paymentWebhooks.show],
      rare,
    ),
    call(
      'webhook-banking.write',
      ['delete', `${BANKING}/webhooks/:tipoWebhook`, 'registerNotificationUrl', paymentWebhooks.remove],
      rare,
    ),
  ]
}
