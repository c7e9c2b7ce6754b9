import { randomBytes, randomUUID } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'
import { createFullAccount, MALICIOUS_TEXT, PASSWORD } from '../support/full-account.ts'

/** A session that ends in the middle of a form loses nothing that was typed, and sends nothing by itself. */

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let merchant: ReturnType<typeof createBrowser>

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  ours = await createFullAccount(fixture)
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  merchant = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
})

const draftOf = (path: string) => merchant.cookies.get(`trilho_draft ${path}`)

const endSessions = () =>
  ours.sql(
    `update dashboard_session set expires_at = now() - interval '1 minute'
     where user_uuid = (select uuid from app_user where email = ?)`,
    [ours.email],
  )

/** Opens a page, lets the session end, and sends a form of the page. */
async function sendAfterEnd(path: string, form: Record<string, string>, { on = path } = {}) {
  const _csrf = hiddenFieldOf((await merchant.get(on)).text, '_csrf')!
  await endSessions()
  return merchant.call('POST', path, { form: { _csrf, once: randomUUID(), ...form } })
}

/** Signs in by the form to which an answer leads, and returns the address after it. */
async function signInFrom(answer: { headers: Headers }, email = ours.email) {
  const on = answer.headers.get('location')!
  expect(on).toMatch(/^\/dashboard\/sign-in/)
  const page = await merchant.get(on)
  const next = new URLSearchParams(on.split('?')[1]).get('next') ?? ''
  const signedIn = await merchant.send('/dashboard/sign-in', { email, password: PASSWORD, next }, { on })
  return { page, location: signedIn.headers.get('location')! }
}

test('what was typed is in the form after signing in, and nothing was created', async () => {
  const path = '/dashboard/charges/new'
  const typed = { value: '1.234,56', external_ref: MALICIOUS_TEXT, expires_in: '3600', mode: 'test' }
  const answer = await sendAfterEnd(path, typed)
  expect(answer.status).toBe(303)
  const { page, location } = await signInFrom(answer)
  expect(page.text).toContain('O que você digitou está guardado')
  expect(location).toBe(`${path}?draft=1`)
  const { status, text } = await merchant.get(location)
  expect([status, text.includes('Sua sessão terminou antes do envio.')]).toEqual([200, true])
  expect(text).toContain('value="1.234,56"')
  expect(text).toContain('value="&#34;&#39;&#62;&#60;script&#62;')
  expect(text).toContain('<option value="3600" selected>')
  expect(
    await ours.sql(
      `select from charge where external_ref = ? and value_cents = 123456 and state = 'issuing'`,
      [MALICIOUS_TEXT],
    ),
  ).toEqual([])
})

test('a form on the page of an object is shown there with what was typed', async () => {
  const on = `/dashboard/charges/${ours.charge}`
  const { location } = await signInFrom(await sendAfterEnd(`${on}/refund`, { value: '7,77' }, { on }))
  expect(location).toBe(`${on}/refund?draft=1`)
  const { text } = await merchant.get(location)
  expect(text).toMatch(/<input name="value" value="7,77"/)
  expect(text).toContain(`action="${on}/refund"`)
})

test('a form with files keeps its texts, the longest that it accepts', async () => {
  const on = `/dashboard/disputes/${ours.dispute}`
  const analysis = randomBytes(1_500).toString('base64')
  const form = new FormData()
  form.set('_csrf', hiddenFieldOf((await merchant.get(on)).text, '_csrf')!)
  form.set('analysis', analysis)
  form.set('accept', '0')
  form.append('attachments[][file]', new File(['%PDF-1.4'], 'a.pdf', { type: 'application/pdf' }))
  await endSessions()
  const answer = await merchant.call('POST', `${on}/reply`, { multipart: form })
  const { text } = await merchant.get((await signInFrom(answer)).location)
  expect([analysis.length, text.includes(`>${analysis}</textarea>`)]).toEqual([2_000, true])
  expect(text).toContain('name="accept" value="0" checked')
})

test('no password, code or secret is kept, and nothing that was typed is readable in an address or a cookie', async () => {
  const path = '/dashboard/webhooks'
  const answer = await sendAfterEnd(path, { url: 'https://loja.example/x', token: 'a-secret-of-mine' })
  expect(answer.headers.get('location')).not.toMatch(/loja|secret-of-mine/)
  const { fields, ...draft } = fixture.dependencies.sealer.open<{ fields: string }>(draftOf(path)!)
  expect(draft).toMatchObject({ kind: 'dashboard-form-draft', path })
  const kept: [string, string][] = JSON.parse(String(inflateRawSync(Buffer.from(fields, 'base64'))))
  expect(kept.map(([name]) => name).sort()).toEqual(['once', 'url'])
  const { text } = await merchant.get((await signInFrom(answer)).location)
  expect(text).toContain('https://loja.example/x')
  expect(text).not.toContain('a-secret-of-mine')
})

test('two forms of one ended session are both kept', async () => {
  const paths = ['/dashboard/charges/new', '/dashboard/webhooks'] as const
  const _csrf = hiddenFieldOf((await merchant.get(paths[0])).text, '_csrf')!
  await endSessions()
  await merchant.call('POST', paths[0], { form: { _csrf, value: '4,56' } })
  const answer = await merchant.call('POST', paths[1], { form: { _csrf, url: 'https://loja.example/2' } })
  const { location } = await signInFrom(answer)
  const pages = [await merchant.get(`${paths[0]}?draft=1`), await merchant.get(location)]
  expect(pages.map(({ text }) => /4,56|loja.example.2/.exec(text)?.[0])).toEqual(['4,56', 'loja.example/2'])
})

test('another user of the browser sees nothing of it', async () => {
  const answer = await sendAfterEnd('/dashboard/charges/new', { value: '9,87', external_ref: 'só de Ana' })
  const email = `${randomUUID()}@trilho.test`
  await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: ours.account })
  const { text } = await merchant.get((await signInFrom(answer, email)).location)
  expect(text).not.toMatch(/só de Ana|9,87|terminou antes do envio/)
})

test.each([
  ['without the token of its session', { _csrf: 'other', value: '1,00' }],
  ['that is too long for a cookie', { external_ref: randomBytes(6_000).toString('base64') }],
  ['without a session', null],
])('a form %s is not kept', async (_, form) => {
  const path = '/dashboard/charges/new'
  if (!form) merchant.cookies.delete('trilho_session')
  const answer = form
    ? await sendAfterEnd(path, form)
    : await merchant.call('POST', path, { form: { value: '1,00' } })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dashboard/sign-in'])
  expect(draftOf(path)).toBeUndefined()
})

test('a form waits for an hour, and is not shown again after it was carried out', async () => {
  const [path, on] = ['/dashboard/settings/time-zone', '/dashboard/settings']
  const answer = await sendAfterEnd(path, { time_zone: 'America/Manaus' }, { on })
  const cookie = answer.headers.getSetCookie().find(one => one.startsWith('trilho_draft='))!
  const endsAt = new Date(/expires=([^;]*)/.exec(cookie)![1]!).getTime()
  expect(endsAt - Date.now()).toBeLessThanOrEqual(3_600_000)
  expect(endsAt - Date.now()).toBeGreaterThan(3_000_000)
  const { location } = await signInFrom(answer)
  const { text } = await merchant.get(location)
  expect(text).toContain('Sua sessão terminou antes do envio.')
  const form = { _csrf: hiddenFieldOf(text, '_csrf')!, time_zone: 'America/Manaus' }
  const done = await merchant.call('POST', path, { form })
  expect(done.headers.get('location')).toBe(`${on}?done=time_zone_changed`)
  expect(draftOf(path)).toBeUndefined()
})

test('a form is not shown after its hour, whatever the browser sends', async () => {
  const path = '/dashboard/charges/new'
  const answer = await sendAfterEnd(path, { value: '9,87', external_ref: 'tarde demais' })
  const { sealer } = fixture.dependencies
  const draft = sealer.open<object>(draftOf(path)!)
  merchant.cookies.set(`trilho_draft ${path}`, sealer.seal({ ...draft, endsAtMs: Date.now() - 1 }))
  const { text } = await merchant.get((await signInFrom(answer)).location)
  expect(text).not.toContain('tarde demais')
})

test('a form whose outcome may be open is sent again under its own key after signing in', async () => {
  const [path, once] = ['/dashboard/transfers/new', randomUUID()]
  const answer = await sendAfterEnd(path, { once, value: '5,00', pix_key: 'ana@loja.example' })
  const { text } = await merchant.get((await signInFrom(answer)).location)
  expect([hiddenFieldOf(text, 'once'), text.includes('value="ana@loja.example"')]).toEqual([once, true])
  // A form without any text has nothing to keep.
  const empty = await sendAfterEnd(path, { once, value: '' })
  expect(empty.headers.get('location')).toBe('/dashboard/sign-in')
})

test('a form from before the sign-in in another tab keeps what was typed, and is not carried out', async () => {
  const path = '/dashboard/charges/new'
  const old = hiddenFieldOf((await merchant.get(path)).text, '_csrf')!
  await endSessions()
  await merchant.signIn(ours.email, PASSWORD)
  const fields = { _csrf: old, once: randomUUID(), value: '7,65', external_ref: 'da outra aba', mode: 'test' }
  const answer = await merchant.call('POST', path, { form: fields })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `${path}?draft=1`])
  const { text } = await merchant.get(`${path}?draft=1`)
  expect(text).toContain('Sua sessão terminou antes do envio.')
  expect([hiddenFieldOf(text, 'once'), text.includes('value="da outra aba"')]).toEqual([fields.once, true])
  expect(await ours.sql(`select from charge where external_ref = 'da outra aba'`)).toEqual([])
  // The same where that session has ended too.
  merchant.cookies.delete(`trilho_draft ${path}`)
  await endSessions()
  const ended = await merchant.call('POST', path, { form: fields })
  expect((await signInFrom(ended)).location).toBe(`${path}?draft=1`)
  // From another site, or with the token of another user, it is not even kept.
  const email = `${randomUUID()}@trilho.test`
  await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: ours.account })
  const stranger = createBrowser(fixture)
  await stranger.signIn(email, PASSWORD)
  const refused = [
    await stranger.call('POST', path, { form: fields }),
    await merchant.call('POST', path, { form: fields, headers: { 'Sec-Fetch-Site': 'cross-site' } }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([403, 403])
  expect(refused.flatMap(({ headers }) => headers.getSetCookie())).toEqual([])
})
