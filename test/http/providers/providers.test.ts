import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { providerRoutes } from '../../../src/api/providers/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { type ConnectionRow, VIRTUAL_ACCOUNT } from '../support/row-inserters.ts'

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([providerRoutes])
})
afterAll(() => fixture?.close())
afterEach(() => void jest.restoreAllMocks())

let accountUuid: string
let token: string
beforeEach(async () => {
  accountUuid = await fixture.insertAccount()
  token = await fixture.insertToken({ accountUuid })
})

const connect = (row?: ConnectionRow) => fixture.insertConnection(accountUuid, row)
const uuids = (list: { uuid: string }[]) => list.map(one => one.uuid)

describe('providers', () => {
  const PATH = '/api/v1/providers'

  describe('a provider', () => {
    test('is shown with its account and balances, in reais', async () => {
      const uuid = await connect()
      const cents = { available: 123_456, pending: 1, blocked: 200, retained: 3_00, provisioned: 40_00 }
      for (const [bucket, value] of Object.entries(cents)) {
        await fixture.orm.em.execute('update balance set cents = ? where account_uuid = ? and bucket = ?', [
          value,
          accountUuid,
          bucket,
        ])
      }
      const answer = await fixture.call('GET', `${PATH}/${uuid}`, { token })
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({
        data: {
          uuid,
          status: 'ACTIVE',
          provider: 'PROVIDER_A',
          type: 'NOMINAL',
          is_operational: true,
          is_public: true,
          max_per_transfer: null,
          lookup_budget: null,
          virtual_account: VIRTUAL_ACCOUNT,
          balances: [
            {
              available_balance: 1234.56,
              pending_balance: 0.01,
              blocked_balance: 2,
              retained_balance: 3,
              provisioned_balance: 40,
              shortfall_balance: 0,
              currency: 'BRL',
            },
          ],
        },
      })
    })

    test('is shown with any balance: the limit applies to one incoming amount only', async () => {
      const uuid = await connect()
      await fixture.orm.em.execute('update balance set cents = ? where account_uuid = ? and bucket = ?', [
        1_000_000_000_000,
        accountUuid,
        'available',
      ])
      const one = await fixture.call('GET', `${PATH}/${uuid}`, { token })
      const list = await fixture.call('GET', PATH, { token })
      expect([one.status, list.status]).toEqual([200, 200])
      expect(one.body.data.balances).toMatchObject([{ available_balance: 10_000_000_000 }])
      const { lookup_budget: _, ...listed } = one.body.data
      expect(list.body.data).toEqual([listed])
    })

    test('has no virtual account where it is a POOL', async () => {
      const { body } = await fixture.call('GET', `${PATH}/${await connect({ type: 'POOL' })}`, { token })
      expect(body.data).toMatchObject({ type: 'POOL', virtual_account: null })
    })

    test.each([
      { status: 'ACTIVE' as const, breaker: undefined, operational: true },
      { status: 'ACTIVE' as const, breaker: 'null', operational: true },
      { status: 'ACTIVE' as const, breaker: 'now()', operational: false },
      { status: 'BLOCKED' as const, breaker: undefined, operational: false },
    ])(
      '$status with a breaker opened at $breaker is operational: $operational',
      async ({ status, breaker, operational }) => {
        const uuid = await connect({ status })
        if (breaker)
          await fixture.orm.em.execute(
            `insert into circuit_breaker (connection_uuid, opened_at) values (?, ${breaker})`,
            [uuid],
          )
        const { body } = await fixture.call('GET', `${PATH}/${uuid}`, { token })
        expect(body.data.is_operational).toBe(operational)
      },
    )

    test('of another account, or an unknown one, is 404', async () => {
      const foreign = await fixture.insertConnection(await fixture.insertAccount())
      for (const uuid of [foreign, randomUUID(), 'abc']) {
        expect((await fixture.call('GET', `${PATH}/${uuid}`, { token })).status).toBe(404)
      }
    })

    test('of the other mode is 404: a test token sees simulators, a live one never', async () => {
      const [simulated, real] = [await connect(), await connect({ isSimulated: false })]
      const live = await fixture.insertToken({ accountUuid, mode: 'live' })
      for (const [by, ownConnection, other] of [
        [token, simulated, real],
        [live, real, simulated],
      ] as const) {
        expect((await fixture.call('GET', `${PATH}/${ownConnection}`, { token: by })).status).toBe(200)
        expect((await fixture.call('GET', `${PATH}/${other}`, { token: by })).status).toBe(404)
        expect(uuids((await fixture.call('GET', PATH, { token: by })).body.data)).toEqual([ownConnection])
      }
    })

    test('is found by its uuid in any case', async () => {
      const uuid = await connect()
      expect((await fixture.call('GET', `${PATH}/${uuid.toUpperCase()}`, { token })).body.data.uuid).toBe(
        uuid,
      )
    })

    test('is the only one a bound token sees', async () => {
      const [ownConnection, other] = [await connect(), await connect()]
      const bound = await fixture.insertToken({ accountUuid, connectionUuid: ownConnection })
      expect((await fixture.call('GET', `${PATH}/${ownConnection}`, { token: bound })).status).toBe(200)
      expect((await fixture.call('GET', `${PATH}/${other}`, { token: bound })).status).toBe(404)
      expect(uuids((await fixture.call('GET', PATH, { token: bound })).body.data)).toEqual([ownConnection])
    })
  })

  describe('the list', () => {
    test('is newest first, in pages, each with its own balances', async () => {
      const createdUuids: string[] = []
      for (let day = 1; day <= 3; day += 1)
        createdUuids.unshift(await connect({ createdAt: new Date(Date.UTC(2026, 0, day)) }))
      const first = await fixture.call('GET', `${PATH}?per_page=2`, { token })
      const second = await fixture.call('GET', `${PATH}?per_page=2&page=2`, { token })
      expect(uuids([...first.body.data, ...second.body.data])).toEqual(createdUuids)
      expect(second.body.meta).toEqual({
        current_page: 2,
        from: 3,
        last_page: 2,
        per_page: 2,
        to: 3,
        total: 3,
        next_cursor: null,
      })
      expect(first.body.data[0].balances).toHaveLength(1)
    })

    test('is empty for a new account', async () => {
      const { body } = await fixture.call('GET', PATH, { token })
      expect(body).toEqual({
        data: [],
        meta: { current_page: 1, from: 0, last_page: 1, per_page: 15, to: 0, total: 0, next_cursor: null },
      })
    })

    test('of a hundred providers takes as many queries as of one', async () => {
      for (let index = 0; index < 5; index += 1) await connect()
      const { queriesOf } = counting()
      const few = await queriesOf(() => fixture.call('GET', `${PATH}?per_page=1`, { token }))
      const many = await queriesOf(() => fixture.call('GET', `${PATH}?per_page=100`, { token }))
      expect(few).toBeGreaterThan(1)
      expect(many).toBe(few)
    })

    test.each([
      { query: '?status=blocked', found: ['BLOCKED'] },
      { query: '?status=ACTIVE,blocked', found: ['ACTIVE', 'BLOCKED'] },
      { query: '?status=ACTIVE&status=BLOCKED', found: ['ACTIVE', 'BLOCKED'] },
      { query: '?status=UNDEFINED', found: [] },
    ])('is filtered by $query', async ({ query, found }) => {
      await Promise.all([connect({ status: 'ACTIVE' }), connect({ status: 'BLOCKED' })])
      const { body } = await fixture.call('GET', PATH + query, { token })
      expect(body.data.map((one: { status: string }) => one.status).sort()).toEqual(found)
    })

    test.each([
      ...['?status=OPEN', '?per_page=0', '?per_page=101', '?per_page=x', '?page=0', '?name=x'],
      ...['?per_page=0x10', '?per_page=1e1', '?page=%201', '?page=', '?page=1.5', '?status=ACT%C4%B1VE'],
    ])('refuses %s', async query => {
      expect((await fixture.call('GET', PATH + query, { token })).status).toBe(422)
    })

    test('is empty past its end, however far', async () => {
      const page = Number.MAX_SAFE_INTEGER
      const { status, body } = await fixture.call('GET', `${PATH}?per_page=100&page=${page}`, { token })
      expect([status, body.data, body.meta.current_page]).toEqual([200, [], page])
    })
  })

  /** Counts the statements of this process's pool. */
  function counting() {
    const connection = fixture.orm.em.getConnection()
    return {
      async queriesOf(work: () => Promise<unknown>): Promise<number> {
        // What is cached for a second is cached for both, however slow the machine is.
        const now = jest.spyOn(performance, 'now').mockReturnValue(performance.now())
        await work()
        let count = 0
        const client = connection.getClient()
        const execute = client.executeQuery.bind(client)
        client.executeQuery = ((...parameters: Parameters<typeof execute>) => {
          count += 1
          return execute(...parameters)
        }) as typeof execute
        await work()
        client.executeQuery = execute
        now.mockRestore()
        return count
      },
    }
  }
})

describe('default providers', () => {
  const DEFAULTS = '/api/v1/providers/defaults'

  describe('the defaults', () => {
    const replace = (provider_uuids: unknown, more: object = {}) =>
      fixture.call('PUT', DEFAULTS, { token, body: { payment_type: 'PIX', provider_uuids, ...more } })
    const read = async (by = token) => (await fixture.call('GET', DEFAULTS, { token: by })).body.data.PIX

    test('are empty at first', async () => {
      expect((await fixture.call('GET', DEFAULTS, { token })).body).toEqual({ data: { PIX: [] } })
    })

    test('are replaced as a whole, keep their order, and show no balances', async () => {
      const [a, b, c] = [await connect(), await connect(), await connect()]
      expect((await replace([a, b])).body).toEqual({ message: expect.any(String) })
      expect((await replace([c, a], { payment_type: 'pix' })).status).toBe(200)
      const defaults = await read()
      expect(uuids(defaults)).toEqual([c, a])
      expect(defaults[0]).not.toHaveProperty('balances')
      expect(defaults[0]).toMatchObject({
        provider: 'PROVIDER_A',
        is_operational: true,
        virtual_account: VIRTUAL_ACCOUNT,
      })
    })

    test('whose commit is not answered are not confirmed, and named', async () => {
      const ordered = [await connect(), await connect()]
      await fixture.orm.em.execute(`
      create function break_off() returns trigger language plpgsql as $$
      begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
      create constraint trigger break_off after insert on default_provider deferrable initially deferred
        for each row execute function break_off()`)
      const { status, body } = await replace(ordered)
      await fixture.orm.em.execute('drop function break_off cascade')
      expect([status, body.code]).toEqual([503, 'not_confirmed'])
      expect(uuids(body.data.PIX)).toEqual(ordered)
      expect(await read()).toEqual([])
    })

    test('of one mode do not change those of the other, and neither token reads the other’s', async () => {
      const live = await fixture.insertToken({ accountUuid, mode: 'live' })
      const real = [await connect({ isSimulated: false }), await connect({ isSimulated: false })]
      const simulated = [await connect(), await connect()]
      const put = (by: string, provider_uuids: string[]) =>
        fixture.call('PUT', DEFAULTS, { token: by, body: { payment_type: 'PIX', provider_uuids } })
      expect((await put(live, real)).status).toBe(200)
      expect((await put(token, simulated)).status).toBe(200)
      expect([uuids(await read(live)), uuids(await read())]).toEqual([real, simulated])
      expect((await put(token, simulated.slice(1))).status).toBe(200)
      expect([uuids(await read(live)), uuids(await read())]).toEqual([real, simulated.slice(1)])
      const refusal = await put(token, [simulated[0]!, real[0]!])
      expect([refusal.status, Object.keys(refusal.body.errors)]).toEqual([422, ['provider_uuids.1']])
      expect([uuids(await read(live)), uuids(await read())]).toEqual([real, simulated.slice(1)])
    })

    test('may be named in any case, up to ten of them', async () => {
      const ten = await Promise.all(Array.from({ length: 10 }, () => connect()))
      expect((await replace(ten.map(uuid => uuid.toUpperCase()))).status).toBe(200)
      expect(uuids(await read())).toEqual(ten)
    })

    test.each([
      { name: 'none', list: () => [], errors: ['provider_uuids'] },
      {
        name: 'eleven',
        list: () => Array.from({ length: 11 }, () => randomUUID()),
        errors: ['provider_uuids'],
      },
      { name: 'no list', list: () => 'x', errors: ['provider_uuids'] },
      { name: 'no uuid', list: (ownUuid: string) => [ownUuid, 'x'], errors: ['provider_uuids.1'] },
      {
        name: 'the same uuid twice',
        list: (ownUuid: string) => [ownUuid, ownUuid.toUpperCase()],
        errors: ['provider_uuids.1'],
      },
      {
        name: 'nobody',
        list: (ownUuid: string) => [ownUuid, randomUUID(), randomUUID()],
        errors: ['provider_uuids.1', 'provider_uuids.2'],
      },
    ])('refuse $name', async ({ list, errors }) => {
      const ownUuid = await connect()
      await fixture.replaceDefaultProviders(accountUuid, [ownUuid])
      const answer = await replace(list(ownUuid))
      expect(answer.status).toBe(422)
      expect(Object.keys(answer.body.errors)).toEqual(errors)
      expect(uuids(await read())).toEqual([ownUuid])
    })

    test.each<{ name: string; row: ConnectionRow }>([
      { name: 'not ACTIVE', row: { status: 'INACTIVE' } },
      { name: 'not public', row: { isPublic: false } },
    ])('refuse what is $name', async ({ row }) => {
      const answer = await replace([await connect(), await connect(row)])
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['provider_uuids.1']])
    })

    test('refuse a provider of another account', async () => {
      const answer = await replace([await fixture.insertConnection(await fixture.insertAccount())])
      expect(Object.keys(answer.body.errors)).toEqual(['provider_uuids.0'])
    })

    test('refuse another payment type', async () => {
      const answer = await replace([await connect()], { payment_type: 'TED' })
      expect(Object.keys(answer.body.errors)).toEqual(['payment_type'])
    })

    test.each([
      {
        list: (ownUuid: string) => [ownUuid, randomUUID(), ownUuid],
        errors: ['provider_uuids.1', 'provider_uuids.2'],
      },
      {
        list: (ownUuid: string) => [ownUuid, 'x', ownUuid],
        errors: ['provider_uuids.1', 'provider_uuids.2'],
      },
      { list: () => 'x', errors: ['provider_uuids'] },
    ])('refuse another payment type and an invalid list in one response', async ({ list, errors }) => {
      const answer = await replace(list(await connect()), { payment_type: 'TED' })
      expect(answer.status).toBe(422)
      expect(Object.keys(answer.body.errors).sort()).toEqual(['payment_type', ...errors])
    })

    test('still show a provider that is blocked later', async () => {
      const uuid = await connect()
      await replace([uuid])
      await fixture.orm.em.execute(`update connection set status = 'BLOCKED' where uuid = ?`, [uuid])
      expect(await read()).toMatchObject([{ uuid, status: 'BLOCKED', is_operational: false }])
    })

    test('are one of the lists of concurrent replacements as a whole', async () => {
      const [a, b] = [await connect(), await connect()]
      const orders = [[a, b], [b, a], [a], [b]]
      const answers = await Promise.all([...orders, ...orders, ...orders].map(order => replace(order)))
      expect(answers.map(answer => answer.status)).toEqual(Array(12).fill(200))
      expect(orders).toContainEqual(uuids(await read()))
    })

    test('show a bound token its own provider, where it is one of them, and cannot be replaced by it', async () => {
      const [a, b] = [await connect(), await connect()]
      await replace([a])
      const [boundA, boundB] = [
        await fixture.insertToken({ accountUuid, connectionUuid: a }),
        await fixture.insertToken({ accountUuid, connectionUuid: b }),
      ]
      expect(uuids(await read(boundA))).toEqual([a])
      expect(await read(boundB)).toEqual([])
      const answer = await fixture.call('PUT', DEFAULTS, { token: boundA, body: {} })
      expect([answer.status, answer.body.code]).toEqual([403, 'token_bound_to_provider'])
      expect(uuids(await read())).toEqual([a])
    })
  })
})
