import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { deliveryRoutes, webhookRoutes } from '../../../src/api/webhooks/routes.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { SUBSCRIBABLE_EVENT_TYPES } from '../../../src/domain/webhooks/webhook.ts'
import { STATEMENT_TIMEOUT_MS } from '../../../src/http/limits.ts'
import { ANY_EVENT_BODY } from '../../support/event-bodies.ts'
import { expectOneOriginal } from '../../support/one-original.ts'
import {
  type CertificateAuthority,
  createAuthority,
  findUnusedPort,
  startMerchantServer,
} from '../../webhooks/support/merchant-server.ts'
import { type ApiFixture, openApiFixture, repeatWhileUnavailable } from '../support/api-fixture.ts'

const PATH = '/api/v1/webhooks'
const BASE64_TOKEN = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const ALL = ['PAYMENT', 'TRANSFER', 'REFUND', 'MED', 'PIX_TRANSACTION']

let fixture: ApiFixture
let ca: CertificateAuthority
let shop: Awaited<ReturnType<typeof startMerchantServer>>
let url: string
beforeAll(async () => {
  ca = await createAuthority()
  shop = await startMerchantServer(ca, { names: ['127.0.0.1', 'localhost'] }, (_, response) => response.end())
  url = `https://127.0.0.1:${shop.port}/pix?a=b`
  const environment = { TRILHO_LOOPBACK_WEBHOOKS: 'true' }
  const routes = [webhookRoutes({ ca: [ca.pem], handshakeTimeoutMs: 30_000 }), deliveryRoutes]
  fixture = await openApiFixture(routes, environment, undefined, { statementMs: STATEMENT_TIMEOUT_MS })
})
afterAll(() => Promise.all([fixture?.close(), shop?.close()]))

let accountUuid: string
let token: string
beforeEach(async () => {
  accountUuid = await fixture.insertAccount()
  token = await fixture.insertToken({ accountUuid })
})

const create = (body: object = {}, key?: string, by = token) =>
  fixture.call('POST', PATH, {
    token: by,
    body: { url, ...body },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  })
const createOnBusyMachine = (key: string) => repeatWhileUnavailable(() => create({}, key))
const list = async () => (await fixture.call('GET', PATH, { token })).body
const count = async () => (await list()).meta.total

describe('a new webhook', () => {
  test('is ACTIVE, receives every event type, and shows its generated secret once', async () => {
    const { status, body } = await create()
    expect(status).toBe(201)
    expect(body.data).toEqual({
      uuid: expect.any(String),
      url,
      token: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      status: 'ACTIVE',
      events: ALL,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    })
    const { token: masked, ...rest } = (await fixture.call('GET', `${PATH}/${body.data.uuid}`, { token }))
      .body.data
    expect(masked).toBe(`whsec_****${body.data.token.slice(-4)}`)
    expect({ ...rest, token: body.data.token }).toEqual(body.data)
  })

  test('that PostgreSQL does not write in time is 503, and not an internal error', async () => {
    await runInTransaction(fixture.orm, async em => {
      await em.execute('select from account where uuid = ? for update', [accountUuid])
      const { status, body, headers } = await create()
      expect([status, body.code]).toEqual([503, 'unavailable'])
      expect(headers.has('retry-after')).toBe(true)
    })
    expect(await count()).toBe(0)
  })

  test('stores its secret sealed', async () => {
    const { body } = await create({ token: 'a secret of my own, long enough' })
    const [row] = await fixture.orm.em.execute<{ sealed_secret: string }[]>(
      'select * from webhook where uuid = ?',
      [body.data.uuid],
    )
    expect(JSON.stringify(row)).not.toContain('a secret of my own, long enough')
    expect(fixture.dependencies.sealer.open(row!.sealed_secret)).toBe('a secret of my own, long enough')
  })

  test.each([
    { name: 'a token of the caller', body: { token: 'a'.repeat(24) }, shown: { token: 'a'.repeat(24) } },
    { name: 'a token in base64', body: { token: BASE64_TOKEN }, shown: { token: BASE64_TOKEN } },
    { name: 'some events', body: { events: ['MED', 'PAYMENT'] }, shown: { events: ['MED', 'PAYMENT'] } },
    {
      name: 'every event',
      body: { events: SUBSCRIBABLE_EVENT_TYPES },
      shown: { events: SUBSCRIBABLE_EVENT_TYPES },
    },
    { name: 'repeated events in any case', body: { events: ['med', 'MED'] }, shown: { events: ['MED'] } },
  ])('accepts $name', async ({ body, shown }) => {
    const answer = await create(body)
    expect(answer.status).toBe(201)
    expect(answer.body.data).toMatchObject(shown)
  })

  test.each([
    { name: 'no url', body: { url: undefined }, errors: ['url'] },
    { name: 'http', body: { url: 'http://shop.example/' }, errors: ['url'] },
    { name: 'no url at all', body: { url: 'shop' }, errors: ['url'] },
    { name: 'a private address', body: { url: 'https://10.0.0.1/' }, errors: ['url'] },
    { name: 'a link-local address', body: { url: 'https://169.254.169.254/' }, errors: ['url'] },
    { name: 'a user in the url', body: { url: 'https://a:b@127.0.0.1/' }, errors: ['url'] },
    { name: 'a long url', body: { url: `https://127.0.0.1/${'a'.repeat(2_048)}` }, errors: ['url'] },
    { name: 'no events', body: { events: [] }, errors: ['events'] },
    { name: 'invalid events', body: { events: ['PAYMENT', 'BOLETO'] }, errors: ['events.1'] },
    { name: 'an empty token', body: { token: '' }, errors: ['token'] },
    { name: 'a token below 24 bytes', body: { token: 'a'.repeat(23) }, errors: ['token'] },
    { name: 'invalid base64', body: { token: 'whsec_***' }, errors: ['token'] },
    { name: 'nothing after whsec_', body: { token: 'whsec_' }, errors: ['token'] },
    {
      name: 'several errors at once',
      body: { url: 'https://10.0.0.1/', token: '' },
      errors: ['url', 'token'],
    },
    { name: 'several errors at once', body: { url: 'ftp://x', events: 'all' }, errors: ['url', 'events'] },
  ])('refuses $name', async ({ body, errors }) => {
    const answer = await create(body)
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, errors])
    expect(await count()).toBe(0)
  })

  test('is refused where the TLS handshake fails', async () => {
    const answer = await create({ url: `https://127.0.0.1:${await findUnusedPort()}/` })
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['url']])
  })

  test('is the twentieth at most, under concurrency too; a removed one makes room', async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => createOnBusyMachine(`key ${index}`)),
    )
    expect(answers.filter(answer => answer.status === 201)).toHaveLength(20)
    const refusal = answers.find(answer => answer.status !== 201)
    expect([refusal?.status, refusal?.body.code]).toEqual([409, 'webhook_limit'])
    await fixture.call('DELETE', `${PATH}/${answers.find(answer => answer.status === 201)?.body.data.uuid}`, {
      token,
    })
    expect((await create()).status).toBe(201)
  })
})

describe('with an Idempotency-Key', () => {
  test('a repeat receives the same response, generated secret included', async () => {
    const first = await create({}, 'k')
    const replay = await create({}, 'k')
    expect([replay.status, replay.body]).toEqual([201, first.body])
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
    expect(await count()).toBe(1)
  })

  test('fifty concurrent requests create one webhook', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => createOnBusyMachine('storm')))
    expect(new Set(answers.map(answer => answer.text)).size).toBe(1)
    expect(answers.map(answer => answer.status)).toEqual(Array(50).fill(201))
    expectOneOriginal(answers)
    expect(await count()).toBe(1)
  })

  test('a repeat of the request that took the twentieth place is still answered', async () => {
    for (let index = 0; index < 19; index += 1) await create()
    const answers = await Promise.all(Array.from({ length: 5 }, () => createOnBusyMachine('last')))
    expect(answers.map(answer => answer.status)).toEqual(Array(5).fill(201))
    expect((await create({}, 'last')).status).toBe(201)
    expect((await create({}, 'one more')).status).toBe(409)
  })

  test('a repeat receives the same response when the endpoint is removed or disabled', async () => {
    const first = await create({}, 'k')
    const { uuid } = first.body.data
    await fixture.orm.em.execute(
      `update webhook set status = 'DISABLED', disabled_reason = 'gone' where uuid = ?`,
      [uuid],
    )
    expect((await create({}, 'k')).body).toEqual(first.body)
    await fixture.call('DELETE', `${PATH}/${uuid}`, { token })
    expect((await create({}, 'k')).body).toEqual(first.body)
  })

  test('another body is refused, another account has its own keys', async () => {
    await create({}, 'k')
    const answer = await create({ events: ['MED'] }, 'k')
    expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_key_reused'])
    const stranger = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
    expect((await create({}, 'k', stranger)).headers.get('idempotent-replayed')).toBeNull()
  })
})

describe('webhooks', () => {
  test('are listed newest first, in pages, with masked secrets', async () => {
    const created: string[] = []
    for (let index = 0; index < 3; index += 1)
      created.unshift((await create({ token: 'unmasked'.repeat(3) })).body.data.uuid)
    const first = (await fixture.call('GET', `${PATH}?per_page=2`, { token })).body
    const second = (await fixture.call('GET', `${PATH}?per_page=2&page=2`, { token })).body
    expect([...first.data, ...second.data].map((one: { uuid: string }) => one.uuid)).toEqual(created)
    expect(second.meta).toEqual({
      current_page: 2,
      from: 3,
      last_page: 2,
      per_page: 2,
      to: 3,
      total: 3,
      next_cursor: null,
    })
    expect(JSON.stringify([first, second])).not.toContain('unmasked')
  })

  test('of another account are 404', async () => {
    const { uuid } = (await create()).body.data
    const stranger = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
    for (const method of ['GET', 'DELETE']) {
      expect((await fixture.call(method, `${PATH}/${uuid}`, { token: stranger })).status).toBe(404)
    }
    expect(await count()).toBe(1)
  })

  test('show why they are disabled', async () => {
    const { uuid } = (await create()).body.data
    await fixture.orm.em.execute(
      `update webhook set status = 'DISABLED', disabled_reason = 'gone' where uuid = ?`,
      [uuid],
    )
    expect((await list()).data[0]).toMatchObject({ status: 'DISABLED', disabled_reason: 'gone' })
  })

  test('are gone once removed, and with them their pending deliveries', async () => {
    const [webhook, other] = [(await create()).body.data.uuid, (await create()).body.data.uuid]
    const pending = await delivery(webhook, 'PENDING')
    const delivered = await delivery(webhook, 'DELIVERED')
    const others = await delivery(other, 'PENDING')

    const answer = await fixture.call('DELETE', `${PATH}/${webhook}`, { token })
    expect([answer.status, answer.body]).toEqual([200, { message: expect.any(String) }])
    expect(await statuses([pending, delivered, others])).toEqual(['CANCELLED', 'DELIVERED', 'PENDING'])
    expect((await fixture.call('GET', `${PATH}/${webhook}`, { token })).status).toBe(404)
    expect((await fixture.call('DELETE', `${PATH}/${webhook}`, { token })).status).toBe(404)
    expect(await count()).toBe(1)
  })

  test('list their deliveries by event type and by days of a zone, with exact totals', async () => {
    const [{ uuid }] = [(await create()).body.data]
    const [number] = await fixture.orm.em.execute('select token_number from webhook where uuid = ?', [uuid])
    const [of] = await fixture.orm.em.execute('select name from token where number = ?', [
      number!.token_number,
    ])
    expect(of).toEqual({ name: expect.any(String) })
    // Midnight of Noronha, of Brasília and of Manaus, and a second before each.
    const times = ['01:59:59', '02:00:00', '02:59:59', '03:00:00', '03:59:59', '04:00:00']
    const created: { type: string; time: string; uuid: string; status: string }[] = []
    for (const [index, time] of times.entries())
      for (const type of ['PAYMENT', 'MED']) {
        const status = index % 2 === 0 ? 'DELIVERED' : 'FAILED'
        created.push({
          type,
          time,
          status,
          uuid: await delivery(uuid, status, { type, at: `2026-01-01T${time}Z` }),
        })
      }
    const read = async (query: string) => {
      const foundUuids: string[] = []
      for (let page = 1, last = 1; page <= last; page++) {
        const path = `${PATH}/${uuid}/deliveries?per_page=4&page=${page}${query}`
        const { status, body } = await fixture.call('GET', path, { token })
        expect([query, status]).toEqual([query, 200])
        foundUuids.push(...body.data.map((one: { uuid: string }) => one.uuid))
        last = body.meta.last_page
        if (page === last) expect([query, body.meta.total]).toEqual([query, foundUuids.length])
      }
      return foundUuids.toSorted()
    }
    const begins = { 'America/Noronha': '02', 'America/Sao_Paulo': '03', 'America/Manaus': '04', UTC: '00' }
    for (const [zone, hour] of Object.entries(begins))
      for (const type of [undefined, 'PAYMENT', 'MED', 'TRANSFER', 'MED,TRANSFER'])
        for (const status of [undefined, 'FAILED']) {
          const filter = `${type ? `&type=${type}` : ''}${status ? `&status=${status}` : ''}&time_zone=${zone}`
          const wanted = created
            .filter(
              one => (!type || type.split(',').includes(one.type)) && (!status || one.status === status),
            )
            .map(one => ({ uuid: one.uuid, isNextDay: one.time >= hour }))
          const expected = (isNextDay: boolean) =>
            wanted
              .filter(one => one.isNextDay === isNextDay)
              .map(one => one.uuid)
              .toSorted()
          expect(await read(`${filter}&date_from=2026-01-01`)).toEqual(expected(true))
          expect(await read(`${filter}&date_to=2025-12-31`)).toEqual(expected(false))
        }
    for (const query of ['type=GOSSIP', 'date_from=today', 'time_zone=Brasilia']) {
      const { status } = await fixture.call('GET', `${PATH}/${uuid}/deliveries?${query}`, { token })
      expect([query, status]).toEqual([query, 422])
    }
  })

  test('are forbidden for bound tokens', async () => {
    const { uuid } = (await create()).body.data
    const bound = await fixture.insertToken({
      accountUuid,
      connectionUuid: await fixture.insertConnection(accountUuid),
    })
    const calls = [
      ['GET', PATH],
      ['POST', PATH],
      ['GET', `${PATH}/${uuid}`],
      ['DELETE', `${PATH}/${uuid}`],
      ['GET', `${PATH}/${randomUUID()}`],
      ['GET', `${PATH}/abc`],
    ] as const
    for (const [method, path] of calls) {
      const answer = await fixture.call(method, path, { token: bound })
      expect([method, path, answer.status, answer.body.code]).toEqual([
        method,
        path,
        403,
        'token_bound_to_provider',
      ])
    }
    expect(await count()).toBe(1)
  })
})

async function delivery(
  webhookUuid: string,
  status: string,
  { type = 'PAYMENT', at = new Date().toISOString() }: { type?: string; at?: string } = {},
): Promise<string> {
  const [uuid, event] = [randomUUID(), randomUUID()]
  await fixture.orm.em.execute(
    `insert into event (uuid, account_uuid, type, subject_uuid, sequence, body, owner_uuid, request_id, created_at)
     values (?, ?, ?, ?, 1, ?, ?, 'r', ?)`,
    [event, accountUuid, type, event, ANY_EVENT_BODY, event, at],
  )
  await fixture.orm.em.execute(
    `insert into delivery (uuid, webhook_uuid, event_uuid, event_type, status, created_at, updated_at) values (?, ?, ?, ?, ?, ?, now())`,
    [uuid, webhookUuid, event, type, status, at],
  )
  return uuid
}

async function statuses(uuids: string[]): Promise<(string | undefined)[]> {
  const rows = await fixture.orm.em.execute<{ uuid: string; status: string }[]>(
    'select uuid, status from delivery',
  )
  return uuids.map(uuid => rows.find(row => row.uuid === uuid)?.status)
}
