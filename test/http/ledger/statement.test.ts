import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { ledgerRoutes } from '../../../src/api/ledger/routes.ts'
import { createLedgerFiles } from '../../../src/api/operations/ledger.ts'
import { ledgerCsvQuery } from '../../../src/contract/ledger/ledger-line.ts'
import { DAY, HOUR, MINUTE } from '../../../src/domain/shared/intervals.ts'
import { createSeededRandom } from '../../domain/support/seeded-random.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { type BookedLine, bookLine } from '../support/booked-line.ts'

/**
 * SPEC §7: the balances of a period and its files, over generated lines around the end of a year. Their transactions
 * overlap, so that the order of their times is not that of their numbers, which the balances after them follow.
 */

const ZONE = 'America/Sao_Paulo'
const YEAR_END = Date.parse('2026-01-01T03:00:00Z') // Midnight in São Paulo.
const LINES_PER_CONNECTION = 90

type Line = { connection: string; type: string; cents: number; at: number }

let fixture: ApiFixture
let accountUuid: string
let token: string
let connections: string[]
const lines: Line[] = []
const random = createSeededRandom(20_251_231)

beforeAll(async () => {
  fixture = await openApiFixture([ledgerRoutes])
  accountUuid = await fixture.insertAccount()
  connections = [
    await fixture.insertConnection(accountUuid, { createdAt: new Date(0) }),
    await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_B', createdAt: new Date(1) }),
  ]
  token = await fixture.insertToken({ accountUuid })
  for (const [place, connection] of connections.entries()) {
    let [cents, written] = [0, YEAR_END - 2 * DAY]
    for (let line = 0; line < LINES_PER_CONNECTION; line++) {
      written += random.upTo(120) * 60_000
      // Its transaction began up to 20 hours before, or at the midnight between.
      const isOverMidnight = written >= YEAR_END && written < YEAR_END + 20 * HOUR
      const began =
        isOverMidnight && random.upTo(3) === 0 ? YEAR_END : written - random.upTo(20 * 60) * 60_000
      const added = cents > 0 && random.upTo(2) === 0 ? -1 - random.upTo(cents - 1) : 1 + random.upTo(99_999)
      cents += added
      const type = ['EXTERNAL_TRANSFER', 'ADJUSTMENT', ...(place === 0 ? ['FEE'] : [])][
        random.upTo(1 + (place === 0 ? 1 : 0))
      ]!
      lines.push({ connection, type, cents: added, at: began })
      await bookLine(fixture.orm, { connection, type, cents: added, balance: cents, at: began })
    }
  }
})
afterAll(() => fixture?.close())

const get = async (path: string, as = token) => {
  const answer = await fixture.call('GET', path, { token: as })
  expect([path, answer.status]).toEqual([path, 200])
  return answer
}
const sum = (all: Line[]) => all.reduce((total, { cents }) => total + cents, 0)
const inReais = (cents: number) => cents / 100

/** The balances that the generated lines have in a range, computed from all of them. */
function expectedBalances(from: number, before: number) {
  return connections.map((connection, place) => {
    const connectionLines = lines.filter(line => line.connection === connection)
    const inside = connectionLines.filter(({ at }) => at >= from && at < before)
    const opening = sum(connectionLines.filter(({ at }) => at < from))
    const moved = (all: Line[]) => ({
      in: inReais(sum(all.filter(({ cents }) => cents > 0))),
      out: inReais(0 - sum(all.filter(({ cents }) => cents < 0))),
      lines: all.length,
    })
    return {
      provider: { uuid: connection, provider: ['PROVIDER_A', 'PROVIDER_B'][place] },
      opening_balance: inReais(opening),
      closing_balance: inReais(opening + sum(inside)),
      ...moved(inside),
      totals: [...new Set(inside.map(({ type }) => type))].sort().map(type => ({
        type,
        ...moved(inside.filter(line => line.type === type)),
      })),
    }
  })
}

/** UTC offsets of the zones at the end of 2025. */
const OFFSETS = { UTC: 0, 'America/Sao_Paulo': -3, 'Asia/Kathmandu': 5.75 }

test('opening and lines make the closing balance, in any zone and period, where transactions overlap', async () => {
  const dayOf = (days: number) => new Date(YEAR_END + days * DAY).toISOString().slice(0, 10)
  for (let round = 0; round < 40; round++) {
    const [zone, offset] = Object.entries(OFFSETS)[random.upTo(2)]!
    const first = random.upTo(9) - 5
    const [from, to] = [dayOf(first), dayOf(first + random.upTo(4))]
    const starts = Date.parse(`${from}T00:00:00Z`) - offset * HOUR
    const ends = Date.parse(`${to}T00:00:00Z`) + DAY - offset * HOUR
    const days = `date_from=${from}&date_to=${to}&time_zone=${zone}`
    const { data } = (await get(`/api/v1/ledger/balances?${days}`)).body
    const expected = expectedBalances(starts, ends)
    expect(data).toEqual({ date_from: from, date_to: to, time_zone: zone, balances: expected })
    const { meta } = (await get(`/api/v1/ledger?${days}&per_page=1`)).body
    expect(meta.total).toBe(expected.reduce((total, { lines: count }) => total + count, 0))
    const ofx = (await get(`/api/v1/ledger.ofx?${days}`)).text
    expect([...ofx.matchAll(/<BALAMT>(.*?)</g)].map(([, amount]) => Number(amount))).toEqual(
      expected.map(({ closing_balance }) => closing_balance),
    )
  }
})

test('a period without days ends with the balance after the last line', async () => {
  const { data } = (await get(`/api/v1/ledger/balances?provider_uuid=${connections[1]}`)).body
  const { data: newest } = (await get(`/api/v1/ledger?provider_uuid=${connections[1]}&per_page=1`)).body
  expect(data.balances).toEqual([expectedBalances(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)[1]])
  expect(data.balances[0].closing_balance).toBe(newest[0].balance_after)
})

test('the day of 31 December ends at midnight in São Paulo', async () => {
  const lastDay = `date_from=2025-12-31&date_to=2025-12-31&time_zone=${ZONE}`
  const before = lines.filter(({ at }) => at >= YEAR_END - DAY && at < YEAR_END).length
  expect((await get(`/api/v1/ledger?${lastDay}`)).body.meta.total).toBe(before)
  const firstDay = `date_from=2026-01-01&date_to=2026-01-01&time_zone=${ZONE}`
  const csv = parseCsv((await get(`/api/v1/ledger.csv?${firstDay}`)).text)
  expect(csv.length - 1).toBe(lines.filter(({ at }) => at >= YEAR_END && at < YEAR_END + DAY).length)
  expect(csv.slice(1).every(([at]) => at!.startsWith('2026-01-01 '))).toBe(true)
  expect(csv.slice(1).some(([at]) => at === '2026-01-01 00:00:00')).toBe(true)
})

/** Cells of a file in which no text has a semicolon or a quote. */
const parseCsv = (text: string) =>
  text
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\r\n')
    .map(line => line.split(';'))

test('the CSV has each line once, the oldest first, over several batches', async () => {
  const many = await openAccountWithLines(2_105)
  const [head, ...rows] = parseCsv((await get('/api/v1/ledger.csv', many)).text)
  const value = head!.indexOf('value')
  expect(rows.map(row => row[value])).toEqual(
    Array.from({ length: 2_105 }, (_, n) => ((n + 1) / 100).toFixed(2)),
  )
  expect(new Set(rows.map(row => row[head!.indexOf('line_uuid')])).size).toBe(2_105)
  const ofx = (await get('/api/v1/ledger.ofx', many)).text
  expect(ofx.match(/<STMTTRN>/g)).toHaveLength(2_105)
  expect(/<BALAMT>(.*?)</.exec(ofx)?.[1]).toBe(((2_105 * 2_106) / 200).toFixed(2))
})

/** Lines of 1, 2, 3 … centavos. */
async function openAccountWithLines(count: number): Promise<string> {
  const account = await fixture.insertAccount()
  await insertLines(await fixture.insertConnection(account), count)
  return fixture.insertToken({ accountUuid: account })
}

/** Inserts lines in statements of a thousand: one of ten thousand may exceed `statement_timeout` on a busy machine. */
async function insertLines(connection: string, count: number): Promise<void> {
  for (let first = 1; first <= count; first += 1_000)
    await fixture.orm.em.fork().execute(
      `with made as (
       insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, settled_at, created_at, updated_at)
       select gen_random_uuid(), c.account_uuid, c.provider_account_uuid, c.uuid, 'EXTERNAL_TRANSFER', 'IN', n, 'SETTLED', now(), now(), now()
       from connection c, generate_series(?::int, ?::int) n where c.uuid = ? returning *)
     insert into posting (movement_uuid, account_uuid, provider_account_uuid, type, bucket, cents, balance_cents)
     select uuid, account_uuid, provider_account_uuid, type, bucket, sign * value_cents, 0
     from made cross join (values ('available', 1), ('outside', -1)) as leg (bucket, sign) order by value_cents`,
      [first, Math.min(count, first + 999), connection],
    )
}

test('a file has the lines of a provider account that has none of the newest ten thousand', async () => {
  const account = await fixture.insertAccount()
  const [idle, busy] = [await fixture.insertConnection(account), await fixture.insertConnection(account)]
  await insertLines(idle, 2)
  await insertLines(busy, 10_000)
  const as = await fixture.insertToken({ accountUuid: account })
  const ofIdle = await get(`/api/v1/ledger.csv?provider_uuid=${idle}`, as)
  expect(parseCsv(ofIdle.text)).toHaveLength(1 + 2)
  expect(parseCsv((await get('/api/v1/ledger.csv', as)).text)).toHaveLength(1 + 10_002)
})

test('a file is read as fast as its reader reads, and no further once the reader is gone', async () => {
  const owner = await fixture.insertAccount()
  await insertLines(await fixture.insertConnection(owner), 10_000)
  const em = fixture.orm.em.fork()
  const execute = jest.spyOn(em, 'execute')
  const body = await createLedgerFiles().openCsv({
    em,
    token: { uuid: owner, accountUuid: owner, connectionUuid: null, mode: 'test' },
    query: ledgerCsvQuery.parse({}),
  })
  await once(body, 'readable')
  await sleep(200)
  // The bounds, and a batch or the next one.
  const { length: whileUnread } = execute.mock.calls
  expect(whileUnread).toBeLessThanOrEqual(3)
  body.destroy()
  await sleep(200)
  expect(execute).toHaveBeenCalledTimes(whileUnread)
})

test('files hold texts of payers as texts: no formula, no broken line, no element', async () => {
  const account = await fixture.insertAccount()
  const connection = await fixture.insertConnection(account)
  const bearer = await fixture.insertToken({ accountUuid: account })
  const names = [
    '=cmd|"/c calc"!A1',
    '+55',
    '-1+1',
    '@SUM(A1)',
    'João;"Zé"\r\nda Silva',
    '<STMTTRN>&',
    'Ação ✓ 東京',
    '\t=1+1',
    '\u200b =1+1',
    'Zé,=1+1',
  ]
  for (const [n, name] of names.entries())
    await bookLine(fixture.orm, {
      connection,
      type: 'EXTERNAL_TRANSFER',
      name,
      at: YEAR_END,
      cents: n === 6 ? -150 : 1_234,
      balance: 0,
    })
  const answer = await fetch(`${fixture.server.url}/api/v1/ledger.csv?decimal=comma&time_zone=${ZONE}`, {
    headers: { authorization: `Bearer ${bearer}` },
  })
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="ledger.csv"')
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  const [, ...rows] = bytes.toString('utf8').trimEnd().split('\r\n')
  expect(rows.map(row => row.split(';SETTLED;')[0]!.split(';').slice(0, 5).join(';'))).toEqual([
    ...Array.from({ length: 6 }, () => '2026-01-01 00:00:00;2026-01-01 00:00:00;EXTERNAL_TRANSFER;IN;12,34'),
    '2026-01-01 00:00:00;2026-01-01 00:00:00;EXTERNAL_TRANSFER;OUT;-1,50',
    ...Array.from({ length: 3 }, () => '2026-01-01 00:00:00;2026-01-01 00:00:00;EXTERNAL_TRANSFER;IN;12,34'),
  ])
  const cells = [
    `"'=cmd|""/c calc""!A1"`,
    `'+55`,
    `'-1+1`,
    `'@SUM(A1)`,
    `"João;""Zé"" da Silva"`,
    '<STMTTRN>&',
    'Ação ✓ 東京',
    // What a spreadsheet ignores before a formula, or takes for the end of a cell.
    ` '=1+1`,
    `\u200b '=1+1`,
    `Zé,'=1+1`,
  ]
  for (const [n, row] of rows.entries()) expect(row).toContain(`;${cells[n]};***982247**;`)

  const { text: ofx, headers } = await get(`/api/v1/ledger.ofx?time_zone=${ZONE}`, bearer)
  expect(headers.get('content-type')).toBe('application/x-ofx')
  expect(ofx).toMatch(/^OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\n/)
  expect(ofx).toMatch(/^[\r\n\x20-\x7e]+$/)
  expect(ofx.match(/<STMTTRN>/g)).toHaveLength(10)
  expect([...ofx.matchAll(/<NAME>(.*?)<\/NAME>/g)].map(([, name]) => name)).toEqual([
    ...['=cmd|"/c calc"!A1', '+55', '-1+1', '@SUM(A1)', 'Joao;"Ze" da Silva', '&lt;STMTTRN&gt;&amp;', 'Acao'],
    ...['=1+1', '=1+1', 'Ze,=1+1'],
  ])
  expect(ofx).toContain(
    '<BANKACCTFROM><BANKID>364</BANKID><BRANCHID>0001</BRANCHID><ACCTID>12345-6</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>',
  )
  expect(ofx).toContain('<TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>20260101</DTPOSTED><TRNAMT>-1.50</TRNAMT>')
  const { data } = (await get('/api/v1/ledger', bearer)).body
  expect([...ofx.matchAll(/<FITID>(.*?)</g)].map(([, id]) => id).toReversed()).toEqual(
    data.map(({ line_uuid }: { line_uuid: string }) => line_uuid),
  )
})

const entriesOf = (ofx: string) =>
  [
    ...ofx.matchAll(
      /<TRNTYPE>(.*?)<\/TRNTYPE><DTPOSTED>(.*?)<\/DTPOSTED><TRNAMT>(.*?)<.*?<MEMO>(.*?)<\/MEMO>/g,
    ),
  ].map(([, ...cells]) => cells.join(' '))

test('a tariff, a withdrawal and an opening balance are told apart in OFX', async () => {
  const account = await fixture.insertAccount()
  const connection = await fixture.insertConnection(account)
  const evening = YEAR_END - MINUTE
  for (const [reason, cents] of [
    ['opening_balance', 10_000],
    ['provider_tariff', -150],
    ['provider_withdrawal', -250],
    ['adjustment', 1],
  ] as const)
    await bookLine(fixture.orm, {
      connection,
      type: 'ADJUSTMENT',
      cents,
      balance: 0,
      at: evening,
      ...(reason !== 'adjustment' && { reason }),
    })
  const as = await fixture.insertToken({ accountUuid: account })
  const { text } = await get(`/api/v1/ledger.ofx?time_zone=${ZONE}`, as)
  expect(entriesOf(text)).toEqual([
    // The day of the evening, also for a reader that converts times to UTC.
    'OTHER 20251231 100.00 Saldo inicial',
    'FEE 20251231 -1.50 Tarifa do provedor',
    'DEBIT 20251231 -2.50 Retirada no provedor',
    'CREDIT 20251231 0.01 Ajuste',
  ])
})

test('an order that never left is in no OFX file, unless it was held on one day and released on another', async () => {
  const account = await fixture.insertAccount()
  const connection = await fixture.insertConnection(account)
  const transfer = await fixture.insertTransfer(connection)
  const book = (line: { cents: number; balance: number; at: number } & Partial<BookedLine>) =>
    bookLine(fixture.orm, { connection, type: 'EXTERNAL_TRANSFER', ...line })
  await book({ cents: 9_000, balance: 9_000, at: YEAR_END - HOUR })
  const failed = { transfer, status: 'FAILED' as const }
  for (const [heldAt, cents] of [
    [YEAR_END - 5 * MINUTE, 1_100],
    [YEAR_END - MINUTE, 2_200],
  ] as const) {
    const holdLine = { cents: -cents, balance: 9_000 - cents, at: heldAt, ...failed }
    const movement = await book(holdLine)
    await book({ ...holdLine, type: 'REVERSAL', cents, balance: 9_000, at: heldAt + 2 * MINUTE, movement })
  }
  const today = Date.now()
  await book({ cents: -300, balance: 8_700, at: today, transfer, status: 'PENDING' })
  const as = await fixture.insertToken({ accountUuid: account })
  const file = async (days: string) => (await get(`/api/v1/ledger.ofx?time_zone=${ZONE}${days}`, as)).text
  expect(entriesOf(await file('&date_from=2025-12-31&date_to=2025-12-31'))).toEqual([
    'CREDIT 20251231 90.00 Pix recebido',
    'DEBIT 20251231 -22.00 Pix enviado',
  ])
  const since = await file('&date_from=2026-01-01')
  expect(entriesOf(since)).toEqual(['CREDIT 20260101 22.00 Estorno de Pix nao enviado'])
  expect(/<BALAMT>(.*?)</.exec(since)?.[1]).toBe('90.00')
  expect((await get('/api/v1/ledger', as)).body.data).toHaveLength(6)
})

test('a token of one provider exports its own lines only, and a wrong query none', async () => {
  const bound = await fixture.insertToken({ accountUuid, connectionUuid: connections[1] })
  const csv = parseCsv((await get('/api/v1/ledger.csv', bound)).text)
  expect(csv).toHaveLength(1 + LINES_PER_CONNECTION)
  expect((await get('/api/v1/ledger/balances', bound)).body.data.balances).toHaveLength(1)
  const foreign = `provider_uuid=${connections[0]}`
  expect(parseCsv((await get(`/api/v1/ledger.csv?${foreign}`, bound)).text)).toHaveLength(1)
  expect((await get(`/api/v1/ledger/balances?${foreign}`, bound)).body.data.balances).toEqual([])
  expect((await get(`/api/v1/ledger.ofx?${foreign}`, bound)).text).not.toContain('<STMTRS>')
  for (const [path, field] of [
    ['ledger.csv?decimal=dot', 'decimal'],
    ['ledger.ofx?time_zone=Mars/Base', 'time_zone'],
    ['ledger/balances?type=FEE', 'type'],
  ] as const) {
    const { status, body } = await fixture.call('GET', `/api/v1/${path}`, { token })
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]])
  }
})
