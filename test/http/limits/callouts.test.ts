import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { findUnusedPort } from '../../webhooks/support/merchant-server.ts'
import { openCalloutFixture } from '../support/callout-fixture.ts'

/** The call-out of approvals in GET and PUT /limits, and its secret: docs/specification.md, "Call-outs". */

const PATH = '/api/v1/limits'
const NEW_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`

type Fixture = Awaited<ReturnType<typeof openCalloutFixture>>
let fixture: Fixture
let token: string
let accountUuid: string
beforeAll(async () => {
  fixture = await openCalloutFixture()
})
afterAll(() => fixture?.closeAll())
beforeEach(async () => {
  accountUuid = await fixture.insertAccount()
  token = await fixture.insertToken({ accountUuid })
})

const put = (callout_url?: unknown, approvals: object = {}) =>
  fixture.call('PUT', PATH, { token, body: { approvals: { above: 100, callout_url, ...approvals } } })
const get = async () => (await fixture.call('GET', PATH, { token })).body.data
const rotate = (body?: object) => fixture.call('POST', `${PATH}/callout/rotate`, { token, body })
const MASKED = /^whsec_\*{4}.{4}$/

describe('the URL of a call-out', () => {
  test('acts at once, and its first PUT shows the secret whole, this once', async () => {
    expect(await get()).not.toHaveProperty('callout_token')
    const { status, body } = await put(fixture.url)
    expect([status, body.data.approvals.callout_url, body.data.pending]).toEqual([200, fixture.url, null])
    expect(body.data.callout_token).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const { callout_token: shown } = (await put(fixture.url)).body.data
    expect([shown, (await get()).callout_token]).toEqual([expect.stringMatching(MASKED), shown])
    const [row] = await fixture.sql<{ sealed_secret: string }>(
      'select * from callout_secret where uuid = ?',
      [accountUuid],
    )
    expect(row!.sealed_secret).toMatch(/^sealed\./)
  })

  test.each<[string, () => unknown]>([
    ['another one', () => `${fixture.url}/v2`],
    ['none', () => null],
    ['an absent one', () => undefined],
  ])('acts after 24 hours where it is replaced by %s', async (_, buildUrl) => {
    await put(fixture.url)
    const url = buildUrl()
    const { body } = await put(url)
    expect(body.data).toMatchObject({
      approvals: { callout_url: fixture.url },
      pending: { limits: { approvals: { callout_url: url ?? null } } },
    })
    expect((await put(fixture.url)).body.data.pending).toBeNull()
  })

  test('that is in force takes no handshake again: its server may be down', async () => {
    const gone = `https://127.0.0.1:${await findUnusedPort()}/`
    await put(fixture.url)
    await fixture.sql(
      `update account_limits set limits = jsonb_set(limits, '{approvals,calloutUrl}', to_jsonb(?::text)) where account_uuid = ?`,
      [gone, accountUuid],
    )
    const { status, body } = await put(gone, { above: 50 })
    expect([status, body.data?.approvals?.above]).toEqual([200, 50])
  })

  test.each<[string, unknown, RegExp]>([
    ['http', 'http://127.0.0.1/', /https/],
    ['no URL', 'shop', /https URL/],
    ['a number', 7, /must be text/],
    ['a user name', 'https://ana:secret@127.0.0.1/', /user name/],
    ['a fragment', 'https://127.0.0.1/#a', /fragment/],
    ['a private address', 'https://10.0.0.1/', /public addresses/],
    ['metadata of a cloud', 'https://169.254.169.254/', /public addresses/],
    ['an unknown host', 'https://nowhere.invalid/', /DNS/],
    ['too long a path', `https://127.0.0.1/${'a'.repeat(2_048)}`, /2048/],
  ])('is refused, and named, where it has %s', async (_, url, message) => {
    const { status, body } = await put(url)
    expect([status, Object.keys(body.errors)]).toEqual([422, ['approvals.callout_url']])
    expect(body.errors['approvals.callout_url'][0]).toMatch(message)
    expect((await get()).version).toBe(0)
  })

  test('is refused where nothing accepts a TLS connection', async () => {
    const { status, body } = await put(`https://127.0.0.1:${await findUnusedPort()}/`)
    expect([status, body.errors['approvals.callout_url'][0]]).toEqual([
      422,
      expect.stringMatching(/TLS connection/),
    ])
  })

  test('is named together with the other wrong fields', async () => {
    const { body } = await put('https://10.0.0.1/', { count: 3 })
    expect(Object.keys(body.errors).sort()).toEqual(['approvals.callout_url', 'approvals.count'])
  })
})

describe('the secret of a call-out', () => {
  test('is replaced by a new one, or by one that the merchant chooses', async () => {
    const first = (await put(fixture.url)).body.data.callout_token
    const second = (await rotate()).body.data.callout_token
    expect(second).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(second).not.toBe(first)
    const { status, body } = await rotate({ token: NEW_SECRET })
    expect([status, body.data.callout_token]).toEqual([200, NEW_SECRET])
    expect((await get()).callout_token).toMatch(MASKED)
    const [row] = await fixture.sql<{ previous_secrets: unknown[] }>(
      'select previous_secrets from callout_secret where uuid = ?',
      [accountUuid],
    )
    expect(row!.previous_secrets).toHaveLength(2)
  })

  test('is refused where it cannot sign, or replaces nothing', async () => {
    expect((await rotate()).status).toBe(404)
    await put(fixture.url)
    const weak = await rotate({ token: 'short' })
    expect([weak.status, Object.keys(weak.body.errors)]).toEqual([422, ['token']])
    await rotate({ token: NEW_SECRET })
    const same = await rotate({ token: NEW_SECRET })
    expect([same.status, same.body.errors]).toEqual([
      422,
      { token: ['must differ from the token it replaces'] },
    ])
  })
})
