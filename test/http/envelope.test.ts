import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sampleRoutes } from './support/routes.ts'
import { openWorld, type World } from './support/world.ts'

const SAMPLE = '/api/v1/samples/6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21'

let world: World
let token: string
beforeAll(async () => {
  world = await openWorld([sampleRoutes])
  token = await world.token({ accountUuid: await world.account() })
})
afterAll(() => world?.close())

describe('a failure', () => {
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
    { path: '/failing/engine', method: 'GET', status: 503, code: 'unavailable', retry: '5' },
  ])('$method $path answers $status $code', async ({ path, method, status, code, allow, retry }) => {
    const answer = await world.call(method, path, { token })
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(answer.body.message).toEqual(expect.any(String))
    expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'))
    expect(answer.headers.get('allow')).toBe(allow ?? null)
    expect(answer.headers.get('retry-after')).toBe(retry ?? null)
  })

  test('of ours shows nothing of itself, but to the log', async () => {
    const { text, body } = await world.call('GET', '/failing/bug')
    expect(text).not.toContain('internals')
    const line = world.lines.find(one => one.includes('a bug') && one.includes(body.request_id))
    expect(line).toContain('secret internals')
  })

  test('of a row keeps what the row holds out of the log', async () => {
    await world.call('GET', '/failing/row')
    expect(world.lines.join()).toContain('account_status_check')
    expect(world.lines.join()).not.toContain('52998224725')
  })

  test('may carry what is stored, and headers', async () => {
    const { body, headers } = await world.call('GET', '/failing/refusal')
    expect(body.data).toEqual({ uuid: 'u' })
    expect(headers.get('x-more')).toBe('yes')
  })
})

describe('every answer', () => {
  test.each([
    { name: 'safe', given: 'pedido-42:a/b', taken: true },
    { name: 'as long as it may be', given: 'a'.repeat(128), taken: true },
    { name: 'too long', given: 'a'.repeat(129), taken: false },
    { name: 'with blanks', given: 'a b', taken: false },
    { name: 'with markup', given: '<script>', taken: false },
    { name: 'empty', given: '', taken: false },
  ])('carries a request id; one that is $name is taken: $taken', async ({ given, taken }) => {
    const { headers } = await world.call('GET', '/nowhere', { headers: { 'x-request-id': given } })
    if (taken) expect(headers.get('x-request-id')).toBe(given)
    else expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('keeps browsers honest', async () => {
    const { headers } = await world.call('GET', '/nowhere')
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
  })

  test('leaves one line in the log, without path, query, token or body', async () => {
    const headers = { 'x-request-id': 'the-line' }
    await world.call('POST', `${SAMPLE}?at=52998224725`, { token, headers, body: { value: 77_123 } })
    const [line = '', ...more] = world.lines.filter(one => one.includes('the-line'))
    expect(more).toEqual([])
    expect(JSON.parse(line)).toMatchObject({ route: '/api/v1/samples/:uuid', method: 'POST', status: 201 })
    for (const secret of ['52998224725', token]) expect(line).not.toContain(secret)
    expect(line).not.toMatch(/\b77123\b/) // Which a moment or a uuid may have within.
  })
})

test('an answer is written by its schema: a key or null, and the query with its default', async () => {
  const with_ = await world.call('POST', SAMPLE, {
    token,
    body: { value: 1 },
    headers: { 'idempotency-key': 'k' },
  })
  const without = await world.call('POST', `${SAMPLE}?page=3`, { token, body: { value: 1 } })
  expect(with_.body).toEqual({ data: { value: 1, key: 'k', page: 1 } })
  expect(without.body).toEqual({ data: { value: 1, key: null, page: 3 } })
})
