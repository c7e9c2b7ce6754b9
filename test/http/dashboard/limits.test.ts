import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'
import { PASSWORD } from '../support/full-account.ts'

/** The page of the limits of an account: what a change does, when it acts, and who makes it. */

const PATH = '/dashboard/limits'
const NIGHT = { 'night.from': '20:00', 'night.to': '06:00' }

let fixture: ApiFixture
let account: string
let finance: ReturnType<typeof createBrowser>
let viewer: ReturnType<typeof createBrowser>
beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  account = await fixture.insertAccount()
  await fixture.insertConnection(account)
  const signIn = async (email: string, role: 'finance' | 'viewer') => {
    await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: account, role })
    const browser = createBrowser(fixture, { language: 'en' })
    await browser.signIn(email, PASSWORD)
    return browser
  }
  finance = await signIn('fin@loja.example', 'finance')
  viewer = await signIn('view@loja.example', 'viewer')
})
afterAll(() => fixture?.close())

const sql = (query: string) => fixture.orm.em.fork().execute(query, [account])
const readLimits = async () =>
  (await sql('select limits, pending, version from account_limits where account_uuid = ?'))[0]
const countActs = async () =>
  (
    await sql(
      `select count(*)::int as n from operator_action where account_uuid = ? and action = 'limits_change' and actor = 'fin@loja.example'`,
    )
  )[0]!.n
const change = (fields: Record<string, string>) =>
  finance.confirm(PATH, { ...NIGHT, ...fields }, { on: PATH })
const ask = async (fields: Record<string, string>) =>
  (await finance.send(PATH, { ...NIGHT, ...fields }, { on: PATH })).text

test('a lower limit acts at once, once per form, and is recorded', async () => {
  const fields = { per_day: '1,000.50', trusted_receivers: 'Maria@Example.com\n\n 112.223.330/0018-1\n' }
  const asked = await ask(fields)
  expect(asked).toContain('no limit → R$')
  expect(asked).toContain('(at once)')
  expect(asked).not.toContain('(in 24 hours)')
  for (const _ of ['first', 'again'])
    expect((await change(fields)).headers.get('location')).toBe(`${PATH}?done=limits_changed`)
  expect(await readLimits()).toMatchObject({
    limits: {
      perDayCents: 100_050,
      trustedReceivers: [{ pixKey: 'maria@example.com' }, { document: '11222333000181' }],
    },
    pending: null,
    version: 1,
  })
  expect(await countActs()).toBe(1)
  const { text } = await finance.get(PATH)
  expect(text).toContain('value="1,000.50"')
  expect(text).toContain('<progress max="100050" value="0"')
  expect(text).toContain('Changed the limits of the account')
})

test('a higher limit is announced for 24 hours later, and is cancelled by one form', async () => {
  const fields = { per_day: '2000', trusted_receivers: 'maria@example.com\n11222333000181' }
  expect(await ask(fields)).toContain('(in 24 hours)')
  expect((await change(fields)).headers.get('location')).toBe(`${PATH}?done=limits_requested`)
  expect(await readLimits()).toMatchObject({
    limits: { perDayCents: 100_050 },
    pending: { perDayCents: 200_000 },
  })
  const { text } = await finance.get(PATH)
  expect(text).toMatch(/From [^<]+ on<\/h2>/)
  // Both the note and the form of the change have the fields; the note asks for what is in force.
  const note = text.slice(text.indexOf('id="pending"'), text.indexOf('Cancel this change'))
  const hidden = Object.fromEntries(
    [...note.matchAll(/name="([\w.]+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
  )
  expect(hidden).toMatchObject({ per_day: '1,000.50' })
  const { _csrf, version, ...cancellation } = hidden
  await finance.confirm(PATH, cancellation, { on: PATH })
  expect(await readLimits()).toMatchObject({ limits: { perDayCents: 100_050 }, pending: null })
})

test('a wrong field is named, and what was typed is kept', async () => {
  const { status, text } = await finance.send(
    PATH,
    { 'night.from': '06:00', 'night.to': '20:00', per_day: 'mil', trusted_receivers: 'nobody' },
    { on: PATH },
  )
  expect(status).toBe(422)
  expect(text).toContain('must be after the beginning of the night')
  expect(text).toContain('must be an amount in reais')
  expect(text).toContain('must have a PIX key, CPF or CNPJ on each line')
  expect(text).toContain('value="mil"')
  expect(text).toContain('>nobody</textarea>')
})

test('a form that was made before another change names what has changed', async () => {
  const version = hiddenFieldOf((await finance.get(PATH)).text, 'version')!
  await change({ per_day: '500' })
  const stale = await finance.send(PATH, { ...NIGHT, per_day: '400', version }, { on: PATH })
  expect([stale.status, stale.text.includes('1,000.50 → R$')]).toEqual([409, true])
  expect(await readLimits()).toMatchObject({ limits: { perDayCents: 50_000 } })
})

test('a viewer reads the limits and has no form; its request is 403', async () => {
  const { status, text } = await viewer.get(PATH)
  expect([status, text.includes('R$'), text.includes(`action="${PATH}"`)]).toEqual([200, true, false])
  expect((await viewer.send(PATH, { per_day: '1' }, { on: '/dashboard/settings' })).status).toBe(403)
})
