import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTokenLookup } from '../../../src/dashboard/http/visitor-limit.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { sha256 } from '../../../src/security/sealing.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'
import { createFullAccount, MALICIOUS_TEXT, PASSWORD } from '../support/full-account.ts'

/** A payment link shows one charge to whoever has its address, and nothing else of the account. */

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let merchant: ReturnType<typeof createBrowser>
let stranger: ReturnType<typeof createBrowser>
let payer: ReturnType<typeof createBrowser>
let path: string

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  ours = await createFullAccount(fixture)
  const other = await createFullAccount(fixture)
  merchant = createBrowser(fixture)
  stranger = createBrowser(fixture)
  payer = createBrowser(fixture, { language: 'en-US' })
  await merchant.signIn(ours.email, PASSWORD)
  await stranger.signIn(other.email, PASSWORD)
})
afterAll(() => fixture.close())

const charge = () => `/dashboard/charges/${ours.open}`
const linkOf = (text: string) => /id="link" class="secret" value="[^"]*(\/pay\/[\w-]{32})"/.exec(text)?.[1]

test('a link is created once, by its own account, and stored without its token', async () => {
  const on = charge()
  await ours.sql(`update charge set expires_at = now() + interval '1 hour' where uuid = ?`, [ours.open])
  expect((await stranger.send(`${on}/link`, {}, { on: '/dashboard/tokens' })).status).toBe(404)
  const version = hiddenFieldOf((await merchant.get(on)).text, 'version')!
  const created = await Promise.all(
    [1, 2, 3].map(() => merchant.send(`${on}/link`, { note: MALICIOUS_TEXT }, { on })),
  )
  expect(created.map(({ headers }) => headers.get('location')).sort()).toEqual([
    ...[`${on}?done=link_created`, `${on}?done=link_exists`, `${on}?done=link_exists`],
  ])
  // A page from before the link leads to it too.
  const late = await merchant.send(`${on}/link`, { version }, { on })
  expect([late.status, late.headers.get('location')]).toEqual([303, `${on}?done=link_exists`])
  const actions = await ours.sql(`select from operator_action where action = 'link_create' and subject = ?`, [
    `charge/${ours.open}`,
  ])
  expect(actions).toHaveLength(1)
  path = linkOf((await merchant.get(on)).text)!
  const rows = await ours.sql('select sealed_token, token_hash from payment_link where charge_uuid = ?', [
    ours.open,
  ])
  const token = path.split('/').at(-1)!
  expect(rows).toEqual([{ sealed_token: expect.stringMatching(/^sealed\./), token_hash: sha256(token) }])
})

test('a payer sees the amount and the chosen text in the language of the browser, and nothing else', async () => {
  const { status, text, headers } = await payer.get(path)
  expect(status).toBe(200)
  for (const shown of ['R$', '1,234.56', 'Payment to', '&#60;script&#62;alert(1)'])
    expect(text).toContain(shown)
  expect(text).not.toContain('<script>alert')
  for (const hidden of [ours.open, ours.account, ours.connection, '52998224725', 'Provedor', 'Provider'])
    expect([hidden, text.includes(hidden)]).toEqual([hidden, false])
  expect(headers.get('x-robots-tag')).toBe('noindex, nofollow')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(headers.getSetCookie()).toEqual([])
  const picture = await payer.get(`${path}/qr.svg`)
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  const switched = await payer.get(`${path}?lang=pt-BR`)
  expect([switched.status, switched.headers.get('location')]).toEqual([303, path])
  expect((await payer.get(path)).text).toContain('Pagamento para')
})

test.each([
  ['expired', 'Cobrança expirada'],
  ['cancelled', 'Cobrança cancelada'],
])('a charge that is %s is no longer payable by its link', async (state, said) => {
  await ours.sql('update charge set state = ? where uuid = ?', [state, ours.open])
  const { status, text } = await payer.get(path)
  expect([status, text.includes(said), text.includes('id="payload"')]).toEqual([200, true, false])
  expect(text).not.toMatch(/hx-get/)
  expect((await payer.get(`${path}/qr.svg`)).status).toBe(404)
})

test('a paid charge says so', async () => {
  const on = `/dashboard/charges/${ours.charge}`
  await merchant.send(`${on}/link`, {}, { on })
  const { text } = await payer.get(linkOf((await merchant.get(on)).text)!)
  expect([text.includes('<h1>Pago</h1>'), text.includes('52998224725')]).toEqual([true, false])
})

test('a revoked link says so after one more question, and a new one has another address', async () => {
  const on = charge()
  const link = /name="link" value="([^"]*)"/.exec((await merchant.get(on)).text)![1]!
  // Refused before the confirmation, which shows the note of the link.
  expect((await stranger.send(`${on}/link/revoke`, { link }, { on: '/dashboard/tokens' })).status).toBe(404)
  expect((await payer.get(path)).status).toBe(200)
  const revoked = await merchant.confirm(`${on}/link/revoke`, { link }, { on })
  expect(revoked.headers.get('location')).toBe(`${on}?done=link_revoked`)
  const { status, text } = await payer.get(path)
  expect([status, text.includes('Link desativado'), text.includes('1.234,56')]).toEqual([410, true, false])
  await merchant.send(`${on}/link`, {}, { on })
  expect(linkOf((await merchant.get(on)).text)).not.toBe(path)
})

test('a made-up address has no page, and guessing is limited', async () => {
  for (const token of ['x', 'x'.repeat(32), randomUUID(), encodeURIComponent(MALICIOUS_TEXT)]) {
    const { status, text } = await payer.get(`/pay/${token}`)
    expect([status, text.includes('<script>alert')]).toEqual([404, false])
  }
  let now = 0
  const findByToken = createTokenLookup(() => now)
  const guess = (ip: string) => findByToken({ ip, params: { token: 'x' } }, async () => null)
  for (let count = 0; count < 14; count++) await guess('203.0.113.1')
  await expect(guess('203.0.113.1')).rejects.toThrow()
  await guess('203.0.113.2')
  now = 60_000
  await guess('203.0.113.1')
})
