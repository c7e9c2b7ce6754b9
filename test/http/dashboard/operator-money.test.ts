import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { postOpeningBalance } from '../../../src/admin/connections.ts'
import { addUser } from '../../../src/admin/users.ts'
import type { CallerToken } from '../../../src/api/authorization/authenticate.ts'
import { readLedgerBalances } from '../../../src/api/operations/ledger.ts'
import { listSpans, readSettlement } from '../../../src/api/operations/settlement.ts'
import { ledgerBalancesQuery } from '../../../src/contract/ledger/ledger-balances.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { storeAccountEntries } from '../../../src/db/repositories/account-entries.ts'
import { HOUR, MINUTE } from '../../../src/domain/shared/intervals.ts'
import { createSeededRandom } from '../../domain/support/seeded-random.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { bookLine } from '../support/booked-line.ts'
import { createBrowser } from '../support/browser.ts'
import { slowDownWrites } from '../support/failing-writes.ts'
import { PASSWORD } from '../support/full-account.ts'

describe('settlement', () => {
  /** The settlement report: every figure adds up to the ledger, for days and months as the clocks of Brazil have them. */

  const ZONE = 'America/Sao_Paulo'
  /** Midnights around which lines are generated: the end of a year, and the days on which clocks were changed. */
  const MIDNIGHTS = ['2025-12-31', '2026-01-01', '2026-01-02', '2018-02-18', '2018-11-04'].map(
    day => listSpans({ name: day.slice(0, 7), timeZone: ZONE }).find(span => span.name === day)!.from,
  )
  const LINE_TYPES = [
    ...[
      'EXTERNAL_TRANSFER',
      'EXTERNAL_REFUND',
      'SPLIT',
      'FEE',
      'HOLD',
      'ADJUSTMENT',
      'REVERSAL',
      'SHORTFALL',
    ],
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

  const read = (name: string, now = NOW) =>
    readSettlement(fixture.orm.em, token, { name, timeZone: ZONE }, now)

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
          const { opening_balance, closing_balance, lines, totals } = (
            await readBalances(row.span, row.span)
          )[place]!
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

  test('the page of all providers is their sum, and leads to that of each and to the lines of a day', async () => {
    const page = (query = '') => merchant.get(`/dashboard/settlement?mode=test&period=2025-12${query}`)
    const { status, text } = await page()
    expect(status).toBe(200)
    expect(text).toContain('<h1>Fechamento: dezembro de 2025</h1>')
    expect(text).toContain('<h2>Todos os provedores</h2>')
    expect(text).toContain('/dashboard/ledger?mode=test&#38;date_from=2025-12-31&#38;date_to=2025-12-31')
    expect(text).not.toContain('Em andamento')
    const readTotal = (shown: string) =>
      [...shown.matchAll(/<tr class="total">.*?data-label="Saldo final">([^<]+)</gs)].map(([, reais]) =>
        Number(reais!.replaceAll('.', '').replace(',', '.').replace('−', '-')),
      )
    const sums = []
    for (const uuid of connections) {
      expect(text).toContain(`provider_uuid=${uuid}"`)
      const { text: shown } = await page(`&provider_uuid=${uuid}`)
      expect(shown).toContain(
        `/dashboard/ledger?mode=test&#38;provider_uuid=${uuid}&#38;date_from=2025-12-31&#38;date_to=2025-12-31`,
      )
      sums.push(...readTotal(shown))
    }
    expect(sums).toHaveLength(2)
    expect(readTotal(text)).toEqual([expect.closeTo(sums[0]! + sums[1]!, 2)])
    expect((await page(`&provider_uuid=${randomUUID()}`)).status).toBe(404)
  })

  test('the sum of a period, and its days with lines, are there for a phone', async () => {
    const { text } = await merchant.get('/dashboard/settlement?mode=test&period=2025-12')
    const [report] = await read('2025-12')
    expect(text).toMatch(/<dl class="summary"><div><dt>Saldo inicial<\/dt>/)
    const days = [...text.matchAll(/<details id="day-([\d-]+)">/g)].map(([, day]) => day)
    expect(days).toContain('2025-12-31')
    expect(days.length).toBeLessThan(report!.rows.length)
  })

  test('the file has the figures of every provider, or of one', async () => {
    const open = (query = '') =>
      merchant.get(`/dashboard/settlement/settlement.csv?mode=test&period=2025-12${query}`)
    const file = await open('&names=api')
    expect(file.headers.get('content-disposition')).toBe(
      'attachment; filename="fechamento-loja-2025-12-teste.csv"',
    )
    const rows = file.text.replace('\uFEFF', '').trimEnd().split('\r\n')
    expect(rows[0]).toBe(
      'period;is_over;provider;provider_uuid;opening_balance;payments;fees;splits;refunds;transfers;disputes;holds;shortfalls;adjustments;closing_balance;lines',
    )
    expect(rows).toHaveLength(1 + 2 * 31)
    const [report] = await read('2025-12')
    const closing = (report!.total.closingCents / 100).toFixed(2).replace('.', ',')
    expect(rows[31]).toMatch(new RegExp(`^2025-12-31;true;PROVIDER_A;.*;${closing};\\d+$`))
    const ofOne = (await open(`&provider_uuid=${connections[1]}`)).text.trimEnd().split('\r\n')
    expect(ofOne).toHaveLength(1 + 31)
    expect(ofOne[0]).toMatch(
      /^Período;Período encerrado;Provedor;Provedor \(UUID\);Saldo inicial;Pagamentos;/,
    )
    expect(ofOne[31]).toMatch(/^2025-12-31;sim;Provedor B;/)
  })

  test('the document of a period that is over is the same whenever it is made, a page for the sum and each provider', async () => {
    const open = async (language: string, query = '') => {
      merchant.cookies.set('trilho_language', language)
      const answer = await merchant.get(
        `/dashboard/settlement/settlement.pdf?mode=test&period=2025-12${query}`,
      )
      merchant.cookies.delete('trilho_language')
      return answer
    }
    const [first, again] = [await open('pt-BR'), await open('pt-BR')]
    expect([
      first.status,
      first.headers.get('content-type'),
      first.headers.get('content-disposition'),
    ]).toEqual([200, 'application/pdf', 'attachment; filename="fechamento-loja-2025-12-teste.pdf"'])
    expect(again.text).toBe(first.text)
    const pagesOf = (text: string) => text.match(/\/Type \/Page\b(?!s)/g)?.length
    expect(pagesOf(first.text)).toBe(3)
    expect(first.text).toContain('/Lang (pt-BR)')
    const ofOne = await open('en', `&provider_uuid=${connections[0]}`)
    expect(ofOne.headers.get('content-disposition')).toBe(
      'attachment; filename="settlement-loja-2025-12-provider-a-test.pdf"',
    )
    expect([pagesOf(ofOne.text), ofOne.text.includes('/Lang (en)')]).toEqual([1, true])
  })

  test.each(['2026-13', '1999-01', '20260', 'x'])('the period %s is refused', async period => {
    expect((await merchant.get(`/dashboard/settlement?mode=test&period=${period}`)).status).toBe(422)
  })
})

describe('ledger adjustments', () => {
  /** The operator's page of provider entries and adjustments: one operator proposes, another approves. */

  const PATH = '/dashboard/operator/entries'
  const [ANA, BIA] = ['ana@trilho.test', 'bia@trilho.test'] as const

  let fixture: ApiFixture
  let connection: Connection
  let ana: ReturnType<typeof createBrowser>
  let bia: ReturnType<typeof createBrowser>
  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes])
    const accountUuid = await fixture.insertAccount()
    const uuid = await fixture.insertConnection(accountUuid)
    const em = fixture.orm.em.fork()
    connection = await em.findOneOrFail(Connection, uuid)
    await postOpeningBalance(em, connection, 10_000)
    const signedIn = async (email: string) => {
      await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: null })
      const browser = createBrowser(fixture)
      await browser.signIn(email, PASSWORD)
      return browser
    }
    ana = await signedIn(ANA)
    bia = await signedIn(BIA)
  })
  afterAll(() => fixture.close())

  const sql = <Row extends object>(query: string, values: unknown[] = []): Promise<Row[]> =>
    fixture.orm.em.fork().execute(query, values)
  const available = async () =>
    Number(
      (
        await sql<{ cents: string }>(
          `select cents from balance where account_uuid = ? and bucket = 'available'`,
          [connection.accountUuid],
        )
      )[0]!.cents,
    )
  const proposed = () =>
    sql<{ uuid: string; movement_uuid: string | null }>(
      'select uuid, movement_uuid from ledger_adjustment order by proposed_at desc',
    )

  /** A statement entry of so many centavos that is undocumented. */
  async function entry(cents: number): Promise<string> {
    const id = randomUUID()
    await storeAccountEntries(fixture.orm.em.fork(), connection.providerAccountUuid, [
      { id, kind: 'unlisted', type: 'INTERNAL_TRANSFER', cents, at: new Date().toISOString() },
    ])
    const [row] = await sql<{ uuid: string }>('select uuid from account_entry where entry_id = ?', [id])
    return row!.uuid
  }

  const proposal = (more: Record<string, string> = {}) => ({
    connection: connection.uuid,
    direction: 'IN',
    value: '4,00',
    reason: 'from our other account',
    ...more,
  })
  const propose = (form: Record<string, string>) => ana.confirm(`${PATH}/adjust`, form, { on: PATH })
  const approve = (who: typeof ana, adjustment: string, reason = 'seen in the panel') =>
    who.confirm(`${PATH}/approve`, { adjustment, reason }, { on: PATH })

  test('a statement entry is proposed by one operator and posted by another, once', async () => {
    const uuid = await entry(400)
    expect((await ana.get(PATH)).text).toContain(uuid)
    expect((await propose(proposal({ entry: uuid }))).status).toBe(303)
    const adjustment = (await proposed())[0]!.uuid
    expect(await available()).toBe(10_000)

    const ownPage = await ana.get(PATH)
    expect(ownPage.text).toContain('Outro operador precisa aprovar.')
    expect(ownPage.text).not.toContain(`name="adjustment" value="${adjustment}"`)
    expect((await approve(ana, adjustment)).status).toBe(403)
    expect((await approve(bia, adjustment, ' ')).status).toBe(422)
    expect(await available()).toBe(10_000)

    expect((await bia.get(PATH)).text).toContain(`name="adjustment" value="${adjustment}"`)
    expect((await approve(bia, adjustment)).status).toBe(303)
    expect(await available()).toBe(10_400)
    // The same operator's repeat finds it posted.
    expect((await approve(bia, adjustment)).status).toBe(303)
    expect(await available()).toBe(10_400)
    const { text } = await bia.get(PATH)
    expect([text.includes(uuid), text.includes(adjustment)]).toEqual([false, false])
    expect(
      await sql('select actor, action from operator_action where subject = ? order by action', [
        `adjustment/${adjustment}`,
      ]),
    ).toEqual([
      { actor: ANA, action: 'ledger_adjust' },
      { actor: BIA, action: 'ledger_approve' },
    ])
  })

  test('a correction without an entry parses the amount in the page’s language', async () => {
    expect((await propose(proposal({ direction: 'OUT', value: '1.234,56' }))).status).toBe(303)
    const [row] = await sql(
      'select movement_type, value_cents::int as cents from ledger_adjustment order by proposed_at desc limit 1',
    )
    expect(row).toEqual({ movement_type: 'OUT', cents: 123_456 })
  })

  test.each<[what: string, form: () => Promise<Record<string, string>>, status: number]>([
    ['no amount', async () => proposal({ value: 'abc' }), 422],
    ['nothing', async () => proposal({ value: '0,00' }), 422],
    ['no reason', async () => proposal({ reason: '' }), 422],
    ['an unknown connection', async () => proposal({ connection: randomUUID() }), 422],
    ['no direction', async () => proposal({ direction: '' }), 422],
    ['another value than its entry', async () => proposal({ entry: await entry(500) }), 422],
    ['an entry that is there no more', async () => proposal({ entry: randomUUID() }), 409],
  ])('%s is refused, and nothing is proposed', async (_, form, status) => {
    const before = await proposed()
    expect((await propose(await form())).status).toBe(status)
    expect(await proposed()).toEqual(before)
  })

  test('a proposal that expired, was already posted, or does not exist is not posted', async () => {
    const [late] = await sql<{ uuid: string }>(
      `insert into ledger_adjustment (uuid, account_uuid, connection_uuid, movement_type, value_cents, reason, proposed_by,
       proposed_at, expires_at)
     select gen_random_uuid(), ?, ?, 'IN', 400, 'old', uuid, now() - interval '9 days', now() - interval '2 days'
     from app_user where email = ? returning uuid`,
      [connection.accountUuid, connection.uuid, ANA],
    )
    expect((await approve(bia, late!.uuid)).status).toBe(409)
    expect((await approve(bia, randomUUID())).status).toBe(404)
    const [booked] = (await proposed()).filter(one => one.movement_uuid !== null)
    const email = 'cora@trilho.test'
    await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: null })
    const cora = createBrowser(fixture)
    await cora.signIn(email, PASSWORD)
    const before = await available()
    expect((await approve(cora, booked!.uuid)).status).toBe(409)
    expect(await available()).toBe(before)
  })

  test('a proposal and an approval that are late are rolled back, so that none is booked after the answer', async () => {
    const before = [await proposed(), await available()]
    const whileSlow = async (send: () => ReturnType<typeof propose>) => {
      const writes = await slowDownWrites(sql, ['ledger_adjustment', 'operator_action'])
      const { status } = await send()
      await writes.end()
      return status
    }
    expect(await whileSlow(() => propose(proposal({ value: '7,31' })))).toBe(503)
    expect([await proposed(), await available()]).toEqual(before)

    expect((await propose(proposal({ value: '7,31' }))).status).toBe(303)
    const { uuid } = (await proposed())[0]!
    expect(await whileSlow(() => approve(bia, uuid))).toBe(503)
    expect([(await proposed())[0]!.movement_uuid, await available()]).toEqual([null, before[1]])
  })
})
