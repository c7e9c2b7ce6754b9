import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { endPause, type PauseRequest, startPause } from '../../../src/admin/pauses.ts'
import type { CallerToken } from '../../../src/api/authorization/authenticate.ts'
import { chargeRoutes } from '../../../src/api/charges/routes.ts'
import { validateCreateCharge } from '../../../src/api/operations/charges.ts'
import { pixKeyRoutes } from '../../../src/api/pix-keys/routes.ts'
import { findCandidates } from '../../../src/api/routing/provider-candidates.ts'
import { transferRoutes } from '../../../src/api/transfers/routes.ts'
import { createChargeBody } from '../../../src/contract/charges/charge.ts'
import * as questions from '../../../src/db/pipeline/query.ts'
import { queryIsPaused } from '../../../src/db/repositories/pauses.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import type { ConnectionRow } from '../support/row-inserters.ts'

describe('provider candidates', () => {
  let fixture: ApiFixture
  beforeAll(async () => {
    fixture = await openApiFixture([])
  })
  afterAll(() => fixture?.close())

  let accountUuid: string
  beforeEach(async () => {
    accountUuid = await fixture.insertAccount()
  })

  type Question = { connectionUuid?: string | undefined; mode?: 'live' | 'test'; named?: string | undefined }

  /** The uuids of the candidates, or the field that was refused. */
  async function candidates({
    connectionUuid,
    mode = 'test',
    named,
  }: Question = {}): Promise<string[] | string> {
    const token: CallerToken = {
      uuid: randomUUID(),
      accountUuid,
      connectionUuid: connectionUuid ?? null,
      mode,
    }
    return findCandidates(fixture.orm.em.fork(), { token, providerUuid: named }).then(
      found => found.map(connection => connection.uuid),
      error => Object.keys(error.details.errors).join(),
    )
  }

  const connections = (...rows: ConnectionRow[]) =>
    Promise.all(rows.map(row => fixture.insertConnection(accountUuid, row)))

  test('an amount too large with its fee is refused on value, before any provider is called', async () => {
    const [dear, free] = await connections({ chargeFee: { fixedCents: 1, hundredthsOfPercent: 0 } }, {})
    const asked = async (value: number) => {
      const token: CallerToken = { uuid: randomUUID(), accountUuid, connectionUuid: null, mode: 'test' }
      const body = createChargeBody.parse({ value, type: 'PIX' })
      return validateCreateCharge({ em: fixture.orm.em.fork(), token }, body).then(
        found => found.candidates,
        error => error.details.errors,
      )
    }
    await fixture.replaceDefaultProviders(accountUuid, [dear!, free!])
    expect(await asked(9_999_999_999.98)).toEqual([dear, free])
    expect(await asked(9_999_999_999.99)).toEqual([free])
    await fixture.replaceDefaultProviders(accountUuid, [dear!])
    expect(await asked(9_999_999_999.99)).toEqual({
      value: ['must not exceed 9999999999.99 together with its fee'],
    })
  })

  describe('the defaults', () => {
    test('are candidates in their order', async () => {
      const [a, b, c] = await connections({}, {}, {})
      await fixture.replaceDefaultProviders(accountUuid, [c!, a!, b!])
      expect(await candidates()).toEqual([c, a, b])
    })

    test.each<{ name: string; row: ConnectionRow }>([
      { name: 'not ACTIVE', row: { status: 'BLOCKED' } },
      { name: 'not public any more', row: { isPublic: false } },
      { name: 'no simulator', row: { isSimulated: false } },
    ])('exclude what is $name', async ({ row }) => {
      const [a, b] = await connections(row, {})
      await fixture.replaceDefaultProviders(accountUuid, [a!, b!])
      expect(await candidates()).toEqual([b])
    })

    test('contain each provider account once: an orphan and a charge must not share a reference', async () => {
      const providerAccountUuid = await fixture.insertProviderAccount({ accountUuid })
      const [a, b, c] = await connections({ providerAccountUuid }, { providerAccountUuid }, {})
      await fixture.replaceDefaultProviders(accountUuid, [a!, b!, c!])
      expect(await candidates()).toEqual([a, c])
    })

    test('use a second connection to a provider account where the first is not ACTIVE', async () => {
      const providerAccountUuid = await fixture.insertProviderAccount({ accountUuid })
      const [a, b] = await connections({ providerAccountUuid, status: 'INACTIVE' }, { providerAccountUuid })
      await fixture.replaceDefaultProviders(accountUuid, [a!, b!])
      expect(await candidates()).toEqual([b])
    })

    test.each([{ status: 'INACTIVE' as const }, { status: undefined }])(
      'without a usable connection (one that is $status) are refused',
      async ({ status }) => {
        if (status) await fixture.replaceDefaultProviders(accountUuid, await connections({ status }))
        expect(await candidates()).toBe('provider_uuid')
      },
    )
  })

  describe('a named provider', () => {
    test('is the only candidate, default or not', async () => {
      const [a, b] = await connections({}, {})
      await fixture.replaceDefaultProviders(accountUuid, [a!])
      expect(await candidates({ named: b })).toEqual([b])
      expect(await candidates({ named: b!.toUpperCase() })).toEqual([b])
    })

    test.each<{ name: string; row: ConnectionRow }>([
      { name: 'not ACTIVE', row: { status: 'KYC_PENDING' } },
      { name: 'not public', row: { isPublic: false } },
      { name: 'no simulator', row: { isSimulated: false } },
    ])('that is $name is refused', async ({ row }) => {
      const [a] = await connections(row)
      expect(await candidates({ named: a })).toBe('provider_uuid')
    })

    test('of another account, or an unknown one, is refused', async () => {
      const foreign = await fixture.insertConnection(await fixture.insertAccount())
      expect(await candidates({ named: foreign })).toBe('provider_uuid')
      expect(await candidates({ named: randomUUID() })).toBe('provider_uuid')
    })
  })

  describe('a bound token', () => {
    test('uses its own provider, whatever is named and whatever the defaults are', async () => {
      const [a, b] = await connections({}, {})
      await fixture.replaceDefaultProviders(accountUuid, [b!])
      expect(await candidates({ connectionUuid: a, named: b })).toEqual([a])
    })

    test('may be bound to a provider that is not public', async () => {
      const [a] = await connections({ isPublic: false })
      expect(await candidates({ connectionUuid: a })).toEqual([a])
    })

    test('is refused where its provider is not ACTIVE', async () => {
      const [a] = await connections({ status: 'BLOCKED' })
      expect(await candidates({ connectionUuid: a })).toBe('provider_uuid')
    })
  })

  describe('a live token', () => {
    test('reaches real providers only', async () => {
      const [simulated, real] = await connections({ isSimulated: true }, { isSimulated: false })
      await fixture.replaceDefaultProviders(accountUuid, [simulated!, real!])
      expect(await candidates({ mode: 'live' })).toEqual([real])
      expect(await candidates({ mode: 'live', named: simulated })).toBe('provider_uuid')
      expect(await candidates({ mode: 'live', connectionUuid: simulated })).toBe('provider_uuid')
    })
  })
})

describe('pause', () => {
  /** There is no Temporal here: a request that passes the pause is 503 `unavailable`, any other 503 `paused`. */

  let fixture: ApiFixture
  beforeAll(async () => {
    fixture = await openApiFixture([chargeRoutes, transferRoutes, pixKeyRoutes])
  })
  afterAll(() => fixture?.close())

  let account: string
  let other: string
  let first: string
  let second: string
  let foreign: string
  let token: string
  beforeEach(async () => {
    await em().execute('delete from pause')
    account = await fixture.insertAccount()
    other = await fixture.insertAccount()
    first = await fixture.insertConnection(account)
    second = await fixture.insertConnection(account)
    foreign = await fixture.insertConnection(other)
    token = await fixture.insertToken({ accountUuid: account })
    await fixture.replaceDefaultProviders(account, [first, second])
  })

  const em = () => fixture.orm.em.fork()
  const pause = (target: PauseRequest['target'], reach: PauseRequest['reach'] = 'everything') =>
    startPause(em(), { target, reach, actor: 'ana', reason: 'a drill' })
  const resume = (target: PauseRequest['target']) =>
    endPause(em(), { target, actor: 'bia', reason: 'closed' })

  const ORDERS = {
    charge: ['/api/v1/payments', { value: 10, type: 'PIX' }],
    transfer: ['/api/v1/transfers', { value: 10, pix_key: '52998224725' }],
    key: ['/api/v1/pix-keys', { type: 'RANDOM' }],
    code: ['/api/v1/pix-keys/auth-code', { type: 'EMAIL', key: 'maria@example.com' }],
  } as const
  async function ask(order: keyof typeof ORDERS, fields: object = {}) {
    const [path, body] = ORDERS[order]
    return fixture.call('POST', path, { token, body: { ...body, ...fields } })
  }
  const codes = async (fields?: object) => [
    (await ask('charge', fields)).body.code,
    (await ask('transfer', fields)).body.code,
  ]

  describe('the scope of a pause', () => {
    test.each<
      [what: string, reach: PauseRequest['reach'], target: () => PauseRequest['target'], codes: string[]]
    >([
      ['everything everywhere', 'everything', () => 'all', ['paused', 'paused']],
      ['money out everywhere', 'money_out', () => 'all', ['unavailable', 'paused']],
      ['everything of the account', 'everything', () => ({ accountUuid: account }), ['paused', 'paused']],
      ['money out of the account', 'money_out', () => ({ accountUuid: account }), ['unavailable', 'paused']],
      ['another account', 'everything', () => ({ accountUuid: other }), ['unavailable', 'unavailable']],
      [
        'one of two connections',
        'everything',
        () => ({ connectionUuid: first }),
        ['unavailable', 'unavailable'],
      ],
    ])('%s', async (_what, reach, target, expected) => {
      await pause(target(), reach)
      expect(await codes()).toEqual(expected)
      await resume(target())
      expect(await codes()).toEqual(['unavailable', 'unavailable'])
    })

    test('a paused connection is no candidate, and a request with its name or token is answered that it is paused', async () => {
      await pause({ connectionUuid: first })
      expect(await codes({ provider_uuid: first })).toEqual(['paused', 'paused'])
      expect(await codes({ provider_uuid: second })).toEqual(['unavailable', 'unavailable'])
      token = await fixture.insertToken({ accountUuid: account, connectionUuid: first })
      expect(await codes()).toEqual(['paused', 'paused'])
      await pause({ connectionUuid: first }, 'money_out')
      expect(await codes()).toEqual(['unavailable', 'paused'])
    })

    test('a pause of a provider stops its connections of every account, and no other', async () => {
      const third = await fixture.insertConnection(account, { provider: 'PROVIDER_C' })
      await pause({ provider: 'PROVIDER_A' })
      expect(await codes()).toEqual(['paused', 'paused'])
      expect(await codes({ provider_uuid: third })).toEqual(['unavailable', 'unavailable'])
      const answers = [first, foreign, third].map(uuid => queryIsPaused(uuid, 'in'))
      expect(await questions.runQuery(em(), questions.batchQueries(...answers))).toEqual([true, true, false])
      await pause({ provider: 'PROVIDER_A' }, 'money_out')
      expect(await codes()).toEqual(['unavailable', 'paused'])
      await resume({ provider: 'PROVIDER_A' })
      expect(await codes()).toEqual(['unavailable', 'unavailable'])
    })

    test('PostgreSQL accepts a pause of one thing alone', async () => {
      const insert = `insert into pause (uuid, account_uuid, provider, reach, reason, actor)
        values (gen_random_uuid(), ?, 'PROVIDER_A', 'everything', 'r', 'ana')`
      await expect(em().execute(insert, [account])).rejects.toThrow('pause_of_one')
    })

    test('two individually paused connections leave no candidate', async () => {
      await pause({ connectionUuid: first })
      await pause({ connectionUuid: second })
      expect(await codes()).toEqual(['paused', 'paused'])
    })

    test('connections of several accounts are paused individually', async () => {
      await pause({ accountUuid: account }, 'money_out')
      await pause({ connectionUuid: foreign })
      const paused = (direction: 'in' | 'out') =>
        questions.runQuery(
          em(),
          questions.batchQueries(...[first, second, foreign].map(uuid => queryIsPaused(uuid, direction))),
        )
      expect(await paused('in')).toEqual([false, false, true])
      expect(await paused('out')).toEqual([true, true, true])
    })
  })

  test('a pause of everything stops PIX keys and codes, and a pause of money out does not', async () => {
    await em().execute(`update connection set dialect = 'woovi' where account_uuid = ?`, [account])
    const asked = async () => [(await ask('key')).body.code, (await ask('code')).body.code]
    expect(await asked()).toEqual(['unavailable', 'unavailable'])
    await pause('all', 'money_out')
    expect(await asked()).toEqual(['unavailable', 'unavailable'])
    await pause('all')
    expect(await asked()).toEqual(['paused', 'paused'])
  })

  test('the response has a Retry-After, and not the operator’s reason', async () => {
    await pause('all')
    const { status, headers, text } = await ask('charge')
    expect(status).toBe(503)
    expect(headers.get('retry-after')).toBe('60')
    expect(text).not.toContain('drill')
  })

  test('an invalid request is refused as invalid before it is refused as paused, and reads continue', async () => {
    await pause('all')
    expect((await ask('transfer', { value: -1 })).body.code).toBe('validation_failed')
    expect((await ask('charge', { provider_uuid: foreign })).body.code).toBe('validation_failed')
    expect((await fixture.call('GET', '/api/v1/payments', { token })).status).toBe(200)
  })

  describe('operator actions', () => {
    const acts = (): Promise<{ subject: string }[]> =>
      em().execute('select actor, action, subject, reason from operator_action order by at')

    test('every start, change and end of a pause is recorded; ending none is not', async () => {
      const target = { accountUuid: account }
      await pause(target, 'money_out')
      await pause(target, 'everything')
      expect(await em().execute('select reach from pause')).toEqual([{ reach: 'everything' }])
      expect(await resume(target)).toBe(true)
      expect(await resume(target)).toBe(false)
      const subject = `account/${account}`
      expect((await acts()).filter(act => act.subject === subject)).toEqual([
        { actor: 'ana', action: 'pause_money_out', subject, reason: 'a drill' },
        { actor: 'ana', action: 'pause_everything', subject, reason: 'a drill' },
        { actor: 'bia', action: 'resume', subject, reason: 'closed' },
      ])
    })

    test.each([
      'update operator_action set reason = reason',
      'delete from operator_action',
      'truncate operator_action',
    ])('are never changed: %s', async statement => {
      await pause('all')
      await expect(em().execute(statement)).rejects.toThrow(/append-only/)
    })

    test.each([
      ['a pause without a reason', { reason: '' }, /pause_reason_check/],
      ['a pause without a target', { actor: '' }, /pause_actor_check/],
      [
        'a pause of an unknown account',
        { target: { accountUuid: '5d6f7a50-1f7c-4f1e-8d4e-0a7b3c2d1e0f' } },
        /foreign key/,
      ],
    ])('%s is refused by the database', async (_what, fields, why) => {
      const order: PauseRequest = {
        target: 'all',
        reach: 'everything',
        actor: 'ana',
        reason: 'a drill',
        ...fields,
      }
      await expect(startPause(em(), order)).rejects.toThrow(why)
      expect(await em().execute('select from pause')).toEqual([])
    })
  })
})
