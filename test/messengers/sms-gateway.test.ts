import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createSmsGateway } from '../../src/messaging/messengers.ts'

/** Text messages: the request to a gateway, and the meaning of its responses. */

const MESSAGE = { id: 'the-id', to: '+5511987654321', subject: 'Código', text: '123456 é o seu código.' }

let server: Server
let url: string
let receivedRequests: { method: string | undefined; headers: IncomingHttpHeaders; body: string }[]
let answer: { status: number; location?: string } | null
beforeEach(async () => {
  receivedRequests = []
  answer = { status: 202 }
  server = createServer(async (request, response) => {
    const chunks = await request.toArray()
    receivedRequests.push({
      method: request.method,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    })
    if (!answer) return
    response
      .writeHead(answer.status, answer.location ? { location: answer.location } : {})
      .end('{"to": "somebody"}')
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}/sms`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

test('a message is posted once, with the token and an id that identifies a repeat', async () => {
  expect(await createSmsGateway({ url, token: 'secret' }).send(MESSAGE)).toEqual({ kind: 'sent' })
  const [{ method, headers, body } = { method: '', headers: {}, body: '' }, ...others] = receivedRequests
  expect([method, headers.authorization, headers['idempotency-key'], others]).toEqual([
    ...['POST', 'Bearer secret', 'the-id', []],
  ])
  expect(JSON.parse(body)).toEqual({ id: 'the-id', to: MESSAGE.to, text: MESSAGE.text })
})

test.each([
  [200, { kind: 'sent' }],
  [400, { kind: 'refused', code: 'http_400' }],
  [422, { kind: 'refused', code: 'http_422' }],
  [401, { kind: 'again', code: 'http_401' }],
  [403, { kind: 'again', code: 'http_403' }],
  [408, { kind: 'again', code: 'http_408' }],
  [429, { kind: 'again', code: 'http_429' }],
  [500, { kind: 'again', code: 'http_500' }],
  [503, { kind: 'again', code: 'http_503' }],
])('%d', async (status, expected) => {
  answer = { status }
  expect(await createSmsGateway({ url, token: '' }).send(MESSAGE)).toEqual(expected)
})

test('a redirect is not followed, because the token belongs to this gateway', async () => {
  answer = { status: 307, location: '/elsewhere' }
  expect(await createSmsGateway({ url, token: '' }).send(MESSAGE)).toMatchObject({ kind: 'again' })
  expect(receivedRequests).toHaveLength(1)
})

test('an unresponsive gateway is given up after its limit', async () => {
  answer = null
  expect(await createSmsGateway({ url, token: '', timeoutMs: 200 }).send(MESSAGE)).toEqual({
    kind: 'again',
    code: 'TimeoutError',
  })
})

test('an unreachable gateway is retried', async () => {
  server.close()
  expect(await createSmsGateway({ url: 'http://127.0.0.1:1/', token: '' }).send(MESSAGE)).toMatchObject({
    kind: 'again',
  })
})
