import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { pruneEvents } from '../../../src/activities/webhooks/prune-events.ts'
import type { CallerToken } from '../../../src/api/authorization/authenticate.ts'
import { listCharges } from '../../../src/api/operations/charges.ts'
import { listEvents } from '../../../src/api/operations/events.ts'
import { listLedgerLines } from '../../../src/api/operations/ledger.ts'
import { listTransfers } from '../../../src/api/operations/transfers.ts'
import { readCountedTotal } from '../../../src/api/operations/visible-list.ts'
import { listDeliveries } from '../../../src/api/operations/webhook-deliveries.ts'
import { chargesQuery } from '../../../src/contract/charges/charge.ts'
import { eventsQuery } from '../../../src/contract/events/event.ts'
import { ledgerQuery } from '../../../src/contract/ledger/ledger-line.ts'
import { transfersQuery } from '../../../src/contract/transfers/transfer.ts'
import { deliveriesQuery } from '../../../src/contract/webhooks/webhook-delivery.ts'
import type { EntityManager } from '../../../src/db/client/orm.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { foldListCounters } from '../../../src/db/repositories/list-counters.ts'
import { chargeMachine } from '../../../src/domain/charges/charge.ts'
import type { PaymentStatus } from '../../../src/domain/shared/payment-status.ts'
import { type DeliveryStatus, deliveryMachine } from '../../../src/domain/webhooks/delivery.ts'
import { createSeededRandom } from '../../domain/support/seeded-random.ts'
import { ANY_EVENT_BODY } from '../../support/event-bodies.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createFullAccount } from '../support/full-account.ts'
import { openCapturedOrm } from '../support/postgres-messages.ts'

describe('lists', () => {
  /** The columns that the cursors of lists name, and which statements of lists PostgreSQL keeps prepared. */

  let fixture: ApiFixture
  let token: CallerToken
  beforeAll(async () => {
    fixture = await openApiFixture([])
    const { account: accountUuid } = await createFullAccount(fixture)
    token = { accountUuid, connectionUuid: null } as CallerToken
  })
  afterAll(() => fixture?.close())

  const LISTS = {
    charge: (em: EntityManager, query: object) => listCharges(em, token, chargesQuery.parse(query)),
    transfer: (em: EntityManager, query: object) => listTransfers(em, token, transfersQuery.parse(query)),
  }

  test.each(['charge', 'transfer'] as const)(
    'the first page of an unfiltered %s list is one prepared statement for all sizes, other pages are none',
    async noun => {
      const { orm, captured, close } = await openCapturedOrm(fixture.config.databaseUrl)
      try {
        const list = async (query: object) => (await LISTS[noun](orm.em.fork(), query)).data
        const first = await list({ per_page: '1' })
        expect((await list({ per_page: '100' })).slice(0, 1)).toEqual(first)
        await list({ page: '2', per_page: '1' })
        await list({ status: 'PAID' })
        await list({ date_from: '2026-01-01' })
        const ofRows = captured.kept.filter(text => text.includes(`join ${noun} `))
        expect(ofRows).toHaveLength(1)
      } finally {
        await close()
      }
    },
  )

  test('what a cursor names in milliseconds, the column stores in milliseconds', async () => {
    // Tables with an index in which `uuid` follows `created_at`: the order of lists that cursors read.
    const columns = await fixture.orm.em.execute<{ table: string; digits: number }[]>(
      `select distinct c.table_name as table, c.datetime_precision as digits
     from pg_index i
     cross join lateral generate_series(0, i.indnkeyatts - 2) as place
     join pg_attribute at on at.attrelid = i.indrelid and at.attnum = i.indkey[place] and at.attname = 'created_at'
     join pg_attribute id on id.attrelid = i.indrelid and id.attnum = i.indkey[place + 1] and id.attname = 'uuid'
     join information_schema.columns c on c.table_name = i.indrelid::regclass::text and c.column_name = 'created_at'
     order by 1`,
    )
    const listed = [
      'charge',
      'connection',
      'delivery',
      'dispute',
      'event',
      'movement',
      'pix_key',
      'qr_code',
      'refund',
      'report',
      'transfer',
      'transfer_batch',
    ]
    expect(columns.map(one => one.table)).toEqual(expect.arrayContaining([...listed, 'webhook']))
    expect(columns.filter(one => one.digits !== 3)).toEqual([])
  })
})

describe('list counters', () => {
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
    ...[
      '2026-03-02T02:59:59.999Z',
      '2026-03-02T03:00:00Z',
      '2026-03-08T04:59:59.999Z',
      '2026-03-08T05:00:00Z',
    ],
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
})

describe('counted lists', () => {
  /** The ledger, events and deliveries: their rows and totals equal what was written, whatever was folded in between. */

  const DAY_MS = 86_400_000
  const TYPES = ['PAYMENT', 'MED', 'TEST'] as const
  const STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const

  let fixture: ApiFixture
  beforeAll(async () => {
    fixture = await openApiFixture([])
  })
  afterAll(() => fixture?.close())

  const em = () => fixture.orm.em.fork()
  const ZONES = ['UTC', 'America/Sao_Paulo', 'Asia/Kolkata', 'Pacific/Kiritimati'] as const
  const dayOf = (at: number, timeZone = 'UTC') =>
    new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone }).format(at)
  const list = { page: '1', per_page: '100' }
  const totalOf = (meta: object) => ('total' in meta ? meta.total : undefined)

  let accountUuid: string
  /** One of a simulator, one of a real provider. */
  let connections: string[]
  beforeEach(async () => {
    accountUuid = await fixture.insertAccount()
    connections = [
      await fixture.insertConnection(accountUuid),
      await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_B', isSimulated: false }),
    ]
  })

  const { upTo } = createSeededRandom(11)
  const chance = (percent: number) => upTo(99) < percent
  const pick = <T>(list: readonly T[]): T => list[upTo(list.length - 1)]!

  /** The token, and the connections that it reads. */
  function someone(): { token: CallerToken; sees: string[] } {
    const connectionUuid = pick([null, null, connections[0]!, connections[1]!])
    const reaches = connectionUuid === null ? pick([undefined, 'test', 'live'] as const) : undefined
    const sees = connections.filter(
      (uuid, place) => (connectionUuid ?? uuid) === uuid && (!reaches || reaches === ['test', 'live'][place]),
    )
    return { token: { accountUuid, connectionUuid, modeScope: reaches } as CallerToken, sees }
  }

  const inOrder = (a: number, b: number): [number, number] => [Math.min(a, b), Math.max(a, b)]

  test('ledger totals include every line of its days and providers, although times and numbers differ in order', async () => {
    const begin = Date.parse('2026-03-01T12:00:00Z')
    const lines: { at: number; connection: string }[] = []
    for (let step = 0; step < 60; step += 1) {
      // Overlapping transactions are numbered in another order than they started.
      const line = { at: begin + step * 2 * 3_600_000 - upTo(20) * 3_600_000, connection: pick(connections) }
      await posted(line)
      lines.push(line)
      if (chance(20)) await foldListCounters(fixture.orm)
      const { token, sees } = someone()
      const provider_uuid = chance(30) ? pick([...connections, randomUUID()]) : undefined
      const [first, last] = inOrder(upTo(9), upTo(9))
      const date_from = chance(50) ? dayOf(begin + (first - 2) * DAY_MS) : undefined
      const date_to = chance(50) ? dayOf(begin + (last - 2) * DAY_MS) : undefined
      const time_zone = pick(ZONES)
      const asked = { provider_uuid, date_from, date_to, time_zone }
      const { data, meta } = await listLedgerLines(em(), token, ledgerQuery.parse({ ...list, ...asked }))
      const wanted = lines
        .filter(({ connection }) => sees.includes(connection) && (provider_uuid ?? connection) === connection)
        .filter(
          ({ at }) => (date_from ?? '') <= dayOf(at, time_zone) && dayOf(at, time_zone) <= (date_to ?? '9'),
        )
        .map(({ at }) => at)
        .reverse()
      expect({ asked, lines: data.map(one => one.created_at.getTime()), total: totalOf(meta) }).toEqual({
        asked,
        lines: wanted,
        total: wanted.length,
      })
    }
  })

  test('events are counted by type, day and visibility, and no longer once they are pruned', async () => {
    const events: { at: number; connection: string | null; type: string }[] = []
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
    for (let step = 0; step < 60; step += 1) {
      const event = {
        at: today - upTo(33) * DAY_MS + upTo(1) * (DAY_MS - 1),
        connection: pick([...connections, null]),
        type: pick(TYPES),
      }
      await happened(event)
      events.push(event)
      if (chance(20)) await foldListCounters(fixture.orm)
      if (chance(10)) await pruneEvents({ orm: fixture.orm } as ActivityDependencies)()
      const { token, sees } = someone()
      const type = chance(50) ? pick(TYPES) : undefined
      const [last, first] = inOrder(upTo(33), upTo(33))
      const date_from = chance(50) ? dayOf(today - first * DAY_MS) : undefined
      const date_to = chance(50) ? dayOf(today - last * DAY_MS) : undefined
      const time_zone = pick(ZONES)
      const asked = { type, date_from, date_to, time_zone }
      const { data, meta } = await listEvents(em(), token, eventsQuery.parse({ ...list, ...asked }))
      const wanted = events
        .filter(one =>
          one.connection === null ? token.connectionUuid === null : sees.includes(one.connection),
        )
        .filter(one => (type ?? one.type) === one.type && one.at >= today - 30 * DAY_MS)
        .filter(
          ({ at }) => (date_from ?? '') <= dayOf(at, time_zone) && dayOf(at, time_zone) <= (date_to ?? '9'),
        )
      expect({ asked, rows: data.length, total: totalOf(meta) }).toEqual({
        asked,
        rows: wanted.length,
        total: wanted.length,
      })
    }
  })

  test('deliveries are counted by status until their events are pruned', async () => {
    const uuid = randomUUID()
    await em().execute(
      `insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, fingerprint, created_at)
     values (?, ?, 'https://shop.test', '', '', '{PAYMENT}', '', now())`,
      [uuid, accountUuid],
    )
    const deliveries: { uuid: string; status: DeliveryStatus }[] = []
    for (let step = 0; step < 40; step += 1) {
      if (deliveries.length < 5 || chance(40)) {
        const delivery = { uuid: randomUUID(), status: pick(STATUSES) }
        const event = await happened({ at: Date.now(), connection: connections[0]!, type: 'PAYMENT' })
        await em().execute(
          `insert into delivery (uuid, webhook_uuid, event_uuid, event_type, status, created_at, updated_at)
         values (?, ?, ?, 'PAYMENT', ?, now(), now())`,
          [delivery.uuid, uuid, event, delivery.status],
        )
        deliveries.push(delivery)
      } else {
        const delivery = pick(deliveries)
        delivery.status = pick([delivery.status, ...deliveryMachine.nextStates(delivery.status)])
        await em().execute(
          'update delivery set status = ?, attempt_count = attempt_count + 1 where uuid = ?',
          [delivery.status, delivery.uuid],
        )
      }
      if (chance(20)) await foldListCounters(fixture.orm)
      const status = chance(60) ? pick(STATUSES) : undefined
      const wanted = deliveries.filter(one => (status ?? one.status) === one.status).length
      expect({ status, ...(await counted(status)) }).toEqual({ status, rows: wanted, total: wanted })
    }
    await em().execute(`delete from event where account_uuid = ?`, [accountUuid])
    expect(await counted()).toEqual({ rows: 0, total: 0 })
    await foldListCounters(fixture.orm)
    expect(await em().execute('select * from list_counter where count < 0')).toEqual([])

    async function counted(status?: string) {
      const query = deliveriesQuery.parse({ ...list, status })
      const { data, meta } = await listDeliveries(em(), { accountUuid, uuid }, query)
      return { rows: data.length, total: totalOf(meta) }
    }
  })

  async function posted({ at, connection }: { at: number; connection: string }): Promise<void> {
    const movement = randomUUID()
    const place = `from connection c where c.uuid = '${connection}'`
    await runInTransaction(fixture.orm, async tx => {
      await tx.execute(
        `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
       status, end_to_end, settled_at, created_at, updated_at)
     select ?, ?, c.provider_account_uuid, c.uuid, 'EXTERNAL_TRANSFER', 'IN', 100, 'SETTLED', ?, now(), now(), now() ${place}`,
        [movement, accountUuid, `E${movement.replaceAll('-', '').slice(1)}`],
      )
      await tx.execute(
        `insert into posting (movement_uuid, account_uuid, provider_account_uuid, type, bucket, cents, balance_cents, created_at)
     select ?, ?, c.provider_account_uuid, 'EXTERNAL_TRANSFER', leg.bucket, leg.cents, leg.cents, ?
     from connection c cross join (values ('outside', -100), ('available', 100)) as leg (bucket, cents)
     where c.uuid = ?`,
        [movement, accountUuid, new Date(at), connection],
      )
    })
  }

  async function happened({ at, connection, type }: { at: number; connection: string | null; type: string }) {
    const uuid = randomUUID()
    await em().execute(
      `insert into event (uuid, account_uuid, connection_uuid, type, subject_uuid, sequence, body, owner_uuid, request_id,
       created_at) values (?, ?, ?, ?, ?, 1, ?, ?, 'r', ?)`,
      [uuid, accountUuid, connection, type, uuid, ANY_EVENT_BODY, uuid, new Date(at)],
    )
    return uuid
  }
})
