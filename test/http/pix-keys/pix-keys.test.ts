import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createApp } from '../../../src/api/app.ts'
import { pixKeyRoutes } from '../../../src/api/pix-keys/routes.ts'
import { showRequestedCode } from '../../../src/contract/pix-keys/pix-key.ts'
import type { AuthCode } from '../../../src/db/entities/pix-key.ts'
import { startServer } from '../../../src/http/server.ts'
import { nextCreationTime } from '../../support/creation-time.ts'
import { type ApiFixture, type CallOptions, openApiFixture } from '../support/api-fixture.ts'

/** The rules of SPEC §9 over the real database. Without Temporal here, a request that passes them all is answered 503. */

const PATH = '/api/v1/pix-keys'
const PASSED = [503, 'unavailable']

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([pixKeyRoutes], { TRILHO_OUTBOX: 'true' })
})
afterAll(() => fixture?.close())

let accountUuid: string
let token: string
let woovi: string
let efi: string
let pool: string
beforeEach(async () => {
  accountUuid = await fixture.insertAccount()
  token = await fixture.insertToken({ accountUuid })
  woovi = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_B', dialect: 'woovi' })
  efi = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_A' })
  pool = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_C', type: 'POOL' })
  await fixture.replaceDefaultProviders(accountUuid, [efi, woovi])
})

const call = (method: string, path: string, more: CallOptions = {}) =>
  fixture.call(method, path, { token, ...more })
/** A POST that is not the fourth within a minute. */
async function create(body: object, more: CallOptions = {}) {
  await forgetTries()
  return call('POST', PATH, { body, ...more })
}
const forgetTries = () => sql('delete from pix_key_creation_times')
const sql = (query: string, values: unknown[] = []) => fixture.orm.em.fork().execute(query, values)
const statusAndCodeOf = ({ status, body }: { status: number; body: { code: string; errors?: object } }) =>
  body.errors ? [status, body.code, Object.keys(body.errors)] : [status, body.code]

const RIGHT = '123456'
/** A code as its workflow stores it. */
async function insertCode(
  more: { key?: string; type?: string; owner?: string; isSimulated?: boolean } = {},
): Promise<string> {
  const uuid = randomUUID()
  await sql(
    `insert into auth_code (uuid, account_uuid, type, key, is_simulated, mac, expires_at, delivery, request_id, fingerprint)
     values (?, ?, ?, ?, ?, ?, now() + interval '10 minutes', 'sent', 'r', 'f')`,
    [
      uuid,
      more.owner ?? accountUuid,
      more.type ?? 'EMAIL',
      more.key ?? `${uuid}@example.com`,
      more.isSimulated ?? true,
      fixture.dependencies.sealer.mac(`${uuid}:${RIGHT}`),
    ],
  )
  return uuid
}
type KeyRow = {
  key?: string | null
  type?: string
  state?: string
  connection?: string
  code?: string
  owner?: string
}
async function insertKey({ key = randomUUID(), type = 'RANDOM', state = 'active', ...more }: KeyRow = {}) {
  await sql(
    `insert into pix_key (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, key, state,
       auth_code_uuid, request_id, fingerprint, created_at, updated_at)
     select gen_random_uuid(), ?, uuid, provider_account_uuid, is_simulated, ?, ?, ?, ?, 'r', 'f', ?, now()
     from connection where uuid = ?`,
    [
      more.owner ?? accountUuid,
      type,
      key,
      state,
      more.code ?? null,
      nextCreationTime(),
      more.connection ?? efi,
    ],
  )
  return key!
}
const byEmail = (auth_code_id: string, auth_code = RIGHT, more: object = {}) => ({
  type: 'EMAIL',
  auth_code_id,
  auth_code,
  provider_uuid: woovi,
  ...more,
})

describe('a request for a key', () => {
  test.each([
    ['no type', {}, ['type']],
    ['an invalid type', { type: 'CPF' }, ['type']],
    ['EMAIL without a code', { type: 'EMAIL' }, ['auth_code_id', 'auth_code']],
    ['PHONE without a code', { type: 'phone' }, ['auth_code_id', 'auth_code']],
    ['PHONE without its id', { type: 'PHONE', auth_code: '123456' }, ['auth_code_id']],
    ['five digits', { type: 'EMAIL', auth_code_id: randomUUID(), auth_code: '12345' }, ['auth_code']],
    ['letters', { type: 'EMAIL', auth_code_id: randomUUID(), auth_code: '12345a' }, ['auth_code']],
    [
      'digits of elsewhere',
      { type: 'EMAIL', auth_code_id: randomUUID(), auth_code: '١٢٣٤٥٦' },
      ['auth_code'],
    ],
    ['a number', { type: 'EMAIL', auth_code_id: randomUUID(), auth_code: 123456 }, ['auth_code']],
    ['a provider that is no uuid', { type: 'RANDOM', provider_uuid: 'A' }, ['provider_uuid']],
    ['an unknown provider', { type: 'RANDOM', provider_uuid: randomUUID() }, ['provider_uuid']],
    ['a field that it does not have', { type: 'RANDOM', key: 'x' }, ['key']],
  ])('with %s is refused', async (_, body, fields) => {
    expect(statusAndCodeOf(await create(body))).toEqual([422, 'validation_failed', fields])
  })

  test('for a POOL is refused, named or first of the defaults', async () => {
    expect(statusAndCodeOf(await create({ type: 'RANDOM', provider_uuid: pool }))).toEqual([
      ...[422, 'validation_failed', ['provider_uuid']],
    ])
    await fixture.replaceDefaultProviders(accountUuid, [pool, efi])
    const answer = await create({ type: 'RANDOM' })
    expect(answer.body.errors.provider_uuid[0]).toMatch(/NOMINAL.*PROVIDER_C/)
  })

  test('for a type that its provider does not support names the provider and the type', async () => {
    const answer = await create({ type: 'DOCUMENT', provider_uuid: efi })
    expect(statusAndCodeOf(answer)).toEqual([422, 'key_not_supported', ['type']])
    expect(answer.body.errors.type[0]).toMatch(/PROVIDER_A.*DOCUMENT/)
  })

  test.each([
    ['the first default provider, unnamed', () => ({ type: 'RANDOM' })],
    ['a provider that supports every type', () => ({ type: 'document', provider_uuid: woovi })],
    ['a code that it does not need', () => ({ type: 'RANDOM', auth_code: 'x' })],
  ])('for %s is accepted', async (_, body) => {
    expect(statusAndCodeOf(await create(body()))).toEqual(PASSED)
  })

  test('starts nothing while its provider is paused', async () => {
    const pause = (reach: string) =>
      sql(
        `insert into pause (uuid, connection_uuid, reach, actor, reason, created_at)
         values (gen_random_uuid(), ?, ?, 'operator', 'test', now())`,
        [efi, reach],
      )
    await pause('everything')
    expect(statusAndCodeOf(await create({ type: 'RANDOM' }))).toEqual([503, 'paused'])
    expect(statusAndCodeOf(await create({ type: 'RANDOM', provider_uuid: woovi }))).toEqual(PASSED)
  })

  test('goes to the provider of a bound token, whatever it names', async () => {
    const bound = await fixture.insertToken({ accountUuid, connectionUuid: efi })
    const answer = await create({ type: 'DOCUMENT', provider_uuid: woovi }, { token: bound })
    expect(statusAndCodeOf(answer)).toEqual([422, 'key_not_supported', ['type']])
  })
})

describe('a code', () => {
  test('that is right is accepted, and used only when its workflow starts', async () => {
    const code = await insertCode()
    expect(statusAndCodeOf(await create(byEmail(code)))).toEqual(PASSED)
    expect(statusAndCodeOf(await create(byEmail(code.toUpperCase())))).toEqual(PASSED)
  })

  const refusals: [what: string, field: string, of: () => Promise<object>][] = [
    ['invalid', 'auth_code', async () => byEmail(await insertCode(), '654321')],
    ['unknown', 'auth_code_id', async () => byEmail(randomUUID())],
    ['no uuid', 'auth_code_id', async () => byEmail('code')],
    [
      'of another account',
      'auth_code_id',
      async () => byEmail(await insertCode({ owner: await fixture.insertAccount() })),
    ],
    ['of a live token', 'auth_code_id', async () => byEmail(await insertCode({ isSimulated: false }))],
    [
      'of another kind',
      'auth_code_id',
      async () => byEmail(await insertCode({ type: 'PHONE', key: '+5511987654321' })),
    ],
    ['used', 'auth_code_id', async () => byEmail(await changed(await insertCode(), 'used_at = now()'))],
    ['expired', 'auth_code_id', async () => byEmail(await changed(await insertCode(), 'expires_at = now()'))],
    [
      'guessed at five times',
      'auth_code_id',
      async () => byEmail(await changed(await insertCode(), 'wrong_attempts = 5')),
    ],
  ]
  test.each(refusals)('that is %s is refused on %s', async (_, field, of) => {
    expect(statusAndCodeOf(await create(await of()))).toEqual([422, 'validation_failed', [field]])
  })
  async function changed(uuid: string, how: string) {
    await sql(`update auth_code set ${how} where uuid = ?`, [uuid])
    return uuid
  }

  test('is invalid after five wrong guesses: the sixth is refused although it is right', async () => {
    const code = await insertCode()
    const codes: string[] = []
    for (const guess of ['000000', '000001', '000002', '000003', '000004', RIGHT]) {
      const { errors } = (await create(byEmail(code, guess))).body
      codes.push(String(Object.entries(errors)[0]))
    }
    expect(codes).toEqual([
      'auth_code,is wrong: 4 attempts left',
      'auth_code,is wrong: 3 attempts left',
      'auth_code,is wrong: 2 attempts left',
      'auth_code,is wrong: 1 attempt left',
      'auth_code,is wrong: request another code',
      'auth_code_id,has too many wrong attempts: request another code',
    ])
  })

  test('is not guessed more often by concurrent requests', async () => {
    const code = await insertCode()
    const guesses = Array.from({ length: 12 }, async (_, index) => {
      const other = await fixture.insertToken({ accountUuid })
      await forgetTries()
      return call('POST', PATH, { token: other, body: byEmail(code, `00000${index % 10}`) })
    })
    const answers = await Promise.all(guesses)
    const wrong = answers.filter(({ body }) => body.errors?.auth_code)
    expect(wrong.length).toBeLessThanOrEqual(5)
    const [row] = await sql('select wrong_attempts from auth_code where uuid = ?', [code])
    expect(row).toEqual({ wrong_attempts: wrong.length })
  })
})

describe('the limits', () => {
  test('the fourth request within a minute is 429, whatever its type', async () => {
    await forgetTries()
    const bodies = [{ raw: '{' }, { body: { type: 'CPF' } }, { body: byEmail(await insertCode(), '000000') }]
    for (const body of bodies) expect((await call('POST', PATH, body)).status).toBeLessThan(429)
    const fourth = await call('POST', PATH, { body: { type: 'RANDOM' } })
    expect(statusAndCodeOf(fourth)).toEqual([429, 'too_many_attempts'])
    const wait = Number(fourth.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(50)
    expect(wait).toBeLessThanOrEqual(60)
    const stranger = await fixture.insertAccount()
    await fixture.replaceDefaultProviders(stranger, [await fixture.insertConnection(stranger)])
    const other = await call('POST', PATH, {
      token: await fixture.insertToken({ accountUuid: stranger }),
      body: { type: 'RANDOM' },
    })
    expect(statusAndCodeOf(other)).toEqual(PASSED)
  })

  test('an unauthenticated request does not count, and neither does a read', async () => {
    await forgetTries()
    for (const method of ['GET', 'GET', 'GET', 'GET']) await call(method, PATH)
    for (let index = 0; index < 4; index++)
      await fixture.call('POST', PATH, { token: 'trl_test_none', body: {} })
    expect(statusAndCodeOf(await call('POST', PATH, { body: { type: 'RANDOM' } }))).toEqual(PASSED)
  })

  test('three of forty concurrent requests pass, and a minute later one does again', async () => {
    await forgetTries()
    const take = async () => {
      const [row] = await sql('select count_pix_key_creation(?) as wait_s', [accountUuid])
      return (row as { wait_s: number }).wait_s
    }
    const waits = await Promise.all(Array.from({ length: 40 }, take))
    expect(waits.filter(wait => wait === 0)).toHaveLength(3)
    expect(Math.max(...waits)).toBeLessThanOrEqual(60)
    await sql(
      `update pix_key_creation_times set at[1] = at[1] - interval '60 seconds' where account_uuid = ?`,
      [accountUuid],
    )
    expect([await take(), (await take()) > 0]).toEqual([0, true])
  })

  test('a fourth key of a type is refused before its code is checked', async () => {
    for (const name of 'abc') {
      const key = `${name}-${accountUuid}@example.com`
      await insertKey({ type: 'EMAIL', key, code: await insertCode({ key }), connection: woovi })
    }
    expect(statusAndCodeOf(await create(byEmail(await insertCode(), '000000')))).toEqual([
      422,
      'pix_key_limit',
    ])
    expect(statusAndCodeOf(await create({ type: 'RANDOM' }))).toEqual(PASSED)
  })

  test('the database holds three keys of a type, under concurrency too', async () => {
    const writes = await Promise.allSettled(Array.from({ length: 12 }, () => insertKey()))
    expect(writes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    for (const write of writes)
      if (write.status === 'rejected') expect(write.reason.constraint).toBe('pix_key_limit')
  })

  test('removed and refused keys free their place, one being created or removed does not', async () => {
    for (const state of ['creating', 'removing', 'refused', 'removed', 'refused', 'removed'])
      await insertKey({ state })
    expect(statusAndCodeOf(await create({ type: 'RANDOM' }))).toEqual(PASSED)
    await insertKey()
    expect(statusAndCodeOf(await create({ type: 'RANDOM' }))).toEqual([422, 'pix_key_limit'])
  })

  test('a key that receives charges is not counted', async () => {
    const collecting = await insertKey()
    await sql('update connection set collection_key = ? where uuid = ?', [collecting, efi])
    await insertKey()
    await insertKey()
    expect(statusAndCodeOf(await create({ type: 'RANDOM' }))).toEqual(PASSED)
  })

  test('a key exists once over all accounts, by the database too', async () => {
    const key = `${accountUuid}@example.com`
    const stranger = await fixture.insertAccount()
    const strangerConnection = await fixture.insertConnection(stranger, { dialect: 'woovi' })
    const proof = await insertCode({ key, owner: stranger })
    await insertKey({ key, type: 'EMAIL', owner: stranger, connection: strangerConnection, code: proof })
    expect(statusAndCodeOf(await create(byEmail(await insertCode({ key }))))).toEqual([
      409,
      'pix_key_already_registered',
    ])
    const code = await insertCode({ key })
    await expect(insertKey({ key, type: 'EMAIL', connection: woovi, code })).rejects.toMatchObject({
      constraint: 'pix_key_already_registered',
    })
    const live = await fixture.insertConnection(accountUuid, { dialect: 'woovi', isSimulated: false })
    await insertKey({ key, type: 'EMAIL', connection: live, code }) // The simulator's keys are a world of their own.
  })

  test('a code is used once, by the database too', async () => {
    const code = await insertCode()
    const write = (key: string) => insertKey({ key, type: 'EMAIL', connection: woovi, code })
    await write(`a-${code}@example.com`)
    await expect(write(`b-${code}@example.com`)).rejects.toMatchObject({ constraint: 'pix_key_code_once' })
  })
})

test('keys of simulators do not count against real keys', async () => {
  const key = '11222333000181'
  const stranger = await fixture.insertAccount()
  await fixture.insertConnection(stranger, { collectionKey: key })
  const live = await fixture.insertConnection(accountUuid, { dialect: 'woovi', isSimulated: false })
  await sql('update connection set collection_key = ? where uuid = ?', [key, efi])
  await insertKey({ key, type: 'DOCUMENT', connection: live })
  const by = await fixture.insertToken({ accountUuid, mode: 'live' })
  expect(statusAndCodeOf(await call('DELETE', `${PATH}/${key}`, { token: by }))).toEqual(PASSED)
  await sql(`update pix_key set state = 'removing' where key = ?`, [key])
  const counted = await sql(`select count_pix_keys(?, 'DOCUMENT', false) as live`, [accountUuid])
  expect(counted).toEqual([{ live: '1' }])
})

describe('reading', () => {
  test('shows a key in the shape of the contract, by its text in any URL encoding', async () => {
    const key = `maria+${accountUuid}@example.com`
    await insertKey({ key, type: 'EMAIL', connection: woovi, code: await insertCode({ key }) })
    const expected = {
      key,
      type: 'EMAIL',
      is_active: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      provider: { uuid: woovi, provider: 'PROVIDER_B' },
    }
    for (const spelling of [key, encodeURIComponent(key), encodeURIComponent(key.toUpperCase())])
      expect((await call('GET', `${PATH}/${spelling}`)).body).toEqual({ data: expected })
    expect((await call('GET', PATH)).body.data).toEqual([expected])
  })

  test('pages, newest first, by type', async () => {
    const phone = '+5511987654321'
    const keys = [await insertKey(), await insertKey()]
    await insertKey({
      key: phone,
      type: 'PHONE',
      connection: woovi,
      code: await insertCode({ type: 'PHONE', key: phone }),
    })
    const { body } = await call('GET', `${PATH}?per_page=2&page=2`)
    expect([body.data.length, body.data[0].key, body.meta.total]).toEqual([1, keys[0], 3])
    expect(
      (await call('GET', `${PATH}?type=phone`)).body.data.map((one: { key: string }) => one.key),
    ).toEqual([phone])
    expect((await call('GET', `${PATH}?type=PHONE,RANDOM`)).body.meta.total).toBe(3)
    expect(statusAndCodeOf(await call('GET', `${PATH}?type=CPF`))).toEqual([
      422,
      'validation_failed',
      ['type.0'],
    ])
    expect(statusAndCodeOf(await call('GET', `${PATH}?kind=x`))).toEqual([422, 'validation_failed', ['kind']])
  })

  test.each(['creating', 'refused', 'removed'])('does not show one that is %s', async state => {
    const key = await insertKey({ state })
    expect((await call('GET', `${PATH}/${key}`)).status).toBe(404)
    expect((await call('GET', PATH)).body.meta.total).toBe(0)
  })

  test('shows one that is being removed as no longer active', async () => {
    const key = await insertKey({ state: 'removing' })
    expect((await call('GET', `${PATH}/${key}`)).body.data.is_active).toBe(false)
  })

  test('and removing reach what the token may read, and nothing else', async () => {
    const [ours, at] = [await insertKey(), await insertKey({ connection: woovi })]
    const bound = await fixture.insertToken({ accountUuid, connectionUuid: woovi })
    const stranger = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
    const live = await fixture.insertToken({ accountUuid, mode: 'live' })
    for (const other of [bound, stranger, live])
      for (const method of ['GET', 'DELETE'])
        expect((await call(method, `${PATH}/${ours}`, { token: other })).status).toBe(404)
    expect(
      (await call('GET', PATH, { token: bound })).body.data.map((one: { key: string }) => one.key),
    ).toEqual([at])
    expect(statusAndCodeOf(await call('DELETE', `${PATH}/${at}`, { token: bound }))).toEqual(PASSED)
  })

  test.each(['nobody@example.com', 'auth-code', '%2B5511900000000', 'x'.repeat(78), '%E0%A4%A'])(
    'and removing %s is 404',
    async key => {
      for (const method of ['GET', 'DELETE'])
        expect([400, 404]).toContain((await call(method, `${PATH}/${key}`)).status)
    },
  )
})

describe('removing', () => {
  test('a key that receives charges is 409, also one of another creator, and the database keeps it', async () => {
    const key = await insertKey()
    await sql('update connection set collection_key = ? where uuid = ?', [key, efi])
    expect(statusAndCodeOf(await call('DELETE', `${PATH}/${key}`))).toEqual([409, 'key_in_use'])
    await expect(sql(`update pix_key set state = 'removing' where key = ?`, [key])).rejects.toMatchObject({
      constraint: 'pix_key_in_use',
    })
    const collecting = `${randomUUID()}`
    await fixture.insertConnection(accountUuid, { type: 'POOL', collectionKey: collecting })
    expect(statusAndCodeOf(await call('DELETE', `${PATH}/${collecting}`))).toEqual([409, 'key_in_use'])
    expect((await call('GET', `${PATH}/${collecting}`)).status).toBe(404)
    const stranger = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
    expect((await call('DELETE', `${PATH}/${collecting}`, { token: stranger })).status).toBe(404)
  })
})

describe('a code for an address', () => {
  test.each([
    [true, /^The code of a test token is not sent/],
    [false, /^The code was sent/],
  ])('is answered as what happens to it, of a test token: %s', (isSimulated, message) => {
    const row = { uuid: randomUUID(), isSimulated, expiresAt: new Date() } as AuthCode
    expect(showRequestedCode(row).message).toMatch(message)
  })

  const ask = (body: object, more: CallOptions = {}) => call('POST', `${PATH}/auth-code`, { body, ...more })

  test.each([
    ['nothing', {}, ['type', 'key']],
    ['a type that needs none', { type: 'RANDOM', key: randomUUID() }, ['type']],
    ['a document', { type: 'DOCUMENT', key: '11222333000181' }, ['type']],
    ['a phone as an e-mail', { type: 'EMAIL', key: '+5511987654321' }, ['key']],
    ['an e-mail as a phone', { type: 'PHONE', key: 'maria@example.com' }, ['key']],
    ['a phone without its country', { type: 'PHONE', key: '11987654321' }, ['key']],
    ['a line break in an address', { type: 'EMAIL', key: 'maria@example.com\nBcc: x@y.z' }, ['key']],
    ['two addresses', { type: 'EMAIL', key: 'a@example.com,b@example.com' }, ['key']],
    ['a long address', { type: 'EMAIL', key: `${'a'.repeat(70)}@example.com` }, ['key']],
    [
      'an unknown provider',
      { type: 'EMAIL', key: 'a@example.com', provider_uuid: randomUUID() },
      ['provider_uuid'],
    ],
  ])('refuses %s', async (_, body, fields) => {
    expect(statusAndCodeOf(await ask(body))).toEqual([422, 'validation_failed', fields])
  })

  test.each([
    ['an e-mail in any case', { type: 'email', key: 'Maria@Example.com' }],
    ['a phone', { type: 'PHONE', key: '+5511987654321' }],
  ])('accepts %s where a default provider supports such keys', async (_, body) => {
    expect(statusAndCodeOf(await ask(body))).toEqual(PASSED)
  })

  test('is not sent for a POOL, nor where the provider does not support such keys', async () => {
    const body = { type: 'EMAIL', key: 'maria@example.com' }
    expect(statusAndCodeOf(await ask({ ...body, provider_uuid: pool }))).toEqual([
      422,
      'validation_failed',
      ['provider_uuid'],
    ])
    expect(statusAndCodeOf(await ask({ ...body, provider_uuid: efi }))).toEqual([
      422,
      'key_not_supported',
      ['type'],
    ])
    const bound = await fixture.insertToken({ accountUuid, connectionUuid: efi })
    expect(statusAndCodeOf(await ask({ ...body, provider_uuid: woovi }, { token: bound }))).toEqual([
      ...[422, 'key_not_supported', ['type']],
    ])
    await fixture.replaceDefaultProviders(accountUuid, [efi])
    expect(statusAndCodeOf(await ask(body))).toEqual([422, 'key_not_supported', ['type']])
  })

  test('does not count as a key request', async () => {
    await forgetTries()
    for (let index = 0; index < 5; index++)
      expect((await ask({ type: 'EMAIL', key: 'a@example.com' })).status).toBe(503)
  })

  const isAllowed = async (key: string, by = token) =>
    (await ask({ type: 'EMAIL', key }, { token: by })).status === 503
  const waitOf = async (key: string, by: string) => {
    const refusal = await ask({ type: 'EMAIL', key }, { token: by })
    expect(statusAndCodeOf(refusal)).toEqual([429, 'too_many_attempts'])
    return Number(refusal.headers.get('retry-after'))
  }
  async function liveToken(): Promise<string> {
    const owner = await fixture.insertAccount()
    const live = await fixture.insertConnection(owner, { dialect: 'woovi', isSimulated: false })
    await fixture.replaceDefaultProviders(owner, [live])
    return fixture.insertToken({ accountUuid: owner, mode: 'live' })
  }

  test('is 429 for the sixth of an account within a minute, to whatever address', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => isAllowed(`${index}@${accountUuid}.example`)),
    )
    expect(answers.filter(Boolean)).toHaveLength(5)
    const wait = await waitOf('more@example.com', token)
    expect([wait > 50, wait <= 60]).toEqual([true, true])
    await sql(`update auth_code_request set at = at - interval '60 seconds' where account_uuid = ?`, [
      accountUuid,
    ])
    expect(await isAllowed('more@example.com')).toBe(true)
  })

  test('counts once with its Idempotency-Key, however often it is repeated at once', async () => {
    const owner = await liveToken()
    const body = { type: 'EMAIL', key: `${randomUUID()}@example.com` }
    const repeats = Array.from({ length: 8 }, () =>
      ask(body, { token: owner, headers: { 'Idempotency-Key': 'k' } }),
    )
    expect((await Promise.all(repeats)).map(({ status }) => status)).toEqual(Array(8).fill(503))
    expect(await isAllowed(body.key, owner)).toBe(true)
  })

  test('is 429 for the sixth to an address within an hour, of whatever account, by live tokens', async () => {
    const [one, other] = [await liveToken(), await liveToken()]
    const key = `${randomUUID()}@example.com`
    for (const by of [one, other, one, other, one]) expect(await isAllowed(key, by)).toBe(true)
    const wait = await waitOf(key.toUpperCase(), other)
    expect([wait > 3_500, wait <= 3_600]).toEqual([true, true])
    expect([await isAllowed(`a-${key}`, other), await isAllowed(key, token)]).toEqual([true, true])
    await sql(`update auth_code_request set at = at - interval '1 hour'`)
    expect(await isAllowed(key, other)).toBe(true)
    expect(await sql('select account_uuid from auth_code_request')).toHaveLength(1)
  })

  test('needs a configured messenger, except for a test token, whose code is not sent', async () => {
    const { config } = fixture
    const live = await liveToken()
    const smtp = { url: 'smtp://localhost', from: 'a@example.com' }
    const mute = { ...config, messengers: { smtp, sms: null, outbox: false } }
    const server = await startServer(
      createApp({ ...fixture.dependencies, config: mute, routes: [pixKeyRoutes] }),
      config,
    )
    const ask = async (by: string, body: object) => {
      const headers = { authorization: `Bearer ${by}`, 'content-type': 'application/json' }
      const answer = await fetch(`${server.url}${PATH}/auth-code`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      return [answer.status, ((await answer.json()) as { code: string }).code]
    }
    try {
      const phone = { type: 'PHONE', key: '+5511987654321' }
      expect(await ask(live, phone)).toEqual([503, 'code_undeliverable'])
      expect(await ask(live, { type: 'EMAIL', key: 'a@example.com' })).toEqual(PASSED)
      expect(await ask(token, phone)).toEqual(PASSED)
    } finally {
      await server.stop()
    }
  })
})

test('no key, address or code is logged', () => {
  expect(fixture.lines.length).toBeGreaterThan(20)
  expect(fixture.lines.join('')).not.toMatch(/example\.com|%40|\+55|\b123456\b|maria/i)
})
