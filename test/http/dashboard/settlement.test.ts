import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import type { CallerToken } from '../../../src/api/authorization/authenticate.ts'
import { readLedgerBalances } from '../../../src/api/operations/ledger.ts'
import { listSpans, readSettlement } from '../../../src/api/operations/settlement.ts'
import { ledgerBalancesQuery } from '../../../src/contract/ledger/ledger-balances.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { HOUR, MINUTE } from '../../../src/domain/shared/intervals.ts'
import { createSeededRandom } from '../../domain/support/seeded-random.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { bookLine } from '../support/booked-line.ts'
import { createBrowser } from '../support/browser.ts'
import { PASSWORD } from '../support/full-account.ts'

/** The settlement report: every figure adds up to the ledger, for days and months as the clocks of Brazil have them. */

const ZONE = 'America/Sao_Paulo'
/** Midnights around which lines are generated: the end of a year, and the days on which clocks were changed. */
const MIDNIGHTS = ['2025-12-31', '2026-01-01', '2026-01-02', '2018-02-18', '2018-11-04'].map(
  day => listSpans({ name: day.slice(0, 7), timeZone: ZONE }).find(span => span.name === day)!.from,
)
const LINE_TYPES = [
  ...['EXTERNAL_TRANSFER', 'EXTERNAL_REFUND', 'SPLIT', 'FEE', 'HOLD', 'ADJUSTMENT', 'REVERSAL', 'SHORTFALL'],
]
/** 2026-01-02 12:00 in São Paulo. */
const NOW = new Date('2026-01-02T15:00:00Z')

let fixture: ApiFixture
let token: CallerToken
let connections: string[]
let merchant: ReturnType<typeof createBrowser>
const random = createSeededRandom(20_260_101)

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  const accountUuid = await fixture.insertAccount()
  connections = [
    await fixture.insertConnection(accountUuid, { createdAt: new Date(0) }),
    await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_B', createdAt: new Date(1) }),
  ]
  token = { uuid: accountUuid, accountUuid, connectionUuid: null, mode: 'test', modeScope: 'test' }
  for (const connection of connections) {
    const transfer = await fixture.insertTransfer(connection)
    let balance = 0
    for (const midnight of MIDNIGHTS.toSorted((a, b) => a.getTime() - b.getTime()))
      for (const at of [-3 * HOUR, -HOUR, -MINUTE, -1, 0, 1, HOUR, 5 * HOUR].map(
        ms => midnight.getTime() + ms,
      )) {
        const cents =
          balance > 0 && random.upTo(2) === 0 ? -1 - random.upTo(balance - 1) : 1 + random.upTo(9_999)
        balance += cents
        const type = LINE_TYPES[random.upTo(LINE_TYPES.length - 1)]!
        const isTransfer = type === 'REVERSAL' || (type === 'EXTERNAL_TRANSFER' && cents < 0)
        await bookLine(fixture.orm, {
          connection,
          type,
          cents,
          balance,
          at,
          name: 'Ana',
          ...(isTransfer && { transfer, status: 'FAILED' as const }),
        })
      }
  }
  const email = 'fechamento@loja.example'
  await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid })
  merchant = createBrowser(fixture)
  await merchant.signIn(email, PASSWORD)
})
afterAll(() => fixture?.close())

const read = (name: string, now = NOW) => readSettlement(fixture.orm.em, token, { name, timeZone: ZONE }, now)

/** The balances that the statement has of the same days. */
async function readBalances(dateFrom: string, dateTo: string) {
  const query = ledgerBalancesQuery.parse({ date_from: dateFrom, date_to: dateTo, time_zone: ZONE })
  return (await readLedgerBalances(fixture.orm.em.fork(), token, query)).balances
}

describe('every figure adds up to the ledger', () => {
  test.each(['2025-12', '2026-01', '2018-02', '2018-11'])('by day in %s', async month => {
    const reports = await read(month)
    expect(reports.map(({ connectionUuid }) => connectionUuid)).toEqual(connections)
    for (const [place, report] of reports.entries()) {
      expect(report.rows.some(({ lines }) => lines > 0)).toBe(true)
      for (const row of report.rows) {
        const { opening_balance, closing_balance, lines, totals } = (await readBalances(row.span, row.span))[
          place
        ]!
        expect([row.span, row.openingCents, row.closingCents, row.lines]).toEqual([
          ...[row.span, opening_balance, closing_balance, lines],
        ])
        const moved = Object.values(row.figures).reduce((sum, cents) => sum + cents, 0)
        expect(moved).toBe(row.closingCents - row.openingCents)
        const typed = (...types: string[]) =>
          totals.filter(({ type }) => types.includes(type)).reduce((sum, one) => sum + one.in - one.out, 0)
        expect(row.figures).toMatchObject({
          fees: typed('FEE'),
          splits: typed('SPLIT'),
          adjustments: typed('ADJUSTMENT'),
          disputes: 0,
          holds: typed('HOLD'),
          shortfalls: typed('SHORTFALL'),
          refunds: typed('EXTERNAL_REFUND'),
        })
        expect(row.figures.payments + row.figures.transfers).toBe(typed('EXTERNAL_TRANSFER', 'REVERSAL'))
      }
      expect(report.total.closingCents).toBe(report.rows.at(-1)!.closingCents)
    }
  })

  test('by month in a year, as its months by day', async () => {
    for (const [place, report] of (await read('2018')).entries())
      for (const row of report.rows) {
        const month = (await read(row.span))[place]!.total
        expect([row.span, row.openingCents, row.figures, row.closingCents]).toEqual([
          ...[row.span, month.openingCents, month.figures, month.closingCents],
        ])
      }
  })
})

test('the day of a clock change has 23 or 25 hours, and no moment is in two days', () => {
  for (const [month, day, hours] of [
    ['2018-11', '2018-11-04', 23],
    ['2018-02', '2018-02-17', 25],
    ['2026-01', '2026-01-01', 24],
  ] as const) {
    const spans = listSpans({ name: month, timeZone: ZONE })
    const span = spans.find(({ name }) => name === day)!
    expect((span.before.getTime() - span.from.getTime()) / HOUR).toBe(hours)
    for (const [index, one] of spans.slice(1).entries()) expect(one.from).toEqual(spans[index]!.before)
  }
})

test('a day that is not over says so, and one that has not begun is not shown', async () => {
  const [{ rows, total }] = (await read('2026-01')) as [Awaited<ReturnType<typeof read>>[number]]
  expect(rows.map(({ span, isRunning }) => [span, isRunning])).toEqual([
    ['2026-01-01', false],
    ['2026-01-02', true],
  ])
  expect(total.isRunning).toBe(true)
  expect(await read('2026-02')).toEqual([])
})

test('the page and its file have the same figures, and lead to the lines of a day', async () => {
  const { status, text } = await merchant.get('/dashboard/settlement?mode=test&period=2025-12')
  expect(status).toBe(200)
  expect(text).toContain('<h1>Fechamento: dezembro de 2025</h1>')
  expect(text).toContain(`provider_uuid=${connections[0]}&amp;date_from=2025-12-31&amp;date_to=2025-12-31`)
  expect(text).not.toContain('Em andamento')
  const file = await merchant.get('/dashboard/settlement/settlement.csv?mode=test&period=2025-12')
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="settlement-2025-12-test.csv"')
  const rows = file.text.replace('\uFEFF', '').trimEnd().split('\r\n')
  expect(rows[0]).toBe(
    'period;is_over;provider;provider_uuid;opening_balance;payments;fees;splits;refunds;transfers;disputes;holds;shortfalls;adjustments;closing_balance;lines',
  )
  expect(rows).toHaveLength(1 + 2 * 31)
  const [report] = await read('2025-12')
  const closing = (report!.total.closingCents / 100).toFixed(2).replace('.', ',')
  expect(rows[31]).toMatch(new RegExp(`^2025-12-31;true;PROVIDER_A;.*;${closing};\\d+$`))
})

test.each(['2026-13', '1999-01', '20260', 'x'])('the period %s is refused', async period => {
  expect((await merchant.get(`/dashboard/settlement?mode=test&period=${period}`)).status).toBe(422)
})
