import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'

/** Addresses of lists: which page of which rows each has, and which list each number of the overview leads to. */

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let merchant: ReturnType<typeof createBrowser>
beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  ours = await createFullAccount(fixture)
  merchant = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
})
afterAll(() => fixture.close())

const readRows = (text: string) => [...text.matchAll(/<tr><th scope="row"/g)].length

test.each([
  ['9999', 'last'],
  ['abc', 'first'],
  ['0', 'first'],
  ['-1', 'first'],
])('page %s of a list shows its %s page', async page => {
  const { status, text } = await merchant.get(`/dashboard/charges?mode=test&page=${page}`)
  expect([status, text.includes(ours.charge), text.includes('class="empty"')]).toEqual([200, true, false])
  expect(text).not.toContain('class="wrong"')
})

test('the last page has the rows that are left, and leads back to the one before', async () => {
  const { text } = await merchant.get('/dashboard/charges?mode=test&page=7&per_page=1')
  expect([readRows(text), /<a rel="prev" href="[^"]*page=(\d+)/.exec(text)?.[1]]).toEqual([1, '1'])
  expect(text).not.toContain('rel="next"')
})

test.each([
  ['pt-BR', 'precisa ser uma das opções'],
  ['en', 'must be one of the choices'],
])('a status that no list has is named without the names of the API: %s', async (language, message) => {
  const browser = createBrowser(fixture, { language })
  await browser.signIn(ours.email, PASSWORD)
  const { text } = await browser.get('/dashboard/charges?mode=test&status=FOO')
  expect(text).toContain(message)
  expect(text).not.toMatch(/UNDEFINED(&#34;|")?[|,](?! ?PENDING">)/)
})

test('the empty fields of a form of filters are no part of the address of its list', async () => {
  const form = '/dashboard/charges?mode=test&status=PAID&provider_uuid=&date_from=&value_min=&uuid='
  const { status, headers } = await merchant.get(form)
  expect([status, headers.get('location')]).toEqual([303, '/dashboard/charges?mode=test&status=PAID'])
})

test('each number of the overview leads to the list that has so many rows', async () => {
  const { text } = await merchant.get('/dashboard?mode=test')
  const links = [
    ...text.matchAll(/<a href="([^"]+)">((?:Cobranças em aberto|Transferências)[^<]*: (\d+))<\/a>/g),
  ]
  expect(links.map(([, , name]) => name!.replace(/: \d+$/, ''))).toEqual([
    'Cobranças em aberto',
    'Transferências em andamento',
    'Transferências com resultado desconhecido',
  ])
  for (const [, href, , count] of links) {
    const list = await merchant.get(href!.replaceAll('&#38;', '&').replaceAll('&amp;', '&'))
    expect([href, list.status, readRows(list.text)]).toEqual([href, 200, Number(count)])
  }
})

test('the list of the open charges says so in its form', async () => {
  const { text } = await merchant.get('/dashboard/charges?mode=test&status=UNDEFINED,PENDING')
  expect(text).toContain('<option value="UNDEFINED,PENDING" selected>Em aberto</option>')
  expect([text.includes(ours.open), text.includes(ours.charge)]).toEqual([true, false])
})

test.each([
  ['pt-BR', 'Últimos 7 dias', 'Cobranças pagas', 'Mostrar o QR Code'],
  ['en', 'Last 7 days', 'Charges paid', 'Show the QR code'],
])(
  'the overview in %s has this week, the latest paid charges, and a charge with one field',
  async (language, week, paid, button) => {
    const owner = createBrowser(fixture, { language })
    await owner.signIn(ours.email, PASSWORD)
    const { text } = await owner.get('/dashboard?mode=test')
    expect(text).toContain(week)
    // Of two charges of the account one is paid; the week before had none.
    expect(text).toMatch(new RegExp(`<h2>${paid}</h2><p class="amount">50 ?%</p><p>–</p>`))
    expect(text).toMatch(new RegExp(`<tr><th scope="row"><a href="/dashboard/charges/${ours.charge}">`))
    expect(text).toContain(`<button type="submit">${button}</button>`)
    const day = /payment_date_from=([\d-]{10})&amp;payment_date_to=\1"/.exec(text)
    expect(day).not.toBeNull()
  },
)

test('the overview of who may not charge has no form', async () => {
  const email = 'viewer@overview.test'
  await addUser(fixture.orm.em.fork(), {
    email,
    password: PASSWORD,
    accountUuid: ours.account,
    role: 'viewer',
  })
  const viewer = createBrowser(fixture)
  await viewer.signIn(email, PASSWORD)
  const { text } = await viewer.get('/dashboard?mode=test')
  expect([text.includes('Últimos 7 dias'), text.includes('action="/dashboard/charges/new"')]).toEqual([
    true,
    false,
  ])
})
