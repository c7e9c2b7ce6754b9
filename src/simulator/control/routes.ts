import Router from '@koa/router'
import { reaisFromCents } from '../../domain/money.ts'
import type { Account, AccountSettings } from '../accounts.ts'
import { payerOf } from '../payer.ts'
import { sumOf } from '../returns.ts'
import { jsonBody, part, Refusal } from '../route.ts'
import type { LocalAuthority } from '../tls.ts'
import type { World } from '../world.ts'
import { faultRoutes } from './fault-routes.ts'
import { medRoutes } from './med-routes.ts'
import { movementRoutes } from './movement-routes.ts'
import { orderRoutes } from './order-routes.ts'
import * as schemas from './schemas.ts'

/** The control API (SPEC §10): what a test or a demo may do to the simulated world. Every answer is 200 and JSON. */
export function controlRoutes(world: World, controls: Controls): Router {
  const router = new Router({ prefix: '/control' })
  router.get('/health', ctx => {
    ctx.body = { status: 'ok' }
  })
  accountRoutes(router, world, controls)
  moneyRoutes(router, world)
  medRoutes(router, world)
  movementRoutes(router, world)
  orderRoutes(router, world)
  faultRoutes(router, world, controls)
  inboxRoutes(router, world)
  return router
}

/** What the control API does besides moving the world. */
export type Controls = {
  /** Closes the idle connections of a provider, so that its next request needs a handshake. */
  closeIdleConnections(provider: Account['provider']): void
  authority: LocalAuthority
}

function accountRoutes(router: Router, { accounts }: World, { authority }: Controls): void {
  router.put('/accounts/:id', async ctx => {
    const body = await jsonBody(ctx, schemas.accountBody)
    const stored = accounts.put(settingsOf(part(ctx, 'id'), body))
    if (stored.kind === 'key_taken') throw new Refusal(409, `another account has the key ${stored.key}`)
    if (stored.kind === 'client_id_taken') throw new Refusal(409, 'another account has this client_id')
    ctx.body = shown(stored.account, accounts.keysOf(stored.account.id))
  })
  router.get('/accounts/:id', ctx => {
    const account = accounts.find(part(ctx, 'id'))
    if (!account) throw new Refusal(404, 'no such account')
    ctx.body = shown(account, accounts.keysOf(account.id))
  })
  router.post('/certificates', async ctx => {
    const { common_name } = await jsonBody(ctx, schemas.certificateBody)
    ctx.body = await authority.issueClientCertificate(common_name)
  })
}

function moneyRoutes(router: Router, world: World): void {
  const { bank, receipts, returns, sendings } = world
  router.post('/pay', async ctx => {
    const { value, ...order } = await jsonBody(ctx, schemas.payBody)
    const outcome = await bank.pay({ ...order, cents: value })
    if (outcome.kind === 'not_payable') throw new Refusal(409, `not payable: ${outcome.why}`)
    ctx.body = { end_to_end: outcome.receipt.endToEnd }
  })
  router.post('/deposit', async ctx => {
    const body = await jsonBody(ctx, schemas.depositBody)
    const { account, key } = collectorOf(world, body)
    const { txid, value: cents, message } = body
    const payer = payerOf(body.payer)
    ctx.body = {
      end_to_end: receipts.receive({ accountId: account.id, key, cents, payer, txid, message }).endToEnd,
    }
  })
  router.post('/returns', async ctx => {
    const { end_to_end: endToEnd, value } = await jsonBody(ctx, schemas.returnBody)
    const sending = sendings.ofEndToEnd(endToEnd)
    if (!sending) throw new Refusal(404, 'no PIX with this end_to_end was sent')
    const returned = returns.take({ endToEnd, cents: value ?? sending.cents - sumOf(returns.of(sending)) })
    if (!returned)
      throw new Refusal(
        409,
        'it has not settled, so much of it is no longer there, or a simulated account has it, which refunds it',
      )
    ctx.body = { return_id: returned.returnId }
  })
}

function inboxRoutes(router: Router, { inbox }: World): void {
  router.put('/inbox/:name', async ctx => {
    const { status, delay_ms, headers } = await jsonBody(ctx, schemas.inboxAnswerBody)
    inbox.setAnswer(part(ctx, 'name'), { status, delayMs: delay_ms, headers })
    ctx.body = { status, delay_ms, headers }
  })
  router.get('/inbox/:name', ctx => {
    ctx.body = { data: inbox.entriesOf(part(ctx, 'name')) }
  })
  router.delete('/inbox/:name', ctx => {
    inbox.clear(part(ctx, 'name'))
    ctx.body = { data: [] }
  })
}

function settingsOf(id: string, body: ReturnType<typeof schemas.accountBody.parse>): AccountSettings {
  return {
    id,
    provider: body.provider,
    dialect: body.dialect,
    clientId: body.client_id,
    clientSecret: body.client_secret,
    holderName: body.holder.name,
    holderDocument: body.holder.document,
    city: body.city,
    ispb: body.ispb,
    requiresCertificate: body.requires_certificate ? 1 : 0,
    amountMagic: body.amount_magic ? 1 : 0,
    noticeSecret: body.notice_secret,
    openingCents: body.balance,
    keys: body.keys,
  }
}

function shown(account: Account, keys: string[]) {
  return {
    id: account.id,
    provider: account.provider,
    dialect: account.dialect,
    client_id: account.clientId,
    holder: { name: account.holderName, document: account.holderDocument },
    city: account.city,
    ispb: account.ispb,
    keys,
    balance: reaisFromCents(account.balanceCents),
    /** Taken from the balance for what is still in process. */
    held: reaisFromCents(account.heldCents),
    /** Taken from the balance for disputes. */
    blocked: reaisFromCents(account.blockedCents),
    requires_certificate: account.requiresCertificate === 1,
    amount_magic: account.amountMagic === 1,
  }
}

/** Whom a deposit is for: the key's owner, the named account, or the provider's first; the key is the first it has. */
function collectorOf({ accounts }: World, body: ReturnType<typeof schemas.depositBody.parse>) {
  const account = body.account
    ? accounts.find(body.account)
    : body.key
      ? accounts.ofKey(body.key)
      : accounts.ofProvider(body.provider!)[0]
  if (!account) throw new Refusal(404, 'no such account')
  const key = body.key ?? accounts.keysOf(account.id)[0]
  if (key === undefined || accounts.ofKey(key)?.id !== account.id)
    throw new Refusal(409, 'the account has no such key')
  return { account, key }
}
