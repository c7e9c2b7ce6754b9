import { createHmac } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { parseRetryAfterMs } from '../../src/webhook-client/client.ts'
import {
  buildSignatureHeaders,
  generateSigningSecret,
  isUsableSigningSecret,
  maskSigningSecret,
} from '../../src/webhook-client/signature.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { handleArrivedEvents } from '../support/event-loop.ts'
import { readBody, waitUntilHolds } from './support/merchant-server.ts'
import { openWebhookClientFixture } from './support/webhook-client-fixture.ts'

describe('client', () => {
  afterEach(() => void jest.restoreAllMocks())

  test('a request arrives as it was signed, and the response comes back', async () => {
    let body = ''
    const { post, seen } = await openWebhookClientFixture(async (request, response) => {
      body = await readBody(request)
      response.writeHead(202, { 'retry-after': '7' }).end('gracias, ação ✓')
    })
    const tried = await post({
      path: '/in?key=1',
      body: '{"nome":"João"}',
      headers: { 'webhook-id': 'evt_1' },
    })

    expect(tried).toMatchObject({
      kind: 'answered',
      status: 202,
      answer: 'gracias, ação ✓',
      isAnswerWhole: true,
      retryAfterMs: 7_000,
    })
    expect(tried).toHaveProperty('durationMs', expect.any(Number))
    expect(body).toBe('{"nome":"João"}')
    expect(seen.requests[0]).toMatchObject({ method: 'POST', url: '/in?key=1' })
    expect(seen.requests[0]?.headers).toMatchObject({
      host: expect.stringMatching(/^hooks\.test:\d+$/),
      'content-type': 'application/json',
      'content-length': '16',
      'webhook-id': 'evt_1',
    })
    expect(seen.serverNames).toEqual(['hooks.test'])
  })

  test('a redirect is a response, and is not followed', async () => {
    const { post, seen } = await openWebhookClientFixture((_, response) =>
      response.writeHead(307, { location: '/other' }).end(),
    )
    expect(await post()).toMatchObject({ kind: 'answered', status: 307, answer: '' })
    expect(seen.requests).toHaveLength(1)
  })

  test('Retry-After may be a date', async () => {
    const { post } = await openWebhookClientFixture((_, response) => {
      response.writeHead(503, { 'retry-after': new Date(Date.now() + 90_000).toUTCString() }).end()
    })
    const tried = await post()
    expect(tried).toMatchObject({ status: 503, retryAfterMs: expect.any(Number) })
    expect('retryAfterMs' in tried && tried.retryAfterMs).toBeGreaterThan(80_000)
  })

  test('of an endless body a kilobyte is read, and the connection is closed', async () => {
    const { post, countOpenConnections } = await openWebhookClientFixture((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', more).writeHead(200)
      more()
    })
    expect(await post()).toMatchObject({
      kind: 'answered',
      status: 200,
      answer: 'x'.repeat(1_024),
      isAnswerWhole: false,
    })
    await waitUntilHolds(() => countOpenConnections() === 0)
  })

  test('a compressed body is never decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    const { post } = await openWebhookClientFixture((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    })
    expect(await post()).toMatchObject({ kind: 'answered', status: 200, answer: '' })
  })

  test.each([
    ['zeroes and controls', Buffer.from('a\0b\u001b[31mc\td\r\n'), 'a\ufffdb\ufffd[31mc\td\r\n'],
    ['bytes that are no UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0x62]), 'a\ufffd\ufffdb'],
    ['a character cut in two', Buffer.from(`${'x'.repeat(1_023)}ção`), 'x'.repeat(1_023)],
    ['a kilobyte of bad bytes', Buffer.alloc(2_000, 0xff), '\ufffd'.repeat(341)],
  ])('%s become text that can be stored', async (_, bytes, answer) => {
    const { post } = await openWebhookClientFixture((_, response) => response.end(bytes))
    expect(await post()).toMatchObject({ kind: 'answered', answer })
  })

  test('an unresponsive endpoint is given up in time', async () => {
    const { post, countOpenConnections } = await openWebhookClientFixture(() => {}, { timeoutMs: 200 })
    const tried = await post()
    expect(tried).toMatchObject({ kind: 'timeout', message: 'No answer within 200 ms' })
    await waitUntilHolds(() => countOpenConnections() === 0)
  })

  test('a slow body is given up in time, and its status is kept', async () => {
    const { post, countOpenConnections } = await openWebhookClientFixture(
      (_, response) => response.writeHead(200).write('one'),
      {
        timeoutMs: 3_000, // Within which it must have started.
      },
    )
    expect(await post()).toMatchObject({
      kind: 'answered',
      status: 200,
      answer: 'one',
      isAnswerWhole: false,
    })
    await waitUntilHolds(() => countOpenConnections() === 0)
  })

  test.each([
    ['before its status is broken', (response: Response) => response.socket?.destroy(), { kind: 'broken' }],
    [
      'inside its body is an answer',
      (response: Response) => response.writeHead(200).write('half', () => response.socket?.destroy()),
      { kind: 'answered', status: 200, answer: 'half', isAnswerWhole: false },
    ],
    [
      'with nonsense is broken',
      (response: Response) => response.socket?.end('nonsense\r\n\r\n'),
      { kind: 'broken' },
    ],
    [
      'with endless headers is broken',
      (response: Response) => response.socket?.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`),
      { kind: 'broken', message: 'UND_ERR_HEADERS_OVERFLOW' },
    ],
  ])('an endpoint that ends %s', async (_, end, outcome) => {
    const { post } = await openWebhookClientFixture((_, response) => end(response))
    expect(await post()).toMatchObject(outcome)
  })

  /** The client may use a connection again some events after the end of the response. */
  const connectionIsIdle = handleArrivedEvents

  test('attempts one after the other use one connection', async () => {
    const { post, seen } = await openWebhookClientFixture((_, response) => response.end('ok'), {
      maxIdleMs: 60_000,
    })
    for (const _ of [1, 2, 3]) {
      expect(await post()).toMatchObject({ kind: 'answered', status: 200 })
      await connectionIsIdle()
    }
    expect(seen.connections).toBe(1)
  })

  test('a connection is closed when it has been idle', async () => {
    const { post, countOpenConnections } = await openWebhookClientFixture(
      (_, response) => response.end('ok'),
      {
        maxIdleMs: 100,
      },
    )
    expect(await post()).toMatchObject({ kind: 'answered', status: 200 })
    await waitUntilHolds(() => countOpenConnections() === 0)
  })

  test('the addresses of a host are checked again when a connection has reached its age', async () => {
    const addresses = ['127.0.0.1']
    const { post, seen } = await openWebhookClientFixture((_, response) => response.end('ok'), {
      resolve: async () => addresses,
      maxIdleMs: 120_000,
      maxConnectionAgeMs: 60_000,
    })
    expect(await post()).toMatchObject({ kind: 'answered' })
    addresses[0] = '10.0.0.1'
    await connectionIsIdle()
    expect(await post()).toMatchObject({ kind: 'answered' })
    await connectionIsIdle()
    const now = Date.now() + 60_001
    jest.spyOn(Date, 'now').mockReturnValue(now)
    expect(await post()).toMatchObject({ kind: 'refused_address' })
    expect(seen.connections).toBe(1)
  })

  test('a kept connection that the server closes instead of an answer costs no attempt', async () => {
    const { post, seen } = await openWebhookClientFixture((_, response) => {
      if (seen.requests.length === 2) response.socket?.destroy()
      else response.end('ok')
    })
    for (const _ of [1, 2]) {
      expect(await post()).toMatchObject({ kind: 'answered', answer: 'ok' })
      await connectionIsIdle()
    }
    expect(seen.requests).toHaveLength(3)
    expect(seen.connections).toBe(2)
  })

  test('a new connection that the server closes instead of an answer is a broken attempt', async () => {
    const { post, seen } = await openWebhookClientFixture((_, response) => response.socket?.destroy())
    expect(await post()).toMatchObject({ kind: 'broken' })
    expect(seen.requests).toHaveLength(1)
  })

  type Response = Parameters<RequestListener>[1]

  test('a host’s certificate is verified once: later connections resume its TLS session', async () => {
    const resumed: boolean[] = []
    const { post } = await openWebhookClientFixture((request, response) => {
      resumed.push((request.socket as TLSSocket).isSessionReused())
      response.writeHead(200, { connection: 'close' }).end()
    })
    for (let n = 0; n < 3; n += 1) {
      await post()
      collectGarbage()
    }
    expect(resumed).toEqual([false, true, true])
  })

  test('an attempt does not wait until an earlier connection to its host is open', async () => {
    const firstLookUp = Promise.withResolvers<string[]>()
    const lookUps = [firstLookUp.promise]
    const { post } = await openWebhookClientFixture((_, response) => response.writeHead(200).end(), {
      resolve: async () => lookUps.pop() ?? ['127.0.0.1'],
      timeoutMs: 10_000,
    })
    const first = post()
    expect(await post()).toMatchObject({ kind: 'answered', status: 200 })
    firstLookUp.resolve(['127.0.0.1'])
    expect(await first).toMatchObject({ kind: 'answered', status: 200 })
  })
})

describe('response', () => {
  const now = Date.parse('2026-03-04T05:06:07Z')

  test.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Wed, 04 Mar 2026 05:07:07 GMT', 60_000],
    ['Wednesday, 04-Mar-26 05:07:07 GMT', 60_000],
    ['Wed Mar  4 05:07:07 2026', 60_000],
    ['Wed, 04 Mar 2026 05:00:00 GMT', 0], // Passed already.
    ['-1', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['9999999999', undefined],
    ['2026-03-04', undefined],
    ['Wed, soon', undefined],
    ['', undefined],
    [undefined, undefined],
    [['7', '8'], 7_000],
  ])('Retry-After %j is %s ms', (header, ms) => {
    expect(parseRetryAfterMs(header, now)).toBe(ms)
  })
})

describe('signature', () => {
  const body = JSON.stringify({ id: 'evt_1', type: 'PAYMENT', data: { name: 'João Conceição ✓' } })

  test('an attempt signed with a generated secret verifies with the public library', () => {
    const secret = generateSigningSecret()
    const headers = buildSignatureHeaders({ id: 'evt_1', at: new Date(), body, secrets: [secret] })
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(() => new Webhook(generateSigningSecret()).verify(body, headers)).toThrow(
      'No matching signature found',
    )
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature found')
  })

  test('a secret of the caller signs with its UTF-8 bytes', () => {
    const secret = 'minha senha é secreta'
    const headers = buildSignatureHeaders({ id: 'evt_1', at: new Date(), body, secrets: [secret] })
    expect(new Webhook(Buffer.from(secret, 'utf8'), { format: 'raw' }).verify(body, headers)).toBeTruthy()
  })

  test('after a rotation the receiver may use the new secret or the old one', () => {
    const [current, previous] = [generateSigningSecret(), 'the-old-token']
    const headers = buildSignatureHeaders({ id: 'evt_1', at: new Date(), body, secrets: [current, previous] })
    expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/)
    expect(new Webhook(current).verify(body, headers)).toBeTruthy()
    expect(new Webhook(Buffer.from(previous), { format: 'raw' }).verify(body, headers)).toBeTruthy()
  })

  test('the signature is HMAC-SHA256 over id.timestamp.body, the time in whole seconds', () => {
    const at = new Date('2026-01-02T03:04:05.999Z')
    const headers = buildSignatureHeaders({ id: 'evt_9', at, body, secrets: ['token'] })
    const expected = createHmac('sha256', 'token').update(`evt_9.1767323045.${body}`).digest('base64')
    expect(headers).toEqual({
      'webhook-id': 'evt_9',
      'webhook-timestamp': '1767323045',
      'webhook-signature': `v1,${expected}`,
    })
  })

  test('signing without a valid secret throws', () => {
    expect(() => buildSignatureHeaders({ id: 'e', at: new Date(), body, secrets: [] })).toThrow()
    expect(() => buildSignatureHeaders({ id: 'e', at: new Date(), body, secrets: ['whsec_?'] })).toThrow()
  })

  test('a generated secret is 32 random bytes, and valid', () => {
    const secret = generateSigningSecret()
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(secret).not.toBe(generateSigningSecret())
    expect(isUsableSigningSecret(secret)).toBe(true)
  })

  test.each([
    ['my-token-of-24-characters', true],
    ['twelve ççççç characters', true], // 28 bytes.
    ['WHSEC_anything of 24 bytes', true],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', true],
    [`whsec_${Buffer.alloc(25, 1).toString('base64')}`, true],
    [`whsec_${Buffer.alloc(23, 1).toString('base64')}`, false],
    ['a'.repeat(24), true],
    ['a'.repeat(23), false],
    ['x', false],
    ['', false],
    ['whsec_', false],
    ['whsec_ ', false],
    [`whsec_${Buffer.alloc(25, 1).toString('base64').slice(0, -2)}`, false], // The padding is missing.
    [`whsec_${'AQEB'.repeat(8)}AR==`, false], // Bits behind the last byte.
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_', false], // The alphabet of URLs.
    ['whsec_not base64 but of many characters!', false],
  ])('%j is valid: %s', (text, usable) => {
    expect(isUsableSigningSecret(text)).toBe(usable)
  })

  test.each([
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_****LaSw'],
    ['a-token-long-enough', '****ough'],
    ['short', '****'],
    ['whsec_c2Vj', 'whsec_****'],
  ])('%j is shown as %j', (text, shown) => {
    expect(maskSigningSecret(text)).toBe(shown)
  })
})
