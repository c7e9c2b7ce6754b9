import Router from '@koa/router'
import type { ProviderName } from '../../domain/provider.ts'
import type { CallRoute } from '../calls.ts'
import type { World } from '../world.ts'
import { balanceOf, configurationCallsOf, keyCallsOf, webhookCallsOf } from './efi/account.ts'
import { admitted, tokenFor } from './efi/auth.ts'
import { cobsOf } from './efi/cob.ts'
import * as errors from './efi/errors.ts'
import { infractionsOf } from './efi/infractions.ts'
import { pixesOf } from './efi/pix.ts'
import { sendsOf } from './efi/send.ts'
import { jsonOf, MALFORMED, type ServedRoute, say, serve } from './serving.ts'

/** Efí's Pix API as one provider's port serves it. */
export function efiRoutes(world: World, provider: ProviderName): Router {
  const router = new Router()
  const gate = { accounts: world.accounts, provider, now: world.now }
  router.post('/oauth/token', async ctx => {
    const body = await jsonOf(ctx)
    say(ctx, body === MALFORMED ? errors.malformedJson() : tokenFor(ctx, body, gate))
  })
  serve(router, world, provider, {
    routes: callRoutes(world),
    admitted: ctx => admitted(ctx, gate),
    words: errors.efiFailures,
    malformedJson: errors.malformedJson,
  })
  return router
}

/** Every call of Efí's API that is simulated, with the operation of the provider port it serves. */
function callRoutes(world: World): ServedRoute[] {
  const [cobs, pixes, sends] = [cobsOf(world), pixesOf(world), sendsOf(world)]
  const [webhooks, keys] = [webhookCallsOf(world), keyCallsOf(world)]
  const configuration = configurationCallsOf(world)
  const infractions = infractionsOf(world)
  const send: CallRoute = { operation: 'sendTransfer', magicOf: sends.magicOf, act: sends.send }
  return [
    ['put', '/v2/cob/:txid', { operation: 'issueCharge', act: cobs.create }],
    ['post', '/v2/cob', { operation: 'issueCharge', act: cobs.create }],
    ['get', '/v2/cob/:txid', { operation: 'findCharge', act: cobs.show }],
    ['patch', '/v2/cob/:txid', { operation: 'cancelCharge', act: cobs.revise }],
    ['get', '/v2/cob', { operation: 'statement', act: cobs.list }],

    ['get', '/v2/pix/:e2eId', { operation: 'findPayment', act: pixes.show }],
    ['get', '/v2/pix', { operation: 'statement', act: pixes.list }],
    ['put', '/v2/pix/:e2eId/devolucao/:id', { operation: 'refund', act: pixes.refund }],
    ['get', '/v2/pix/:e2eId/devolucao/:id', { operation: 'findRefund', act: pixes.showRefund }],

    ['put', '/v3/gn/pix/:idEnvio', send],
    ['put', '/v2/gn/pix/:idEnvio', send],
    ['get', '/v2/gn/pix/enviados/id-envio/:idEnvio', { operation: 'findTransfer', act: sends.showById }],
    ['get', '/v2/gn/pix/enviados/:e2eId', { operation: 'findTransfer', act: sends.showByEndToEnd }],
    ['get', '/v2/gn/pix/enviados', { operation: 'statement', act: sends.list }],

    ['put', '/v2/webhook/:chave', { operation: 'registerNotices', act: webhooks.put }],
    ['get', '/v2/webhook/:chave', { operation: 'registerNotices', act: webhooks.show }],
    ['get', '/v2/webhook', { operation: 'registerNotices', act: webhooks.list }],
    ['delete', '/v2/webhook/:chave', { operation: 'registerNotices', act: webhooks.remove }],

    ['put', '/v2/gn/config', { operation: 'registerNotices', act: configuration.put }],
    ['get', '/v2/gn/config', { operation: 'registerNotices', act: configuration.show }],

    ['post', '/v2/gn/evp', { operation: 'createKey', act: keys.create }],
    ['get', '/v2/gn/evp', { operation: 'listKeys', act: keys.list }],
    ['delete', '/v2/gn/evp/:chave', { operation: 'deleteKey', act: keys.remove }],
    ['get', '/v2/gn/infracoes', { operation: 'listMeds', act: infractions.list }],
    ['post', '/v2/gn/infracoes/:idInfracao/defesa', { operation: 'replyMed', act: infractions.defend }],
    ['get', '/v2/gn/saldo', { operation: 'balances', act: balanceOf(world) }],
  ]
}
