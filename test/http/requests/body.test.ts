import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { isJsonContentType } from '../../../src/http/body.ts'
import { type ApiFixture, type CallOptions, openApiFixture } from '../support/api-fixture.ts'
import { sampleRoutes } from '../support/sample-routes.ts'

const SAMPLE = '/api/v1/samples/6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21'
const NUL = '\u0000'
const SOMETHING = [expect.any(String)]

let fixture: ApiFixture
let token: string
beforeAll(async () => {
  fixture = await openApiFixture([sampleRoutes])
  token = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
})
afterAll(() => fixture?.close())

describe('a body', () => {
  const fine = { value: 1, splits: [] }
  test.each<{ name: string; call: CallOptions; status: number; code?: string }>([
    { name: 'is accepted', call: { body: fine }, status: 201 },
    { name: 'may have unknown fields', call: { body: { ...fine, more: { deep: true } } }, status: 201 },
    { name: 'may name its charset', call: type('application/json; charset=utf-8', fine), status: 201 },
    { name: 'may be of a +json type', call: type('application/merge-patch+json', fine), status: 201 },
    { name: 'must be JSON', call: { raw: '{"value":' }, status: 400, code: 'malformed_json' },
    {
      name: 'must be UTF-8',
      call: { raw: new Uint8Array([0x22, 0xff, 0x22]) },
      status: 400,
      code: 'malformed_json',
    },
    { name: 'must not be cut off', call: { raw: '' }, status: 422, code: 'validation_failed' },
    {
      name: 'must be of its type',
      call: type('text/plain', fine),
      status: 415,
      code: 'unsupported_media_type',
    },
    {
      name: 'must not be a form',
      call: type('application/x-www-form-urlencoded', fine),
      status: 415,
      code: 'unsupported_media_type',
    },
    {
      name: 'must be in UTF-8',
      call: type('application/json; charset=latin1', fine),
      status: 415,
      code: 'unsupported_media_type',
    },
    {
      name: 'must be in UTF-8, also where its bytes are of the charset that it names',
      call: {
        raw: Buffer.from('{"name":"João"}', 'latin1'),
        headers: { 'content-type': 'application/json; charset=iso-8859-1' },
      },
      status: 415,
      code: 'unsupported_media_type',
    },
    {
      name: 'must not be compressed',
      call: { body: fine, headers: { 'content-encoding': 'gzip' } },
      status: 415,
      code: 'unsupported_media_type',
    },
    { name: 'may have 100 kB', call: { raw: padded(102_400) }, status: 201 },
    { name: 'must not have more', call: { raw: padded(102_401) }, status: 413, code: 'body_too_large' },
    {
      name: 'must not have far more',
      call: { raw: padded(5_000_000) },
      status: 413,
      code: 'body_too_large',
    },
    {
      name: 'must not be deeply nested',
      call: { raw: '['.repeat(50_000) + ']'.repeat(50_000) },
      status: 422,
      code: 'validation_failed',
    },
  ])('$name: $status', async ({ call, status, code }) => {
    const answer = await fixture.call('POST', SAMPLE, { token, ...call })
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test('without a length is counted as it arrives', async () => {
    const body = new Blob([padded(200_000)]).stream()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(fixture.server.url + SAMPLE, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit)
    expect(answer.status).toBe(413)
  })

  test.each(['', 'json', 'a b/c'])('may be read as raw text, whatever its type: %s', async contentType => {
    const body = new Blob(['{"não":'])
    const headers: Record<string, string> = contentType === '' ? {} : { 'content-type': contentType }
    const answer = await fetch(`${fixture.server.url}/text`, { method: 'POST', body, headers })
    expect([answer.status, await answer.text()]).toEqual([200, '{"não":'])
  })

  test('may be read as raw text', async () => {
    const answer = await fixture.call('POST', '/text?ignorar=', {
      raw: '{"não":',
      headers: { 'content-type': 'x/y' },
    })
    expect([answer.status, answer.text]).toEqual([200, '{"não":'])
    expect(answer.headers.get('content-type')).toContain('text/plain')
  })
})

describe('an error names its field', () => {
  test.each<{ name: string; body?: unknown; query?: string; key?: string; errors: Record<string, unknown> }>([
    { name: 'a missing field', body: {}, errors: { value: ['is required'] } },
    {
      name: 'all errors at once, with their paths',
      body: { value: -1, splits: [{ value: 1 }, {}, { value: 'x' }] },
      errors: { value: SOMETHING, 'splits.1.value': ['is required'], 'splits.2.value': SOMETHING },
    },
    { name: 'a body that is a list', body: [], errors: { body: SOMETHING } },
    { name: 'a body that is null', body: null, errors: { body: SOMETHING } },
    {
      name: 'NUL, which PostgreSQL refuses',
      body: { value: 1, splits: [{ value: 1, name: NUL }] },
      errors: { 'splits.0.name': SOMETHING },
    },
    {
      name: 'half a surrogate pair',
      body: { value: 1, splits: [{ value: 1, name: '\ud800' }] },
      errors: { 'splits.0.name': SOMETHING },
    },
    {
      name: 'NUL with an invalid body, except in unread fields and fields with another error',
      body: {
        value: 'x',
        more: NUL,
        splits: [{ value: 1, name: NUL }, { value: 'x', name: NUL.repeat(11) }, NUL],
      },
      errors: {
        value: SOMETHING,
        'splits.0.name': SOMETHING,
        'splits.1.value': SOMETHING,
        'splits.1.name': [expect.not.stringContaining('NUL')],
        'splits.2': SOMETHING,
      },
    },
    {
      name: 'NUL in a query with an unknown parameter',
      body: { value: 1 },
      query: '?at=%00&pagina=%00',
      errors: { at: SOMETHING, pagina: ['is not a known field'] },
    },
    {
      name: 'an unknown query parameter',
      body: { value: 1 },
      query: '?pagina=2',
      errors: { pagina: ['is not a known field'] },
    },
    {
      name: 'a query value out of bounds',
      body: { value: 1 },
      query: '?page=0',
      errors: { page: SOMETHING },
    },
    {
      name: 'a repeated query parameter',
      body: { value: 1 },
      query: '?at=a&at=b',
      errors: { at: ['must be sent once'] },
    },
    { name: 'NUL in a query', body: { value: 1 }, query: '?at=%00', errors: { at: SOMETHING } },
    {
      name: 'an invalid key',
      body: { value: 1 },
      key: 'x'.repeat(256),
      errors: { 'Idempotency-Key': SOMETHING },
    },
    {
      name: 'query, key and body together',
      body: {},
      query: '?x=1',
      key: 'é',
      errors: { value: SOMETHING, x: SOMETHING, 'Idempotency-Key': SOMETHING },
    },
  ])('$name', async ({ body, query = '', key, errors }) => {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
    const answer = await fixture.call('POST', SAMPLE + query, { token, body, headers })
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
    expect(answer.body.errors).toEqual(errors)
  })

  test('of any name, also that of a prototype property', async () => {
    const answer = await fixture.call('POST', `${SAMPLE}?__proto__=1`, { token, body: {} })
    expect([answer.status, Object.entries(answer.body.errors)]).toEqual([
      422,
      [
        ['__proto__', ['is not a known field']],
        ['value', ['is required']],
      ],
    ])
  })

  test('and never reads a field from the body’s prototype', async () => {
    const answer = await fixture.call('POST', SAMPLE, { token, raw: '{"__proto__":{"value":1}}' })
    expect(answer.body.errors).toEqual({ value: ['is required'] })
  })
})

function type(contentType: string, body: unknown): CallOptions {
  return { raw: JSON.stringify(body), headers: { 'content-type': contentType } }
}

function padded(size: number): string {
  return `{"value":1}${' '.repeat(size - 11)}`
}

test.each([
  ['application/json', true],
  ['application/json ; ', true],
  ['application/json;charset="UTF8" ;', true],
  ['application/json;;', false],
  ['application/jsonx', false],
  [`application/json${' '.repeat(200_000)}x`, false],
  [`application/json${' '.repeat(200_000)};${' '.repeat(200_000)}x`, false],
])('a content type is parsed in one pass, however long: %.40s → %s', (contentType, is) => {
  expect(isJsonContentType(contentType)).toBe(is)
})
