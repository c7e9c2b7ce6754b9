import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import {
  type ResponseInfo,
  Trilho,
  TrilhoError,
  type TrilhoOptions,
} from '../../../sdk/typescript/src/index.ts'
import { HANGS, type Reply, replyError, startScriptedApi } from '../support/scripted-api.ts'

/** What the client for TypeScript has alone; what all clients do is in test/sdk/conformance. */

const TOKEN = 'trl_test_0123456789abcdefghijklmnopqrstuvwxyz0123456'
const CHARGE = { uuid: '6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21', status: 'PENDING' }
const BODY = { value: 150.75, type: 'PIX' } as const
const CREATED: Reply = { status: 201, json: { data: CHARGE } }

let api: Awaited<ReturnType<typeof startScriptedApi>>
beforeAll(async () => {
  api = await startScriptedApi()
})
afterAll(() => api?.close())

const createClient = (options: TrilhoOptions = {}) =>
  new Trilho({ token: TOKEN, baseUrl: api.url, retries: { baseDelayMs: 2, maxDelayMs: 8 }, ...options })

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

describe('a client is not made', () => {
  test.each(['', `${TOKEN}\n`, 'two words', 'não'])('with the token %j, which no message shows', token => {
    expect(() => createClient({ token })).toThrow(
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
    expect(() => createClient({ baseUrl })).toThrow(/baseUrl, or TRILHO_BASE_URL, must be|Invalid URL/)
  })
})

describe('onResponse changes nothing of the call', () => {
  test.each<[what: string, onResponse: (info: ResponseInfo) => void]>([
    [
      'throws',
      () => {
        throw new Error('a fault of the caller')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('a fault of the caller'))],
  ])('where it %s', async (_what, onResponse) => {
    api.answer(CREATED)
    expect(await createClient({ onResponse }).payments.create(BODY)).toEqual(CHARGE)
    expect(api.requests).toHaveLength(1)
  })
})

test.each<[what: string, reply: Reply]>([
  ['while a request is sent', HANGS],
  ['before another attempt', replyError(429, 'rate_limited', {}, { 'retry-after': '5' })],
])('an AbortSignal ends the call %s', async (_what, reply) => {
  api.answer(reply)
  const trilho = createClient()
  const reason = new Error('the user has left')
  const { signal, ...controller } = controllerOf(reason)
  const call = trilho.payments.create(BODY, { signal }).catch((error: unknown) => error)
  while (api.requests.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
  setTimeout(controller.abort, 50)
  expect(await call).toBeInstanceOf(TrilhoError)
  expect(await call).toMatchObject({ code: 'aborted', cause: reason, attempts: 1 })
  await expect(trilho.payments.create(BODY, { signal })).rejects.toMatchObject({ code: 'aborted' })
})

function controllerOf(reason: Error): { signal: AbortSignal; abort(): void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort(reason) }
}

test('the options of a call limit its attempts, and its error is a text for people', async () => {
  const errors = { 'splits.0.value': ['is required'], value: ['must be a number'] }
  api.answer(replyError(503, 'overloaded', { errors }))
  const call = createClient().payments.create(BODY, { maxAttempts: 2, requestId: 'mine' })
  await expect(call).rejects.toMatchObject({
    attempts: 2,
    message:
      '503 overloaded: It is overloaded.; splits.0.value is required; value must be a number; request_id r-1',
  })
  expect(api.requests.map(({ headers }) => headers['x-request-id'])).toEqual(['mine', 'mine'])
})
