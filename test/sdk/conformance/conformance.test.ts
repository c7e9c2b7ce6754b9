import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createTemporaryFolder } from '../../support/servers.ts'
import {
  BREAKS,
  BREAKS_IN_THE_BODY,
  HANGS,
  type Reply,
  replyError,
  startScriptedApi,
} from '../support/scripted-api.ts'
import { prepareDrivers, type RunningDriver } from './drivers.ts'
import type { CallOrder, ClientOrder, Order, Outcome } from './orders.ts'
import { buildCall, DELIVERIES, FORGERIES, listOperations, replyWithExample } from './stories.ts'

/** What every SDK does, whatever its language: against an API that breaks each request in every way. */

const folder = await createTemporaryFolder()
const drivers = await prepareDrivers(folder.path)

const TOKEN = 'trl_test_0123456789abcdefghijklmnopqrstuvwxyz0123456'
const UUID = '6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21'
const RETRIES = { maxAttempts: 4, baseDelayMs: 2, maxDelayMs: 8, deadlineMs: 60_000 }

let api: Awaited<ReturnType<typeof startScriptedApi>>
beforeAll(async () => {
  api = await startScriptedApi()
})
afterAll(async () => {
  await api?.close()
  await folder.remove()
})

const CREATE = buildCall('createPayment')
const CREATED = replyWithExample('createPayment')
const GET = buildCall('getPayment')

/** Reads a body of JSON; a moment is the same with and without fractions of its seconds. */
const readBody = (text: string) =>
  JSON.parse(text, (_name, value) =>
    /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value).toISOString() : value,
  )

describe.each(drivers)('$language', ({ missing, start }) => {
  if (missing !== undefined) {
    test.skip(`is not tested: ${missing}`, () => {})
    return
  }

  let driver: RunningDriver
  beforeAll(() => {
    driver = start()
  })
  afterAll(() => driver?.stop())

  /** Carries out a call against what the API is to answer. */
  async function carryOut(
    call: CallOrder,
    replies: Reply[],
    {
      retries = {},
      ...settings
    }: Partial<Omit<ClientOrder, 'retries'>> & {
      retries?: Partial<ClientOrder['retries']>
    } = {},
  ): Promise<Outcome> {
    api.answer(...replies)
    const client = {
      token: TOKEN,
      baseUrl: `${api.url}/api/v1/`,
      // Long where every request is answered: a busy machine must not end an attempt that a test counts.
      timeoutMs: replies.includes(HANGS) ? 3_000 : 30_000,
      ...settings,
      retries: { ...RETRIES, ...retries },
    }
    const outcome = await driver.carryOut({ client, call } satisfies Order)
    expect(outcome.texts.filter(text => text.includes(TOKEN))).toEqual([])
    return outcome
  }
  const keysOf = () => api.requests.map(({ headers }) => headers['idempotency-key'])

  describe('a create is repeated with one key', () => {
    test.each<[what: string, replies: Reply[]]>([
      ['a connection that breaks', [BREAKS]],
      ['a response that breaks', [BREAKS_IN_THE_BODY]],
      ['an attempt without a response in time', [HANGS]],
      ['408', [replyError(408, 'request_timeout')]],
      ['429', [replyError(429, 'rate_limited')]],
      ['500', [replyError(500, 'internal_error')]],
      ['a 502 of a proxy', [{ status: 502, text: '<html>Bad gateway</html>' }]],
      ['a 503 whose result is not known yet', [replyError(503, 'not_confirmed', { data: { uuid: UUID } })]],
      ['504', [{ status: 504, text: '' }]],
      ['several in a row', [BREAKS, replyError(503, 'overloaded'), replyError(429, 'rate_limited')]],
    ])('after %s', async (_what, replies) => {
      const { result } = await carryOut(CREATE, [...replies, CREATED])
      expect(result).toMatchObject({ status: 'PENDING' })
      expect(api.requests).toHaveLength(replies.length + 1)
      const [key, ...repeated] = keysOf()
      expect(key).toMatch(/^[0-9a-f-]{36}$/)
      expect(new Set(repeated)).toEqual(new Set([key]))
      expect(new Set(api.requests.map(({ body }) => body)).size).toBe(1)
    })

    test('each call has a key of its own, and the caller’s where there is one', async () => {
      const keys = []
      for (const call of [CREATE, CREATE, { ...CREATE, idempotencyKey: 'order-1001' }]) {
        await carryOut(call, [CREATED])
        keys.push(...keysOf())
      }
      expect(new Set(keys).size).toBe(3)
      expect(keys[2]).toBe('order-1001')
    })

    test.each(['', 'Pedido nº 1', 'a\nb', 'x'.repeat(256)])(
      'the key %j is refused before a request',
      async idempotencyKey => {
        const { refused } = await carryOut({ ...CREATE, idempotencyKey }, [CREATED])
        expect(refused).toMatch(/printable ASCII/)
        expect(api.requests).toEqual([])
      },
    )
  })

  describe('sent once', () => {
    test.each<[what: string, reply: Reply]>([
      ['400', replyError(400, 'provider_rejected', { data: { status: 'FAILED' } })],
      ['401', replyError(401, 'unauthenticated')],
      ['403', replyError(403, 'insufficient_scope')],
      ['409', replyError(409, 'insufficient_balance')],
      ['422', replyError(422, 'validation_failed')],
      [
        'a 503 of a charge that has FAILED',
        replyError(503, 'no_provider_available', { data: { status: 'FAILED' } }),
      ],
      ['a stored 503', replyError(503, 'not_started', {}, { 'idempotent-replayed': 'true' })],
      ['a redirect', { status: 307, text: '', headers: { location: 'https://example.com/' } }],
      ['a page with status 200', { status: 200, text: '<html>' }],
      ['JSON without the result', { status: 201, json: { message: 'Done.' } }],
      ['JSON whose result is null', { status: 201, json: { data: null } }],
    ])('a create that is answered by %s', async (_what, reply) => {
      const { error } = await carryOut(CREATE, [reply, CREATED])
      expect(error?.idempotencyKey).toBe(keysOf()[0])
      expect(api.requests).toHaveLength(1)
    })

    test.each(['cancelPayment', 'updateWebhook'])('%s, which has no key, whatever the failure', async id => {
      for (const reply of [BREAKS, HANGS, replyError(503, 'unavailable'), replyError(429, 'rate_limited')]) {
        const { error } = await carryOut(buildCall(id), [reply, replyWithExample(id)])
        expect(error?.idempotencyKey).toBe(null)
        expect(keysOf()).toEqual([undefined])
      }
    })
  })

  test.each(['getPayment', 'replaceDefaultProviders', 'deleteWebhook'])(
    '%s is repeated without a key',
    async id => {
      const replies = [BREAKS, replyError(503, 'unavailable'), replyWithExample(id)]
      expect((await carryOut(buildCall(id), replies)).error).toBeUndefined()
      expect(keysOf()).toEqual([undefined, undefined, undefined])
    },
  )

  describe('limits', () => {
    test('the attempts', async () => {
      for (const maxAttempts of [4, 1]) {
        const { error } = await carryOut(CREATE, [replyError(503, 'overloaded')], {
          retries: { maxAttempts },
        })
        expect(error).toMatchObject({ code: 'overloaded', idempotencyKey: keysOf()[0] })
        expect(api.requests).toHaveLength(maxAttempts)
      }
    })

    test('Retry-After is waited for', async () => {
      const startedAt = Date.now()
      await carryOut(CREATE, [replyError(429, 'rate_limited', {}, { 'retry-after': '1' }), CREATED])
      expect(Date.now() - startedAt).toBeGreaterThanOrEqual(990)
      expect(api.requests).toHaveLength(2)
    })

    test('a Retry-After beyond the deadline ends the call at once', async () => {
      const startedAt = Date.now()
      for (const at of ['3600', new Date(Date.now() + 3_600_000).toUTCString()]) {
        const { error } = await carryOut(CREATE, [
          replyError(503, 'paused', {}, { 'retry-after': at }),
          CREATED,
        ])
        expect(error?.code).toBe('paused')
        expect(Math.round(error!.retryAfterS! / 60)).toBe(60)
        expect(api.requests).toHaveLength(1)
      }
      expect(Date.now() - startedAt).toBeLessThan(30_000)
    })

    test('the deadline ends an attempt that hangs', async () => {
      const call = { ...CREATE, idempotencyKey: 'order-7' }
      const { error } = await carryOut(call, [HANGS], { timeoutMs: 30_000, retries: { deadlineMs: 600 } })
      expect(error).toMatchObject({ code: 'timeout', isOutcomeUnknown: true, idempotencyKey: 'order-7' })
      expect(error?.status).toBe(null)
    })
  })

  test('an error has all that the API says', async () => {
    const more = {
      errors: { 'splits.0.value': ['is required'], value: ['must be a number'] },
      data: { uuid: UUID },
    }
    const call = { ...CREATE, idempotencyKey: 'k' }
    const { error } = await carryOut(call, [
      replyError(422, 'validation_failed', more, { 'retry-after': '7', 'idempotent-replayed': 'true' }),
    ])
    expect(error).toEqual({
      ...more,
      code: 'validation_failed',
      status: 422,
      requestId: 'r-1',
      retryAfterS: 7,
      isReplayed: true,
      idempotencyKey: 'k',
      isOutcomeUnknown: false,
    })
  })

  test.each<[what: string, replies: Reply[], isOutcomeUnknown: boolean]>([
    ['is refused', [replyError(422, 'validation_failed')], false],
    [
      'is refused after an attempt that may have arrived',
      [BREAKS, replyError(422, 'validation_failed')],
      false,
    ],
    ['never started', [replyError(503, 'overloaded')], false],
    ['never started after an attempt that may have', [BREAKS, replyError(503, 'overloaded')], true],
    ['met a limit after an attempt that may have arrived', [BREAKS, replyError(429, 'rate_limited')], true],
    [
      'is not authenticated after an attempt that may have arrived',
      [BREAKS, replyError(401, 'unauthenticated')],
      true,
    ],
    [
      'was refused by a proxy after an attempt that may have arrived',
      [BREAKS, { status: 404, text: '<html>' }],
      true,
    ],
    ['is not confirmed', [replyError(503, 'not_confirmed')], true],
    ['met a bug', [replyError(500, 'internal_error')], true],
    ['broke', [BREAKS], true],
    ['was answered by a proxy in time', [{ status: 504, text: '<html>' }], true],
    ['was answered by a page', [{ status: 200, text: '<html>' }], true],
  ])('the error of a create that %s says whether its outcome is known', async (_what, replies, isUnknown) => {
    expect((await carryOut(CREATE, replies)).error?.isOutcomeUnknown).toBe(isUnknown)
    expect((await carryOut(GET, replies)).error?.isOutcomeUnknown).toBe(false)
  })

  test('every response is reported, in the order of the attempts', async () => {
    const limited = {
      'x-request-id': 'r-1',
      'retry-after': '0',
      ratelimit: '"token";r=0;t=2',
      'ratelimit-policy': '"token";q=200;w=2',
    }
    const replayed = { 'x-request-id': 'r-2', 'idempotent-replayed': 'true', ratelimit: 'of a proxy' }
    const { responses } = await carryOut({ ...CREATE, idempotencyKey: 'order-1' }, [
      HANGS,
      replyError(429, 'rate_limited', {}, limited),
      replyWithExample('createPayment', replayed),
    ])
    const call = { operation: 'createPayment', idempotencyKey: 'order-1' }
    const rateLimit = { quota: 200, windowS: 2, remaining: 0, resetS: 2 }
    expect(responses).toEqual([
      { ...call, attempt: 2, status: 429, requestId: 'r-1', isReplayed: false, retryAfterS: 0, rateLimit },
      {
        ...call,
        attempt: 3,
        status: 201,
        requestId: 'r-2',
        isReplayed: true,
        retryAfterS: null,
        rateLimit: null,
      },
    ])
  })

  test.each(listOperations())(
    '$id is sent by its method, path, key and media types',
    async ({ id, method, path, isKeyed, mediaType, bodyType, body }) => {
      const { result, error, refused } = await carryOut(buildCall(id), [replyWithExample(id)])
      expect({ result, error, refused }).toMatchObject({ error: undefined, refused: undefined })
      const [request] = api.requests
      expect({ method: request?.method, path: decodeURIComponent(request!.url.split('?')[0]!) }).toEqual({
        method,
        path,
      })
      expect(typeof request!.headers['idempotency-key']).toBe(isKeyed ? 'string' : 'undefined')
      expect(['*/*', mediaType].some(one => request!.headers.accept?.includes(one))).toBe(true)
      expect(request!.headers['user-agent']).toMatch(/^trilho-/)
      expect(request!.headers['content-type']?.split(';')[0]).toBe(bodyType)
      if (bodyType === 'application/json')
        expect(readBody(request!.body)).toEqual(readBody(JSON.stringify(body)))
    },
  )

  test('several values of a filter, blanks and empty texts are written into the query', async () => {
    const query = { status: ['PAID', 'REFUNDED'], external_ref: 'a+b & c', per_page: 5 }
    await carryOut({ ...buildCall('listPayments'), query }, [replyWithExample('listPayments')])
    expect(Object.fromEntries(new URL(api.requests[0]!.url, api.url).searchParams)).toEqual({
      status: 'PAID,REFUNDED',
      external_ref: 'a+b & c',
      per_page: '5',
    })
  })

  test('an id is one segment of the path, and leads to no other resource', async () => {
    const call = buildCall('getPixKey')
    await carryOut({ ...call, path: ['a/b?c@example.com'] }, [replyWithExample('getPixKey')])
    const [prefix, segment, ...others] = api.requests[0]!.url.split(/(?<=pix-keys)\//)
    expect([prefix, decodeURIComponent(segment!), others]).toEqual([
      '/api/v1/pix-keys',
      'a/b?c@example.com',
      [],
    ])
    expect(segment).not.toMatch(/[/?]/)
    for (const id of ['', '.', '..']) {
      const { refused } = await carryOut({ ...call, path: [id] }, [replyWithExample('getPixKey')])
      expect(refused).toMatch(/must be|that identifies/)
      expect(api.requests).toEqual([])
    }
  })

  test('the reply to a dispute is a form, with its files by number', async () => {
    await carryOut(buildCall('replyToMed'), [replyWithExample('replyToMed')])
    const { body } = api.requests[0]!
    expect(body).toMatch(/name="accept"\r\n(.*\r\n)*\r\nfalse\r\n/)
    expect(body).toMatch(/name="analysis"\r\n(.*\r\n)*\r\nEntregue; não há dúvida\.\r\n/)
    expect(body).toMatch(
      /name="attachments\[0\]\[file\]"; filename="proof.pdf"\r\n(.*\r\n)*Content-Type: application\/pdf\r\n(.*\r\n)*\r\n%PDF-1\r\n/i,
    )
  })

  test('an iterator reads page after page, with the filters on each', async () => {
    const call = { ...buildCall('listPixKeys'), query: { type: ['EMAIL'] }, isIterated: true }
    const page = (cursor: string | null, ...keys: string[]): Reply => ({
      status: 200,
      json: {
        data: keys.map(key => ({
          key,
          type: 'EMAIL',
          is_active: true,
          created_at: '2026-11-21T12:00:00.000000Z',
          provider: { uuid: UUID, provider: 'PROVIDER_A' },
        })),
        meta: { per_page: 100, next_cursor: cursor },
      },
    })
    const { result } = await carryOut(call, [page('second/1', 'a', 'b'), page('third', 'c'), page(null, 'd')])
    expect((result as { key: string }[]).map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd'])
    const queries = api.requests.map(({ url }) => Object.fromEntries(new URL(url, api.url).searchParams))
    expect(queries).toEqual(
      ['', 'second/1', 'third'].map(cursor => ({ cursor, per_page: '100', type: 'EMAIL' })),
    )
    expect((await carryOut(call, [page(null)])).result).toEqual([])
  })

  describe('webhooks', () => {
    test.each(DELIVERIES)('a delivery %s is verified', async (_what, delivery) => {
      const { result, forged } = await driver.carryOut({ verify: delivery() })
      expect(forged).toBeUndefined()
      expect(result).toMatchObject({ id: 'evt_1', data: { sequence: 1 } })
    })

    test.each(FORGERIES)('a delivery %s is refused', async (_what, delivery) => {
      const verify = delivery()
      const { forged, result } = await driver.carryOut({ verify })
      expect(result).toBeUndefined()
      expect(forged).toEqual(expect.any(String))
      expect(verify.secrets.filter(secret => secret && forged!.includes(secret))).toEqual([])
    })

    test.each(['', 'whsec_%%'])('the secret %j is a mistake of the receiver', async secret => {
      const { refused } = await driver.carryOut({ verify: { ...DELIVERIES[0]![1](), secrets: [secret] } })
      expect(refused).toMatch(/secret/)
    })
  })
})
