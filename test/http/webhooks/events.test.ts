import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { pruneEvents } from '../../../src/activities/webhooks/prune-events.ts'
import { eventRoutes } from '../../../src/api/events/routes.ts'
import { Event, type EventBody } from '../../../src/db/entities/webhook.ts'
import { ANY_EVENT_BODY } from '../../support/event-bodies.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** Events as they are read, by which token, and for how long. */

const PATH = '/api/v1/events'
const DAY_MS = 86_400_000

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([eventRoutes])
})
afterAll(() => fixture?.close())

let accountUuid: string
let token: string
let connection: string
beforeEach(async () => {
  accountUuid = await fixture.insertAccount()
  token = await fixture.insertToken({ accountUuid })
  connection = await fixture.insertConnection(accountUuid)
})

type Row = { type?: string; connectionUuid?: string | null; at?: Date; subject?: string; body?: EventBody }
async function event({ type = 'PAYMENT', connectionUuid = connection, ...row }: Row = {}): Promise<string> {
  const uuid = randomUUID()
  await fixture.orm.em.execute(
    `insert into event (uuid, account_uuid, connection_uuid, type, subject_uuid, sequence, body, owner_uuid, request_id, created_at)
     values (?, ?, ?, ?, ?, 1, ?, ?, 'r', ?)`,
    [
      ...[uuid, accountUuid, connectionUuid, type, row.subject ?? uuid],
      ...[JSON.stringify(row.body ?? { sequence: 1 }), uuid, row.at ?? new Date()],
    ],
  )
  return uuid
}

test('the body of an event keeps its fields in the order of GET, and PostgreSQL reads it', async () => {
  const body = { uuid: 'u', value: 1, status: 'PAID', created_at: 'c', a: [0.1, null, '漢'], sequence: 1 }
  const uuid = await event({ body })
  const em = fixture.orm.em.fork()
  const storedEvent = await em.findOneOrFail(Event, uuid)
  expect(JSON.stringify(storedEvent.body)).toBe(JSON.stringify(body))
  const read = () =>
    em.execute(`select body::text, body ->> 'status' as status, xmin from event where uuid = ?`, [uuid])
  const [before] = await read()
  expect(before).toMatchObject({ body: JSON.stringify(body), status: 'PAID' })
  await em.flush()
  expect(await read()).toEqual([before])
})

/** A charge with the PIX that paid it and a refund. */
async function insertRefundedCharge() {
  const charge = await fixture.insertCharge(connection)
  const [movement, refund] = [randomUUID(), randomUUID()]
  await fixture.orm.em.execute(
    `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
       status, charge_uuid, created_at, updated_at)
     select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_TRANSFER', 'IN', 100, 'PENDING', ?, now(), now()
     from connection where uuid = ?`,
    [movement, charge, connection],
  )
  await fixture.orm.em.execute(
    `insert into refund (uuid, charge_uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents,
       request_id, fingerprint, created_at, updated_at)
     select ?, ?, account_uuid, uuid, provider_account_uuid, 'failed', 100, 'r', 'f', now(), now()
     from connection where uuid = ?`,
    [refund, charge, connection],
  )
  return { charge, movement, refund }
}

const ago = (days: number) => new Date(Date.now() - days * DAY_MS)
const list = async (query = '', by = token) =>
  (await fixture.call('GET', `${PATH}${query}`, { token: by })).body
const idsOf = (page: { data: { id: string }[] }) => page.data.map(one => one.id)
const status = async (uuid: string, by = token) =>
  (await fixture.call('GET', `${PATH}/${uuid}`, { token: by })).status

describe('events', () => {
  test('equal the delivered bodies, field by field in their order', async () => {
    const body = { uuid: 'u', z: 1, a: { y: null, b: ['ç', 1.5] }, sequence: 7 }
    const at = new Date('2026-11-20T10:11:12.345Z')
    const uuid = await event({
      type: 'REFUND',
      body,
      at: new Date(Math.max(at.getTime(), ago(29).getTime())),
    })
    const { text, body: answer } = await fixture.call('GET', `${PATH}/${uuid}`, { token })
    expect(answer.data).toEqual({ id: uuid, type: 'REFUND', timestamp: expect.any(String), data: body })
    expect(text).toContain(`"data":${JSON.stringify(body)}`)
    expect((await list()).data).toEqual([answer.data])
  })

  test('are listed newest first, in pages', async () => {
    const created = [await event({ at: ago(3) }), await event({ at: ago(2) }), await event({ at: ago(1) })]
    const pages = [await list('?per_page=2'), await list('?per_page=2&page=2')]
    expect(pages.flatMap(idsOf)).toEqual(created.reverse())
    expect(pages[1].meta).toMatchObject({ total: 3, from: 3, to: 3, last_page: 2 })
  })

  test.each([
    ['?type=payment', [0]],
    ['?type=PAYMENT,TEST', [0, 2]],
    ['?type=MED&type=TEST', [1, 2]],
    ['?type=TRANSFER', []],
  ])('are found by %s', async (query, wanted) => {
    const created = [await event({ at: ago(1) }), await event({ type: 'MED', at: ago(2) })]
    created.push(await event({ type: 'TEST', connectionUuid: null, at: ago(3) }))
    expect(idsOf(await list(query))).toEqual(wanted.map(index => created[index]))
  })

  test('are found by their operation: its own, and those of its PIX and of a charge’s refunds', async () => {
    const { charge, movement, refund } = await insertRefundedCharge()
    const created = [
      await event({ subject: charge, at: ago(4) }),
      await event({ type: 'PIX_TRANSACTION', subject: movement, at: ago(3) }),
      await event({ type: 'REFUND', subject: refund, at: ago(2) }),
    ]
    await event()
    const of = (uuid: string, more = '') => list(`?operation_uuid=${uuid}${more}`)
    expect(idsOf(await of(charge))).toEqual(created.toReversed())
    expect((await of(charge)).meta.total).toBe(3)
    expect(idsOf(await of(charge, '&type=REFUND'))).toEqual([created[2]])
    expect(idsOf(await of(refund))).toEqual([created[2]])
    expect(idsOf(await of(randomUUID()))).toEqual([])
    const stranger = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
    expect(idsOf(await list(`?operation_uuid=${charge}`, stranger))).toEqual([])
  })

  test('are found by their days, both ends included', async () => {
    const day = (days: number) => ago(days).toISOString().slice(0, 10)
    const at = (days: number, time: string) => new Date(`${day(days)}T${time}Z`)
    const created = [
      await event({ at: at(2, '23:59:59.999') }),
      await event({ at: at(3, '00:00:00.000') }),
      await event({ at: at(4, '23:59:59.999') }),
    ]
    expect(idsOf(await list(`?date_from=${day(3)}&date_to=${day(2)}`))).toEqual([created[0], created[1]])
    expect(idsOf(await list(`?date_to=${day(4)}`))).toEqual([created[2]])
    const brazil = '&time_zone=America/Sao_Paulo'
    expect(idsOf(await list(`?date_from=${day(4)}&date_to=${day(4)}${brazil}`))).toEqual(created.slice(1))
  })

  test.each([
    ['?type=GOSSIP'],
    ['?date_from=today'],
    ['?time_zone=Brasilia'],
    ['?subject=x'],
    ['?operation_uuid=x'],
    ['?per_page=101'],
  ])('are refused by %s', async query => {
    expect((await fixture.call('GET', `${PATH}${query}`, { token })).status).toBe(422)
  })

  test('of other accounts, and invalid uuids, are 404', async () => {
    const uuid = await event()
    const stranger = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
    expect(await status(uuid)).toBe(200)
    expect(await status(uuid, stranger)).toBe(404)
    expect((await list('', stranger)).data).toEqual([])
    expect(await status(randomUUID())).toBe(404)
    expect(await status('abc')).toBe(404)
  })

  test('of a bound token are those of its provider', async () => {
    const other = await fixture.insertConnection(accountUuid)
    const [mine, theirs, nobodys] = [
      await event(),
      await event({ connectionUuid: other }),
      await event({ connectionUuid: null }),
    ]
    const bound = await fixture.insertToken({ accountUuid, connectionUuid: connection })
    expect(idsOf(await list('', bound))).toEqual([mine])
    expect(await Promise.all([mine, theirs, nobodys].map(uuid => status(uuid, bound)))).toEqual([
      200, 404, 404,
    ])
  })

  test('of real providers are hidden from test tokens, and those of simulators from live tokens', async () => {
    const real = await fixture.insertConnection(accountUuid, { isSimulated: false })
    const [simulated, earnest] = [await event(), await event({ connectionUuid: real })]
    const live = await fixture.insertToken({ accountUuid, mode: 'live' })
    expect(idsOf(await list('', token))).toEqual([simulated])
    expect(idsOf(await list('', live))).toEqual([earnest])
    expect([await status(earnest), await status(simulated, live)]).toEqual([404, 404])
  })
})

describe('after thirty days', () => {
  test('an event is 404, deleted or not', async () => {
    const firstDay = `${ago(30).toISOString().slice(0, 10)}T00:00:00Z`
    const [old, young] = [
      await event({ at: new Date(Date.parse(firstDay) - 1) }),
      await event({ at: new Date(firstDay) }),
    ]
    const page = await list()
    expect(idsOf(page)).toEqual([young])
    expect(page.meta.total).toBe(1)
    expect([await status(old), await status(young)]).toEqual([404, 200])
  })

  async function endpoint(): Promise<string> {
    const webhook = randomUUID()
    await fixture.orm.em.execute(
      `insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, fingerprint, created_at)
       values (?, ?, 'https://shop.test', '', '', '{PAYMENT}', '', now())`,
      [webhook, accountUuid],
    )
    return webhook
  }

  test('it is kept while the workflow of a delivery has not ended', async () => {
    const [webhook, uuid, delivery] = [await endpoint(), await event({ at: ago(31) }), randomUUID()]
    await fixture.orm.em.execute(
      `insert into delivery (uuid, webhook_uuid, event_uuid, event_type, status, sweep_at, created_at, updated_at)
       values (?, ?, ?, 'PAYMENT', 'FAILED', now(), now(), now())`,
      [delivery, webhook, uuid],
    )
    const prune = pruneEvents({ orm: fixture.orm } as ActivityDependencies)
    await prune()
    const wake = 'update delivery set sweep_at = null where uuid = ? returning uuid'
    expect(await fixture.orm.em.fork().execute(wake, [delivery])).toHaveLength(1)
    expect(await prune()).toEqual({ deleted: 1 })
  })

  test('it is deleted, with its deliveries and their attempts; a younger or undelivered one is kept', async () => {
    const webhook = await endpoint()
    const old = await Promise.all(Array.from({ length: 3 }, () => event({ at: ago(31) })))
    const kept = [await event({ at: ago(31) }), await event({ at: ago(29) })]
    for (const [uuid, state] of [
      [old[0], 'DELIVERED'],
      [old[1], 'FAILED'],
      [kept[0], 'PENDING'],
      [kept[1], 'DELIVERED'],
    ] as const) {
      const delivery = randomUUID()
      await fixture.orm.em.execute(
        `insert into delivery (uuid, webhook_uuid, event_uuid, event_type, status, attempt_count, sweep_at, created_at, updated_at)
         values (?, ?, ?, 'PAYMENT', ?, 1, ?, now(), now())`,
        [delivery, webhook, uuid, state, state === 'PENDING' ? new Date() : null],
      )
      await fixture.orm.em.execute(
        `insert into delivery_attempt (delivery_uuid, number, duration_ms, at) values (?, 1, 1, now())`,
        [delivery],
      )
    }
    const prune = pruneEvents({ orm: fixture.orm } as ActivityDependencies)
    expect((await prune()).deleted).toBeGreaterThanOrEqual(3)
    const count = async (table: string, where: string) => {
      const [row] = await fixture.orm.em
        .fork()
        .execute<{ n: string }[]>(`select count(*) as n from ${table} where ${where}`)
      return Number(row!.n)
    }
    expect(await count('event', `account_uuid = '${accountUuid}'`)).toBe(2)
    expect(await count('delivery', `webhook_uuid = '${webhook}'`)).toBe(2)
    expect(await count('delivery_attempt', `delivery_uuid in (select uuid from delivery)`)).toBe(
      await count('delivery_attempt', 'true'),
    )
    expect(await prune()).toEqual({ deleted: 0 })
  })

  test('more than one batch are deleted in several', async () => {
    await fixture.orm.em.execute(
      `insert into event (uuid, account_uuid, type, subject_uuid, sequence, body, owner_uuid, request_id, created_at)
       select gen_random_uuid(), ?, 'PAYMENT', gen_random_uuid(), 1, ?, gen_random_uuid(), 'r', now() - interval '40 days'
       from generate_series(1, 1200)`,
      [accountUuid, ANY_EVENT_BODY],
    )
    const { deleted } = await pruneEvents({ orm: fixture.orm } as ActivityDependencies)()
    expect(deleted).toBe(1_200)
  })

  test('they are found by an index, however many events there are', async () => {
    const plan: Record<string, string>[] = await fixture.orm.em.fork().transactional(async em => {
      await em.execute('set local enable_seqscan = off')
      return em.execute(
        `explain select old.uuid from account a, lateral (
           select uuid from event where account_uuid = a.uuid and created_at < now() order by created_at limit 500) old`,
      )
    })
    expect(plan.map(line => Object.values(line)[0]).join('\n')).toContain(
      'Index Only Scan using event_listed',
    )
  })
})
