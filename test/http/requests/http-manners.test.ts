import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import Koa from 'koa'
import { z } from 'zod'
import type { RouteRegistrar } from '../../../src/api/app.ts'
import { registerRoute } from '../../../src/api/http/route.ts'
import { pixKeyRoutes } from '../../../src/api/pix-keys/routes.ts'
import { providerRoutes } from '../../../src/api/providers/routes.ts'
import { transfersQuery } from '../../../src/contract/transfers/transfer.ts'
import { readTextBody } from '../../../src/http/body.ts'
import { errorHandler } from '../../../src/http/error-handler.ts'
import { setArrivalTimeout, startServer } from '../../../src/http/server.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { sampleRoutes } from '../support/sample-routes.ts'

/** SPEC §1: every request that HTTP allows, and every one that it forbids, gets the answer that RFC 9110 and 9112 name. */

const UUID = '6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21'
const ITEMS = Array.from({ length: 15 }, (_, index) => `item ${index} ${'x'.repeat(100)}`)

let revision = 1
/** One resource, a list, a page of the dashboard and a picture. */
const documentRoutes: RouteRegistrar = router => {
  registerRoute(router, 'get', '/api/v1/documents/:uuid', {
    operationId: null,
    scope: 'read',
    summary: 'One',
    responses: { 200: z.object({ data: z.object({ uuid: z.string(), revision: z.number() }) }) },
    handle: async ({ params }) => ({ body: { data: { uuid: params.uuid, revision } } }),
  })
  registerRoute(router, 'put', '/api/v1/documents/:uuid', {
    operationId: null,
    scope: 'charges',
    summary: 'Replace one',
    responses: { 200: z.object({}) },
    handle: async () => ({ body: {} }),
  })
  registerRoute(router, 'post', '/api/v1/documents/search', {
    operationId: null,
    scope: 'charges',
    summary: 'Search',
    responses: { 200: z.object({}) },
    handle: async () => ({ body: {} }),
  })
  registerRoute(router, 'get', '/api/v1/documents', {
    operationId: null,
    scope: 'read',
    summary: 'All',
    responses: { 200: z.object({ data: z.array(z.string()) }) },
    handle: async ({ em }) => {
      await em.execute('select pg_sleep(0.02)')
      return { body: { data: ITEMS } }
    },
  })
  registerRoute(router, 'get', '/picture', {
    operationId: null,
    summary: 'A picture',
    tokens: 'none',
    responses: { 200: 'image/png' },
    handle: async () => ({ body: Buffer.alloc(5_000) }),
  })
  router.koa.get('/dashboard/page', ctx => {
    ctx.type = 'html'
    ctx.body = ITEMS.join('\n')
  })
}

let fixture: ApiFixture
let token: string
beforeAll(async () => {
  fixture = await openApiFixture([sampleRoutes, documentRoutes, providerRoutes, pixKeyRoutes])
  token = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
})
afterAll(() => fixture?.close())

type RawResponse = { status: number; headers: Headers; body: string }

/** Sends bytes over one connection and reads its first response, until the connection is closed. */
async function sendRaw(port: number, text: string, { end = false } = {}): Promise<RawResponse> {
  const socket = connect(port, '127.0.0.1')
  if (end) socket.end(text)
  else socket.write(text)
  const received = Buffer.concat(await socket.toArray()).toString()
  const separator = received.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = received.slice(0, separator).split('\r\n')
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: new Headers(
      lines.map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
    ),
    body: received.slice(separator + 4),
  }
}

describe('by a raw socket', () => {
  const authorized = (more = '') =>
    `Host: a\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n${more}`

  test.each([
    ['no Host', 'GET /api/v1/whoami HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
    [
      'two Hosts',
      'GET / HTTP/1.1\r\nConnection: close\r\nHost: a\r\nHost: a\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'an unknown expectation',
      'GET / HTTP/1.1\r\nConnection: close\r\nHost: a\r\nExpect: x\r\n\r\n',
      417,
      'expectation_failed',
    ],
    ['a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'malformed_request'],
    [
      'a negative length',
      'POST /text HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'a length and chunks',
      'POST /text HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'an unknown coding',
      'POST /text HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n{}',
      400,
      'malformed_request',
    ],
    ['a URL of 20 kB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'headers_too_large'],
    [
      'a header of 20 kB',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ])('%s is refused with the error body', async (name, sent, status, code) => {
    const answer = await sendRaw(fixture.server.port, sent)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      status,
      'application/json; charset=utf-8',
    ])
    expect(JSON.parse(answer.body)).toEqual({
      message: expect.any(String),
      code,
      ...(/Hosts?$/.test(name) && { errors: { Host: ['must be sent once'] } }),
      request_id: answer.headers.get('x-request-id'),
    })
  })

  test('a body that ends before its length is refused', async () => {
    const sent =
      'POST /text HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nhalf'
    const answer = await sendRaw(fixture.server.port, sent, { end: true })
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([400, 'malformed_request'])
  })

  test('a body after its length is not read as part of the request', async () => {
    const sent =
      'POST /text HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nhalf of it'
    const answer = await sendRaw(fixture.server.port, sent)
    expect([answer.status, answer.body]).toEqual([200, 'half'])
  })

  test('HTTP/1.0 needs no Host, and 100-continue is an expectation that is met', async () => {
    const old = await sendRaw(
      fixture.server.port,
      `GET /api/v1/whoami HTTP/1.0\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    )
    expect(old.status).toBe(200)
    const body = 'Content-Type: text/plain\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{}'
    const expecting = await sendRaw(fixture.server.port, `POST /text HTTP/1.1\r\n${authorized(body)}`)
    expect([expecting.status, expecting.body]).toEqual([100, expect.stringContaining('HTTP/1.1 200 OK')])
  })

  test('HEAD answers as GET does, without a body', async () => {
    const read = await sendRaw(
      fixture.server.port,
      `HEAD /api/v1/documents/${UUID} HTTP/1.1\r\n${authorized('\r\n')}`,
    )
    expect([read.status, read.body, read.headers.get('etag')]).toEqual([
      200,
      '',
      expect.stringMatching(/^W\/"/),
    ])
    expect(Number(read.headers.get('content-length'))).toBeGreaterThan(40)
    const list = await sendRaw(
      fixture.server.port,
      `HEAD /api/v1/documents HTTP/1.1\r\n${authorized('\r\n')}`,
    )
    expect([list.status, list.body]).toEqual([200, ''])
  })

  test('a body that does not arrive in time is 408, also for a client that goes on sending', async () => {
    const app = new Koa()
    app.use(errorHandler(fixture.dependencies.log))
    app.use(async ctx => {
      setArrivalTimeout(ctx.req, 50)
      ctx.body = await readTextBody(ctx)
    })
    const server = await startServer(app, { host: '127.0.0.1', port: 0 })
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\n'
    const late = await sendRaw(server.port, `${head}half`)
    expect([late.status, JSON.parse(late.body).code, late.headers.get('connection')]).toEqual([
      408,
      'request_timeout',
      'close',
    ])
    const socket = connect(server.port, '127.0.0.1').on('error', () => {})
    socket.write(head)
    const chunks: Buffer[] = []
    socket.on('data', chunk => chunks.push(chunk))
    while (!socket.closed) {
      if (socket.writable) socket.write('x')
      await pause(10)
    }
    expect(Buffer.concat(chunks).toString()).toContain('HTTP/1.1 408 ')
    await server.stop()
  })
})

describe('405 and Allow', () => {
  test.each([
    { method: 'OPTIONS', path: `/api/v1/documents/${UUID}`, allow: 'GET, HEAD, PUT' },
    { method: 'DELETE', path: '/api/v1/documents', allow: 'GET, HEAD' },
    { method: 'OPTIONS', path: '/api/v1/documents/search', allow: 'POST' },
    { method: 'OPTIONS', path: '/api/v1/pix-keys/auth-code', allow: 'POST' },
  ])('$method $path names the methods of the path only', async ({ method, path, allow }) => {
    const { status, headers } = await fixture.call(method, path, { token })
    expect([status, headers.get('allow')]).toEqual([405, allow])
  })

  test('a path that no resource can have is 404 by every method', async () => {
    const { status, headers } = await fixture.call('OPTIONS', '/api/v1/documents/not-a-uuid', { token })
    expect([status, headers.get('allow')]).toEqual([404, null])
  })
})

describe('a single resource', () => {
  const read = (headers: Record<string, string> = {}) =>
    fixture.call('GET', `/api/v1/documents/${UUID}`, { token, headers })

  test('has a weak ETag, and is 304 until it changes', async () => {
    const first = await read()
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"[\w-]{43}"$/)
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    expect(first.headers.get('vary')).toBe('Accept-Encoding, Authorization')
    const same = await read({ 'if-none-match': `"other", ${etag}` })
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', etag])
    revision += 1
    const changedResponse = await read({ 'if-none-match': etag })
    expect([changedResponse.status, changedResponse.body.data.revision]).toEqual([200, revision])
  })

  test('is never 304 without authorization, and a list has no ETag', async () => {
    const { headers } = await read()
    const path = `/api/v1/documents/${UUID}`
    const refusal = await fixture.call('GET', path, { headers: { 'if-none-match': headers.get('etag')! } })
    expect(refusal.status).toBe(401)
    const list = await fixture.call('GET', '/api/v1/documents', { token })
    expect([list.headers.get('etag'), list.headers.get('cache-control')]).toEqual([null, 'no-store'])
  })
})

describe('compression', () => {
  const get = async (path: string, accepted: string) => {
    const head = `Host: a\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nAccept-Encoding: ${accepted}`
    const socket = connect(fixture.server.port, '127.0.0.1')
    socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n\r\n`)
    const bytes = Buffer.concat(await socket.toArray())
    const separator = bytes.indexOf('\r\n\r\n')
    const text = bytes.subarray(0, separator).toString().toLowerCase()
    const encoding = /content-encoding: (\S+)/.exec(text)?.[1] ?? null
    return { text, encoding, status: Number(text.split(' ')[1]), bytes: bytes.subarray(separator + 4) }
  }

  test.each([
    { accepted: 'gzip, deflate, br, zstd', encoding: 'br' },
    { accepted: 'gzip', encoding: 'gzip' },
    { accepted: 'br;q=0, gzip', encoding: 'gzip' },
    { accepted: '*', encoding: 'br' },
    { accepted: 'identity', encoding: null },
    { accepted: 'deflate', encoding: null },
    { accepted: 'br;q=0, identity;q=0', encoding: null },
    { accepted: '*;q=0', encoding: null },
  ])('a list for a client that accepts $accepted: $encoding', async ({ accepted, encoding }) => {
    const answer = await get('/api/v1/documents', accepted)
    expect([answer.status, answer.encoding]).toEqual([200, encoding])
    expect(answer.text).toContain('vary: accept-encoding')
  })

  test('changes no content', async () => {
    const path = '/api/v1/documents'
    const plain = await fixture.call('GET', path, { token, headers: { 'accept-encoding': 'identity' } })
    for (const [encoding, decompress] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { headers } = await fixture.call('GET', path, { token, headers: { 'accept-encoding': encoding } })
      expect(headers.get('content-encoding')).toBe(encoding)
      const { bytes } = await get(path, encoding)
      expect(decompress(bytes).toString()).toBe(plain.text)
    }
  })

  test('leaves short responses, pictures and pages of the dashboard as they are', async () => {
    for (const path of ['/api/v1/whoami', '/picture', '/dashboard/page'])
      expect([path, (await get(path, 'br, gzip')).encoding]).toEqual([path, null])
  })
})

test('Server-Timing says how long a request took, and how long of it PostgreSQL, to callers with a token', async () => {
  const { headers } = await fixture.call('GET', '/api/v1/documents', { token })
  const [, total, db] =
    /^total;dur=(\d+\.\d), db;dur=(\d+\.\d)$/.exec(headers.get('server-timing') ?? '') ?? []
  expect(Number(db)).toBeGreaterThanOrEqual(15)
  expect(Number(total)).toBeGreaterThanOrEqual(Number(db))
  for (const refusal of [undefined, 'trl_test_unknown']) {
    const answer = await fixture.call('GET', '/api/v1/documents', { token: refusal })
    expect([answer.status, answer.headers.get('server-timing')]).toEqual([401, null])
  }
})

test('a `+` that the caller did not encode stays in the key of a transfer filter', async () => {
  for (const query of ['+5511987654321', '%2B5511987654321'])
    expect(transfersQuery.parse(Object.fromEntries(new URLSearchParams(`pix_key=${query}`))).pix_key).toBe(
      '+5511987654321',
    )
})
