import { randomUUID } from 'node:crypto'
import { addUser } from '../../../src/admin/users.ts'
import { createSession } from '../../../src/dashboard/authentication/sign-in.ts'
import { encodeForm } from '../../support/files.ts'
import type { ApiResponse } from './client.ts'
import { createPayoutActions, randomAccountReceiver, randomPixKey } from './payout-actions.ts'
import { pollUntil } from './poll-until.ts'
import type { TestStack } from './test-stack.ts'

const DAY_MS = 86_400_000

export type EndpointFixtures = Awaited<ReturnType<typeof createEndpointFixtures>>

/** The merchant's resources that requests name, each created before anything freezes. */
export async function createEndpointFixtures(stage: TestStack) {
  const payouts = createPayoutActions(stage)
  const merchant = await stage.createMerchant({
    providers: [{ provider: 'PROVIDER_B', dialect: 'woovi', balance: 100, sendsNotifications: true }],
  })
  const { api, uuid: accountUuid, connection } = merchant
  const [open, paid, disputed] = await Promise.all([
    api.createCharge(),
    payouts.createPaidCharge(merchant),
    payouts.createPaidCharge(merchant),
  ])
  await stage.simulator.openDispute({ end_to_end: disputed.payment.pix.transaction.end_to_end, type: 'SCAM' })
  const med = await pollUntil(
    () => api.get('/api/v1/meds'),
    ({ body }) => body.data.length === 1,
  )
  const scheduled = await payouts.send(merchant, {
    scheduled_for: new Date(Date.now() + DAY_MS).toISOString(),
  })
  const pixKey = await api.post('/api/v1/pix-keys', { type: 'RANDOM' })
  const webhook = await api.post('/api/v1/webhooks', { url: `${stage.local.inbox_url}/${accountUuid}` })
  const em = stage.orm.em.fork()
  const user = await addUser(em, { email: `${accountUuid}@trilho.test`, password: randomUUID(), accountUuid })
  return {
    merchant,
    open,
    paid,
    med: med.body.data[0],
    scheduled: scheduled.body.data,
    pixKey: pixKey.body.data.key,
    webhook: webhook.body.data,
    connection,
    /** Of a user who is signed in at the dashboard. */
    cookie: `trilho_session=${await createSession(em, { user, totpUuid: null })}`,
  }
}

/** A request for every type of endpoint that reads or writes, by its name; those that accept a key carry this one. */
export function listEndpointRequests(
  made: EndpointFixtures,
  key: string,
): [name: string, ask: () => Promise<ApiResponse>][] {
  const { merchant, open, paid, med, scheduled, pixKey, webhook, connection, cookie } = made
  const api = merchant.api.sendingOnce()
  const gets = [
    '/api/v1/payments',
    `/api/v1/payments/${open.uuid}`,
    `/api/v1/payments/${open.uuid}/qr.svg`,
    `/api/v1/payments/${paid.uuid}/refunds`,
    `/api/v1/payments/${paid.uuid}/refunds/${randomUUID()}`,
    '/api/v1/transfers',
    `/api/v1/transfers/${scheduled.uuid}`,
    '/api/v1/meds',
    `/api/v1/meds/${med.uuid}`,
    '/api/v1/pix-keys',
    `/api/v1/pix-keys/${pixKey}`,
    '/api/v1/providers',
    `/api/v1/providers/${connection.uuid}`,
    '/api/v1/providers/defaults',
    '/api/v1/webhooks',
    `/api/v1/webhooks/${webhook.uuid}`,
    `/api/v1/webhooks/${webhook.uuid}/deliveries`,
    '/api/v1/events',
    '/api/v1/ledger',
    '/readyz',
  ]
  const posts: [path: string, body?: object][] = [
    ['/api/v1/payments', { value: 10, type: 'PIX' }],
    [`/api/v1/payments/${open.uuid}/cancel`],
    [`/api/v1/payments/${paid.uuid}/refund`],
    ['/api/v1/transfers', { value: 10, pix_key: randomPixKey() }],
    ['/api/v1/transfers/bank-accounts', { value: 10, receiver: randomAccountReceiver() }],
    [`/api/v1/transfers/${scheduled.uuid}/cancel`],
    ['/api/v1/pix-keys', { type: 'RANDOM' }],
    ['/api/v1/pix-keys/auth-code', { type: 'EMAIL', key: 'maria@example.com' }],
    ['/api/v1/pix-keys/lookup', { pix_key: randomPixKey() }],
    ['/api/v1/webhooks', { url: webhook.url }],
    [`/api/v1/webhooks/${webhook.uuid}/rotate`],
    [`/api/v1/webhooks/${webhook.uuid}/test`],
    [`/provider-notifications/${connection.uuid}`, {}],
  ]
  const person = { headers: { cookie, accept: 'text/html' } }
  const ask: Record<string, () => Promise<ApiResponse>> = {
    'PUT /api/v1/providers/defaults': () =>
      api.put('/api/v1/providers/defaults', { payment_type: 'PIX', provider_uuids: [connection.uuid] }),
    [`PATCH /api/v1/webhooks/${webhook.uuid}`]: () =>
      api.call('PATCH', `/api/v1/webhooks/${webhook.uuid}`, { body: { events: ['MED'] } }),
    [`DELETE /api/v1/pix-keys/${pixKey}`]: () => api.delete(`/api/v1/pix-keys/${pixKey}`),
    [`POST /api/v1/meds/${med.uuid}/reply`]: async () => {
      const form = await encodeForm([
        ['accept', '0'],
        ['analysis', 'The goods were delivered.'],
      ])
      return api.call('POST', `/api/v1/meds/${med.uuid}/reply`, form)
    },
  }
  ask['GET /metrics'] = () => api.withToken(undefined).get('/metrics')
  for (const path of gets) ask[`GET ${path}`] = () => api.get(path)
  for (const [path, body] of posts) ask[`POST ${path}`] = () => api.post(path, body, { key })
  for (const path of ['/dashboard', '/dashboard/charges', `/dashboard/transfers/${scheduled.uuid}`])
    ask[`GET ${path}`] = () => api.call('GET', path, person)
  return Object.entries(ask)
}
