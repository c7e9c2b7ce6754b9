import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { bookLine } from '../support/booked-line.ts'
import { createBrowser } from '../support/browser.ts'
import { PASSWORD } from '../support/full-account.ts'

/** The statement page: balances by provider, the other side of each line, and days as Brazil has them. */

const YEAR_END = Date.parse('2026-01-01T03:00:00Z') // Midnight in São Paulo.
const MINUTE = 60_000

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
  return [...text.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
    [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) =>
      cell!
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ),
  )
}

test('lines of several providers show no balance, and the reversal of an unsent transfer is no PIX received', async () => {
  const rows = await readRows()
  expect(rows).toContainEqual(['Provedor A', 'R$ 0,00', 'R$ 700,00', 'R$ 0,25', 'R$ 699,75'])
  expect(rows).toContainEqual(['Provedor B', 'R$ 0,00', 'R$ 61,11', 'R$ 11,11', 'R$ 50,00'])
  const lines = rows.slice(rows.findIndex(([head]) => head === 'Criada em' || head === 'Criado em'))
  expect(lines.map(([, type, party, , , value, balance]) => [type, party, value, balance])).toEqual([
    ['Tipo', 'Pagador ou recebedor', 'Valor', undefined],
    ['Estorno não enviado', 'João Lima ***982247**', '+R$ 11,11', undefined],
    ['Pix não enviado', 'João Lima ***982247**', '−R$ 11,11', undefined],
    ['Pix', 'Bia ***982247**', '+R$ 50,00', undefined],
    ['Tarifa', '–', '−R$ 0,25', undefined],
    ['Pix', 'Ana Souza ***982247**', '+R$ 700,00', undefined],
  ])
})

test('one provider shows its balance after each line', async () => {
  const rows = await readRows(`&provider_uuid=${connections[1]}`)
  expect(rows.slice(-3).map(row => row.at(-1))).toEqual(['R$ 50,00', 'R$ 38,89', 'R$ 50,00'])
  expect((await readRows('&type=FEE')).at(-1)).toContain('−R$ 0,25')
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
  const csv = (await merchant.get(`/dashboard/ledger/ledger.csv?mode=test${lastDay}`)).text
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
  expect(ofx.headers.get('content-disposition')).toBe('attachment; filename="ledger-test.ofx"')
  expect([...ofx.text.matchAll(/<BALAMT>(.*?)</g)].map(([, amount]) => amount)).toEqual(['699.75', '50.00'])
  // The transfer that never left is no entry of a bank.
  expect([...ofx.text.matchAll(/<DTPOSTED>(.*?)<.*?<TRNAMT>(.*?)</g)].map(([, ...cells]) => cells)).toEqual([
    ['20260101', '50.00'],
  ])
})
