import { randomUUID } from 'node:crypto'
import { crc32, inflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { findProviderStatistics } from '../../../src/db/repositories/account-statistics.ts'
import { PREFLIGHT_CODES } from '../../../src/domain/payouts/unsent-code.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { bookLine } from '../support/booked-line.ts'
import { createBrowser } from '../support/browser.ts'
import { createFullAccount, MALICIOUS_TEXT, PASSWORD } from '../support/full-account.ts'

describe('search', () => {
  /** One search finds every operation of an account by what a person may know of it, and nothing of another account. */

  let fixture: ApiFixture
  let ours: Awaited<ReturnType<typeof createFullAccount>>
  let merchant: ReturnType<typeof createBrowser>
  let stranger: ReturnType<typeof createBrowser>

  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes])
    ours = await createFullAccount(fixture)
    const other = await createFullAccount(fixture)
    merchant = createBrowser(fixture)
    stranger = createBrowser(fixture)
    await merchant.signIn(ours.email, PASSWORD)
    await stranger.signIn(other.email, PASSWORD)
    await ours.sql(
      `update charge set external_ref = 'pedido 77', txid = 'txid77', end_to_end = 'E77' where uuid = ?`,
      [ours.open],
    )
    await ours.sql(`update movement set sender = ? where charge_uuid = ?`, [
      JSON.stringify({ name: 'Maria da 100% Silva', document: '11144477735' }),
      ours.charge,
    ])
    await ours.sql(`update transfer set pix_key = 'joana@example.com' where uuid = ?`, [ours.transfer])
  })
  afterAll(() => fixture.close())

  const search = (browser: typeof merchant, text: string) =>
    browser.get(`/dashboard/search?mode=test&q=${encodeURIComponent(text)}`)
  const linksOf = (text: string) =>
    [...text.matchAll(/href="\/dashboard\/(?:charges|transfers|disputes)\/([\da-f-]{36})"/g)].map(
      match => match[1],
    )

  test.each<[string, () => string, () => string | string[]]>([
    ['a whole uuid', () => ours.open, () => ours.open],
    [
      'an uuid without dashes, in capitals',
      () => ours.open.replaceAll('-', '').toUpperCase(),
      () => ours.open,
    ],
    ['the beginning of an uuid', () => ours.transfer.slice(0, 13), () => ours.transfer],
    ['a dispute', () => ours.dispute.slice(0, 18), () => ours.dispute],
    ['a reference', () => 'pedido 77', () => ours.open],
    ['a txid', () => 'txid77', () => ours.open],
    ['an end-to-end id', () => 'E77', () => ours.open],
    ['a PIX key', () => ' Joana@Example.com', () => ours.transfer],
    ["the beginning of a payer's name", () => 'maria DA 100%', () => [ours.charge, ours.dispute]],
    ["a payer's document, with its mask", () => '111.444.777-35', () => [ours.charge, ours.dispute]],
  ])('%s is found by its account only', async (_, typed, expected) => {
    const answer = await search(merchant, typed())
    expect([answer.status, linksOf(answer.text)]).toEqual([200, [expected()].flat()])
    expect(linksOf((await search(stranger, typed())).text)).toEqual([])
  })

  test('an amount finds every operation of it, in the notation of the language', async () => {
    const links = linksOf((await search(merchant, '25,90')).text)
    expect(links.toSorted()).toEqual([ours.transfer, ours.held, ours.waiting].toSorted())
    expect(linksOf((await search(merchant, 'R$ 1.234,56')).text).toSorted()).toEqual(
      expect.arrayContaining([ours.charge, ours.open].toSorted()),
    )
  })

  test('of an amount that more than a thousand charges have, the newest are found, newest first', async () => {
    const copies = await ours.sql(
      `insert into charge select (jsonb_populate_record(c, jsonb_build_object('uuid', gen_random_uuid(), 'payment_uuid',
       gen_random_uuid(), 'value_cents', 77777, 'total_cents', 77777, 'created_at', now() - interval '2 days' + n * interval '1 minute'))).*
     from charge c, generate_series(1, 1100) n where c.uuid = ? returning uuid`,
      [ours.open],
    )
    const newest = copies.map(({ uuid }) => String(uuid)).slice(-20)
    expect(linksOf((await search(merchant, '777,77')).text)).toEqual(newest.toReversed())
  })

  test.each([MALICIOUS_TEXT, '%', '_', "'", '\0', '\\', 'x'.repeat(2_000), '  ', '-', '---'])(
    'the text %j finds nothing and breaks nothing',
    async text => {
      const { status, text: page } = await search(stranger, text)
      expect([status, page.includes('<script>alert')]).toEqual([200, false])
    },
  )

  test('the menu counts disputes that wait for an answer, and their list is ordered by deadline', async () => {
    const { text } = await merchant.get('/dashboard/disputes?mode=test')
    expect(text).toMatch(/Contestações<span class="count">1/)
    expect(text.indexOf('A responder: 1')).toBeLessThan(text.indexOf('<details class="filters"'))
  })

  test('the payments without a charge of an account are listed, with the charge they were meant for', async () => {
    const { text } = await merchant.get('/dashboard/unmatched?mode=test')
    expect(text).toContain('<tbody>')
    expect(text).toMatch(/Pagamentos sem cobrança<span class="count">1/)
    expect(text).not.toContain('<script>alert')
  })
})

describe('list files', () => {
  /** Every list of a merchant as CSV: what its page shows, all of it, as a Brazilian Excel reads it. */

  let fixture: ApiFixture
  let ours: Awaited<ReturnType<typeof createFullAccount>>
  let merchant: ReturnType<typeof createBrowser>
  let stranger: ReturnType<typeof createBrowser>

  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes])
    ours = await createFullAccount(fixture)
    merchant = createBrowser(fixture)
    await merchant.signIn(ours.email, PASSWORD)
    const accountUuid = await fixture.insertAccount()
    await addUser(fixture.orm.em.fork(), { email: 'file@trilho.test', password: PASSWORD, accountUuid })
    stranger = createBrowser(fixture)
    await stranger.signIn('file@trilho.test', PASSWORD)
  })
  afterAll(() => fixture?.close())

  /** Each file with the beginning of its headings: in the page's language, and by the names of the API. */
  const FILES = [
    ['charges/charges.csv', 'Criado em;Situação;Valor;', 'created_at;status;value;'],
    ['transfers/transfers.csv', 'Criado em;Situação;Resultado;Valor;', 'created_at;status;outcome;value;'],
    ['refunds/refunds.csv', 'Criado em;Situação;Valor;', 'created_at;status;value;'],
    ['disputes/disputes.csv', 'Criado em;Situação;Origem;', 'created_at;status;med_type;'],
    ['unmatched/unmatched.csv', 'Criado em;Destino;Valor;', 'created_at;disposition;value;'],
    ['events/events.csv', 'Ocorrido em;Tipo;Situação;', 'timestamp;type;status;'],
    ['keys/keys.csv', 'Criado em;Tipo;Chave Pix;', 'created_at;type;key;'],
    ['recurrences/recurrences.csv', 'Criado em;Situação;Em atraso;', 'created_at;status;is_past_due;'],
    ['qr-codes/qr-codes.csv', 'Criado em;Situação;Valor;', 'created_at;status;value;'],
    ['transfers/batches/batches.csv', 'Criado em;Situação;Nome;', 'created_at;status;name;'],
    ['ledger/ledger.csv', 'Criado em;Liquidado em;Tipo;', 'created_at;settled_at;type;'],
    ['settlement/settlement.csv', 'Período;Período encerrado;', 'period;is_over;'],
  ] as const
  const filesOfAccount = () => [
    ...FILES.map(([path, ...headings]) => [`/dashboard/${path}`, ...headings] as const),
    [
      `/dashboard/webhooks/${ours.webhook}/deliveries.csv`,
      'Criado em;Situação;Tipo do evento;',
      'created_at;status;event_type;',
    ] as const,
  ]

  /** The rows of a file, as cells. No text of this test has a quote inside. */
  async function readFile(path: string): Promise<string[][]> {
    const { status, text } = await merchant.get(path)
    expect([path, status]).toEqual([path, 200])
    const [, ...rows] = text.replace('\uFEFF', '').trimEnd().split('\r\n')
    return rows.map(row => row.split(';'))
  }

  test('a file is UTF-8 with BOM and semicolons, and each list links to its own', async () => {
    for (const [path, heading] of filesOfAccount()) {
      const { status, headers, text } = await merchant.get(path)
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/csv; charset=utf-8'])
      expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.csv"$/)
      // `Response.text` removes the BOM.
      expect(text.startsWith(heading)).toBe(true)
      const list = path.slice(0, path.lastIndexOf('/'))
      const page = await merchant.get(list)
      if (page.text.includes('class="pages"') && !page.text.includes('Nenhum resultado'))
        expect([list, page.text.includes(`="${path}`)]).toEqual([list, true])
    }
  })

  test('a file has the words of the page, and with `names=api` the columns and the codes of the API', async () => {
    for (const [path, , heading] of filesOfAccount()) {
      const [named, ofApi] = [await merchant.get(path), await merchant.get(`${path}?names=api`)]
      expect(ofApi.text.startsWith(heading)).toBe(true)
      const count = (text: string) => text.slice(0, text.indexOf('\r\n')).split(';').length
      // No two columns have one name.
      expect([path, count(named.text)]).toEqual([path, count(ofApi.text)])
      expect([
        path,
        named.text.match(/;(PENDING|PAID|FAILED|PROVIDER_[A-D]|EXTERNAL_TRANSFER|true|false);/),
      ]).toEqual([path, null])
    }
    const [charges, ofApi] = ['', '?names=api'].map(query =>
      merchant.get(`/dashboard/charges/charges.csv${query}`),
    )
    expect((await charges)!.text).toContain(';Paga;1234,56;')
    expect((await ofApi)!.text).toContain(';PAID;1234,56;')
  })

  test('the bytes of a file begin with the mark by which Excel reads UTF-8', async () => {
    const answer = await fetch(`${fixture.server.url}/dashboard/charges/charges.csv`, {
      headers: { cookie: [...merchant.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    expect(
      Buffer.from(await answer.arrayBuffer())
        .subarray(0, 3)
        .toString('hex'),
    ).toBe('efbbbf')
  })

  test('a file needs a session, and has no row of another account', async () => {
    for (const [path] of filesOfAccount()) {
      expect([path, (await createBrowser(fixture).get(path)).status]).toEqual([path, 303])
      const { status, text } = await stranger.get(path)
      if (path.includes('webhooks')) expect([path, status]).toEqual([path, 404])
      else expect([path, status, text.trimEnd().includes('\r\n')]).toEqual([path, 200, false])
    }
  })

  test.each(['=cmd|calc!A0', '+1+1', '-2+3', '@SUM(A1)', '\t=1+1', '\r=1+1', "=1+1';DROP"])(
    'a reference %j runs nothing in a spreadsheet',
    async text => {
      await ours.sql('update charge set external_ref = ? where uuid = ?', [text, ours.open])
      const file = (await merchant.get('/dashboard/charges/charges.csv?status=PENDING')).text
      const shown = text.replaceAll(/[\t\r]/g, ' ')
      expect(file).toContain(shown.startsWith(' ') ? `; '${shown.trimStart()};` : `'${shown}`)
      expect(file).not.toMatch(/(^|;|\n)"?[=+@\t\r]/)
      expect(file).not.toMatch(/(^|;|\n)"?-(?!\d+,\d\d(;|\r))/)
    },
  )

  test('a file has what the filters of its page select, by days of Brasília and with decimal commas', async () => {
    await ours.sql('update charge set external_ref = ?, created_at = ? where uuid = ?', [
      ...['pedido 7', new Date('2026-01-01T02:59:59Z'), ours.open],
    ])
    const on = (day: string) =>
      readFile(`/dashboard/charges/charges.csv?names=api&date_from=${day}&date_to=${day}&page=3`)
    expect(await on('2026-01-01')).toEqual([])
    const [row] = await on('2025-12-31')
    expect(row?.slice(0, 3)).toEqual(['2025-12-31 23:59:59', 'PENDING', '1234,56'])
    const shown = await merchant.get('/dashboard/charges?date_from=2025-12-31&date_to=2025-12-31')
    expect(shown.text).toContain(ours.open)
    expect(
      (await merchant.get('/dashboard/charges?date_from=2026-01-01&date_to=2026-01-01')).text,
    ).not.toContain(ours.open)
    const refused = await merchant.get('/dashboard/charges/charges.csv?date_from=ontem')
    expect([refused.status, refused.headers.get('content-type')]).toEqual([422, 'text/html; charset=utf-8'])
  })

  test('a document is written so that a spreadsheet takes it as a text', async () => {
    const { text } = await merchant.get('/dashboard/charges/charges.csv?status=PAID')
    expect(text).toContain(';529.982.247-25;')
  })

  test('a file has every row of a list that is longer than a batch, each once', async () => {
    const count = 230
    await ours.sql(
      `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, pix_key,
       external_ref, request_id, fingerprint, created_at, updated_at)
     select gen_random_uuid(), account_uuid, uuid, provider_account_uuid, 'created', n, 'maria@example.com', 'linha ' || n,
       'r', 'f', now() - n * interval '1 second', now()
     from connection, generate_series(1, ?) n where uuid = ?`,
      [count, ours.connection],
    )
    const file = await readFile('/dashboard/transfers/transfers.csv?pix_key=maria@example.com')
    const references = file.map(row => row[8])
    expect(references).toEqual(Array.from({ length: count }, (_, index) => `linha ${index + 1}`))
  })
})

describe('statement', () => {
  /** The statement page: balances by provider, the other side of each line, and days as Brazil has them. */

  const YEAR_END = Date.parse('2026-01-01T03:00:00Z') // Midnight in São Paulo.
  const MINUTE = 60_000
  /** Days that have every line. */
  const ALL = '&date_from=2025-01-01'

  let fixture: ApiFixture
  let merchant: ReturnType<typeof createBrowser>
  let connections: [string, string]
  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes])
    const account = await fixture.insertAccount()
    connections = [
      await fixture.insertConnection(account, { createdAt: new Date(0) }),
      await fixture.insertConnection(account, { provider: 'PROVIDER_B', createdAt: new Date(1) }),
    ]
    const [first, second] = connections
    const transfer = {
      transfer: await fixture.insertTransfer(second),
      status: 'FAILED' as const,
      name: 'João Lima',
    }
    const type = 'EXTERNAL_TRANSFER'
    for (const line of [
      { connection: first, type, cents: 70_000, balance: 70_000, at: YEAR_END - MINUTE, name: 'Ana Souza' },
      { connection: first, type: 'FEE', cents: -25, balance: 69_975, at: YEAR_END - MINUTE },
      { connection: second, type, cents: 5_000, balance: 5_000, at: YEAR_END, name: 'Bia' },
      { connection: second, type, cents: -1_111, balance: 3_889, at: YEAR_END + MINUTE, ...transfer },
      {
        connection: second,
        type: 'REVERSAL',
        cents: 1_111,
        balance: 5_000,
        at: YEAR_END + 2 * MINUTE,
        ...transfer,
      },
    ])
      await bookLine(fixture.orm, line)
    const email = 'ana@loja.example'
    await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: account })
    merchant = createBrowser(fixture)
    await merchant.signIn(email, PASSWORD)
  })
  afterAll(() => fixture?.close())

  /** Cells of the tables of a page, row by row, as they read. */
  async function readRows(query = ''): Promise<string[][]> {
    const { status, text } = await merchant.get(`/dashboard/ledger?mode=test${query}`)
    expect(status).toBe(200)
    return [...text.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row]) =>
      [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) =>
        cell!
          .replaceAll(/<[^>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      ),
    )
  }

  test('lines of several providers show no balance, and the reversal of an unsent transfer is no PIX received', async () => {
    const rows = await readRows(ALL)
    expect(rows).toContainEqual(['Provedor A', 'R$ 0,00', 'R$ 700,00', 'R$ 0,25', 'R$ 699,75'])
    expect(rows).toContainEqual(['Provedor B', 'R$ 0,00', 'R$ 61,11', 'R$ 11,11', 'R$ 50,00'])
    expect(rows).toContainEqual(['Todos os provedores', 'R$ 0,00', 'R$ 761,11', 'R$ 11,36', 'R$ 749,75'])
    const lines = rows.slice(rows.findIndex(([head]) => head === 'Horário')).filter(row => row.length > 1)
    expect(lines.map(([, type, party, , , value, balance]) => [type, party, value, balance])).toEqual([
      ['Tipo', 'Pagador ou recebedor', 'Valor', undefined],
      ['Estorno não enviado', 'João Lima ***982247**', '+R$ 11,11', undefined],
      ['Pix não enviado', 'João Lima ***982247**', '−R$ 11,11', undefined],
      ['Pix', 'Bia ***982247**', '+R$ 50,00', undefined],
      ['Tarifa', '–', '−R$ 0,25', undefined],
      ['Pix', 'Ana Souza ***982247**', '+R$ 700,00', undefined],
    ])
  })

  test('lines are below their day, with the sum of what the filters select on all of it', async () => {
    const headings = async (query: string) =>
      (await readRows(query)).flatMap(([heading, ...others]) => (others.length === 0 ? [heading] : []))
    expect(await headings(ALL)).toEqual([
      '01/01/2026 Entradas R$ 61,11 , Saídas R$ 11,11',
      '31/12/2025 Entradas R$ 700,00 , Saídas R$ 0,25',
    ])
    // The sum is of the day, whatever part of it is on the page.
    expect(await headings(`${ALL}&per_page=1&page=2`)).toEqual([
      '01/01/2026 Entradas R$ 61,11 , Saídas R$ 11,11',
    ])
    expect(await headings(`${ALL}&type=FEE`)).toEqual(['31/12/2025 Entradas R$ 0,00 , Saídas R$ 0,25'])
  })

  test('the page opens on the current month, and leads to the month before and to all lines', async () => {
    const { text } = await merchant.get('/dashboard/ledger?mode=test')
    const month = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo' })
      .format(new Date())
      .slice(0, 'YYYY-MM'.length)
    expect(text).toContain(`name="date_from" type="date" value="${month}-01"`)
    expect(text).toMatch(new RegExp(`name="date_to" type="date" value="${month}-\\d\\d"`))
    expect(text).not.toContain('Ana Souza')
    expect(text).toMatch(/<strong aria-current="page">Este mês<\/strong>/)
    expect(text).toMatch(/<details class="filters">/)
    const link = /<a href="([^"]+)">Desde o início<\/a>/.exec(text)![1]!.replaceAll('&#38;', '&')
    const all = await merchant.get(link)
    expect(all.text).toContain('Ana Souza')
    expect(all.text).toMatch(/<strong aria-current="page">Desde o início<\/strong>/)
    const [operation] = /\/dashboard\/transfers\/([\da-f-]{36})/.exec(all.text)!.slice(1)
    // The lines of one operation, or of one PIX, are those of any day.
    expect((await merchant.get(`/dashboard/ledger?mode=test&operation_uuid=${operation}`)).text).toContain(
      'João Lima',
    )
  })

  test.each([
    ['', 'extrato-loja-teste'],
    ['&date_from=2026-01-01&date_to=2026-01-31', 'extrato-loja-2026-01-teste'],
    ['&date_from=2026-01-01&date_to=2026-01-30', 'extrato-loja-2026-01-01_2026-01-30-teste'],
    ['&date_from=2026-02-28', 'extrato-loja-2026-02-28-teste'],
    ['&provider_uuid=second', 'extrato-loja-provedor-b-teste'],
  ])('a file of the days and the provider of %s is named so', async (query, name) => {
    const url = `/dashboard/ledger/ledger.csv?mode=test${query.replace('second', connections[1])}`
    const { headers } = await merchant.get(url)
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${name}.csv"`)
  })

  test('the page of several providers has an OFX file of each', async () => {
    const { text } = await merchant.get(`/dashboard/ledger?mode=test${ALL}`)
    for (const uuid of connections)
      expect(text).toMatch(new RegExp(`ledger\\.ofx\\?[^"]*provider_uuid=${uuid}"`))
  })

  test('all providers have one archive with an OFX file of each, which are those that each alone has', async () => {
    const days = '&date_from=2025-12-31&date_to=2026-01-01'
    const page = await merchant.get(`/dashboard/ledger?mode=test${days}`)
    expect(page.text).toContain('formaction="/dashboard/ledger/ledger.zip"')
    const settlement = await merchant.get('/dashboard/settlement?mode=test&period=2026-01')
    expect(settlement.text).toContain('/dashboard/ledger/ledger.zip?')
    const cookie = [...merchant.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(`${fixture.server.url}/dashboard/ledger/ledger.zip?mode=test${days}`, {
      headers: { cookie, 'accept-language': 'pt-BR' },
    })
    const name = 'extrato-loja-2025-12-31_2026-01-01'
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${name}-teste.zip"`)
    const entries = readZipFile(Buffer.from(await answer.arrayBuffer()))
    expect([...entries.keys()].sort()).toEqual([
      `${name}-provedor-a-teste.ofx`,
      `${name}-provedor-b-teste.ofx`,
    ])
    for (const [index, provider] of ['a', 'b'].entries()) {
      const alone = await merchant.get(
        `/dashboard/ledger/ledger.ofx?mode=test${days}&provider_uuid=${connections[index]}`,
      )
      expect(entries.get(`${name}-provedor-${provider}-teste.ofx`)).toBe(alone.text)
    }
  })

  test('one provider shows its balance after each line', async () => {
    const rows = await readRows(`${ALL}&provider_uuid=${connections[1]}`)
    expect(rows.slice(-3).map(row => row.at(-1))).toEqual(['R$ 50,00', 'R$ 38,89', 'R$ 50,00'])
    expect((await readRows(`${ALL}&type=FEE`)).at(-1)).toContain('−R$ 0,25')
  })

  test('31 December ends at midnight in São Paulo, on the page and in its files', async () => {
    const lastDay = '&date_from=2025-12-31&date_to=2025-12-31'
    const firstDay = '&date_from=2026-01-01&date_to=2026-01-01'
    expect(await readRows(lastDay)).toContainEqual([
      'Provedor A',
      'R$ 0,00',
      'R$ 700,00',
      'R$ 0,25',
      'R$ 699,75',
    ])
    expect(await readRows(firstDay)).toContainEqual([
      'Provedor A',
      'R$ 699,75',
      'R$ 0,00',
      'R$ 0,00',
      'R$ 699,75',
    ])
    const csv = (await merchant.get(`/dashboard/ledger/ledger.csv?mode=test&names=api${lastDay}`)).text
    expect(
      csv
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map(row => row.split(';').slice(0, 6).join(' ')),
    ).toEqual([
      '2025-12-31 23:59:00 2025-12-31 23:59:00 EXTERNAL_TRANSFER IN 700,00 700,00',
      '2025-12-31 23:59:00 2025-12-31 23:59:00 FEE OUT -0,25 699,75',
    ])
    const ofx = await merchant.get(`/dashboard/ledger/ledger.ofx?mode=test${firstDay}`)
    expect(ofx.headers.get('content-disposition')).toBe(
      'attachment; filename="extrato-loja-2026-01-01-teste.ofx"',
    )
    expect([...ofx.text.matchAll(/<BALAMT>(.*?)</g)].map(([, amount]) => amount)).toEqual(['699.75', '50.00'])
    // The transfer that never left is no entry of a bank.
    expect([...ofx.text.matchAll(/<DTPOSTED>(.*?)<.*?<TRNAMT>(.*?)</g)].map(([, ...cells]) => cells)).toEqual(
      [['20260101', '50.00']],
    )
  })
})

describe('provider statistics', () => {
  /** Performance of the providers, as the overview shows it. */

  let fixture: ApiFixture

  beforeAll(async () => {
    fixture = await openApiFixture([])
  })
  afterAll(() => fixture.close())

  type StoredAttempt = { state: string; code?: string; isRefusedBeforeCall?: boolean }

  async function readStatistics(attempts: StoredAttempt[]) {
    const accountUuid = await fixture.insertAccount()
    const connection = await fixture.insertConnection(accountUuid)
    const em = fixture.orm.em.fork()
    for (const { state, code = null, isRefusedBeforeCall = false } of attempts)
      await em.execute(
        `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state, code,
         is_refused_before_call, created_at, updated_at)
       select ?, 'transfer', ?, uuid, provider_account_uuid, 0, ?, ?, ?, now(), now() from connection where uuid = ?`,
        [randomUUID(), randomUUID(), state, code, isRefusedBeforeCall, connection],
      )
    const [statistics] = await findProviderStatistics(em, { accountUuid, isSimulated: true })
    return { calls: statistics!.calls, success: statistics!.success }
  }

  test('a transfer that the service refused before any call does not count against its provider', async () => {
    const refusals = PREFLIGHT_CODES.map(code => ({ state: 'unreachable', code }))
    const balance = { state: 'rejected', code: 'insufficient_balance', isRefusedBeforeCall: true }
    const refusedByService = [balance, balance, ...refusals]
    expect(await readStatistics(refusedByService)).toEqual({ calls: 0, success: null })
    expect(await readStatistics([{ state: 'settled' }, ...refusedByService])).toEqual({
      calls: 1,
      success: 1,
    })
  })

  test('a refusal of the provider, and a provider that could not be reached, count', async () => {
    const refused = { state: 'rejected', code: 'insufficient_balance' }
    const unreachable = { state: 'unreachable', code: 'ECONNREFUSED' }
    const accepted = [{ state: 'accepted' }, { state: 'settled' }]
    expect(await readStatistics([...accepted, refused, unreachable])).toEqual({ calls: 4, success: 0.5 })
    expect(await readStatistics([{ state: 'unreachable' }])).toEqual({ calls: 1, success: 0 })
  })

  test('a call without a useful answer counts, one under way does not, and a duplicate was accepted', async () => {
    const attempts = [{ state: 'calling' }, { state: 'duplicate' }, { state: 'rejected', code: 'AC03' }]
    expect(await readStatistics(attempts)).toEqual({ calls: 3, success: 0.5 })
    const withoutAnswer = [{ state: 'unknown' }, { state: 'orphan', code: 'http_500' }, { state: 'closed' }]
    expect(await readStatistics(withoutAnswer)).toEqual({ calls: 3, success: 0 })
    expect(await readStatistics([...withoutAnswer, { state: 'settled' }])).toEqual({
      calls: 4,
      success: 0.25,
    })
  })
})

/** Reads the files of a ZIP archive by its directory, with their checksums. */
function readZipFile(archive: Buffer): Map<string, string> {
  const end = archive.length - 22
  expect(archive.readUInt32LE(end)).toBe(0x06054b50)
  const files = new Map<string, string>()
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    expect(archive.readUInt32LE(at)).toBe(0x02014b50)
    const [checksum, packedBytes, bytes] = [16, 20, 24].map(field => archive.readUInt32LE(at + field))
    const nameLength = archive.readUInt16LE(at + 28)
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    const header = archive.readUInt32LE(at + 42)
    expect(archive.readUInt32LE(header)).toBe(0x04034b50)
    const start = header + 30 + archive.readUInt16LE(header + 26)
    const content = inflateRawSync(archive.subarray(start, start + packedBytes!))
    expect([name, content.length, crc32(content)]).toEqual([name, bytes, checksum])
    expect(archive.readUInt32LE(start + packedBytes!)).toBe(0x08074b50)
    files.set(name, content.toString())
    at += 46 + nameLength
  }
  return files
}
