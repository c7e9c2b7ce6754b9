import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { buildReport } from '../../../src/activities/reports/build.ts'
import { orderScheduledReports } from '../../../src/activities/reports/schedules.ts'
import { eventRoutes } from '../../../src/api/events/routes.ts'
import { ledgerRoutes } from '../../../src/api/ledger/routes.ts'
import { reportRoutes } from '../../../src/api/reports/routes.ts'
import { MAX_PENDING_REPORTS, REPORT_LIFETIME_MS } from '../../../src/domain/reports/report.ts'
import { computeBrasiliaDay } from '../../../src/domain/shared/brasilia-day.ts'
import { bookLine } from '../support/booked-line.ts'
import { openReportFixture } from '../support/report-fixture.ts'

/** Reports at the request, and the activities that build and delete their files; the workflow is not run. */

const PATH = '/api/v1/reports'
const OCTOBER = { date_from: '2026-10-01', date_to: '2026-10-31' }
const FIRST_MOMENT = Date.parse('2026-10-01T03:00:00Z')
const LAST_MOMENT = Date.parse('2026-11-01T02:59:59.999Z')

let fixture: Awaited<ReturnType<typeof openReportFixture>>
let accountUuid: string
let connection: string
let otherConnection: string
let token: string

beforeAll(async () => {
  fixture = await openReportFixture([reportRoutes, ledgerRoutes, eventRoutes])
})
afterAll(() => fixture?.close())

beforeEach(async () => {
  accountUuid = await fixture.insertAccount()
  connection = await fixture.insertConnection(accountUuid, { createdAt: new Date(0) })
  otherConnection = await fixture.insertConnection(accountUuid, {
    provider: 'PROVIDER_B',
    createdAt: new Date(1),
  })
  token = await fixture.insertToken({ accountUuid, mode: 'test' })
})

const sql = <T extends object>(text: string, values: unknown[] = []) =>
  fixture.orm.em.fork().execute<T[]>(text, values)
const order = (body: object, as = token, headers: Record<string, string> = {}) =>
  fixture.call('POST', PATH, {
    token: as,
    headers,
    body: { kind: 'LEDGER', format: 'CSV', ...OCTOBER, ...body },
  })
const get = (path: string, as = token) => fixture.call('GET', `${PATH}${path}`, { token: as })
const build = (uuid: string) => fixture.build(uuid)

/** Downloads a file as bytes. */
async function download(uuid: string, as = token): Promise<Buffer> {
  const headers = { authorization: `Bearer ${as}` }
  const answer = await fetch(`${fixture.server.url}${PATH}/${uuid}/download`, { headers })
  expect(answer.status).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

/** Orders a report and builds it; returns it as the API shows it, with its file. */
async function makeReport(body: object, as = token) {
  const ordered = await order(body, as)
  expect([ordered.status, ordered.body.data?.status]).toEqual([202, 'PENDING'])
  const { uuid } = ordered.body.data
  expect(await build(uuid)).toEqual({ kind: 'ready', keepMs: REPORT_LIFETIME_MS })
  const report = (await get(`/${uuid}`, as)).body.data
  const bytes = await download(uuid, as)
  expect(report).toMatchObject({
    status: 'READY',
    failure: null,
    size_bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  })
  return { ...report, text: bytes.toString() }
}

/** Cells of a CSV file in which no text has a semicolon or a quote. */
function parseCsv(text: string): Record<string, string>[] {
  const [head = [], ...rows] = text
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\r\n')
    .map(line => line.split(';'))
  return rows.map(row => Object.fromEntries(row.map((cell, place) => [head[place], cell])))
}

/** Books lines at the limits of October in Brasília, and just outside; returns the centavos of those within. */
async function bookOctober(): Promise<number> {
  const lines = [
    { type: 'EXTERNAL_TRANSFER', cents: 10_000, at: FIRST_MOMENT - 1 },
    { type: 'EXTERNAL_TRANSFER', cents: 5_000, at: FIRST_MOMENT, name: '=SUM(A1)' },
    { type: 'FEE', cents: -99, at: FIRST_MOMENT + 1 },
    { type: 'EXTERNAL_TRANSFER', cents: 2_500, at: LAST_MOMENT },
    { type: 'EXTERNAL_TRANSFER', cents: 1_000, at: LAST_MOMENT + 1 },
  ]
  let balance = 0
  for (const line of lines) {
    balance += line.cents
    await bookLine(fixture.orm, { connection, balance, ...line })
  }
  return 5_000 - 99 + 2_500
}

describe('a report of days that are over', () => {
  test('has the lines of the statement of these days in Brasília, and a repeat has the same bytes', async () => {
    const cents = await bookOctober()
    const report = await makeReport({})
    expect(report).toMatchObject({ is_partial: false, lines: 3, ...OCTOBER })
    const rows = parseCsv(report.text)
    expect(rows.map(row => row.value)).toEqual(['50.00', '-0.99', '25.00'])
    expect(rows.map(row => row.created_at)).toEqual([
      '2026-10-01 00:00:00',
      '2026-10-01 00:00:00',
      '2026-10-31 23:59:59',
    ])
    expect(rows[0]!.counterparty_name).toBe("'=SUM(A1)")
    const sum = rows.reduce((total, row) => total + Math.round(Number(row.value) * 100), 0)
    expect(sum).toBe(cents)
    // What is booked later, and what becomes of a movement, changes nothing.
    await bookLine(fixture.orm, { connection, type: 'FEE', cents: -1, balance: 18_400, at: LAST_MOMENT + 2 })
    expect(await makeReport({})).toMatchObject({ sha256: report.sha256 })
  })

  test('is the statement of each provider as OFX, with its closing balance', async () => {
    await bookOctober()
    const report = await makeReport({ format: 'OFX' })
    expect(report.text).toContain('<DTSTART>20261001</DTSTART><DTEND>20261031</DTEND>')
    expect(report.text).toContain('<BALAMT>174.01</BALAMT><DTASOF>20261031</DTASOF>')
    expect(report.text.match(/<TRNAMT>/g)).toHaveLength(3)
    expect((await makeReport({ format: 'OFX' })).sha256).toBe(report.sha256)
  })

  test('is a JSON object a line as JSONL, as the list shows it but for what may still change', async () => {
    await bookOctober()
    const { text } = await makeReport({ format: 'JSONL' })
    const days = 'date_from=2026-10-01&date_to=2026-10-31&time_zone=America/Sao_Paulo'
    const listed = await fixture.call('GET', `/api/v1/ledger?${days}`, { token })
    const expected = listed.body.data.map(
      ({ status: _, settled_at: __, ...line }: Record<string, unknown>) => line,
    )
    const lines: string[] = text.trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line))).toEqual(expected.reverse())
  })

  test('has the lines of its kind alone', async () => {
    await bookOctober()
    const valuesOf = async (kind: string) => parseCsv((await makeReport({ kind })).text).map(row => row.value)
    expect(await valuesOf('FEES')).toEqual(['-0.99'])
    // A PIX that pays no charge, with its fee.
    expect(await valuesOf('PAYMENTS')).toEqual(['50.00', '-0.99', '25.00'])
    for (const kind of ['TRANSFERS', 'REFUNDS', 'MEDS', 'RECURRENCES'])
      expect(await valuesOf(kind)).toEqual([])
  })

  test('has amounts with a decimal comma where that is ordered', async () => {
    await bookOctober()
    const rows = parseCsv((await makeReport({ decimal: 'COMMA' })).text)
    expect(rows.map(row => row.value)).toEqual(['50,00', '-0,99', '25,00'])
  })
})

test('a report whose last day runs is partial', async () => {
  const today = computeBrasiliaDay(new Date())
  expect(await makeReport({ date_from: today, date_to: today })).toMatchObject({ is_partial: true, lines: 0 })
})

test('a report of the reconciliation has the differences that were found at the own provider accounts', async () => {
  const pool = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_C', type: 'POOL' })
  const find = (connectionUuid: string, at: number) =>
    sql(
      `insert into difference (uuid, provider_account_uuid, kind, movement_type, end_to_end, detail, found_at, seen_at)
       select ?, provider_account_uuid, 'missing_here', 'IN', ?, ?::jsonb, ?, ? from connection where uuid = ?`,
      [
        ...[randomUUID(), `E${randomUUID().slice(0, 31)}`, JSON.stringify({ entry: { cents: 1_234 } })],
        ...[new Date(at), new Date(at), connectionUuid],
      ],
    )
  await find(connection, FIRST_MOMENT - 1)
  await find(connection, FIRST_MOMENT)
  await find(otherConnection, LAST_MOMENT)
  await find(pool, LAST_MOMENT)
  const rows = parseCsv((await makeReport({ kind: 'RECONCILIATION' })).text)
  expect(rows.map(row => [row.kind, row.provider_value, row.value, row.status, row.provider])).toEqual([
    ['MISSING_HERE', '12.34', '', 'OPEN', 'PROVIDER_A'],
    ['MISSING_HERE', '12.34', '', 'OPEN', 'PROVIDER_B'],
  ])
  const { text } = await makeReport({
    kind: 'RECONCILIATION',
    format: 'JSONL',
    provider_uuid: otherConnection,
  })
  expect(JSON.parse(text)).toMatchObject({
    provider_value: 12.34,
    value: null,
    provider_uuid: otherConnection,
  })
})

describe('the file of a report', () => {
  const storedPath = async (uuid: string) => {
    const own = join(fixture.files, 'reports', uuid)
    const names = await readdir(own)
    expect(names).toHaveLength(1)
    return join(own, names[0]!)
  }

  test('is sealed at rest, and ends in an error where it was altered', async () => {
    await bookOctober()
    const { uuid } = await makeReport({})
    const path = await storedPath(uuid)
    const bytes = await readFile(path)
    expect(bytes.includes('EXTERNAL_TRANSFER')).toBe(false)
    // No gzip either, which begins with these.
    expect([...bytes.subarray(0, 2)]).not.toEqual([0x1f, 0x8b])
    bytes[bytes.length - 1]! ^= 1
    await writeFile(path, bytes)
    await expect(download(uuid)).rejects.toThrow(/terminated|fetch failed/)
  })

  test('of an interrupted attempt is replaced by that of the next one', async () => {
    const { uuid } = (await order({})).body.data
    await sql(`update report set state = 'building', file_key = 'reports/earlier/attempt' where uuid = ?`, [
      uuid,
    ])
    expect(await build(uuid)).toMatchObject({ kind: 'ready' })
    await storedPath(uuid)
    // The result of the attempt was lost: the file stays as it is.
    expect(await build(uuid)).toMatchObject({ kind: 'ready' })
    await storedPath(uuid)
  })

  test('is deleted with its report, whose digest stays', async () => {
    const { uuid, sha256 } = await makeReport({})
    const path = await storedPath(uuid)
    for (let times = 0; times < 2; times++) {
      const removed = await fixture.call('DELETE', `${PATH}/${uuid}`, { token })
      expect([removed.status, removed.body.data]).toMatchObject([200, { status: 'EXPIRED', sha256 }])
    }
    await expect(readFile(path)).rejects.toThrow('ENOENT')
    expect((await get(`/${uuid}/download`)).body.code).toBe('report_not_ready')
  })
})

describe('a report that is PENDING', () => {
  test('is not built once it is cancelled', async () => {
    const { uuid } = (await order({})).body.data
    expect((await get(`/${uuid}/download`)).body.code).toBe('report_not_ready')
    const removed = await fixture.call('DELETE', `${PATH}/${uuid}`, { token })
    expect(removed.body.data).toMatchObject({ status: 'FAILED', failure: 'cancelled' })
    expect(await build(uuid)).toEqual({ kind: 'closed' })
  })

  test('waits while another one of its account is built, and PostgreSQL allows no second', async () => {
    const [first, second] = [(await order({})).body.data.uuid, (await order({})).body.data.uuid]
    await sql(`update report set state = 'building' where uuid = ?`, [first])
    expect(await build(second)).toEqual({ kind: 'wait' })
    const begin = sql(`update report set state = 'building' where uuid = ?`, [second])
    await expect(begin).rejects.toThrow('report_building')
    expect(await build(first)).toMatchObject({ kind: 'ready' })
    expect(await build(second)).toMatchObject({ kind: 'ready' })
  })

  test('waits while its worker builds another one', async () => {
    const uuids = [(await order({})).body.data.uuid, (await order({})).body.data.uuid]
    const ofOneWorker = buildReport(fixture.activities)
    const results = await Promise.all(uuids.map(uuid => ofOneWorker(uuid)))
    expect(results.map(({ kind }) => kind)).toEqual(['ready', 'wait'])
  })

  test('is one of 20 at most', async () => {
    const made = await Promise.all(Array.from({ length: MAX_PENDING_REPORTS }, () => order({})))
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([202]))
    const refused = await order({})
    expect([refused.status, refused.body.code]).toEqual([409, 'report_limit'])
  })
})

describe('the request of a report', () => {
  test.each<[object, Record<string, string>]>([
    [{ date_from: '2026-07-31' }, { date_to: 'must be within 92 days of the first day' }],
    [{ date_to: '2026-09-30' }, { date_to: 'must not be before the first day' }],
    [{ date_from: '2999-01-01', date_to: '2999-01-01' }, { date_to: 'must not be after today' }],
    [{ kind: 'FEES', format: 'OFX' }, { format: 'must be CSV or JSONL for this kind' }],
    [{ provider_uuid: randomUUID() }, { provider_uuid: 'must be a provider of the account' }],
  ])('%j is refused', async (body, errors) => {
    const { status, body: answer } = await order(body)
    expect([status, answer.errors]).toEqual([
      422,
      Object.fromEntries(Object.entries(errors).map(([field, message]) => [field, [message]])),
    ])
  })

  test('is answered again where its key repeats, and orders nothing', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const [first, again] = [await order({}, token, key), await order({}, token, key)]
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 'true'])
    expect(again.body).toEqual(first.body)
    expect((await order({ kind: 'FEES' }, token, key)).body.code).toBe('idempotency_key_reused')
    expect((await get('')).body.meta.total).toBe(1)
  })
})

test('reports are listed by kind and status, the newest first', async () => {
  const ready = await makeReport({ kind: 'FEES' })
  const pending = (await order({})).body.data
  const uuidsOf = async (query: string) =>
    (await get(query)).body.data.map((one: { uuid: string }) => one.uuid)
  expect(await uuidsOf('')).toEqual([pending.uuid, ready.uuid])
  expect(await uuidsOf('?status=READY')).toEqual([ready.uuid])
  expect(await uuidsOf('?kind=LEDGER,MEDS')).toEqual([pending.uuid])
})

test('a bound token gets the lines of its provider, and sees no other report', async () => {
  await bookOctober()
  await bookLine(fixture.orm, {
    connection: otherConnection,
    type: 'EXTERNAL_TRANSFER',
    cents: 700,
    balance: 700,
    at: LAST_MOMENT,
  })
  const bound = await fixture.insertToken({ accountUuid, mode: 'test', connectionUuid: otherConnection })
  const whole = await makeReport({})
  const own = await makeReport({ provider_uuid: connection }, bound)
  expect([whole.lines, own.lines, own.provider_uuid]).toEqual([4, 1, otherConnection])
  expect((await get(`/${whole.uuid}`, bound)).status).toBe(404)
  expect((await get(`/${whole.uuid}/download`, bound)).status).toBe(404)
  expect((await get('', bound)).body.data.map((one: { uuid: string }) => one.uuid)).toEqual([own.uuid])
  const live = await fixture.insertToken({ accountUuid, mode: 'live' })
  expect((await get('', live)).body.data).toEqual([])
})

test.each([
  ['a READY report without a file', 'report_file', `sealed_file = null`],
  [
    'a file that is kept longer than 30 days',
    'report_lifetime',
    `expires_at = expires_at + interval '1 hour'`,
  ],
  ['another digest', 'report_fixed', `sha256 = repeat('0', 64)`],
  ['other days', 'report_fixed', `date_from = '2026-10-02'`],
  ['a report that is built again', 'does not become', `state = 'building'`],
])('PostgreSQL refuses %s', async (_, constraint, change) => {
  const { uuid } = await makeReport({})
  await expect(sql(`update report set ${change} where uuid = ?`, [uuid])).rejects.toThrow(constraint)
})

describe('events', () => {
  const readEvents = (uuid: string) =>
    sql<{ sequence: number; connection_uuid: string; body: { status: string; sequence: number } }>(
      `select sequence, connection_uuid, body from event where subject_uuid = ? and type = 'REPORT'`,
      [uuid],
    )

  test('tell that a report is READY, or that it has failed, in the mode of the report', async () => {
    const ready = (await order({})).body.data.uuid
    await build(ready)
    const [event, ...others] = await readEvents(ready)
    expect(others).toEqual([])
    expect(event).toMatchObject({ sequence: 1, connection_uuid: connection })
    const { data } = (await get(`/${ready}`)).body
    expect(event!.body).toEqual({ ...data, sequence: 1 })
    const cancelled = (await order({ provider_uuid: otherConnection })).body.data.uuid
    await fixture.call('DELETE', `${PATH}/${cancelled}`, { token })
    const [failed] = await readEvents(cancelled)
    expect([failed!.connection_uuid, failed!.body.status]).toEqual([otherConnection, 'FAILED'])
    // The deletion of a file is no news.
    await fixture.call('DELETE', `${PATH}/${ready}`, { token })
    expect(await readEvents(ready)).toHaveLength(1)
  })

  test('are read by tokens of their mode, and by none that is bound to a provider', async () => {
    const { uuid } = (await order({ provider_uuid: connection })).body.data
    await build(uuid)
    const read = async (as: string) => {
      const { body } = await fixture.call('GET', '/api/v1/events?type=REPORT', { token: as })
      return [body.meta.total, body.data.length]
    }
    const bound = await fixture.insertToken({ accountUuid, mode: 'test', connectionUuid: connection })
    const live = await fixture.insertToken({ accountUuid, mode: 'live' })
    expect([await read(token), await read(bound), await read(live)]).toEqual([
      [1, 1],
      [0, 0],
      [0, 0],
    ])
  })
})

describe('schedules', () => {
  const DAILY = { kind: 'LEDGER', format: 'OFX', frequency: 'DAILY', hour: 6 }
  const put = (schedules: object[], as = token) =>
    fixture.call('PUT', `${PATH}/schedules`, { token: as, body: { schedules } })
  const orderDue = () => orderScheduledReports(fixture.activities)()
  const makeDue = (day: string) =>
    sql('update report_schedule set ordered_on = ? where account_uuid = ?', [day, accountUuid])

  test('order each report that is due once, also where a run was interrupted', async () => {
    const weekly = { kind: 'FEES', format: 'CSV', frequency: 'WEEKLY', weekday: 3, hour: 0 }
    expect((await put([DAILY, weekly])).status).toBe(200)
    // The first report is that of the next time.
    expect(await orderDue()).toEqual({ ordered: 0 })
    await makeDue('2026-01-01')
    expect(await orderDue()).toEqual({ ordered: 2 })
    expect(await orderDue()).toEqual({ ordered: 0 })
    await makeDue('2026-01-01')
    expect(await orderDue()).toEqual({ ordered: 2 })
    const { data } = (await get('')).body
    const lengthOf = (one: { date_from: string; date_to: string }) =>
      (Date.parse(one.date_to) - Date.parse(one.date_from)) / 86_400_000 + 1
    expect(
      data
        .map((one: { kind: string; date_from: string; date_to: string }) => [one.kind, lengthOf(one)])
        .sort(),
    ).toEqual([
      ['FEES', 7],
      ['LEDGER', 1],
    ])
    await build(data[0].uuid)
    expect((await get(`/${data[0].uuid}`)).body.data).toMatchObject({ status: 'READY', is_partial: false })
  })

  test('that are sent again stay as they are, so that what is due is ordered', async () => {
    const readUuids = () => sql('select uuid from report_schedule where account_uuid = ?', [accountUuid])
    await put([DAILY])
    const [stored] = await readUuids()
    await makeDue('2026-01-01')
    const monthly = { ...DAILY, frequency: 'MONTHLY' }
    expect((await put([monthly, DAILY])).body.data.schedules).toMatchObject([DAILY, monthly])
    expect(await readUuids()).toContainEqual(stored)
    expect(await orderDue()).toEqual({ ordered: 1 })
    await put([monthly])
    expect(await readUuids()).not.toContainEqual(stored)
  })

  test('are replaced as a whole, and a bound token sees its own alone', async () => {
    const bound = await fixture.insertToken({ accountUuid, mode: 'test', connectionUuid: otherConnection })
    const read = async (as: string) => (await get('/schedules', as)).body.data.schedules
    await put([DAILY, { ...DAILY, hour: 3, provider_uuid: connection }])
    await put([{ ...DAILY, hour: 4 }], bound)
    const hoursOf = (all: { hour: number; provider_uuid: string | null }[]) =>
      all.map(one => [one.hour, one.provider_uuid])
    expect(hoursOf(await read(token))).toEqual([
      [3, connection],
      [4, otherConnection],
      [6, null],
    ])
    expect(hoursOf(await read(bound))).toEqual([[4, otherConnection]])
    expect((await put([])).body).toEqual({ data: { schedules: [] } })
    expect(await read(bound)).toEqual([])
  })

  test.each([
    [{ ...DAILY, weekday: 1 }, 'weekday', 'must be sent for WEEKLY, and for no other frequency'],
    [{ ...DAILY, frequency: 'WEEKLY' }, 'weekday', 'is required'],
    [{ ...DAILY, kind: 'FEES' }, 'format', 'must be CSV or JSONL for this kind'],
    [{ ...DAILY, provider_uuid: randomUUID() }, 'provider_uuid', 'must be a provider of the account'],
  ])('%j is refused', async (schedule, field, message) => {
    const { status, body } = await put([schedule])
    expect([status, body.errors]).toEqual([422, { [`schedules.0.${field}`]: [message] }])
  })
})
