import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'
import { multiplyRows } from '../support/many-rows.ts'

/** The controls of lists: tabs with counts, periods, headings that sort, chips of filters, and the rows of a page. */

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let merchant: ReturnType<typeof createBrowser>
beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  ours = await createFullAccount(fixture)
  await multiplyRows(ours)
  await ours.sql('alter table charge disable trigger charge_value_fixed')
  await ours.sql(
    `update charge set value_cents = 1000 + n, total_cents = 1000 + n from (
    select uuid as one, row_number() over (order by uuid) as n from charge where account_uuid = ? and state = 'pending'
  ) numbered where one = uuid`,
    [ours.account],
  )
  merchant = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
})
afterAll(() => fixture.close())

const readHref = (text: string) => text.replaceAll('&#38;', '&').replaceAll('&amp;', '&')
const readList = async (path: string) => {
  const { status, text } = await merchant.get(path)
  expect([path, status]).toEqual([path, 200])
  return text
}
const readTotal = (text: string) => {
  const [, total] = /<nav class="pages"[^>]*>\s*<p>\d+–\d+ de (\d+)/.exec(text) ?? []
  return Number(total ?? 0)
}
const readAmounts = (text: string) =>
  [...text.matchAll(/<td class="number" data-label="Valor">R\$\s([\d.,]+)/g)].map(([, amount]) =>
    Number(amount!.replaceAll('.', '').replace(',', '.')),
  )
const readTabs = (text: string) =>
  [
    ...text.matchAll(
      /<a href="([^"]+)"( aria-current="page")?>([^<]+?)(?: <span class="figure">(\d+)<\/span>)?<\/a>/g,
    ),
  ]
    .filter(([, , , name]) => TABS.includes(name!))
    .map(([, href, isChosen, name, count]) => ({
      name: name!,
      href: readHref(href!),
      isChosen: isChosen !== undefined,
      count: count === undefined ? null : Number(count),
    }))
const TABS = [
  ...['Todas', 'Em aberto', 'Vencidas', 'Pagas', 'Devolvidas', 'Expiradas', 'Falharam'],
  ...['Agendadas', 'Em andamento', 'Resultado desconhecido'],
]

test.each([
  ['charges', ['Todas', 'Em aberto', 'Vencidas', 'Pagas', 'Devolvidas', 'Expiradas', 'Falharam']],
  ['transfers', ['Todas', 'Agendadas', 'Em andamento', 'Resultado desconhecido', 'Pagas', 'Falharam']],
])('each tab of the list of %s leads to as many rows as it says', async (list, names) => {
  const tabs = readTabs(await readList(`/dashboard/${list}?mode=test`))
  expect(tabs.map(({ name }) => name)).toEqual(names)
  expect(tabs.filter(({ isChosen }) => isChosen).map(({ name }) => name)).toEqual(['Todas'])
  expect(tabs.filter(({ count }) => count !== null && count > 0).length).toBeGreaterThan(1)
  for (const { name, href, count } of tabs) {
    const text = await readList(href)
    const chosen = readTabs(text).filter(({ isChosen }) => isChosen)
    expect([name, chosen.map(one => one.name)]).toEqual([name, [name]])
    if (count !== null) expect([name, readTotal(text)]).toEqual([name, count])
    // What a tab selects is no filter that a person has set.
    expect([name, text.includes('class="chips"'), text.includes('<details class="filters" open')]).toEqual([
      ...[name, false, false],
    ])
  }
})

test('scheduled transfers have a column of their day, and the next one first', async () => {
  await ours.sql(`update transfer set scheduled_for = now() + interval '1 hour' where uuid = ?`, [
    ours.waiting,
  ])
  const text = await readList('/dashboard/transfers?mode=test&waiting=scheduled&sort=scheduled_for')
  expect(text).toContain('<th scope="col" aria-sort="ascending">')
  expect(text.indexOf(ours.waiting)).toBeGreaterThan(0)
  // Several days are added up above the list.
  expect(text).toContain('Agendadas por dia')
  const [first] = [...text.matchAll(/href="\/dashboard\/transfers\/([\da-f-]{36})"/g)].map(([, uuid]) => uuid)
  expect(first).toBe(ours.waiting)
})

test.each([
  ['-value', (a: number, b: number) => b - a],
  ['value', (a: number, b: number) => a - b],
] as const)('the charges sorted by %s are in order on every page', async (sort, compare) => {
  const amounts: number[] = []
  for (const page of [1, 2, 3])
    amounts.push(...readAmounts(await readList(`/dashboard/charges?mode=test&sort=${sort}&page=${page}`)))
  expect(amounts.length).toBeGreaterThan(60)
  expect(amounts).toEqual(amounts.toSorted(compare))
})

test('a heading says how it sorts, and a click turns the order around', async () => {
  const headingOf = (text: string, name: string) =>
    new RegExp(`<th scope="col"[^>]*?(?: aria-sort="(\\w+)")?><a href="([^"]+)">${name}</a>`).exec(text)!
  const text = await readList('/dashboard/charges?mode=test&status=PENDING')
  expect(headingOf(text, 'Criado em')[1]).toBe('descending')
  const [, direction, href] = headingOf(text, 'Valor')
  expect([direction, readHref(href!)]).toEqual([
    ...[undefined, '/dashboard/charges?mode=test&status=PENDING&sort=-value'],
  ])
  const sorted = await readList(readHref(href!))
  const [, sortedDirection, back] = headingOf(sorted, 'Valor')
  expect([sortedDirection, readHref(back!)]).toEqual([
    ...['descending', '/dashboard/charges?mode=test&status=PENDING&sort=value'],
  ])
  // Its file has the newest first, as a program reads it.
  expect(sorted).toMatch(/href="\/dashboard\/charges\/charges\.csv\?mode=test&#38;status=PENDING"/)
  expect(headingOf(await readList('/dashboard/charges?mode=test&sort=txid'), 'Criado em')[1]).toBe(
    'descending',
  )
})

test('a filter in use is a chip that leads to the list without it', async () => {
  const text = await readList(
    `/dashboard/charges?mode=test&status=PAID&date_from=2026-01-02&provider_uuid=${ours.connection}&page=1`,
  )
  const chips = [
    ...text.matchAll(/<li>([^<]+): <strong>([^<]+)<\/strong> <a href="([^"]+)" aria-label="([^"]+)">/g),
  ].map(([, label, value, href, name]) => [label, value, readHref(href!), name])
  const path = '/dashboard/charges?mode=test&status=PAID'
  expect(chips).toEqual([
    [
      ...['Criado a partir de', '02/01/2026', `${path}&provider_uuid=${ours.connection}`],
      'Remover o filtro Criado a partir de',
    ],
    ['Provedor', 'Provedor A', `${path}&date_from=2026-01-02`, 'Remover o filtro Provedor'],
  ])
  const statuses = await readList('/dashboard/charges?mode=test&status=PAID,FAILED')
  expect(statuses).toContain('<li>Situação: <strong>Paga, Falhou</strong>')
})

test('today is one click away, and stays within the tab', async () => {
  const text = await readList('/dashboard/charges?mode=test&status=PENDING')
  const [, href] = /<a href="([^"]+)">Hoje<\/a>/.exec(text)!
  expect(readHref(href!)).toMatch(
    /^\/dashboard\/charges\?mode=test&status=PENDING&date_from=([\d-]{10})&date_to=\1$/,
  )
  expect(await readList(readHref(href!))).toContain('<strong aria-current="page">Hoje</strong>')
})

test('the rows of a page are those that the user prefers, in every list', async () => {
  const readRows = (text: string) => [...text.matchAll(/<tr><th scope="row"/g)].length
  expect(readRows(await readList('/dashboard/charges?mode=test'))).toBe(25)
  const chosen = await merchant.get('/dashboard/charges?mode=test&page=2&rows=50')
  expect([chosen.status, chosen.headers.get('location')]).toEqual([303, '/dashboard/charges?mode=test'])
  for (const list of ['charges', 'transfers', 'disputes'])
    expect([list, readRows(await readList(`/dashboard/${list}?mode=test`))]).toEqual([list, 50])
  expect((await merchant.get('/dashboard/charges?mode=test&rows=7')).status).toBe(200)
  expect(readRows(await readList('/dashboard/charges?mode=test'))).toBe(50)
})

test('a search within a list finds what the search over everything does, together with its filters, in its file too', async () => {
  await ours.sql(`update charge set external_ref = 'Páscoa 77' where uuid in (?, ?)`, [
    ours.charge,
    ours.open,
  ])
  const list = '/dashboard/charges?mode=test&q=pascoa'
  const text = await readList(list)
  expect(readTotal(text)).toBe(2)
  expect(text).toContain('<li>Busca: <strong>pascoa</strong>')
  expect(text).toContain('name="q" type="search" value="pascoa"')
  const paid = await readList(`${list}&status=PAID`)
  expect([readTotal(paid), paid.includes(ours.charge), paid.includes(ours.open)]).toEqual([1, true, false])
  expect(readTotal(await readList('/dashboard/charges?mode=test&q=nada-disso'))).toBe(0)
  const csv = (await readList('/dashboard/charges/charges.csv?mode=test&q=pascoa')).trimEnd().split('\r\n')
  expect(csv).toHaveLength(3)
  // An amount is searched as it is written.
  const [value] = (await ours.sql('select value_cents from charge where uuid = ?', [ours.charge])) as [
    { value_cents: string },
  ]
  const amount = (Number(value.value_cents) / 100).toFixed(2).replace('.', ',')
  expect(await readList(`/dashboard/charges?mode=test&q=${amount}`)).toContain(ours.charge)
})

test('filters that a user has named are a tab of the list, for that user alone, until they are removed', async () => {
  const list = '/dashboard/charges?mode=test&value_min=1000&status=PAID'
  const query = hiddenFieldOf(await readList(list), 'query')!.replaceAll('&#38;', '&')
  const fields = { list: '/dashboard/charges', mode: 'test', query }
  for (const name of ['Acima de mil', 'Acima de mil'])
    expect(
      (await merchant.send('/dashboard/filters', { ...fields, name }, { on: list })).headers.get('location'),
    ).toBe('/dashboard/charges?mode=test&status=PAID&value_min=1000&done=filter_saved')
  const tab = '<a href="/dashboard/charges?mode=test&#38;status=PAID&#38;value_min=1000"'
  const chosen = await readList(list)
  expect(chosen.split(tab)).toHaveLength(2)
  expect(chosen).toContain(`${tab} aria-current="page">Acima de mil</a>`)
  expect([...chosen.matchAll(/aria-current="page">Pagas/g)]).toEqual([])
  expect(await readList('/dashboard/charges?mode=test')).toContain(`${tab}>Acima de mil</a>`)
  expect(await readList('/dashboard/transfers?mode=test')).not.toContain('Acima de mil')
  const colleague = createBrowser(fixture)
  const email = 'colega@trilho.test'
  await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: ours.account })
  await colleague.signIn(email, PASSWORD)
  expect((await colleague.get('/dashboard/charges?mode=test')).text).not.toContain('Acima de mil')
  expect((await merchant.send('/dashboard/filters', fields, { on: list })).status).toBe(422)
  await merchant.send('/dashboard/filters/remove', { ...fields, name: 'Acima de mil' }, { on: list })
  expect(await readList('/dashboard/charges?mode=test')).not.toContain('Acima de mil')
})

test('a user keeps at most twenty filters', async () => {
  const list = '/dashboard/refunds'
  const save = (n: number) =>
    merchant.send('/dashboard/filters', { list, query: `value_min=${n}`, name: `Filtro ${n}` }, { on: list })
  for (let n = 1; n <= 20; n++) expect((await save(n)).status).toBe(303)
  expect((await save(21)).status).toBe(422)
  await expect(
    ours.sql(
      `update app_user set saved_filters = saved_filters || '[{}]' where jsonb_array_length(saved_filters) = 20`,
    ),
  ).rejects.toThrow('app_user_saved_filters')
})
