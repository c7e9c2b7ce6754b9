import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { buildStaticBrCode } from '../../../src/domain/pix/static-br-code.ts'
import { foldSearchText } from '../../../src/domain/shared/search-text.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { receiveDeposit } from '../support/deposits.ts'
import { createFullAccount, MALICIOUS_TEXT, PASSWORD } from '../support/full-account.ts'

/**
 * The search finds an operation by any words of it, by their beginnings, and by the end of an id of the rail, without accents:
 * of one account for its users, of all accounts for operators.
 */

const OPERATOR = 'search@operator.test'
const END_TO_END = 'E99999004202611281030bTixPLQ7NYh'
const REFUND_ID = 'D99999004202611281545AbCdEfGh1jK'
const CODE = buildStaticBrCode({
  key: 'loja@example.com',
  receiverName: 'Padaria Trilho',
  cents: 31_845,
  txid: 'mesa77',
})

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let deposit: string
let merchant: ReturnType<typeof createBrowser>
let stranger: ReturnType<typeof createBrowser>
let operator: ReturnType<typeof createBrowser>

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  ours = await createFullAccount(fixture)
  const other = await createFullAccount(fixture)
  const { sql, charge, open, transfer, unmatched, refund } = ours
  const party = (name: string, document: string) => JSON.stringify({ name, document })
  await sql('update account set name = ? where uuid = ?', ['Padaria São José', ours.account])
  await sql('update charge set external_ref = ?, end_to_end = ?, txid = ?, message = ? where uuid = ?', [
    ...['pedido-10722', END_TO_END, 'Trilho00000000000000000000Tx9', 'Cesta de Páscoa', charge],
  ])
  await sql(
    'update charge set external_ref = ?, payload = ?, txid = ?, fee_cents = 109, total_cents = 123565 where uuid = ?',
    [...['farinha-18700', CODE, 'mesa77', open]],
  )
  await sql('update movement set sender = ? where charge_uuid = ?', [
    party('Sônia Aparecida Pires', '111.444.777-35'),
    charge,
  ])
  await sql('update movement set sender = ? where uuid = ?', [
    party('Hélio Brandão', '52998224725'),
    unmatched,
  ])
  await sql('update transfer set pix_key = ?, receiver = ? where uuid = ?', [
    ...['+5511987654321', party('Moinho Sul Ltda', '11222333000181'), transfer],
  ])
  await sql('update refund set end_to_end = ?, description = ? where uuid = ?', [
    REFUND_ID,
    'Troca de tamanho',
    refund,
  ])
  await sql('update dispute set details = ? where uuid = ?', ['Não reconheço a compra', ours.dispute])
  deposit = await receiveDeposit(fixture, ours.connection)
  await sql('update movement set sender = ? where uuid = ?', [
    party('Núbia Depositante', '39053344705'),
    deposit,
  ])
  await addUser(fixture.orm.em.fork(), { email: OPERATOR, password: PASSWORD, accountUuid: null })
  merchant = createBrowser(fixture)
  stranger = createBrowser(fixture)
  operator = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
  await stranger.signIn(other.email, PASSWORD)
  await operator.signIn(OPERATOR, PASSWORD)
})
afterAll(() => fixture?.close())

const search = (browser: typeof merchant, text: string) =>
  browser.get(`/dashboard/search?mode=test&q=${encodeURIComponent(text)}`)
const searchAll = (text: string) => operator.get(`/dashboard/operator/accounts?q=${encodeURIComponent(text)}`)
const linksOf = (text: string) =>
  [...text.matchAll(/href="\/dashboard\/(?:charges|transfers|disputes|unmatched)\/([\da-f-]{36})"/g)].map(
    match => match[1],
  )
const rowsOf = (text: string) =>
  [...text.matchAll(/href="\/dashboard\/operator\/accounts\?q=([\da-f-]{36})"/g)].map(match => match[1])

type Subject = 'charge' | 'open' | 'transfer' | 'dispute' | 'unmatched' | 'deposit'
const uuidOf = (subject: Subject) => (subject === 'deposit' ? deposit : ours[subject])

/** Each example of the review, and each kind of text that finds something. */
const EXAMPLES: [what: string, text: string | (() => string), found: Subject[]][] = [
  ['a name', 'sônia', ['charge', 'dispute']],
  ['a name without its accent', 'sonia', ['charge', 'dispute']],
  ['a name in capitals', 'SÔNIA APARECIDA', ['charge', 'dispute']],
  ['a name in decomposed Unicode', 'So\u0302nia', ['charge', 'dispute']],
  ['the second word of a name', 'aparecida', ['charge', 'dispute']],
  ['the last word of a name', 'pires', ['charge', 'dispute']],
  ['words in another order', 'pires sonia', ['charge', 'dispute']],
  ['words that are still typed', 'sonia a', ['charge', 'dispute']],
  ['words of several fields', 'sonia 10722 pascoa', ['charge']],
  ['the number of a reference', '10722', ['charge', 'dispute']],
  ['the beginning of a reference', 'pedido-1072', ['charge', 'dispute']],
  ['another reference', 'farinha-18700', ['open']],
  ['the beginning of an end-to-end id', 'E9999900420261128', ['charge']],
  ['the end of an end-to-end id', 'bTixPLQ7NYh', ['charge']],
  ['a longer end of an end-to-end id', '1030bTixPLQ7NYh', ['charge']],
  ['an end-to-end id', END_TO_END, ['charge']],
  ['the end of a txid', '00000000Tx9', ['charge', 'dispute']],
  ['the name of a receiver', 'moinho', ['transfer']],
  ['a PIX key as it is written', '(11) 98765-4321', ['transfer']],
  ['a PIX key without the country', '11987654321', ['transfer']],
  ['a document with its mask', '111.444.777-35', ['charge', 'dispute']],
  ['a document without its mask', '11144477735', ['charge', 'dispute']],
  ['a CNPJ with its mask', '11.222.333/0001-81', ['transfer']],
  ['a name and a document', 'sonia 111.444.777-35', ['charge', 'dispute']],
  ['a description', 'cesta de pascoa', ['charge']],
  ['the id of a refund', REFUND_ID, ['charge']],
  ['the end of the id of a refund', 'AbCdEfGh1jK', ['charge']],
  ['the uuid of a refund', () => ours.refund, ['charge']],
  ['the description of a refund', 'troca tamanho', ['charge']],
  ['a word of a dispute', 'reconheco', ['dispute']],
  ['the payer of a PIX without a charge', 'helio', ['unmatched']],
  ['the payer of a deposit', 'nubia deposit', ['deposit']],
  ['the uuid of a deposit', () => deposit, ['deposit']],
  ['the beginning of a uuid', () => ours.transfer.slice(0, 13), ['transfer']],
  ['a uuid without hyphens in capitals', () => ours.open.replaceAll('-', '').toUpperCase(), ['open']],
  ['a pasted PIX code', CODE, ['open']],
  ['a pasted PIX code with blanks around it', ` ${CODE}\n`, ['open']],
  ['the total that is paid, with the fee', 'R$ 1.235,65', ['open']],
  ['a word that nothing has', 'sonia inexistente', []],
  ['the middle of a word', 'arecida', []],
  ['a word longer than any', 'ß'.repeat(600), []],
]

test.each(EXAMPLES)('%s is found by its account only', async (_, typed, found) => {
  const text = typeof typed === 'string' ? typed : typed()
  const { status, text: page } = await search(merchant, text)
  expect([status, linksOf(page).toSorted()]).toEqual([200, found.map(uuidOf).toSorted()])
  expect(linksOf((await search(stranger, text)).text)).toEqual([])
})

test.each(EXAMPLES)('%s is found by an operator, with its account', async (_, typed, found) => {
  const text = typeof typed === 'string' ? typed : typed()
  const { status, text: page } = await searchAll(text)
  const uuids = found.map(uuidOf)
  expect([
    status,
    rowsOf(page)
      .filter(uuid => uuids.includes(uuid!))
      .toSorted(),
  ]).toEqual([200, uuids.toSorted()])
  if (uuids.length > 0) expect(page).toContain('Padaria São José')
  // Whose data it is, is read after the account has been opened for a reason.
  expect(page).not.toContain('Sônia Aparecida Pires')
})

test.each<[string, () => string]>([
  ['its name without accents', () => 'sao jose'],
  ['the e-mail of a user', () => ours.email],
  ['its document', () => '11.222.333/0001-81'],
])('an operator finds an account by %s', async (_, text) => {
  expect((await searchAll(text())).text).toContain(`href="/dashboard/operator/accounts/${ours.account}"`)
})

test('an operator opens what was found with a reason', async () => {
  for (const [noun, folder, uuid] of [
    ['charge', 'charges', ours.charge],
    ['unmatched', 'unmatched', deposit],
  ] as const) {
    const form = { account: ours.account, noun, uuid, reason: 'the bank has asked', q: uuid }
    const { headers } = await operator.send('/dashboard/operator/accounts/open', form, {
      on: `/dashboard/operator/accounts?q=${uuid}`,
    })
    expect(headers.get('location')).toBe(`/dashboard/${folder}/${uuid}`)
    await operator.send('/dashboard/operator/accounts/close', {}, { on: '/dashboard' })
  }
})

describe('results', () => {
  test('have the matching parts in bold, also of what their row does not show otherwise', async () => {
    expect((await search(merchant, 'sonia pedido-1072')).text).toContain('<b>Sônia</b> Aparecida Pires')
    expect((await search(merchant, 'bTixPLQ7NYh')).text).toContain('E99999004202611281030<b>bTixPLQ7NYh</b>')
  })

  test('escape hostile texts in and around the matching parts', async () => {
    const { text } = await search(merchant, 'script alert')
    expect(linksOf(text).length).toBeGreaterThan(0)
    expect(text).not.toContain(MALICIOUS_TEXT)
    expect(text).not.toContain('<script>alert')
  })

  test('are groups with status, amount and day; actions and pages are found by their names', async () => {
    const { text } = await search(merchant, 'sonia')
    expect(text).toMatch(/<h2 id="found-charge">Cobranças<[\s\S]*<h2 id="found-dispute">Contestações</)
    expect(text).toMatch(/R\$\s1\.234,56[\s\S]*class="status paid"/)
    expect((await search(merchant, 'cobranca')).text).toContain('href="/dashboard/charges/new?mode=test"')
    expect((await merchant.get('/dashboard/search?mode=test')).text).toContain(
      'href="/dashboard/transfers/new?mode=test"',
    )
  })
})

test.each([
  ['a merchant', () => merchant, '/dashboard', '/dashboard/search'],
  ['an operator', () => operator, '/dashboard/operator', '/dashboard/operator/accounts'],
])(
  'pages of %s have the search as a dialog and, without a script, as a link',
  async (_, browser, page, path) => {
    const { text } = await browser().get(page)
    expect(text).toMatch(new RegExp(`<dialog id="palette"[^>]*><form method="get" action="${path}">`))
    expect(text).toContain(`hx-get="${path}"`)
    expect(text).toContain(`<a class="find" href="${path}" data-palette>`)
  },
)

describe('entries', () => {
  const wordsOf = async (uuid: string) =>
    (await ours.sql('select words::text as words from search_entry where uuid = ?', [uuid]))[0]?.words as
      | string
      | undefined

  test('are what their rows are, whoever wrote them', async () => {
    expect(
      await ours.sql(`select s.uuid from search_source s full join search_entry e using (uuid)
        where (s.noun, s.account_uuid, s.connection_uuid, s.created_at, s.words)
          is distinct from (e.noun, e.account_uuid, e.connection_uuid, e.created_at, e.words)`),
    ).toEqual([])
  })

  test('are gone once a deposit has become the payment of a charge', async () => {
    const uuid = await receiveDeposit(fixture, ours.connection)
    expect(await wordsOf(uuid)).toContain(`'$1000'`)
    await ours.sql('update movement set reason = null, disposition = null, charge_uuid = ? where uuid = ?', [
      ours.open,
      uuid,
    ])
    expect(await wordsOf(uuid)).toBeUndefined()
    expect(await wordsOf(ours.open)).toContain(uuid.replaceAll('-', ''))
    expect(linksOf((await search(merchant, uuid)).text)).toEqual([ours.open])
  })

  test('have all that two transactions have written at the same time', async () => {
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        fixture.orm.em
          .fork()
          .execute(
            index % 2 === 0
              ? `update refund set description = 'gleichzeitig${index}' where uuid = ?`
              : `update charge set message = 'simultaneo${index}' where uuid = ?`,
            [index % 2 === 0 ? ours.refund : ours.charge],
          ),
      ),
    )
    const [row] = await ours.sql(
      `select e.words = s.words as same from search_entry e join search_source s using (uuid) where uuid = ?`,
      [ours.charge],
    )
    expect(row).toEqual({ same: true })
  })

  test('take texts of any length, and of any characters', async () => {
    const before = await wordsOf(ours.transfer)
    const name = `${'ä'.repeat(5_000)} ${Array.from({ length: 2_000 }, (_, n) => `w${n}`).join(' ')} \u{1f600}`
    await ours.sql('update transfer set receiver = ? where uuid = ?', [
      JSON.stringify({ name }),
      ours.transfer,
    ])
    expect((await wordsOf(ours.transfer))!.length).toBeLessThan(20_000)
    expect(before).toBeDefined()
  })

  test('have the words that the search folds its text to', async () => {
    const text = `${'ÁÀÂÃÄÅáàâãäåÇçÉÈÊËéèêëÍÌÎÏíìîïÑñÓÒÔÕÖóòôõöÚÙÛÜúùûüÝýÿ'} So\u0302nia\u00a0x a-b_c.d/e[f]{g}\`h~i|j\\k^l@m;n ﬁ ½ ªº ${MALICIOUS_TEXT} ${randomUUID()}`
    const [row] = await ours.sql('select fold_search_words(?) as words', [text])
    expect((row!.words as string[]).join(' ')).toBe(foldSearchText(text))
  })
})

test('the shortcuts of a page are those of its menu, and of what its user may do', async () => {
  const keysOf = (text: string) => [...text.matchAll(/data-keys="([^"]+)"/g)].map(([, keys]) => keys)
  expect(keysOf((await merchant.get('/dashboard/ledger')).text)).toEqual([
    ...['n', 'g o', 'g c', 'g t', 'g d', 'g m', 'g e', 'g f', 'g w'],
  ])
  const email = 'viewer@search.test'
  await addUser(fixture.orm.em.fork(), {
    email,
    password: PASSWORD,
    accountUuid: ours.account,
    role: 'viewer',
  })
  const viewer = createBrowser(fixture)
  await viewer.signIn(email, PASSWORD)
  expect(keysOf((await viewer.get('/dashboard/ledger')).text)[0]).toBe('g o')
  expect(keysOf((await operator.get('/dashboard/operator')).text)).toEqual(['g o', 'g c', 'g u', 'g p'])
})
