import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DOCUMENTS } from '../../src/api/docs/documents.ts'
import { GUIDE_PAGES } from '../../src/api/docs/guide-pages.ts'
import { type ContractResponse, createContract } from './support/contract.ts'
import { openSharedTestStack, type TestStack } from './support/test-stack.ts'

/**
 * `/openapi.json` checks every response of these suites; here the check itself is tested, with responses that no other
 * suite receives.
 */

let stack: TestStack
beforeAll(async () => {
  stack = await openSharedTestStack()
})
afterAll(() => stack.close())

const judge = createContract({
  openapi: '3.1.0',
  paths: {
    '/api/v1/things/{uuid}': {
      get: {
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
          404: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
        },
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        properties: { at: { type: 'string', format: 'date-time' } },
        required: ['at'],
      },
      Error: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
    },
  },
})
const response: ContractResponse = {
  method: 'GET',
  path: '/api/v1/things/1?page=1',
  status: 200,
  headers: new Headers({ 'content-type': 'application/json; charset=utf-8' }),
  body: { at: '2026-11-21T12:00:00.000000Z' },
}

test.each<[what: string, more: Partial<ContractResponse>]>([
  ['an answer', {}],
  ['a refusal', { status: 404, body: { code: 'not_found' } }],
  ['an unknown path', { path: '/api/v1/nothing', status: 404, body: { code: 'not_found' } }],
  ['an unknown method', { method: 'PUT', status: 405, body: { code: 'method_not_allowed' } }],
])('the OpenAPI check accepts %s as described', (_what, more) => {
  expect(() => judge.check({ ...response, ...more })).not.toThrow()
})

test.each<[what: string, more: Partial<ContractResponse>, complaint: RegExp]>([
  ['a status that is not described', { status: 418 }, /does not know/],
  ['a missing field', { body: {} }, /required property 'at'/],
  ['a field of another type', { body: { at: 1 } }, /must be string/],
  ['a text of another format', { body: { at: 'yesterday' } }, /must match format/],
  ['another media type', { headers: new Headers({ 'content-type': 'text/html' }) }, /as text\/html/],
  ['an error without its code', { status: 404, body: {} }, /required property 'code'/],
  ['a path that should not be', { path: '/api/v1/nothing' }, /only 404/],
  ['a method that should not be', { method: 'PUT' }, /only 405/],
])('the OpenAPI check refuses %s', (_what, more, complaint) => {
  expect(() => judge.check({ ...response, ...more })).toThrow(complaint)
})

test('a token over its rate limit receives 429 with Retry-After and the rate limit headers', async () => {
  const { api, uuid } = await stack.createMerchant()
  await api.get('/api/v1/webhooks')
  // Emptied here, because a test would have to be faster than the bucket refills.
  await stack.sql(
    `update rate_bucket set tokens = 0, filled_at = now() + interval '1 minute'
     where token_uuid in (select t.uuid from token t where t.account_uuid = ?)`,
    [uuid],
  )
  const answers = await Promise.all(Array.from({ length: 40 }, () => api.get('/api/v1/webhooks')))
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThanOrEqual(15) // The process may still hold a lease of 25.
  for (const { headers, body } of refused) {
    expect(body.code).toBe('rate_limited')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  for (const { headers } of answers) {
    expect(headers.get('ratelimit')).toMatch(/^"token";r=\d+;t=\d+$/)
    expect(headers.get('ratelimit-policy')).toBe('"token";q=200;w=2')
  }
})

test('documentation and health need no token', async () => {
  const anonymous = stack.api.withToken(undefined)
  expect((await anonymous.get('/openapi.json')).body).toEqual(stack.contract.document)
  expect((await anonymous.get('/docs')).headers.get('content-type')).toMatch(/^text\/html/)
  expect((await anonymous.get('/healthz')).body).toEqual({ status: 'ok' })
  expect((await anonymous.get('/readyz')).body).toEqual({ status: 'ok' })
})

test('every document is a page without inline scripts; an unknown one is 404', async () => {
  const anonymous = stack.api.withToken(undefined)
  const documents = DOCUMENTS.map(({ name, title }) => ({ path: `/docs/${name}`, title }))
  for (const { path, title } of [...documents, ...GUIDE_PAGES.en, ...GUIDE_PAGES.pt]) {
    const { status, headers, bytes } = await anonymous.get(path)
    const text = bytes.toString()
    expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
    expect(text).toMatch(new RegExp(`<a href="${path}"( lang="en")? aria-current="page">${title}</a>`))
    expect(text).not.toMatch(/<script>|<script(?! src="\/docs\/assets\/)|<style|<!-- | on\w+="/)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; script-src 'self'; connect-src 'self'",
    )
  }
  for (const path of ['/docs/secrets', '/docs/en/secrets', '/docs/fr/charges'])
    expect((await anonymous.get(path)).status).toBe(404)
})

test('the documentation opens in the language of the browser', async () => {
  const locationFor = async (language: string) => {
    const init = { redirect: 'manual', headers: { 'accept-language': language } } as const
    const { status, headers } = await fetch(`${stack.local.api_url}/docs`, init)
    expect(headers.get('vary')).toContain('Accept-Language')
    return [status, headers.get('location')]
  }
  expect(await locationFor('pt-BR,pt;q=0.9,en;q=0.8')).toEqual([302, '/docs/pt'])
  expect(await locationFor('pt')).toEqual([302, '/docs/pt'])
  expect(await locationFor('en-US,pt;q=0.5')).toEqual([302, '/docs/en'])
  expect(await locationFor('fr')).toEqual([302, '/docs/en'])
})

test('a browser at the root is led to the dashboard, and a client of the API gets 404', async () => {
  const answerTo = async (accept: string) => {
    const { status, headers } = await fetch(stack.local.api_url, { redirect: 'manual', headers: { accept } })
    return [status, headers.get('location')]
  }
  expect(await answerTo('text/html,application/xhtml+xml,*/*;q=0.8')).toEqual([302, '/dashboard'])
  expect(await answerTo('application/json')).toEqual([404, null])
  expect(await answerTo('*/*')).toEqual([404, null])
})
