import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { providerRoutes } from '../../../src/api/providers/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { type ConnectionRow, VIRTUAL_ACCOUNT } from '../support/row-inserters.ts'

const DEFAULTS = '/api/v1/providers/defaults'

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([providerRoutes])
})
afterAll(() => fixture?.close())

let accountUuid: string
let token: string
beforeEach(async () => {
  accountUuid = await fixture.insertAccount()
  token = await fixture.insertToken({ accountUuid })
})

const connect = (row?: ConnectionRow) => fixture.insertConnection(accountUuid, row)
const uuids = (list: { uuid: string }[]) => list.map(one => one.uuid)

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
    { list: (ownUuid: string) => [ownUuid, 'x', ownUuid], errors: ['provider_uuids.1', 'provider_uuids.2'] },
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
