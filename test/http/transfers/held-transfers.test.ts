import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import {
  advanceHeldTransfer,
  endScheduledTransfer,
  sendTransfer,
  storeTransfer,
} from '../../../src/activities/transfers/activities.ts'
import { postOpeningBalance } from '../../../src/admin/connections.ts'
import { limitRoutes } from '../../../src/api/limits/routes.ts'
import { giveVerdict } from '../../../src/api/operations/approvals.ts'
import { transferRoutes } from '../../../src/api/transfers/routes.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { DAY } from '../../../src/domain/shared/intervals.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** Transfers that wait for approvals, from their row to the provider: docs/specification.md, "Approvals". */

let fixture: ApiFixture
let accountUuid: string
let connections: string[]
let maker: { text: string; number: number }
let approver: string
/** Orders that reached the provider. */
let sent: string[]

beforeAll(async () => {
  fixture = await openApiFixture([transferRoutes, limitRoutes()])
})
afterAll(() => fixture?.close())

const sql = <T extends object>(text: string, values: unknown[] = []) =>
  fixture.orm.em.execute<T[]>(text, values)

async function insertToken(author: string): Promise<{ text: string; number: number }> {
  const text = await fixture.insertToken({ accountUuid })
  const [row] = await sql<{ number: number }>(
    `update token set author = ? where hash = sha256(convert_to(?, 'UTF8')) returning number`,
    [author, text],
  )
  return { text, number: row!.number }
}

beforeEach(async () => {
  sent = []
  accountUuid = await fixture.insertAccount()
  connections = [await fixture.insertConnection(accountUuid), await fixture.insertConnection(accountUuid)]
  const em = fixture.orm.em.fork()
  const [first, second] = connections
  await postOpeningBalance(em, await em.findOneOrFail(Connection, first!), 1_000_00)
  await postOpeningBalance(em, await em.findOneOrFail(Connection, second!), 5_000_00)
  maker = await insertToken('ana')
  approver = (await insertToken('bia')).text
  await limit({ approvals: { above: 100, count: 1 } })
})

async function limit(body: object) {
  const { status } = await fixture.call('PUT', '/api/v1/limits', { token: maker.text, body })
  expect(status).toBe(200)
}

function dependencies(): ActivityDependencies {
  const provider = {
    preconnect: () => {},
    sendTransfer: async ({ id, cents }: { id: string; cents: number }) => {
      sent.push(id)
      const payout = {
        status: 'in_process',
        cents,
        endToEnd: `E${id}`,
        at: null,
        receiver: null,
        returns: [],
      }
      return { kind: 'accepted', payout }
    },
  }
  const sealer = { open: JSON.parse, seal: JSON.stringify }
  return {
    orm: fixture.orm,
    sealer,
    providers: { providerFor: () => provider },
    timeScale: 1,
  } as never
}

function newOrder(reais: number, more: Partial<TransferInput> = {}): TransferInput {
  return {
    uuid: randomUUID(),
    accountUuid,
    candidates: connections,
    valueCents: reais * 100,
    details: JSON.stringify({
      destination: { kind: 'key', pixKey: 'maria@example.com', document: null },
      fingerprint: 'f',
    }),
    requestId: 'r',
    timeScale: 1,
    tokenNumber: maker.number,
    ...more,
  }
}

const send = (order: TransferInput, connectionUuid = connections[0]!) =>
  sendTransfer(dependencies())({ uuid: order.uuid, connectionUuid, isResend: false, order })
const advance = (uuid: string) => advanceHeldTransfer(dependencies())(uuid)
const call = (
  uuid: string,
  act: string,
  { token = approver, body }: { token?: string; body?: object } = {},
) => fixture.call('POST', `/api/v1/transfers/${uuid}/${act}`, { token, body })
const show = async (uuid: string) =>
  (await fixture.call('GET', `/api/v1/transfers/${uuid}`, { token: approver })).body.data

/** What the account holds and has used, in centavos: all of it is released exactly once. */
async function readMoney() {
  const [row] = await sql<{ held: string; used: string; provisioned: string }>(
    `select coalesce((select sum(held_cents) from transfer where account_uuid = ?), 0)::int as held,
       coalesce((select sum(used_cents) from limit_usage where account_uuid = ? and name = 'day'), 0)::int as used,
       coalesce((select sum(cents) from balance where account_uuid = ? and bucket = 'available'), 0)::int as available`,
    [accountUuid, accountUuid, accountUuid],
  )
  return row
}
const NOTHING_HELD = { held: 0, used: 0, available: 6_000_00 }
const holding = (reais: number) => ({
  held: reais * 100,
  used: reais * 100,
  available: 6_000_00 - reais * 100,
})

/** Orders a transfer that waits, and returns its uuid. */
async function order(reais: number, more?: Partial<TransferInput>): Promise<string> {
  const input = newOrder(reais, more)
  const result = await (input.scheduledFor ? storeTransfer(dependencies())(input) : send(input))
  expect(result).toMatchObject(
    input.scheduledFor ? { state: 'held' } : { kind: 'rejected', code: 'waits_for_approval' },
  )
  expect(await advance(input.uuid)).toMatchObject({ state: 'held', remainingMs: expect.any(Number) })
  return input.uuid
}

describe('a transfer above the value of the rule', () => {
  test('waits with its money and its room held, and no provider is called', async () => {
    const uuid = await order(200)
    expect([sent, await readMoney()]).toEqual([[], holding(200)])
    expect(await show(uuid)).toMatchObject({
      status: 'PENDING',
      history: [{ status: 'PENDING' }],
      approval: { needed: 1, given: [], expires_at: expect.any(String) },
      attempts: [],
    })
  })

  test('is sent at once where it is not above it', async () => {
    expect(await send(newOrder(100))).toEqual({ kind: 'in_process' })
    expect(sent).toHaveLength(1)
  })

  test('is sent once it is approved, with the hold that it has', async () => {
    const input = newOrder(200)
    await send(input)
    const { status, body } = await call(input.uuid, 'approve')
    expect([status, body.data?.approval?.given]).toEqual([200, [{ by: 'bia', at: expect.any(String) }]])
    expect(await send(input)).toMatchObject({ code: 'waits_for_approval' })
    expect(await advance(input.uuid)).toMatchObject({ state: 'approved' })
    const [before] = await sql(`select count(*)::int as n from posting where account_uuid = ?`, [accountUuid])
    expect(await send(input)).toEqual({ kind: 'in_process' })
    expect([sent.length, await readMoney()]).toEqual([1, holding(200)])
    expect(await sql(`select count(*)::int as n from posting where account_uuid = ?`, [accountUuid])).toEqual(
      [before],
    )
    expect(await show(input.uuid)).toMatchObject({
      status: 'PROCESSING',
      approval: { given: [{ by: 'bia' }] },
    })
  })

  test('is held at the next candidate where the first lacks the balance, and fails where all do', async () => {
    const uuid = await order(2_000)
    expect((await show(uuid)).provider.uuid).toBe(connections[1])
    const tooMuch = newOrder(9_000)
    expect(await send(tooMuch)).toMatchObject({ kind: 'rejected' })
    expect(await show(tooMuch.uuid)).toMatchObject({
      status: 'FAILED',
      error: { code: 'insufficient_balance' },
    })
    expect(await readMoney()).toEqual(holding(2_000))
  })

  test('that exceeds a limit fails at once', async () => {
    await limit({ approvals: { above: 100, count: 1 }, per_day: 300 })
    await order(200)
    const second = newOrder(101)
    await send(second)
    expect(await show(second.uuid)).toMatchObject({
      status: 'FAILED',
      error: { code: 'over_limit', left: 100 },
    })
    expect(await readMoney()).toEqual(holding(200))
  })

  test('that was stored after its deadline is not accepted, and nobody approves it', async () => {
    const input = newOrder(200, { acceptBefore: new Date(Date.now() - 1).toISOString() })
    await send(input)
    expect(await advance(input.uuid)).toMatchObject({ state: 'failed' })
    expect([await readMoney(), (await call(input.uuid, 'approve')).body.code]).toEqual([
      NOTHING_HELD,
      'not_waiting_for_approval',
    ])
  })
})

describe('a transfer that is not approved releases its money once', () => {
  const advanceTwice = async (uuid: string, state: string) => {
    for (const _ of [1, 2]) expect(await advance(uuid)).toMatchObject({ state })
    expect(await readMoney()).toEqual(NOTHING_HELD)
    expect(sent).toEqual([])
  }

  test('when a person rejects it', async () => {
    const uuid = await order(200)
    expect((await call(uuid, 'reject', { body: { reason: 'wrong supplier' } })).status).toBe(200)
    await advanceTwice(uuid, 'cancelled')
    expect(await show(uuid)).toMatchObject({
      status: 'CANCELLED',
      approval: { given: [], rejected: { by: 'bia', reason: 'wrong supplier' } },
    })
  })

  test('when its time is over, though nobody has said anything', async () => {
    const input = newOrder(200, { timeScale: 72 * 3_600_000 })
    await send(input)
    const { uuid } = input
    await advanceTwice(uuid, 'expired')
    expect(await show(uuid)).toMatchObject({ status: 'EXPIRED' })
  })

  test('when its maker cancels it, and no later approval counts', async () => {
    const uuid = await order(200)
    await endScheduledTransfer(dependencies())({ uuid, event: 'cancelled' })
    await advanceTwice(uuid, 'cancelled')
    expect((await call(uuid, 'approve')).body.code).toBe('not_waiting_for_approval')
  })

  test.each([1, 2, 3])(
    'when it is approved, rejected and cancelled at once: only one of them acts (%i)',
    async () => {
      const input = newOrder(200)
      await send(input)
      const { uuid } = input
      await Promise.all([
        call(uuid, 'approve'),
        call(uuid, 'reject', { token: (await insertToken('caio')).text, body: { reason: 'no' } }),
        endScheduledTransfer(dependencies())({ uuid, event: 'cancelled' }),
        advance(uuid),
      ])
      const { state } = await advance(uuid)
      expect(['approved', 'cancelled']).toContain(state)
      expect(await readMoney()).toEqual(state === 'approved' ? holding(200) : NOTHING_HELD)
      await send(input)
      expect(sent).toHaveLength(state === 'approved' ? 1 : 0)
    },
  )
})

describe('an approval is refused', () => {
  test.each<[string, () => Promise<string>, number, string]>([
    ['of the token that ordered it', async () => maker.text, 403, 'approver_is_maker'],
    [
      'of another token of that person',
      async () => (await insertToken('ana')).text,
      403,
      'approver_is_maker',
    ],
    [
      'of a token that a program made',
      () => fixture.insertToken({ accountUuid }),
      403,
      'approver_not_allowed',
    ],
    [
      'of a token without the scope',
      () => fixture.insertToken({ accountUuid, scopes: ['read', 'charges'] }),
      403,
      'insufficient_scope',
    ],
    [
      'of a token of one provider',
      () => fixture.insertToken({ accountUuid, connectionUuid: connections[0]! }),
      403,
      'token_bound_to_provider',
    ],
    [
      'of another account',
      async () => fixture.insertToken({ accountUuid: await fixture.insertAccount() }),
      404,
      'not_found',
    ],
  ])('%s', async (_, readToken, status, code) => {
    const uuid = await order(200)
    const token = await readToken()
    for (const answer of [
      await call(uuid, 'approve', { token }),
      await call(uuid, 'reject', { token, body: { reason: 'no' } }),
    ])
      expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(await advance(uuid)).toMatchObject({ state: 'held' })
  })

  test('of a transfer that does not wait', async () => {
    const input = newOrder(50)
    await send(input)
    const { status, body } = await call(input.uuid, 'approve')
    expect([status, body.code]).toEqual([409, 'not_waiting_for_approval'])
  })

  test.each([{}, { reason: '' }, { reason: ' ' }, { reason: 'x'.repeat(501) }, { reason: 'no', more: 1 }])(
    'with the body of a rejection %j',
    async body => {
      const uuid = await order(200)
      const answer = await call(uuid, 'reject', { body })
      expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
    },
  )
})

describe('the limits of now', () => {
  test.each([
    [
      'the value of one transfer',
      { per_transfer: 150 },
      { limit: 'per_transfer', left: 150, resets_at: null },
    ],
    ['the value of a day', { per_day: 199.99 }, { limit: 'per_day', left: 199.99 }],
    ['the receivers', { allowed_receivers_only: true }, { limit: 'allowed_receivers_only', left: 0 }],
  ])('refuse the approval where they were lowered meanwhile: %s', async (_, lowered, data) => {
    const uuid = await order(200)
    await limit({ approvals: { above: 100, count: 1 }, ...lowered })
    const answer = await call(uuid, 'approve')
    expect([answer.status, answer.body.code, answer.body.data]).toEqual([
      409,
      'limits_changed',
      expect.objectContaining(data),
    ])
    expect(await advance(uuid)).toMatchObject({ state: 'held' })
    expect(await readMoney()).toEqual(holding(200))
    expect((await show(uuid)).approval.given).toEqual([])
  })

  test('allow what fits with the room that it has itself', async () => {
    const uuid = await order(200)
    await limit({ approvals: { above: 100, count: 1 }, per_day: 200 })
    expect((await call(uuid, 'approve')).status).toBe(200)
    expect(await advance(uuid)).toMatchObject({ state: 'approved' })
    expect(await readMoney()).toEqual(holding(200))
  })

  test('that are lowered between the approval and its application end it unsent', async () => {
    const uuid = await order(200)
    await call(uuid, 'approve')
    await limit({ approvals: { above: 100, count: 1 }, per_day: 100 })
    expect(await advance(uuid)).toMatchObject({ state: 'failed' })
    expect([await readMoney(), sent]).toEqual([NOTHING_HELD, []])
    expect(await show(uuid)).toMatchObject({
      status: 'FAILED',
      error: { code: 'over_limit', limit: 'per_day' },
    })
  })

  test('count it on the day of its approval', async () => {
    const uuid = await order(200)
    await sql(`update limit_usage set starts_on = starts_on - 1 where account_uuid = ?`, [accountUuid])
    await sql(
      `update transfer set limit_windows = replace(limit_windows::text, starts_on::text, (starts_on - 1)::text)::jsonb
       from (select starts_on + 1 as starts_on from limit_usage where account_uuid = ? and name = 'day') u where uuid = ?`,
      [accountUuid, uuid],
    )
    await call(uuid, 'approve')
    expect(await advance(uuid)).toMatchObject({ state: 'approved' })
    expect(
      await sql(
        `select used_cents::int as used from limit_usage where account_uuid = ? and name = 'day' order by starts_on`,
        [accountUuid],
      ),
    ).toEqual([{ used: 0 }, { used: 200_00 }])
  })
})

test('a scheduled transfer waits without its money, and then for its time', async () => {
  const uuid = await order(200, { scheduledFor: new Date(Date.now() + DAY).toISOString() })
  expect(await readMoney()).toEqual(NOTHING_HELD)
  expect((await call(uuid, 'approve')).status).toBe(200)
  expect(await advance(uuid)).toMatchObject({ state: 'approved' })
  expect([await readMoney(), (await show(uuid)).status]).toEqual([NOTHING_HELD, 'PENDING'])
})

test('two persons approve where two are needed, and a repeat of the first changes nothing', async () => {
  await limit({ approvals: { above: 100, count: 2 } })
  const uuid = await order(200)
  const given = async (token: string) => (await call(uuid, 'approve', { token })).body.data.approval.given
  expect(await given(approver)).toHaveLength(1)
  expect(await given(approver)).toHaveLength(1)
  expect(await advance(uuid)).toMatchObject({ state: 'held' })
  expect(await given((await insertToken('caio')).text)).toHaveLength(2)
  expect(await advance(uuid)).toMatchObject({ state: 'approved' })
})

describe('PostgreSQL refuses', () => {
  test.each(['approved', 'sending', 'settling'])('that a transfer which waits becomes %s', async state => {
    const uuid = await order(200)
    await expect(sql(`update transfer set state = ? where uuid = ?`, [state, uuid])).rejects.toMatchObject({
      constraint: 'transfer_approved',
    })
  })

  test('that its maker approves it by a path around the API', async () => {
    const uuid = await order(200)
    await expect(
      sql(`insert into approval (subject_uuid, verdict, approver, at) values (?, 'approve', 'ana', now())`, [
        uuid,
      ]),
    ).rejects.toMatchObject({ constraint: 'approval_not_by_maker' })
    const byCommand = runInTransaction(fixture.orm, em =>
      giveVerdict(em, { subjectUuid: uuid, verdict: 'approve', person: 'ANA' }),
    )
    await expect(byCommand).rejects.toMatchObject({ code: 'approver_is_maker' })
  })
})
