import type { ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Trilho, TrilhoError } from '../../../sdk/typescript/src/index.ts'
import { type Reply, startScriptedApi } from './support/scripted-api.ts'

/** When the client sends a request again, with which key, and which error is left. */

const TOKEN = 'trl_test_0123456789abcdefghijklmnopqrstuvwxyz0123456'
const CHARGE = { uuid: '6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21', status: 'PENDING' }
const BODY = { value: 150.75, type: 'PIX' } as const
const CREATED: Reply = { status: 201, json: { data: CHARGE } }
const BREAKS: Reply = response => response.destroy()
const BREAKS_IN_THE_BODY: Reply = (response: ServerResponse) => {
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': '100' })
  response.write('{"data"', () => response.destroy())
}
const HANGS: Reply = () => {}
const error = (status: number, code: string, more: object = {}, headers = {}): Reply => ({
  status,
  json: { message: `It is ${code}.`, code, request_id: 'r-1', ...more },
  headers: { 'x-request-id': 'r-1', ...headers },
})

let api: Awaited<ReturnType<typeof startScriptedApi>>
let trilho: Trilho
beforeAll(async () => {
  api = await startScriptedApi()
  trilho = new Trilho({ token: TOKEN, baseUrl: api.url, retries: { baseDelayMs: 2, maxDelayMs: 8 } })
})
afterAll(() => api?.close())

const failureOf = async (call: Promise<unknown>): Promise<TrilhoError> => {
  const failure = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(failure instanceof TrilhoError)) throw new Error(`No TrilhoError: ${inspect(failure)}`)
  return failure
}
const keysOf = () => api.requests.map(({ headers }) => headers['idempotency-key'])

describe('a create is repeated with one key', () => {
  test.each<[what: string, replies: Reply[]]>([
    ['a connection that breaks', [BREAKS]],
    ['a response that breaks', [BREAKS_IN_THE_BODY]],
    ['an attempt without a response in time', [HANGS]],
    ['408', [error(408, 'request_timeout')]],
    ['429', [error(429, 'rate_limited')]],
    ['500', [error(500, 'internal_error')]],
    ['a 502 of a proxy', [{ status: 502, text: '<html>Bad gateway</html>' }]],
    ['a 503 whose result is not known yet', [error(503, 'not_confirmed', { data: { uuid: CHARGE.uuid } })]],
    ['504', [{ status: 504, text: '' }]],
    ['several in a row', [BREAKS, error(503, 'overloaded'), error(429, 'rate_limited')]],
  ])('after %s', async (_what, replies) => {
    api.answer(...replies, CREATED)
    expect(await trilho.payments.create(BODY, { timeoutMs: 3_000 })).toEqual(CHARGE)
    expect(api.requests).toHaveLength(replies.length + 1)
    const [key, ...repeated] = keysOf()
    expect(key).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set(repeated)).toEqual(new Set([key]))
    expect(new Set(api.requests.map(({ body }) => body))).toEqual(new Set([JSON.stringify(BODY)]))
  })

  test('each call has a key of its own, and the caller’s where there is one', async () => {
    api.answer(CREATED)
    await trilho.payments.create(BODY)
    await trilho.payments.create(BODY)
    await trilho.payments.create(BODY, { idempotencyKey: 'order-1001' })
    const [first, second, own] = keysOf()
    expect(first).not.toBe(second)
    expect(own).toBe('order-1001')
  })

  test.each(['', 'Pedido nº 1', 'a\nb', 'x'.repeat(256)])(
    'the key %j is refused before a request',
    async key => {
      api.answer(CREATED)
      await expect(trilho.payments.create(BODY, { idempotencyKey: key })).rejects.toThrow(/printable ASCII/)
      expect(api.requests).toEqual([])
    },
  )
})

describe('sent once', () => {
  test.each<[what: string, reply: Reply]>([
    ['400', error(400, 'provider_rejected', { data: { status: 'FAILED' } })],
    ['401', error(401, 'unauthenticated')],
    ['409', error(409, 'insufficient_balance')],
    ['422', error(422, 'validation_failed')],
    [
      'a 503 of a charge that has FAILED',
      error(503, 'no_provider_available', { data: { status: 'FAILED' } }),
    ],
    ['a stored 503', error(503, 'not_started', {}, { 'idempotent-replayed': 'true' })],
    ['a redirect', { status: 307, text: '', headers: { location: 'https://example.com/' } }],
    ['a page with status 200', { status: 200, text: '<html>' }],
  ])('a create that is answered by %s', async (_what, reply) => {
    api.answer(reply, CREATED)
    await failureOf(trilho.payments.create(BODY))
    expect(api.requests).toHaveLength(1)
  })

  test.each<[what: string, call: () => Promise<unknown>]>([
    ['a POST without a key', () => trilho.payments.cancel(CHARGE.uuid)],
    ['a PATCH', () => trilho.webhooks.update(CHARGE.uuid, { status: 'ACTIVE' })],
  ])('%s, whatever the failure', async (_what, call) => {
    for (const reply of [BREAKS, error(503, 'unavailable'), error(429, 'rate_limited')]) {
      api.answer(reply, { status: 200, json: { data: CHARGE } })
      await failureOf(call())
      expect(keysOf()).toEqual([undefined])
    }
  })
})

test.each<[what: string, call: () => Promise<unknown>]>([
  ['GET', () => trilho.payments.get(CHARGE.uuid)],
  ['PUT', () => trilho.providers.replaceDefaults({ payment_type: 'PIX', provider_uuids: [CHARGE.uuid] })],
  ['DELETE', () => trilho.webhooks.delete(CHARGE.uuid)],
])('%s is repeated without a key', async (_what, call) => {
  api.answer(BREAKS, error(503, 'unavailable'), { status: 200, json: { message: 'Done.' } })
  await call()
  expect(keysOf()).toEqual([undefined, undefined, undefined])
})

describe('limits', () => {
  test('the attempts', async () => {
    api.answer(error(503, 'overloaded'))
    expect(await failureOf(trilho.payments.create(BODY))).toMatchObject({ code: 'overloaded', attempts: 4 })
    expect(api.requests).toHaveLength(4)
    await failureOf(trilho.payments.create(BODY, { maxAttempts: 1 }))
    expect(api.requests).toHaveLength(5)
  })

  test('Retry-After is waited for', async () => {
    api.answer(error(429, 'rate_limited', {}, { 'retry-after': '1' }), CREATED)
    const startedAt = Date.now()
    await trilho.payments.create(BODY)
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(990)
  })

  test('a Retry-After beyond the deadline ends the call at once', async () => {
    const startedAt = Date.now()
    for (const at of ['3600', new Date(Date.now() + 3_600_000).toUTCString()]) {
      api.answer(error(503, 'paused', {}, { 'retry-after': at }), CREATED)
      const { code, retryAfterMs } = await failureOf(trilho.payments.create(BODY))
      expect(code).toBe('paused')
      expect(Math.round(retryAfterMs! / 60_000)).toBe(60)
      expect(api.requests).toHaveLength(1)
    }
    expect(Date.now() - startedAt).toBeLessThan(30_000)
  })

  test('the deadline ends an attempt that hangs', async () => {
    api.answer(HANGS)
    const call = trilho.payments.create(BODY, { deadlineMs: 300, idempotencyKey: 'order-7' })
    const failure = await failureOf(call)
    expect(failure).toMatchObject({ code: 'timeout', isOutcomeUnknown: true, idempotencyKey: 'order-7' })
    expect(failure.status).toBeUndefined()
  })

  test.each<[what: string, reply: Reply]>([
    ['while a request is sent', HANGS],
    ['before another attempt', error(429, 'rate_limited', {}, { 'retry-after': '5' })],
  ])('an AbortSignal ends the call %s', async (_what, reply) => {
    api.answer(reply)
    const reason = new Error('the user has left')
    const signal = new AbortController()
    const call = failureOf(trilho.payments.create(BODY, { signal: signal.signal }))
    while (api.requests.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
    setTimeout(() => signal.abort(reason), 50)
    expect(await call).toMatchObject({ code: 'aborted', cause: reason, attempts: 1 })
    await expect(trilho.payments.create(BODY, { signal: signal.signal })).rejects.toMatchObject({
      code: 'aborted',
    })
  })
})

describe('the error', () => {
  test('has all that the API says', async () => {
    const errors = { 'splits.0.value': ['is required'], value: ['must be a number'] }
    api.answer(error(422, 'validation_failed', { errors, data: { uuid: CHARGE.uuid } }))
    const failure = await failureOf(trilho.payments.create(BODY, { idempotencyKey: 'k' }))
    expect({ ...failure }).toEqual({
      name: 'TrilhoError',
      code: 'validation_failed',
      status: 422,
      requestId: 'r-1',
      errors,
      data: { uuid: CHARGE.uuid },
      retryAfterMs: undefined,
      idempotencyKey: 'k',
      attempts: 1,
      isReplayed: false,
      isOutcomeUnknown: false,
    })
    expect(failure.message).toBe(
      '422 validation_failed: It is validation_failed.; splits.0.value is required; value must be a number; request_id r-1',
    )
  })

  test.each<[what: string, replies: Reply[], isOutcomeUnknown: boolean]>([
    ['is refused', [error(422, 'validation_failed')], false],
    ['is refused after an attempt that may have arrived', [BREAKS, error(422, 'validation_failed')], false],
    ['never started', [error(503, 'overloaded')], false],
    ['never started after an attempt that may have', [BREAKS, error(503, 'overloaded')], true],
    [
      'is not authenticated after an attempt that may have arrived',
      [BREAKS, error(401, 'unauthenticated')],
      true,
    ],
    [
      'was refused by a proxy after an attempt that may have arrived',
      [BREAKS, { status: 404, text: '<html>' }],
      true,
    ],
    ['is not confirmed', [error(503, 'not_confirmed')], true],
    ['met a bug', [error(500, 'internal_error')], true],
    ['broke', [BREAKS], true],
    ['was answered by a page', [{ status: 200, text: '<html>' }], true],
  ])('of a create that %s says whether its outcome is known', async (_what, replies, isOutcomeUnknown) => {
    api.answer(...replies)
    const { isOutcomeUnknown: said } = await failureOf(trilho.payments.create(BODY))
    expect(said).toBe(isOutcomeUnknown)
    api.answer(...replies)
    expect((await failureOf(trilho.payments.get(CHARGE.uuid))).isOutcomeUnknown).toBe(false)
  })

  test('and the client never show the token', async () => {
    const shown: string[] = [inspect(trilho, { depth: 9, showHidden: true }), JSON.stringify(trilho)]
    for (const reply of [BREAKS, HANGS, error(401, 'unauthenticated'), { status: 502, text: TOKEN }]) {
      api.answer(reply)
      const failure = await failureOf(trilho.payments.get(CHARGE.uuid, { maxAttempts: 1, timeoutMs: 3_000 }))
      shown.push(inspect(failure, { depth: 9, showHidden: true }), failure.message, failure.stack!)
      expect(api.requests[0]!.headers.authorization).toBe(`Bearer ${TOKEN}`)
    }
    expect(shown.filter(text => text.includes(TOKEN))).toEqual([])
  })
})

describe('a client is not made', () => {
  test.each(['', `${TOKEN}\n`, 'two words', 'não'])('with the token %j, which no message shows', token => {
    const make = () => new Trilho({ token, baseUrl: api.url })
    expect(make).toThrow(
      /^token, or TRILHO_TOKEN, must be an access token: printable characters without spaces$/,
    )
  })
  test.each([
    '',
    'pix.example.com',
    'ftp://pix.example.com',
    'https://a:b@pix.example.com',
    'https://x/?a=1',
  ])('with the address %j', baseUrl => {
    expect(() => new Trilho({ token: TOKEN, baseUrl })).toThrow(
      /baseUrl, or TRILHO_BASE_URL, must be|Invalid URL/,
    )
  })
})
