import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals'
import type { CallerToken } from '../../../src/api/authorization/authenticate.ts'
import { readCountedTotal } from '../../../src/api/operations/visible-list.ts'
import { foldListCounters } from '../../../src/db/repositories/list-counters.ts'
import { chargeMachine } from '../../../src/domain/charges/charge.ts'
import type { PaymentStatus } from '../../../src/domain/shared/payment-status.ts'
import { createSeededRandom } from '../../domain/support/seeded-random.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** A total equals the number of rows, in any order of changes. */

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([])
})
afterAll(() => fixture?.close())
afterEach(() => void jest.restoreAllMocks())

const sql = <Row extends object>(query: string, values: unknown[] = []): Promise<Row[]> =>
  fixture.orm.em.fork().execute(query, values)

const DAYS = [
  ...['2026-03-01T00:00:00Z', '2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00Z', '2026-03-02T11:00:00Z'],
  // Midnight of São Paulo and, set forward an hour on 8 March, of Havana.
  ...['2026-03-02T02:59:59.999Z', '2026-03-02T03:00:00Z', '2026-03-08T04:59:59.999Z', '2026-03-08T05:00:00Z'],
]
const ZONES = ['UTC', 'America/Sao_Paulo', 'America/Havana', 'Asia/Kolkata', 'Pacific/Kiritimati']

test('totals equal the rows, between any changes and folds, by status, provider and day', async () => {
  const { upTo } = createSeededRandom(7)
  const chance = (percent: number) => upTo(99) < percent
  const pick = <T>(list: readonly T[]): T => list[upTo(list.length - 1)]!
  const accountUuid = await fixture.insertAccount()
  const connections = [
    await fixture.insertConnection(accountUuid),
    await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_B', isSimulated: false }),
  ]
  const charges: string[] = []
  for (let step = 0; step < 90; step += 1) {
    await changeSomething()
    if (chance(20)) await foldListCounters(fixture.orm)
    const query = {
      page: 1,
      per_page: 15,
      ...(chance(50) && { status: [pick(['UNDEFINED', 'FAILED', 'PROCESSING', 'PAID'] as const)] }),
      ...(chance(50) && { provider_uuid: pick([...connections, randomUUID()]) }),
      ...(chance(50) && { date_from: pick(['2026-03-01', '2026-03-02', '2026-03-08']) }),
      ...(chance(50) && { date_to: pick(['2026-02-28', '2026-03-01', '2026-03-02', '2026-03-07']) }),
      time_zone: pick(ZONES),
    }
    const reaches = pick([undefined, 'test', 'live'] as const)
    const token = {
      accountUuid,
      connectionUuid: pick([null, null, connections[0]!]),
      modeScope: reaches,
    } as CallerToken
    const total = await readCountedTotal(fixture.orm.em.fork(), {
      token,
      query,
      noun: 'charge',
      states: query.status?.flatMap(chargeMachine.statesShowing),
    })
    expect({ query, total }).toEqual({ query, total: await counted(token, query) })
  }
  await Promise.all([foldListCounters(fixture.orm), foldListCounters(fixture.orm), changeSomething()])
  expect(await sql(`select day from list_counter where count < 0`)).toEqual([])

  async function changeSomething(): Promise<void> {
    if (charges.length < 5 || chance(30)) {
      charges.push(await newCharge(accountUuid, { connection: pick(connections), at: pick(DAYS) }))
      return
    }
    const [changed, value] = pick([
      [`state = ?`, 'failed'],
      [
        `(connection_uuid, provider_account_uuid) = (select uuid, provider_account_uuid from connection where uuid = ?)`,
        pick(connections),
      ],
      ['created_at = ?', pick(DAYS)],
      ['external_ref = ?', 'something no tally knows'],
    ] as const)
    await sql(`update charge set ${changed} where uuid = ?`, [value, pick(charges)])
  }

  async function counted(token: CallerToken, query: Record<string, unknown>): Promise<number> {
    const [row] = await sql<{ n: string }>(
      `select count(*) as n from charge where account_uuid = ?
         and (?::boolean is null or exists (
           select from connection c where c.uuid = connection_uuid and c.is_simulated = ?))
         and (?::uuid is null or connection_uuid = ?) and (?::uuid is null or connection_uuid = ?)
         and (?::text is null or state = any(string_to_array(?, ',')))
         and (?::date is null or (created_at at time zone ?)::date >= ?::date)
         and (?::date is null or (created_at at time zone ?)::date <= ?::date)`,
      [
        accountUuid,
        ...twice(token.modeScope ? token.modeScope === 'test' : null),
        ...[token.connectionUuid, token.connectionUuid],
        ...twice(query.provider_uuid ?? null),
        ...twice(
          query.status
            ? (query.status as PaymentStatus[]).flatMap(chargeMachine.statesShowing).join(',')
            : null,
        ),
        ...[query.date_from ?? null, query.time_zone, query.date_from ?? null],
        ...[query.date_to ?? null, query.time_zone, query.date_to ?? null],
      ],
    )
    return Number(row!.n)
  }
})

const twice = (value: unknown) => [value, value]

test('a filter without a counter counts the rows', async () => {
  const token = { accountUuid: await fixture.insertAccount(), connectionUuid: null } as CallerToken
  const query = { page: 1, per_page: 15, external_ref: 'pedido' }
  const total = await readCountedTotal(fixture.orm.em.fork(), {
    token,
    query,
    noun: 'charge',
    states: undefined,
  })
  expect(total).toBeUndefined()
})

test('one fold covers hours of traffic, not a fixed number of rows', async () => {
  await foldListCounters(fixture.orm)
  const accountUuid = await fixture.insertAccount()
  const connection = await fixture.insertConnection(accountUuid)
  await sql(
    `insert into list_counter_change (noun, account_uuid, connection_uuid, day, state, count)
     select 'charge', ?, ?, current_date, 'paid', 1 from generate_series(1, 120000)`,
    [accountUuid, connection],
  )
  // On a slow machine its time would end before, which leaves the rest to the next fold.
  jest.spyOn(performance, 'now').mockReturnValue(performance.now())
  expect(await foldListCounters(fixture.orm)).toBe(120_000)
  expect(await sql('select from list_counter_change where account_uuid = ?', [accountUuid])).toEqual([])
})

async function newCharge(accountUuid: string, { connection, at }: { connection: string; at: string }) {
  const uuid = randomUUID()
  await sql(
    `insert into charge (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, total_cents,
       payment_uuid, expires_in_seconds, request_id, fingerprint, created_at, updated_at)
     select ?, ?, uuid, provider_account_uuid, 'issuing', 100, 100, ?, 3600, 'r', 'f', ?, now()
     from connection where uuid = ?`,
    [uuid, accountUuid, randomUUID(), at, connection],
  )
  return uuid
}
