import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { deliveryRoutes, webhookRoutes } from '../../../src/api/webhooks/routes.ts'
import { getRequestDeadline } from '../../../src/http/request-deadline.ts'
import {
  type CertificateAuthority,
  createAuthority,
  findUnusedPort,
  startMerchantServer,
} from '../../webhooks/support/merchant-server.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** Updates of an endpoint by its owner, and refused ones, each with nothing changed. */

const PATH = '/api/v1/webhooks'
const NAMES: Record<string, string[]> = {
  'shop.test': ['127.0.0.1'],
  'inside.test': ['10.0.0.1'],
  'mixed.test': ['127.0.0.1', '10.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:10.0.0.1'],
}
/** A name that the name server finds when half a second of the request is left. */
const SLOW_NAME = 'slow.test'

let fixture: ApiFixture
let ca: CertificateAuthority
let shop: Awaited<ReturnType<typeof startMerchantServer>>
let url: string
let dead: number
beforeAll(async () => {
  ca = await createAuthority()
  shop = await startMerchantServer(ca, { names: ['127.0.0.1', 'shop.test', SLOW_NAME] }, (_, response) =>
    response.end(),
  )
  dead = await findUnusedPort()
  url = `https://127.0.0.1:${shop.port}/pix`
  const resolve = async (name: string) => {
    if (name === SLOW_NAME) await sleep(getRequestDeadline().remainingMs - 500)
    return (name === SLOW_NAME ? ['127.0.0.1'] : NAMES[name]) ?? Promise.reject(new Error('ENOTFOUND'))
  }
  fixture = await openApiFixture(
    [webhookRoutes({ ca: [ca.pem], resolve, handshakeTimeoutMs: 30_000 }), deliveryRoutes],
    {
      TRILHO_LOOPBACK_WEBHOOKS: 'true',
    },
  )
})
afterAll(() => Promise.all([fixture?.close(), shop?.close()]))

type Hook = { uuid: string; token: string }
let accountUuid: string
let token: string
let hook: Hook
beforeEach(async () => {
  accountUuid = await fixture.insertAccount()
  token = await fixture.insertToken({ accountUuid })
  hook = await created()
})

const created = async (body: object = {}, by = token): Promise<Hook> =>
  (await fixture.call('POST', PATH, { token: by, body: { url, ...body } })).body.data
const call = (method: string, more = '', body?: unknown, by = token) =>
  fixture.call(method, `${PATH}/${hook.uuid}${more}`, { token: by, ...(body !== undefined && { body }) })
const change = (body: object) => call('PATCH', '', body)
const read = async () => (await call('GET')).body.data
const rowOf = async () => {
  const [row] = await fixture.orm.em
    .fork()
    .execute<Record<string, unknown>[]>('select * from webhook where uuid = ?', [hook.uuid])
  return row!
}
const disabled = (reason = 'no success for five days') =>
  fixture.orm.em.execute(
    `update webhook set status = 'DISABLED', disabled_reason = ?, failing_since = now() where uuid = ?`,
    [reason, hook.uuid],
  )

type Refused = { name: string; body: () => object; errors: string[] }
const UNFIT_URLS: [string, () => string][] = [
  ['is http', () => 'http://shop.test/'],
  ['is invalid', () => 'shop'],
  ['is private', () => 'https://10.0.0.1/'],
  ['is the metadata service', () => 'https://169.254.169.254/latest'],
  ['is a mapped address', () => 'https://[::ffff:169.254.169.254]/'],
  ['leads inside', () => 'https://inside.test/'],
  ['leads to the metadata service', () => 'https://metadata.test/'],
  ['leads to a mapped address', () => 'https://mapped.test/'],
  ['also resolves to a private address, as in DNS rebinding', () => `https://mixed.test:${shop.port}/`],
  ['does not resolve', () => 'https://nowhere.test/'],
  ['has a password', () => `https://me:secret@shop.test:${shop.port}/`],
  ['speaks no TLS', () => `https://shop.test:${dead}/`],
  ['has a certificate of another name', () => `https://localhost:${shop.port}/`],
]
const REFUSED: Refused[] = [
  ...UNFIT_URLS.map(([name, url]) => ({
    name: `a url that ${name}`,
    body: () => ({ url: url() }),
    errors: ['url'],
  })),
  { name: 'no events', body: () => ({ events: [] }), errors: ['events'] },
  { name: 'an unknown event', body: () => ({ events: ['PAYMENT', 'TEST'] }), errors: ['events.1'] },
  { name: 'an empty token', body: () => ({ token: '' }), errors: ['token'] },
  { name: 'a token below 24 bytes', body: () => ({ token: 'a'.repeat(23) }), errors: ['token'] },
  { name: 'a token in invalid base64', body: () => ({ token: 'whsec_***' }), errors: ['token'] },
  { name: 'a token that is not a text', body: () => ({ token: 7 }), errors: ['token'] },
  { name: 'a token too long', body: () => ({ token: 'a'.repeat(1_025) }), errors: ['token'] },
  {
    name: 'errors of the schema and of the database checks',
    body: () => ({ url: 'http://shop.test/', token: '', events: [] }),
    errors: ['url', 'token', 'events'],
  },
  {
    name: 'every error at once',
    body: () => ({ url: 'https://inside.test/', token: '' }),
    errors: ['url', 'token'],
  },
]

describe('nothing is created with', () => {
  test.each(REFUSED)('$name', async ({ body, errors }) => {
    const answer = await fixture.call('POST', PATH, { token, body: { url, ...body() } })
    expect([answer.status, answer.body.code, Object.keys(answer.body.errors)]).toEqual([
      422,
      'validation_failed',
      errors,
    ])
    expect((await fixture.call('GET', PATH, { token })).body.meta.total).toBe(1)
  })
})

test('nothing is created by a request that has no time left after the inspection', async () => {
  const slow = `https://${SLOW_NAME}:${shop.port}/`
  const answer = await fixture.call('POST', PATH, { token, body: { url: slow } })
  expect([answer.status, answer.body.code]).toEqual([503, 'unavailable'])
  await sleep(1_000) // Nor after its response.
  expect((await fixture.call('GET', PATH, { token })).body.meta.total).toBe(1)
})

describe('nothing is changed by', () => {
  test.each<Refused>([
    ...REFUSED,
    { name: 'an invalid status', body: () => ({ status: 'PAUSED' }), errors: ['status'] },
  ])('$name', async ({ body, errors }) => {
    const before = await rowOf()
    const answer = await change({ events: ['MED'], ...body() })
    expect([answer.status, answer.body.code, Object.keys(answer.body.errors)]).toEqual([
      422,
      'validation_failed',
      errors,
    ])
    expect(await rowOf()).toEqual(before)
  })
})

describe('an update', () => {
  test('changes only the fields that it names', async () => {
    const before = await read()
    expect((await change({ events: ['med', 'REFUND', 'MED'] })).body.data).toEqual({
      ...before,
      events: ['MED', 'REFUND'],
    })
    const elsewhere = `https://shop.test:${shop.port}/other`
    const answer = await change({ url: elsewhere })
    expect([answer.status, answer.body.data]).toEqual([
      200,
      { ...before, events: ['MED', 'REFUND'], url: elsewhere },
    ])
    expect(await read()).toEqual(answer.body.data)
    expect((await change({})).body.data).toEqual(answer.body.data)
  })

  test('of the signing secret is a rotation: it is shown, and the previous one still signs', async () => {
    const { data } = (await change({ token: 'another long secret of ours' })).body
    expect(data.token).toBe('another long secret of ours')
    expect(Date.parse(data.previous_token_expires_at) - Date.now()).toBeGreaterThan(23.9 * 3_600_000)
    expect((await read()).token).toBe('****ours')
    expect((await rowOf()).previous_secrets).toHaveLength(1)
    await change({ token: 'another long secret of ours' })
    expect((await rowOf()).previous_secrets).toHaveLength(1)
  })

  test('of a removed webhook or of another account’s is 404', async () => {
    const stranger = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
    const calls = ['', '/rotate', '/test', '/recover'].map(
      more => [more === '' ? 'PATCH' : 'POST', more] as const,
    )
    const bodyOf = (more: string) => (more === '/recover' ? { since: new Date().toISOString() } : {})
    for (const [method, more] of calls)
      expect([more, (await call(method, more, bodyOf(more), stranger)).status]).toEqual([more, 404])
    await call('DELETE')
    for (const [method, more] of calls)
      expect([more, (await call(method, more, bodyOf(more))).status]).toEqual([more, 404])
    expect((await call('GET', '/deliveries')).status).toBe(404)
  })

  test('does not change the replayed response of its creation', async () => {
    const headers = { 'idempotency-key': 'k' }
    const first = await fixture.call('POST', PATH, { token, body: { url }, headers })
    hook = first.body.data
    await change({ events: ['MED'], url: `https://shop.test:${shop.port}/` })
    await call('POST', '/rotate')
    await change({ status: 'DISABLED' })
    const replay = await fixture.call('POST', PATH, { token, body: { url }, headers })
    expect([replay.status, replay.body]).toEqual([201, first.body])
  })
})

describe('a disabled endpoint', () => {
  test('is enabled again after a TLS handshake', async () => {
    await disabled()
    const connections = shop.seen.connections
    const { data } = (await change({ status: 'active' })).body
    expect(data.status).toBe('ACTIVE')
    expect(data).not.toHaveProperty('disabled_reason')
    expect(shop.seen.connections).toBe(connections + 1)
    expect((await rowOf()).failing_since).toBeNull()
  })

  test('stays disabled where the handshake fails, until its url is corrected', async () => {
    await disabled()
    await fixture.orm.em.execute('update webhook set url = ? where uuid = ?', [
      `https://127.0.0.1:${dead}/`,
      hook.uuid,
    ])
    const answer = await change({ status: 'ACTIVE' })
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['url']])
    expect(await read()).toMatchObject({ status: 'DISABLED', disabled_reason: 'no success for five days' })
    expect((await change({ status: 'ACTIVE', url })).body.data).toMatchObject({ status: 'ACTIVE', url })
  })

  test('is not tested, resent to or recovered before it is enabled', async () => {
    const delivery = (await call('POST', '/test')).body.data.uuid
    await disabled()
    for (const more of ['/test', `/deliveries/${delivery}/resend`, '/recover']) {
      const answer = await call('POST', more, more === '/recover' ? { since: new Date(0).toISOString() } : {})
      expect([more, answer.status, answer.body.code]).toEqual([more, 409, 'webhook_disabled'])
    }
  })

  test('by its owner shows that reason, and has no deliveries left', async () => {
    await call('POST', '/test')
    expect((await change({ status: 'DISABLED' })).body.data).toMatchObject({
      status: 'DISABLED',
      disabled_reason: 'disabled by the account',
    })
    expect((await call('GET', '/deliveries')).body.data).toMatchObject([{ status: 'FAILED', attempts: [] }])
  })
})

describe('a rotation', () => {
  test('shows the new secret once', async () => {
    const { status, body } = await call('POST', '/rotate')
    expect([status, body.data.token]).toEqual([200, expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)])
    expect(body.data.token).not.toBe(hook.token)
    expect((await read()).token).toBe(`whsec_****${body.data.token.slice(-4)}`)
  })

  test('accepts a secret of the caller', async () => {
    expect((await call('POST', '/rotate', { token: 'my next secret, long enough' })).body.data.token).toBe(
      'my next secret, long enough',
    )
  })

  test.each([
    { name: 'an empty token', body: { token: '' } },
    { name: 'invalid base64', body: { token: 'whsec_no!' } },
  ])('with $name is refused', async ({ body }) => {
    const answer = await call('POST', '/rotate', body)
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['token']])
  })

  test('to the current secret is refused', async () => {
    const answer = await call('POST', '/rotate', { token: hook.token })
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['token']])
  })

  test('repeated often leaves the latest nine secrets to sign next to the current one', async () => {
    for (let index = 0; index < 11; index += 1)
      await call('POST', '/rotate', { token: `a secret of more than 24 bytes, ${index}` })
    expect((await rowOf()).previous_secrets).toHaveLength(9)
    await call('POST', '/rotate', { token: 'a secret of more than 24 bytes, 9' }) // Back to the previous one: it signs once.
    expect((await rowOf()).previous_secrets).toHaveLength(9)
  })

  test('stores every secret sealed', async () => {
    await call('POST', '/rotate', { token: 'a long secret in the open' })
    await call('POST', '/rotate')
    expect(JSON.stringify(await rowOf())).not.toMatch(/a long secret in the open|whsec_[^*]/)
    expect(fixture.lines.join()).not.toMatch(/a long secret in the open|whsec_/)
  })
})

test('a delivery is resent once: while its attempt is due, another request starts nothing', async () => {
  const { uuid } = (await call('POST', '/test')).body.data
  const resend = async () => (await call('POST', `/deliveries/${uuid}/resend`)).body.code ?? 'started'
  const set = (sql: string) =>
    fixture.orm.em.fork().execute(`update delivery set ${sql} where uuid = ?`, [uuid])
  expect(await resend()).toBe('resend_in_progress')
  await set(`status = 'FAILED', attempt_count = 1, next_attempt_at = null`)
  expect((await Promise.all([resend(), resend(), resend()])).sort()).toEqual([
    ...['resend_in_progress', 'resend_in_progress', 'started'],
  ])
  // Its first attempt failed: the next one is made in seconds, and a later one in hours.
  await set(`attempt_count = 2, next_attempt_at = now() + interval '5 seconds'`)
  expect(await resend()).toBe('resend_in_progress')
  await set(`next_attempt_at = now() + interval '5 hours'`)
  expect([await resend(), await resend()]).toEqual(['started', 'resend_in_progress'])
  // Before its first attempt it waits for a slot of the endpoint that was failing, or for the answer of a slow one.
  await set(`next_attempt_at = now() + interval '1 hour'`)
  expect([await resend(), await resend()]).toEqual(['started', 'resend_in_progress'])
  await set(`next_attempt_at = now() + interval '20 seconds'`)
  expect(await resend()).toBe('resend_in_progress')
})

describe('recovery', () => {
  test.each([
    ['nothing', {}],
    ['a day', { since: '2026-11-01' }],
    ['a moment without its offset', { since: '2026-11-01T00:00:00' }],
    ['the future', { since: new Date(Date.now() + 3_600_000).toISOString() }],
  ])('since %s is refused', async (_, body) => {
    const answer = await call('POST', '/recover', body)
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['since']])
  })

  test('is 503 without Temporal, because nothing else would store the request', async () => {
    const answer = await call('POST', '/recover', { since: '2026-11-01T00:00:00-03:00' })
    expect([answer.status, answer.body.code]).toEqual([503, 'unavailable'])
  })
})

describe('without Temporal', () => {
  test('a test is accepted: it is stored, and the sweep will find it', async () => {
    const { status, body } = await call('POST', '/test')
    expect([status, body.data]).toEqual([
      200,
      {
        uuid: expect.any(String),
        event: { id: expect.any(String), type: 'TEST' },
        status: 'PENDING',
        next_attempt_at: null,
        attempts: [],
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ])
    const [row] = await fixture.orm.em
      .fork()
      .execute<{ in_s: number }[]>(
        'select extract(epoch from sweep_at - now())::float8 as in_s from delivery where uuid = ?',
        [body.data.uuid],
      )
    expect(row!.in_s).toBeLessThan(30)
  })

  test('the sweep signals the workflows of a removed endpoint', async () => {
    const { uuid } = (await call('POST', '/test')).body.data
    expect((await call('DELETE')).status).toBe(200)
    const [row] = await fixture.orm.em
      .fork()
      .execute<object[]>(
        'select status, next_attempt_at, sweep_at <= now() as is_due from delivery where uuid = ?',
        [uuid],
      )
    expect(row).toEqual({ status: 'CANCELLED', next_attempt_at: null, is_due: true })
  })
})

describe('the database refuses', () => {
  test.each([
    ['a disabled endpoint without a reason', `status = 'DISABLED', disabled_reason = null`],
    ['an active one with a reason', `disabled_reason = 'because'`],
    ['an event type that cannot be subscribed to', `events = '{TEST}'`],
    ['no kinds', `events = '{}'`],
    ['more than nine replaced tokens', `previous_secrets = '[1,2,3,4,5,6,7,8,9,10]'`],
  ])('%s', async (_, set) => {
    await expect(
      fixture.orm.em.execute(`update webhook set ${set} where uuid = ?`, [hook.uuid]),
    ).rejects.toThrow(/violates check constraint/)
  })

  test('a token that is bound to a connection of another account', async () => {
    const connectionUuid = await fixture.insertConnection(await fixture.insertAccount())
    await expect(fixture.insertToken({ accountUuid, connectionUuid })).rejects.toThrow(/token_binding/)
  })
})
