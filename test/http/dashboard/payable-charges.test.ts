import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'

/** What a charge costs its payer, on the pages of who orders it and of who pays it. */

const CHARGE = {
  value_cents: 10_000,
  total_cents: 10_109,
  fee_cents: 109,
  expires_at: '2099-11-30T15:04:00Z',
}

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let merchant: ReturnType<typeof createBrowser>
let payer: ReturnType<typeof createBrowser>
let charge: string

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  ours = await createFullAccount(fixture)
  merchant = createBrowser(fixture)
  payer = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
  const [row] = await ours.sql(
    `insert into charge select (jsonb_populate_record(c, ?::jsonb || jsonb_build_object('uuid', gen_random_uuid(),
       'payment_uuid', gen_random_uuid()))).* from charge c where c.uuid = ? returning uuid`,
    [JSON.stringify(CHARGE), ours.open],
  )
  charge = `/dashboard/charges/${row!.uuid}`
})
afterAll(() => fixture.close())

/** The public page of the charge, as its payer sees it. */
async function openPayPage(): Promise<string> {
  await merchant.send(`${charge}/link`, {}, { on: charge })
  const path = /id="link" class="secret" value="[^"]*(\/pay\/[\w-]{32})"/.exec(
    (await merchant.get(charge)).text,
  )
  return (await payer.get(path![1]!)).text
}

test('the page of the payer and the counter mark a test charge, and name the fee that the amount includes', async () => {
  for (const text of [await openPayPage(), (await merchant.get(`${charge}/counter`)).text]) {
    expect(text).toContain('Cobrança de teste: nenhum dinheiro é movimentado.')
    expect(text).toMatch(/R\$\s101,09/)
    expect(text).toMatch(/Inclui R\$\s1,09 de tarifa\./)
  }
})

test('a counter on paper says when the charge expires', async () => {
  const { text } = await merchant.get(`${charge}/counter`)
  expect(text).toMatch(/Expira em <time[^>]*>[^<]*<\/time><span class="printed">30\/11\/2099, 12:04<\/span>/)
})

test('the counter hides the code that is copied, rings when it is paid, and then names the payer', async () => {
  const { text } = await merchant.get(`${charge}/counter`)
  expect(text).toMatch(/<details class="code" id="code"><summary>Mostrar o código para copiar<\/summary>/)
  expect(text).toContain('<input type="checkbox" id="sound"> Som ao receber')
  expect(text).toContain('data-next>Nova cobrança</a>')
  await ours.sql(`update movement set sender = '{"name": "Ana Pagadora"}' where charge_uuid = ?`, [
    ours.charge,
  ])
  await ours.sql('update charge set end_to_end = ? where uuid = ?', [
    'E99999004202611281030bTixPLQ7NYh',
    ours.charge,
  ])
  const paid = (await merchant.get(`/dashboard/charges/${ours.charge}/counter`)).text
  for (const part of ['Ana Pagadora', 'ID do Pix: …bTixPLQ7NYh']) expect(paid).toContain(part)
})

test('an address that is sent to the payer has a preview, and a text with the amount', async () => {
  const page = await openPayPage()
  expect(page).toMatch(/<meta property="og:title" content="R\$\s101,09 para [^"]+">/)
  expect(page).toMatch(/<meta property="og:image" content="http[^"]+\/icon\.png">/)
  expect(page).not.toContain('class="code"')
  const share = /href="https:\/\/wa\.me\/\?text=([^"]+)"/.exec((await merchant.get(charge)).text)![1]!
  expect(decodeURIComponent(share).replaceAll('\u00a0', ' ')).toMatch(
    /^Olá! Segue o Pix de R\$ 101,09: http\S+\/pay\/[\w-]{32}$/,
  )
})

test('a phone installs the dashboard by a manifest, whose icon opens the form of a charge', async () => {
  const { text } = await merchant.get(charge)
  const [, path] = /<link rel="manifest" href="([^"]+)">/.exec(text)!
  const manifest = await payer.get(path!)
  expect(manifest.headers.get('content-type')).toContain('manifest+json')
  const { start_url, icons } = JSON.parse(manifest.text)
  expect(start_url).toBe('/dashboard/charges/new')
  for (const { src, type } of icons)
    expect([src, (await payer.get(src)).headers.get('content-type')]).toEqual([
      src,
      expect.stringContaining(type),
    ])
})

test('the list has the value that was ordered, with what the payer pays', async () => {
  const { text } = await merchant.get('/dashboard/charges?mode=test')
  expect(text).toMatch(/R\$\s100,00<span class="line">O cliente paga R\$\s101,09<\/span>/)
})

test('the form names the fee of each provider only where one has a fee', async () => {
  const readHelp = async () => (await merchant.get('/dashboard/charges/new?mode=test')).text
  await ours.sql(`update connection set fees = jsonb_set(fees, '{charge}', ?) where uuid = ?`, [
    JSON.stringify({ fixedCents: 0, hundredthsOfPercent: 0 }),
    ours.connection,
  ])
  expect(await readHelp()).not.toContain('O cliente paga o valor mais a tarifa')
  await ours.sql(`update connection set fees = jsonb_set(fees, '{charge}', ?) where uuid = ?`, [
    JSON.stringify({ fixedCents: 10, hundredthsOfPercent: 99 }),
    ours.connection,
  ])
  expect(await readHelp()).toMatch(
    /O cliente paga o valor mais a tarifa do provedor que emite a cobrança \(Provedor A: R\$\s0,10 \+ 0,99%\)/,
  )
})

test('the notice of a page that could not refresh itself has a place for the time', async () => {
  expect((await merchant.get(charge)).text).toContain('data-text="Sem atualização desde {time}; os dados')
})
