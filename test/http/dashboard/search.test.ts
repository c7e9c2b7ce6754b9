import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { createFullAccount, MALICIOUS_TEXT, PASSWORD } from '../support/full-account.ts'

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

test.each<[string, () => string, () => string]>([
  ['a whole uuid', () => ours.open, () => ours.open],
  ['an uuid without dashes, in capitals', () => ours.open.replaceAll('-', '').toUpperCase(), () => ours.open],
  ['the beginning of an uuid', () => ours.transfer.slice(0, 13), () => ours.transfer],
  ['a dispute', () => ours.dispute.slice(0, 18), () => ours.dispute],
  ['a reference', () => 'pedido 77', () => ours.open],
  ['a txid', () => 'txid77', () => ours.open],
  ['an end-to-end id', () => 'E77', () => ours.open],
  ['a PIX key', () => ' Joana@Example.com', () => ours.transfer],
  ["the beginning of a payer's name", () => 'maria DA 100%', () => ours.charge],
  ["a payer's document, with its mask", () => '111.444.777-35', () => ours.charge],
])('%s is found by its account only', async (_, typed, expected) => {
  const answer = await search(merchant, typed())
  expect([answer.status, linksOf(answer.text)]).toEqual([200, [expected()]])
  expect(linksOf((await search(stranger, typed())).text)).toEqual([])
})

test('an amount finds every operation of it, in the notation of the language', async () => {
  const links = linksOf((await search(merchant, '25,90')).text)
  expect(links.toSorted()).toEqual([ours.transfer, ours.waiting].toSorted())
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
