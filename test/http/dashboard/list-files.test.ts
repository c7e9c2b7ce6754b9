import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'

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

const FILES = [
  ['charges/charges.csv', 'created_at;status;value;'],
  ['transfers/transfers.csv', 'created_at;status;outcome;value;'],
  ['refunds/refunds.csv', 'created_at;status;value;'],
  ['disputes/disputes.csv', 'created_at;status;med_type;'],
  ['unmatched/unmatched.csv', 'created_at;disposition;value;'],
  ['events/events.csv', 'timestamp;type;status;'],
  ['keys/keys.csv', 'created_at;type;key;'],
] as const
const filesOfAccount = () => [
  ...FILES.map(([path, heading]) => [`/dashboard/${path}`, heading] as const),
  [`/dashboard/webhooks/${ours.webhook}/deliveries.csv`, 'created_at;status;event_type;'] as const,
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
      expect([list, page.text.includes(`href="${path}`)]).toEqual([list, true])
  }
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
    readFile(`/dashboard/charges/charges.csv?date_from=${day}&date_to=${day}&page=3`)
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
