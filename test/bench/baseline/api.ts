import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import Router from '@koa/router'
import Koa, { type Context } from 'koa'
import { koaBody } from 'koa-body'
import { Pool } from 'pg'
import { createProviderRegistry } from '../../../src/providers/registry.ts'
import { type BaselineOptions, startWithOptions } from './options.ts'

/**
 * The API of the plain implementation: a create calls the provider and then stores the charge, a notification marks it
 * paid and adds one job per endpoint in the same transaction. It has no idempotency key, ledger, event log or recovery:
 * a process that ends between the provider's response and the insert leaves a charge that it does not know.
 */
startWithOptions(async ({ databaseUrl, port, provider: settings }: BaselineOptions) => {
  const pool = new Pool({ connectionString: databaseUrl, max: 20 })
  const { baseUrl, ca, collectionKey } = settings
  // The client and the limits of the measured worker.
  const registry = createProviderRegistry({ openCredentials: JSON.parse, timeoutMs: 4_500, ca })
  const sealedCredentials = JSON.stringify(settings.credentials)
  const provider = registry.providerFor({
    uuid: randomUUID(),
    provider: 'PROVIDER_A',
    dialect: 'efi',
    baseUrl,
    sealedCredentials,
  })

  const router = new Router()
  router.post('/api/v1/payments', authenticate, async ctx => {
    const order = parseOrder(ctx.request.body)
    if (!order) return answer(ctx, 422, { code: 'validation_failed' })
    const uuid = randomUUID()
    const issued = await provider.issueCharge({
      reference: uuid.replaceAll('-', ''),
      totalCents: order.cents,
      expiresInSeconds: 86_400,
      collectionKey,
    })
    if (issued.kind !== 'accepted') return answer(ctx, 503, { code: issued.kind })
    const { txid, payload, expiresAt } = issued.charge
    const { rows } = await pool.query({
      name: 'insert-charge',
      text: `insert into charge (uuid, merchant_id, txid, status, value_cents, payload, external_ref, expires_at)
             values ($1, $2, $3, 'pending', $4, $5, $6, $7) returning *`,
      values: [uuid, ctx.state.merchantId, txid, order.cents, payload, order.externalRef, expiresAt],
    })
    answer(ctx, 201, { data: showCharge(rows[0]) })
  })
  router.get('/api/v1/payments', authenticate, async ctx => {
    const { rows } = await pool.query({
      name: 'list-charges',
      text: `select * from charge where merchant_id = $1 order by created_at desc, uuid desc limit 20`,
      values: [ctx.state.merchantId],
    })
    answer(ctx, 200, { data: rows.map(showCharge) })
  })
  router.post('/provider-notifications/:connection/:secret/pix', async ctx => {
    const read = await provider.readNotification({
      body: JSON.stringify(ctx.request.body),
      secret: ctx.params.secret!,
      headers: {},
    })
    if (read.kind !== 'items') return answer(ctx, 400, {})
    for (const { kind, reference, endToEnd } of read.items)
      if (kind === 'payment') await markPaid(reference, endToEnd)
    answer(ctx, 200, {})
  })
  // The simulator tests the URL when it is registered.
  router.all('/provider-notifications/:connection/:secret', ctx => answer(ctx, 200, {}))

  const app = new Koa()
  app.use(koaBody()).use(router.routes())
  await once(app.listen(port, '127.0.0.1'), 'listening')

  async function authenticate(ctx: Context, next: () => Promise<unknown>): Promise<unknown> {
    const token = ctx.get('authorization').replace(/^Bearer /, '')
    const { rows } = await pool.query({
      name: 'find-merchant',
      text: 'select id from merchant where token_hash = $1',
      values: [createHash('sha256').update(token).digest()],
    })
    if (!rows[0]) return answer(ctx, 401, { code: 'unauthenticated' })
    ctx.state.merchantId = rows[0].id
    return next()
  }

  async function markPaid(txid: string | null, endToEnd: string | null): Promise<void> {
    const client = await pool.connect()
    try {
      await client.query('begin')
      const { rows } = await client.query({
        name: 'mark-paid',
        text: `update charge set status = 'paid', end_to_end = $2, paid_at = now()
               where txid = $1 and status = 'pending' returning *`,
        values: [txid, endToEnd],
      })
      const [charge] = rows
      if (charge)
        await client.query({
          name: 'insert-jobs',
          text: `insert into job (endpoint_id, event_id, body)
                 select id, $2, $3 from endpoint where merchant_id = $1`,
          values: [charge.merchant_id, randomUUID(), JSON.stringify({ data: showCharge(charge) })],
        })
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    } finally {
      client.release()
    }
  }
})

function parseOrder(body: unknown): { cents: number; externalRef: string | null } | undefined {
  const { value, type, external_ref: ref } = (body ?? {}) as Record<string, unknown>
  const cents = typeof value === 'number' ? Math.round(value * 100) : 0
  if (cents <= 0 || type !== 'PIX') return undefined
  return { cents, externalRef: typeof ref === 'string' ? ref : null }
}

type ChargeRow = Record<
  'uuid' | 'merchant_id' | 'txid' | 'status' | 'value_cents' | 'payload' | 'end_to_end' | 'external_ref',
  string
> &
  Record<'created_at' | 'expires_at' | 'paid_at', Date | null>

function showCharge({ value_cents, payload, ...charge }: ChargeRow) {
  return { ...charge, value: Number(value_cents) / 100, payment: { payload } }
}

function answer(ctx: Context, status: number, body: object): void {
  ctx.status = status
  ctx.body = body
}
