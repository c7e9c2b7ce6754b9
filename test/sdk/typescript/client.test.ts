import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type ResponseInfo, Trilho, type TrilhoOptions } from '../../../sdk/typescript/src/index.ts'
import { type Reply, startScriptedApi } from './support/scripted-api.ts'

/** The settings of a client: what comes from the environment, and what it reports of each response. */

const CHARGE = { uuid: '6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21', status: 'PENDING' }
const BODY = { value: 150.75, type: 'PIX' } as const

let api: Awaited<ReturnType<typeof startScriptedApi>>
beforeAll(async () => {
  api = await startScriptedApi()
})
afterAll(() => api?.close())

describe('the environment', () => {
  const NAMES = ['TRILHO_TOKEN', 'TRILHO_BASE_URL'] as const
  const original = NAMES.map(name => [name, process.env[name]] as const)
  beforeEach(() => {
    Object.assign(process.env, { TRILHO_TOKEN: 'trl_env', TRILHO_BASE_URL: api.url })
  })
  afterAll(() => {
    for (const [name, value] of original)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  })

  test.each<[what: string, options: TrilhoOptions | undefined, token: string]>([
    ['gives what is absent', undefined, 'trl_env'],
    ['gives no token where the options have one', { token: 'trl_own' }, 'trl_own'],
  ])('%s', async (_what, options, token) => {
    api.answer({ status: 200, json: { data: CHARGE } })
    expect(await new Trilho(options).payments.get(CHARGE.uuid)).toEqual(CHARGE)
    expect(api.requests[0]!.headers.authorization).toBe(`Bearer ${token}`)
  })

  test.each([
    ['token', 'TRILHO_TOKEN'],
    ['baseUrl', 'TRILHO_BASE_URL'],
  ] as const)('without %s and %s there is no client', (option, name) => {
    // A mistyped variable of the caller's own must not choose the account of the environment.
    expect(() => new Trilho({ [option]: undefined })).toThrow(new RegExp(`^${option}, or ${name}, must be`))
    delete process.env[name]
    expect(() => new Trilho()).toThrow(new RegExp(`^${option}, or ${name}, must be`))
  })
})

describe('onResponse', () => {
  const LIMITED: Reply = {
    status: 429,
    json: { message: 'Too many requests.', code: 'rate_limited' },
    headers: {
      'x-request-id': 'r-1',
      'retry-after': '0',
      ratelimit: '"token";r=0;t=2',
      'ratelimit-policy': '"token";q=200;w=2',
    },
  }
  const REPLAYED: Reply = {
    status: 201,
    json: { data: CHARGE },
    headers: { 'x-request-id': 'r-2', 'idempotent-replayed': 'true', ratelimit: 'of a proxy' },
  }
  const createClient = (onResponse: (info: ResponseInfo) => void) =>
    new Trilho({ token: 'trl_test', baseUrl: api.url, retries: { baseDelayMs: 2 }, onResponse })

  test('receives the facts of every response, in the order of the attempts', async () => {
    const received: ResponseInfo[] = []
    api.answer(response => response.destroy(), LIMITED, REPLAYED)
    await createClient(info => received.push(info)).payments.create(BODY, { idempotencyKey: 'order-1' })
    const call = { operation: 'createPayment', idempotencyKey: 'order-1' }
    expect(received).toEqual([
      {
        ...call,
        attempt: 2,
        status: 429,
        requestId: 'r-1',
        isReplayed: false,
        retryAfterMs: 0,
        rateLimit: { quota: 200, windowS: 2, remaining: 0, resetS: 2 },
      },
      {
        ...call,
        attempt: 3,
        status: 201,
        requestId: 'r-2',
        isReplayed: true,
        retryAfterMs: undefined,
        rateLimit: undefined,
      },
    ])
  })

  test.each<[what: string, onResponse: (info: ResponseInfo) => void]>([
    [
      'throws',
      () => {
        throw new Error('a fault of the caller')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('a fault of the caller'))],
  ])('changes nothing of the call where it %s', async (_what, onResponse) => {
    api.answer(REPLAYED)
    expect(await createClient(onResponse).payments.create(BODY)).toEqual(CHARGE)
    expect(api.requests).toHaveLength(1)
  })

  test('an error has the facts of its response', async () => {
    const headers = { 'x-request-id': 'r-3', 'idempotent-replayed': 'true', 'retry-after': '7' }
    api.answer({ status: 409, json: { message: 'No.', code: 'insufficient_balance' }, headers })
    await expect(createClient(() => {}).payments.create(BODY)).rejects.toMatchObject({
      status: 409,
      requestId: 'r-3',
      isReplayed: true,
      retryAfterMs: 7_000,
    })
  })
})
