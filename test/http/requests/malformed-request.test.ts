import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import Koa from 'koa'
import { startServer } from '../../../src/http/server.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { sampleRoutes } from '../support/sample-routes.ts'

/** SPEC §1: input that cannot be parsed as a request is answered in the contract's shape, with a request id. */

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([sampleRoutes])
})
afterAll(() => fixture?.close())

/** Everything received over one connection until it is closed. */
async function exchangeRawBytes(port: number, requestText: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(requestText)
  return Buffer.concat(await socket.toArray()).toString()
}

const LONG = 'x'.repeat(17_000)

test.each([
  ['a URL that is too long', `GET /${LONG} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'headers_too_large'],
  ['headers that are too long', `GET / HTTP/1.1\r\nHost: a\r\nX: ${LONG}\r\n\r\n`, 431, 'headers_too_large'],
  ['bytes that are not HTTP', 'HELO trilho\r\n\r\n', 400, 'malformed_request'],
  [
    'two hosts',
    'GET /healthz HTTP/1.1\r\nConnection: close\r\nHost: a\r\nHOST: a\r\n\r\n',
    400,
    'malformed_request',
  ],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    400,
    'malformed_request',
  ],
])('%s', async (name, requestText, status, code) => {
  const [head, body] = (await exchangeRawBytes(fixture.server.port, requestText)).split('\r\n\r\n') as [
    string,
    string,
  ]
  const headers = new Headers(
    head
      .split('\r\n')
      .slice(1)
      .map(line => line.split(': ') as [string, string]),
  )
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(JSON.parse(body)).toEqual({
    message: expect.any(String),
    code,
    ...(name === 'two hosts' && { errors: { Host: ['must be sent once'] } }),
    request_id: headers.get('x-request-id'),
  })
  expect(Number(headers.get('content-length'))).toBe(Buffer.byteLength(body))
  expect([headers.get('content-type'), headers.get('connection')]).toEqual([
    'application/json; charset=utf-8',
    'close',
  ])
  expect([headers.get('cache-control'), headers.get('x-frame-options')]).toEqual(['no-store', 'DENY'])
})

test('ordinary HTTP clients receive the error response, too', async () => {
  const answer = await fixture.call('GET', `/api/v1/whoami?${LONG}`)
  expect([answer.status, answer.body.code]).toEqual([431, 'headers_too_large'])
})

test('behind a request that was read, it does not change that request’s response', async () => {
  const app = new Koa()
  app.use(async ctx => {
    ctx.body = new PassThrough()
    if (ctx.path === '/begun') ctx.flushHeaders()
    await pause(100)
    ctx.body.end('done')
  })
  const server = await startServer(app, { host: '127.0.0.1', port: 0 })
  for (const path of ['/', '/begun']) {
    const request = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`
    const text = await exchangeRawBytes(server.port, `${request}HELO trilho\r\n\r\n`)
    expect([path, text.match(/HTTP\/1\.1 \d+/g), text.includes('done')]).toEqual([
      path,
      ['HTTP/1.1 200'],
      true,
    ])
  }
  await server.stop()
})

test('within a request it ends that request, and the server does not wait for the body', async () => {
  const { promise: became, resolve } = Promise.withResolvers<unknown>()
  const app = new Koa()
  app.silent = true
  app.use(async ctx => {
    resolve(await ctx.req.toArray().catch(({ code }) => code))
  })
  const server = await startServer(app, { host: '127.0.0.1', port: 0 })
  const request = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
  expect(await exchangeRawBytes(server.port, `${request}no length\r\n`)).toContain('malformed_request')
  expect(await became).toBe('ECONNRESET')
  await server.stop()
})
