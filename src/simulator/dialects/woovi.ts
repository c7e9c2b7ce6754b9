import Router from '@koa/router'
import type { ProviderName } from '../../domain/provider.ts'
import type { CallRoute } from '../calls.ts'
import type { World } from '../world.ts'
import { type ServedRoute, serve } from './serving.ts'
import { accountCallsOf, webhookCallsOf } from './woovi/account.ts'
import { admitted } from './woovi/auth.ts'
import { chargesOf } from './woovi/charge.ts'
import { disputesOf } from './woovi/dispute.ts'
import * as errors from './woovi/errors.ts'
import { fileCallsOf, formOf } from './woovi/files.ts'
import { keyCallsOf } from './woovi/keys.ts'
import { pixesOf } from './woovi/pix.ts'
import { sendsOf } from './woovi/send.ts'

/** Woovi's (OpenPix's) API as one provider's port serves it. */
export function wooviRoutes(world: World, provider: ProviderName): Router {
  const router = new Router({ prefix: '/api/v1' })
  serve(router, world, provider, {
    routes: callRoutes(world),
    admitted: ctx => admitted(ctx, { accounts: world.accounts, provider }),
    words: errors.wooviFailures,
    malformedJson: errors.malformedJson,
  })
  return router
}

/** Every call of Woovi's API that is simulated, with the operation of the provider port it serves. */
function callRoutes(world: World): ServedRoute[] {
  const [charges, pixes, sends] = [chargesOf(world), pixesOf(world), sendsOf(world)]
  const [accounts, webhooks] = [accountCallsOf(), webhookCallsOf(world)]
  const [keys, disputes, files] = [keyCallsOf(world), disputesOf(world), fileCallsOf(world)]
  const order: CallRoute = { operation: 'sendTransfer', magicOf: sends.magicOfOrder, act: sends.order }
  const approve: CallRoute = {
    operation: 'sendTransfer',
    magicOf: sends.magicOfApproval,
    act: sends.approve,
  }
  return [
    ['post', '/charge', { operation: 'issueCharge', act: charges.create }],
    ['get', '/charge/:id', { operation: 'findCharge', act: charges.show }],
    ['delete', '/charge/:id', { operation: 'cancelCharge', act: charges.remove }],
    ['get', '/charge', { operation: 'statement', act: charges.list }],
    ['post', '/charge/:id/refund', { operation: 'refund', act: pixes.refundCharge }],
    ['get', '/charge/:id/refund', { operation: 'findRefund', act: pixes.listOfCharge }],

    ['get', '/transaction/:id', { operation: 'findPayment', act: pixes.show }],
    ['get', '/transaction', { operation: 'statement', act: pixes.list }],
    ['post', '/refund', { operation: 'refund', act: pixes.refund }],
    ['get', '/refund/:id', { operation: 'findRefund', act: pixes.showRefund }],
    ['get', '/refund', { operation: 'statement', act: pixes.listRefunds }],

    ['post', '/payment', order],
    ['post', '/payment/approve', approve],
    ['get', '/payment/:id', { operation: 'findTransfer', act: sends.show }],
    ['get', '/payment', { operation: 'statement', act: sends.list }],

    ['get', '/account/:id', { operation: 'balances', act: accounts.show }],
    ['get', '/account', { operation: 'balances', act: accounts.list }],

    ['get', '/dispute', { operation: 'listMeds', act: disputes.list }],
    ['get', '/dispute/:id', { operation: 'findMed', act: disputes.show }],
    ['post', '/dispute/:id/evidence', { operation: 'replyMed', act: disputes.addEvidence }],
    ['get', '/funds-recovery/:id', { operation: 'findMed', act: disputes.showRecovery }],
    ['get', '/funds-recovery/:id/disputes', { operation: 'findMed', act: disputes.disputesOf }],
    [
      'get',
      '/funds-recovery/:id/refund-solicitations',
      { operation: 'findMed', act: disputes.solicitationsOf },
    ],
    ['post', '/files', { operation: 'replyMed', act: files.upload, bodyOf: formOf }],

    ['post', '/pix-keys', { operation: 'createKey', act: keys.create }],
    ['get', '/pix-keys', { operation: 'listKeys', act: keys.list }],
    ['delete', '/pix-keys/:pixKey', { operation: 'deleteKey', act: keys.remove }],

    ['post', '/webhook', { operation: 'registerNotices', act: webhooks.create }],
    ['get', '/webhook', { operation: 'registerNotices', act: webhooks.list }],
    ['get', '/webhook/public-keys', { operation: 'registerNotices', act: webhooks.publicKeys }],
    ['delete', '/webhook/:id', { operation: 'registerNotices', act: webhooks.remove }],
  ]
}
