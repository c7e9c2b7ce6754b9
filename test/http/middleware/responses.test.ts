import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { pruneEvents } from '../../../src/activities/webhooks/prune-events.ts'
import { addUser } from '../../../src/admin/users.ts'
import { createApp } from '../../../src/api/app.ts'
import { MERCHANT_ROUTES } from '../../../src/api/merchant-routes.ts'
import { createRequestLog, type RequestLog } from '../../../src/api/middleware/request-log.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { insertApiRequests, listApiRequests } from '../../../src/db/repositories/api-requests.ts'
import { type RunningServer, startServer } from '../../../src/http/server.ts'
import { hashToken } from '../../../src/security/tokens.ts'
import { type ApiFixture, createCaller, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { sampleRoutes } from '../support/sample-routes.ts'

describe('response envelope', () => {
  const SAMPLE = '/api/v1/samples/6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21'

  let fixture: ApiFixture
  let token: string
  beforeAll(async () => {
    fixture = await openApiFixture([sampleRoutes])
    token = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
  })
  afterAll(() => fixture?.close())

  describe('an error response', () => {
    test.each([
      { path: '/nowhere', method: 'GET', status: 404, code: 'not_found' },
      { path: '/api/v1/samples/not-a-uuid', method: 'POST', status: 404, code: 'not_found' },
      { path: '/api/v1/samples/%ff', method: 'POST', status: 404, code: 'not_found' },
      { path: SAMPLE, method: 'DELETE', status: 405, code: 'method_not_allowed', allow: 'POST' },
      { path: '/api/v1/whoami', method: 'POST', status: 405, code: 'method_not_allowed', allow: 'GET, HEAD' },
      { path: '/failing/bug', method: 'GET', status: 500, code: 'internal_error' },
      { path: '/failing/row', method: 'GET', status: 500, code: 'internal_error' },
      { path: '/failing/answer', method: 'GET', status: 500, code: 'internal_error' },
      { path: '/failing/refusal', method: 'GET', status: 503, code: 'no_provider_available', retry: '5' },
      { path: '/failing/temporal', method: 'GET', status: 503, code: 'unavailable', retry: '5' },
    ])('$method $path answers $status $code', async ({ path, method, status, code, allow, retry }) => {
      const answer = await fixture.call(method, path, { token })
      expect([answer.status, answer.body.code]).toEqual([status, code])
      expect(answer.body.message).toEqual(expect.any(String))
      expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'))
      expect(answer.headers.get('allow')).toBe(allow ?? null)
      expect(answer.headers.get('retry-after')).toBe(retry ?? null)
    })

    test('of an internal error shows no detail, which goes to the log', async () => {
      const { text, body } = await fixture.call('GET', '/failing/bug')
      expect(text).not.toContain('internals')
      const line = fixture.lines.find(one => one.includes('internal error') && one.includes(body.request_id))
      expect(line).toContain('secret internals')
    })

    test('of a refused row keeps the row’s values out of the log', async () => {
      await fixture.call('GET', '/failing/row')
      expect(fixture.lines.join()).toContain('account_status_check')
      expect(fixture.lines.join()).not.toContain('52998224725')
    })

    test('may carry stored data and headers', async () => {
      const { body, headers } = await fixture.call('GET', '/failing/refusal')
      expect(body.data).toEqual({ uuid: 'u' })
      expect(headers.get('x-more')).toBe('yes')
    })
  })

  describe('every response', () => {
    test.each([
      { name: 'safe', given: 'pedido-42:a/b', taken: true },
      { name: 'of the maximum length', given: 'a'.repeat(128), taken: true },
      { name: 'too long', given: 'a'.repeat(129), taken: false },
      { name: 'with blanks', given: 'a b', taken: false },
      { name: 'with markup', given: '<script>', taken: false },
      { name: 'empty', given: '', taken: false },
    ])('carries a request id; one that is $name is taken: $taken', async ({ given, taken }) => {
      const { headers } = await fixture.call('GET', '/nowhere', { headers: { 'x-request-id': given } })
      if (taken) expect(headers.get('x-request-id')).toBe(given)
      else expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    })

    test('carries the security headers', async () => {
      const { headers } = await fixture.call('GET', '/nowhere')
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      })
    })

    test('writes one log line, without path, query, token or body', async () => {
      const headers = { 'x-request-id': 'the-line' }
      await fixture.call('POST', `${SAMPLE}?at=52998224725`, { token, headers, body: { value: 77_123 } })
      const [line = '', ...more] = fixture.lines.filter(one => one.includes('the-line'))
      expect(more).toEqual([])
      expect(JSON.parse(line)).toMatchObject({ route: '/api/v1/samples/:uuid', method: 'POST', status: 201 })
      for (const secret of ['52998224725', token]) expect(line).not.toContain(secret)
      expect(line).not.toMatch(/\b77123\b/) // Which a timestamp or a uuid may contain.
    })
  })

  test('a response follows its schema: a key or null, and the query with its default', async () => {
    const with_ = await fixture.call('POST', SAMPLE, {
      token,
      body: { value: 1 },
      headers: { 'idempotency-key': 'k' },
    })
    const without = await fixture.call('POST', `${SAMPLE}?page=3`, { token, body: { value: 1 } })
    expect(with_.body).toEqual({ data: { value: 1, key: 'k', page: 1 } })
    expect(without.body).toEqual({ data: { value: 1, key: null, page: 3 } })
  })
})

describe('request log', () => {
  /** The log of requests by API tokens, and its page. */

  const DAY_MS = 86_400_000
  const PASSWORD = 'a long enough password'

  let fixture: ApiFixture
  let log: RequestLog
  let server: RunningServer
  let call: ReturnType<typeof createCaller>
  let accountUuid: string
  let token: string
  let tokenUuid: string
  let tokenNumber: number
  beforeAll(async () => {
    fixture = await openApiFixture([], { TRILHO_BEHIND_PROXY: 'true' })
    // Written when it is closed, however slow the machine is.
    log = createRequestLog({ ...fixture.dependencies, flushIntervalMs: 60_000 })
    const routes = [...MERCHANT_ROUTES, dashboardRoutes]
    const app = createApp({ ...fixture.dependencies, routes, recordRequest: log.recordRequest })
    server = await startServer(app, fixture.config)
    call = createCaller(server)
    accountUuid = await fixture.insertAccount()
    token = await fixture.insertToken({ accountUuid, allowedAddresses: ['203.0.113.7'] })
    const [row] = await fixture.orm.em.execute<{ uuid: string; number: number }[]>(
      'select uuid, number from token where hash = ?',
      [hashToken(token)],
    )
    tokenUuid = row!.uuid
    tokenNumber = row!.number
  })
  afterAll(async () => {
    await server?.stop()
    await fixture?.close()
  })

  const send = (method: string, path: string, id: string, from = '203.0.113.7') =>
    call(method, path, { token, headers: { 'X-Request-Id': id, 'X-Forwarded-For': from } })
  const listed = (filter: object = {}) =>
    listApiRequests(fixture.orm.em.fork(), { accountUuid, limit: 100, ...filter })

  test('a request is recorded with its route and ids: no query, no key, no body, no token, nothing of a stranger', async () => {
    const uuid = randomUUID()
    await send('GET', '/api/v1/payments?sender_document=52998224725', 'one')
    await send('GET', `/api/v1/payments/${uuid.toUpperCase()}`, 'two')
    await send('GET', '/api/v1/pix-keys/maria@shop.example', 'three')
    await send('PUT', '/api/v1/webhooks/maria@shop.example/x', 'four')
    await call('GET', '/api/v1/payments', { token: 'trl_test_unknown' })
    await call('GET', '/healthz')
    for (let n = 0; n < 15; n += 1)
      await send('GET', '/api/v1/payments', `far ${n}`.replace(' ', '-'), '198.51.100.1')
    await log.close()
    const rows = (await listed()).toReversed()
    expect(rows.slice(0, 4)).toEqual(
      [
        {
          requestId: 'one',
          method: 'GET',
          path: '/api/v1/payments',
          status: 422,
          errorCode: 'validation_failed',
        },
        {
          requestId: 'two',
          method: 'GET',
          path: `/api/v1/payments/${uuid}`,
          status: 404,
          errorCode: 'not_found',
        },
        {
          requestId: 'three',
          method: 'GET',
          path: '/api/v1/pix-keys/:key',
          status: 404,
          errorCode: 'not_found',
        },
        { requestId: 'four', method: 'PUT', path: null, status: 404, errorCode: 'not_found' },
      ].map(row => ({
        ...row,
        tokenUuid,
        tokenName: 'test',
        at: expect.any(Date),
        atUs: expect.any(Number),
        durationMs: expect.any(Number),
      })),
    )
    // What no rate limit bounds is recorded ten times a second.
    expect(rows.slice(4).map(({ errorCode }) => errorCode)).toEqual(Array(10).fill('address_not_allowed'))
    expect(JSON.stringify(rows)).not.toMatch(/maria|52998224725|trl_test/)
  })

  test('PostgreSQL that refuses a batch fails no request', async () => {
    await fixture.orm.em.execute('alter table api_request rename to api_request_moved')
    try {
      expect((await send('GET', '/api/v1/payments', 'lost')).status).toBe(200)
      await log.close()
      expect(fixture.lines.join('')).toContain('the request log could not be written')
    } finally {
      await fixture.orm.em.execute('alter table api_request_moved rename to api_request')
    }
    await send('GET', '/api/v1/payments', 'kept')
    await log.close()
    expect((await listed({ requestId: 'kept' })).length).toBe(1)
    expect(await listed({ requestId: 'lost' })).toEqual([])
  })

  test('is kept seven days, and what is older is deleted', async () => {
    const now = Date.now()
    const record = (days: number) => ({
      tokenNumber,
      atUs: (now - days * DAY_MS) * 1_000,
      durationMs: 1,
      status: 200,
      method: 'GET',
      path: '/api/v1/events',
      errorCode: null,
      requestId: `${days}-days`,
    })
    await insertApiRequests(fixture.orm.em.fork(), [0, 6, 7, 8].map(record))
    const ids = async () => (await listed({ path: '/events' })).map(({ requestId }) => requestId)
    expect(await ids()).toEqual(['0-days', '6-days'])
    await pruneEvents({ orm: fixture.orm } as never)()
    const stored = await fixture.orm.em.execute<{ id: string }[]>(
      `select request_id as id from api_request where path = '/api/v1/events' order by at desc`,
    )
    expect(stored.map(({ id }) => id)).toEqual(['0-days', '6-days', '7-days'])
  })

  test('its page filters, pages by cursor, links to objects, and shows other accounts nothing', async () => {
    const paths = Array.from({ length: 60 }, () => `/api/v1/transfers/${randomUUID()}`)
    const records = paths.map((path, n) => ({
      tokenNumber,
      atUs: Date.now() * 1_000 + n,
      durationMs: 3,
      status: n % 2 ? 200 : 500,
      method: 'GET',
      path,
      errorCode: n % 2 ? null : 'internal_error',
      requestId: `row-${n}`,
    }))
    await insertApiRequests(fixture.orm.em.fork(), records)
    const open = async (email: string, account: string) => {
      await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: account })
      const browser = createBrowser({ server }, { language: 'en' })
      await browser.signIn(email, PASSWORD)
      return browser
    }
    const browser = await open('dev@trilho.test', accountUuid)
    const idsOf = (text: string) =>
      [...text.matchAll(/<code>row-(\d+)<\/code>/g)].map(match => Number(match[1]))
    const read = async (query: string) => {
      const { status, text } = await browser.get(`/dashboard/requests?${query}`)
      return { status, text, ids: idsOf(text) }
    }
    const first = await read('path=transfers')
    expect(first.ids).toEqual(Array.from({ length: 50 }, (_, n) => 59 - n))
    expect(first.text).toContain(`href="/dashboard/transfers/${paths[59]!.slice(-36)}"`)
    const next = /rel="next" href="([^"]+)"/.exec(first.text)![1]!.replaceAll('&#38;', '&')
    expect(idsOf((await browser.get(next)).text)).toEqual(Array.from({ length: 10 }, (_, n) => 9 - n))
    expect((await read('path=transfers&status=5')).ids.every(n => n % 2 === 0)).toBe(true)
    expect((await read('request_id=row-7')).ids).toEqual([7])
    expect((await read(`token_uuid=${randomUUID()}`)).ids).toEqual([])
    expect((await read('method=POST')).ids).toEqual([])
    const wrong = await read('token_uuid=x&method=FETCH&before=soon')
    expect([wrong.status, wrong.ids]).toEqual([200, []])
    const stranger = await open('other@trilho.test', await fixture.insertAccount())
    const strangerPage = (await stranger.get('/dashboard/requests')).text
    expect(strangerPage).toContain('No API request in the last seven days')
    expect(idsOf((await stranger.get(`/dashboard/requests?token_uuid=${tokenUuid}`)).text)).toEqual([])
  })
})
