import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { pruneEvents } from '../../../src/activities/webhooks/prune-events.ts'
import { limitRoutes } from '../../../src/api/limits/routes.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { addLimitUsage, lockLimitUsage } from '../../../src/db/repositories/account-limits.ts'
import { listUsageWindows } from '../../../src/domain/limits/usage-window.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** GET and PUT /limits, and GET /limits/usage: docs/specification.md, "Limits". */

const PATH = '/api/v1/limits'
const NONE = {
  per_transfer: null,
  per_day: null,
  per_night: null,
  night: { from: '20:00', to: '06:00' },
  per_receiver_per_day: null,
  new_receiver: null,
  trusted_receivers: [],
  allowed_receivers_only: false,
  duplicate_guard: { seconds: 0 },
  approvals: null,
}

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([limitRoutes()])
})
afterAll(() => fixture?.close())

let accountUuid: string
let token: string
beforeEach(async () => {
  accountUuid = await fixture.insertAccount()
  token = await fixture.insertToken({ accountUuid })
})

const get = (by = token) => fixture.call('GET', PATH, { token: by })
const put = (body: unknown, by = token) => fixture.call('PUT', PATH, { token: by, body })
const readUsage = (by = token) => fixture.call('GET', `${PATH}/usage`, { token: by })

async function replace(body: object) {
  const { status, body: answer } = await put(body)
  expect([status, answer.code]).toEqual([200, undefined])
  return answer.data
}

/** Sets the time of the pending change, in hours from now. */
const moveChange = (hours: number) =>
  fixture.orm.em.execute(
    'update account_limits set pending_from = now() + make_interval(hours => ?) where account_uuid = ?',
    [hours, accountUuid],
  )

describe('the limits of an account', () => {
  test('bind nothing until they are set', async () => {
    const answer = await get()
    expect([answer.status, answer.body]).toEqual([
      200,
      { data: { ...NONE, pending: null, version: 0, updated_at: null } },
    ])
  })

  test('are shown as they were set, in reais, with normalised receivers', async () => {
    const body = {
      per_transfer: 5_000.01,
      per_day: 20_000,
      per_night: 0,
      night: { from: '22:30', to: '05:00' },
      per_receiver_per_day: 100,
      new_receiver: { value: 50.5, hours: 24 },
      trusted_receivers: [{ document: '11222333000181' }, { pix_key: 'Joao@Example.com' }],
      allowed_receivers_only: true,
      duplicate_guard: { seconds: 86_400 },
      approvals: { above: 0, count: 2, expires_hours: 168, callout_url: null },
    }
    const data = await replace(body)
    const trusted_receivers = [{ document: '11222333000181' }, { pix_key: 'joao@example.com' }]
    expect(data).toEqual({
      ...body,
      trusted_receivers,
      pending: null,
      version: 1,
      updated_at: expect.stringMatching(/Z$/),
    })
    expect((await get()).body.data).toEqual(data)
    expect(
      (await get(await fixture.insertToken({ accountUuid: await fixture.insertAccount() }))).body.data,
    ).toMatchObject(NONE)
  })

  test('that allow less act at once, those that allow more after 24 hours, by the clock alone', async () => {
    await replace({ per_day: 100, per_transfer: 50 })
    const data = await replace({ per_day: 300, per_transfer: 20 })
    expect(data).toMatchObject({
      per_day: 100,
      per_transfer: 20,
      pending: { limits: { ...NONE, per_day: 300, per_transfer: 20 } },
      version: 2,
    })
    const hours = (Date.parse(data.pending.effective_at) - Date.now()) / 3_600_000
    expect(hours).toBeCloseTo(24, 1)
    await moveChange(0)
    expect((await get()).body.data).toMatchObject({
      per_day: 300,
      per_transfer: 20,
      pending: null,
      version: 2,
    })
  })

  test('that are pending are cancelled by a request of those in force, and keep their time where repeated', async () => {
    await replace({ per_day: 100 })
    await replace({ per_day: 300 })
    await moveChange(3)
    const { pending } = (await get()).body.data
    expect((await replace({ per_day: 300 })).pending).toEqual(pending)
    expect(await replace({ per_day: 100 })).toMatchObject({ per_day: 100, pending: null, version: 3 })
  })

  test('are not overwritten by a request that has read an earlier version', async () => {
    await replace({ per_day: 100, version: 0 })
    const refused = await put({ per_day: 50, version: 0 })
    expect([refused.status, refused.body.code]).toEqual([409, 'limits_changed'])
    expect((await get()).body.data).toMatchObject({ per_day: 100, version: 1 })
    expect(await replace({ per_day: 50, version: 1 })).toMatchObject({ per_day: 50, version: 2 })
    const answers = await Promise.all(Array.from({ length: 5 }, () => put({ per_day: 40, version: 2 })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
  })

  test.each<[string, object]>([
    ['per_transfer', { per_transfer: -1 }],
    ['per_day', { per_day: 1.001 }],
    ['per_night', { per_night: '100' }],
    ['night.to', { night: { from: '20:00', to: '20:00' } }],
    ['night.to', { night: { from: '06:00', to: '20:00' } }],
    ['night.from', { night: { from: '24:00', to: '06:00' } }],
    ['night.to', { night: { from: '20:00' } }],
    ['per_receiver_per_day', { per_receiver_per_day: 1e21 }],
    ['new_receiver.hours', { new_receiver: { value: 1, hours: 0 } }],
    ['new_receiver.value', { new_receiver: { hours: 1 } }],
    ['trusted_receivers.0', { trusted_receivers: [{ document: '11111111111' }] }],
    ['trusted_receivers.1', { trusted_receivers: [{ pix_key: 'a@example.com' }, { pix_key: 'x' }] }],
    ['trusted_receivers.0', { trusted_receivers: [{}] }],
    ['trusted_receivers', { trusted_receivers: Array(501).fill({ pix_key: 'a@example.com' }) }],
    ['allowed_receivers_only', { allowed_receivers_only: 'yes' }],
    ['duplicate_guard.seconds', { duplicate_guard: { seconds: 86_401 } }],
    ['version', { version: -1 }],
    ['perday', { perday: 1 }],
  ])('are refused with the field %s', async (field, body) => {
    const { status, body: answer } = await put(body)
    expect([status, answer.code]).toEqual([422, 'validation_failed'])
    expect(Object.keys(answer.errors).map(name => name.slice(0, field.length))).toEqual([field])
    expect((await get()).body.data.version).toBe(0)
  })

  test('are read by the scope transfers or read and set by transfers, by a token of no single provider', async () => {
    const connectionUuid = await fixture.insertConnection(accountUuid)
    const call = async (row: { scopes?: never; connectionUuid?: string }) => {
      const by = await fixture.insertToken({ accountUuid, ...row })
      return [(await get(by)).body.code, (await readUsage(by)).body.code, (await put({}, by)).body.code]
    }
    const scopes = (...names: string[]) => ({ scopes: names as never })
    expect(await call(scopes('transfers'))).toEqual([undefined, undefined, undefined])
    expect(await call(scopes('read'))).toEqual([undefined, undefined, 'insufficient_scope'])
    expect(await call(scopes('charges', 'refunds'))).toEqual(Array(3).fill('insufficient_scope'))
    expect(new Set(await call({ connectionUuid })).size).toBe(1)
    expect((await call({ connectionUuid }))[0]).toMatch(/token/)
  })
})

describe('the usage of limits', () => {
  /** Counts centavos in the windows of now, of simulated or of real money. */
  const count = (isSimulated: boolean, usedCents: number, at = new Date()) =>
    runInTransaction(fixture.orm, async em => {
      const owner = { accountUuid, isSimulated }
      const windows = listUsageWindows({ night: { from: '12:00', to: '12:00' } }, at)
      await lockLimitUsage(em, owner, windows)
      await addLimitUsage(em, owner, { windows, usedCents })
    })

  test('is what was let through of the day and the night, and what is left, of the mode of the token', async () => {
    await replace({ per_day: 100, per_night: 30, night: { from: '12:00', to: '12:00' } })
    await count(true, 2_550)
    await count(false, 10_00)
    const midnight = expect.stringMatching(/T03:00:00.000000Z$/)
    const noon = expect.stringMatching(/T15:00:00.000000Z$/)
    expect((await readUsage()).body.data).toEqual({
      per_day: { limit: 100, used: 25.5, left: 74.5, resets_at: midnight },
      per_night: { limit: 30, used: 25.5, left: 4.5, resets_at: noon },
    })
    const live = await fixture.insertToken({ accountUuid, mode: 'live' })
    expect((await readUsage(live)).body.data.per_day).toMatchObject({ used: 10, left: 90 })
    await replace({ per_day: 20, per_night: 30, night: { from: '12:00', to: '12:00' } })
    expect((await readUsage()).body.data.per_day).toMatchObject({ limit: 20, used: 25.5, left: 0 })
  })

  test('has no limit and nothing left to name where none is set', async () => {
    expect((await readUsage()).body.data).toMatchObject({
      per_day: { limit: null, used: 0, left: null },
      per_night: { limit: null, used: 0, left: null },
    })
  })

  test('is deleted thirty days after it began', async () => {
    await replace({ per_day: 100 })
    await count(true, 1, new Date(Date.now() - 32 * 86_400_000))
    await count(true, 2)
    const listCents = async () =>
      (
        await fixture.orm.em.execute<{ used_cents: string }[]>(
          `select used_cents from limit_usage where account_uuid = ? and name = 'day' order by starts_on`,
          [accountUuid],
        )
      ).map(({ used_cents }) => Number(used_cents))
    expect(await listCents()).toEqual([1, 2])
    await pruneEvents({ orm: fixture.orm } as never)()
    expect(await listCents()).toEqual([2])
  })
})
