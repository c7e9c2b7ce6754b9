import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { sampleRoutes } from '../support/sample-routes.ts'

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
