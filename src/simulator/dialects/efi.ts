import { once } from 'node:events'
import Router from '@koa/router'
import type { Context } from 'koa'
import type { ProviderName } from '../../domain/provider.ts'
import { type Answer, type CallRoute, played } from '../calls.ts'
import { bodyText } from '../route.ts'
import type { World } from '../world.ts'
import { balanceOf, keyCallsOf, webhookCallsOf } from './efi/account.ts'
import { admitted, tokenFor } from './efi/auth.ts'
import { cobsOf } from './efi/cob.ts'
import * as errors from './efi/errors.ts'
import { pixesOf } from './efi/pix.ts'
import { sendsOf } from './efi/send.ts'

/** Efí's Pix API as one provider's port serves it. */
export function efiRoutes(world: World, provider: ProviderName): Router {
  const router = new Router()
  const gate = { accounts: world.accounts, provider, now: world.now }
  router.post('/oauth/token', async ctx => {
    const body = await jsonOf(ctx)
    say(ctx, body === MALFORMED ? errors.malformedJson() : tokenFor(ctx, body, gate))
  })
  for (const [method, path, route] of callRoutes(world)) {
    router.register(path, [method], async ctx => {
      const admission = admitted(ctx, gate)
      if ('refusal' in admission) return say(ctx, admission.refusal)
      const body = await jsonOf(ctx)
      if (body === MALFORMED) return say(ctx, errors.malformedJson())
      const params = ctx.params as Record<string, string>
      const call = { account: admission.account, params, query: ctx.URL.searchParams, body }

      const fault = world.faults.takeForCall(provider, route.operation) ?? route.magicOf?.(call) ?? null
      const answer = await played({
        fault,
        act: fate => route.act(call, fate),
        words: errors.efiFailures,
        operation: route.operation,
        pace: world.pace,
        gone: goneSignal(ctx, world.stopping),
      })
      if (answer) say(ctx, answer)
      else fallSilent(ctx)
    })
  }
  return router
}

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete'

/** Every call of Efí's API that is simulated, with the operation of the provider port it serves. */
function callRoutes(world: World): [Method, string, CallRoute][] {
  const [cobs, pixes, sends] = [cobsOf(world), pixesOf(world), sendsOf(world)]
  const [webhooks, keys] = [webhookCallsOf(world), keyCallsOf(world)]
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

    ['post', '/v2/gn/evp', { operation: 'createKey', act: keys.create }],
    ['get', '/v2/gn/evp', { operation: 'listKeys', act: keys.list }],
    ['delete', '/v2/gn/evp/:chave', { operation: 'deleteKey', act: keys.remove }],
    ['get', '/v2/gn/saldo', { operation: 'balances', act: balanceOf }],
  ]
}

const MALFORMED = Symbol('malformed')

async function jsonOf(ctx: Context): Promise<unknown> {
  const body = await bodyText(ctx)
  if (body === '') return {}
  try {
    return JSON.parse(body) as unknown
  } catch {
    return MALFORMED
  }
}

function say(ctx: Context, { status, body, headers = {} }: Answer): void {
  ctx.status = status
  ctx.set(headers)
  ctx.type = isProblem(body) ? 'application/problem+json' : 'application/json'
  ctx.body = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
  // Koa makes 204 of an empty body; the status is the provider's to choose.
  ctx.status = status
}

function isProblem(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'type' in body && 'title' in body
}

/** Aborted when the caller hangs up or the simulator stops. */
function goneSignal(ctx: Context, stopping: AbortSignal): AbortSignal {
  const hungUp = new AbortController()
  once(ctx.res, 'close', { signal: stopping }).then(
    () => hungUp.abort(),
    () => hungUp.abort(),
  )
  return hungUp.signal
}

/** Drops the connection without a byte of an answer. */
function fallSilent(ctx: Context): void {
  ctx.respond = false
  ctx.req.socket.destroy()
}
