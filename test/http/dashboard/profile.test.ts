import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { Secret, TOTP } from 'otpauth'
import { addUser, disableUser, setPassword } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'
import { breakCommits, slowDownWrites } from '../support/failing-writes.ts'

/** The own user: password, second factor and sessions. */

const PASSWORD = 'a long enough password'
const NEW_PASSWORD = 'another long password'
const PROFILE = '/dashboard/profile'
const FACTOR = `${PROFILE}/second-factor`
const CODE = '/dashboard/sign-in/code'
type Browser = ReturnType<typeof createBrowser>
let fixture: ApiFixture
let account: string
let email: string
let uuid: string
let browser: Browser
let users = 0

const sql = <T extends object>(text: string, values: unknown[] = []) =>
  fixture.orm.em.fork().execute<T[]>(text, values)

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  account = await fixture.insertAccount()
})
afterAll(() => fixture.close())
beforeEach(async () => {
  email = `self-${++users}@trilho.test`
  uuid = (await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: account })).uuid
  browser = await signedIn()
})
afterEach(async () => void (await sql('delete from sign_in_attempt')))

async function signedIn(password = PASSWORD): Promise<Browser> {
  const other = createBrowser(fixture, { language: 'en' })
  expect((await other.signIn(email, password)).headers.get('location')).toBe('/dashboard')
  return other
}

const isSignedIn = async (one: Browser) => (await one.get('/dashboard')).status === 200

describe('the own password', () => {
  const change = (one: Browser, current: string, password: string) =>
    one.send(`${PROFILE}/password`, { current_password: current, password }, { on: PROFILE })

  test('is replaced by the present one, which ends the other sessions and is recorded', async () => {
    const other = await signedIn()
    const answer = await change(browser, PASSWORD, NEW_PASSWORD)
    expect(answer.headers.get('location')).toBe(`${PROFILE}?done=password_changed`)
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false])
    expect((await createBrowser(fixture).signIn(email, PASSWORD)).status).toBe(401)
    await signedIn(NEW_PASSWORD)
    expect((await change(browser, PASSWORD, NEW_PASSWORD)).status).toBe(303)
    expect(await sql('select action from operator_action where subject = ?', [`user/${uuid}`])).toEqual([
      { action: 'change_password' },
    ])
  })

  test('stays after a wrong present password or a short new one, and no page shows either', async () => {
    for (const [current, password] of [
      ['a wrong password', NEW_PASSWORD],
      [PASSWORD, 'elevenchars'],
    ] as const) {
      const { status, text } = await change(browser, current, password)
      expect([status, text.includes(current), text.includes(password)]).toEqual([422, false, false])
      expect(text).toContain('aria-invalid="true"')
    }
    await signedIn()
  })

  test('cannot be guessed by a stolen session: attempts are limited', async () => {
    for (let n = 0; n < 10; n++) expect((await change(browser, `guess ${n}`, NEW_PASSWORD)).status).toBe(422)
    expect((await change(browser, PASSWORD, NEW_PASSWORD)).status).toBe(429)
  })
})

describe('the sessions', () => {
  test('are listed with device, network and times, and end one by one or all others', async () => {
    const chrome = createBrowser(fixture, { language: 'en' })
    await chrome.signIn(email, PASSWORD)
    const agent = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36<script>`
    await sql(`update dashboard_session set user_agent = ? where user_uuid = ? and user_agent is not null`, [
      agent,
      uuid,
    ])
    const page = (await browser.get(PROFILE)).text
    expect(page).toContain('Chrome, Windows')
    expect(page).toContain('127.0.0.1')
    expect(page).not.toContain('<script>')
    const path = /\/dashboard\/profile\/sessions\/[\w-]{36}\/end/.exec(page)![0]
    expect((await browser.send(path, {}, { on: PROFILE })).status).toBe(303)
    expect([await isSignedIn(browser), await isSignedIn(chrome)]).toEqual([true, false])

    const [one, two] = [await signedIn(), await signedIn()]
    await browser.send(`${PROFILE}/sessions/end`, {}, { on: PROFILE })
    expect([await isSignedIn(browser), await isSignedIn(one), await isSignedIn(two)]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('of another user do not end', async () => {
    const other = await addUser(fixture.orm.em.fork(), {
      email: `other-${users}@trilho.test`,
      password: PASSWORD,
      accountUuid: account,
    })
    const theirs = createBrowser(fixture)
    await theirs.signIn(other.email, PASSWORD)
    const [session] = await sql<{ uuid: string }>('select uuid from dashboard_session where user_uuid = ?', [
      other.uuid,
    ])
    await browser.send(`${PROFILE}/sessions/${session!.uuid}/end`, {}, { on: PROFILE })
    expect(await isSignedIn(theirs)).toBe(true)
  })
})

describe('the second factor', () => {
  // A code is made and checked within the same step of 30 s, however long its form takes.
  beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(Date.now()))
  afterEach(() => void jest.restoreAllMocks())

  const codeOf = (secret: string, steps = 0) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })

  async function beginEnrolment() {
    const { text } = await browser.get(FACTOR)
    const secret = /id="totp-secret"[^>]*value="([^"]+)"/.exec(text)![1]!.replaceAll(' ', '')
    return { secret, enrolment: hiddenFieldOf(text, 'enrolment')!, text }
  }

  /** Enables it by the code of the step before this one, which leaves this step's code unused. */
  async function enable() {
    const { secret, enrolment } = await beginEnrolment()
    const form = { enrolment, current_password: PASSWORD, code: codeOf(secret, -1) }
    const { text, status } = await browser.send(FACTOR, form)
    expect(status).toBe(200)
    const codes = /<textarea[^>]*>([^<]+)/.exec(text)![1]!.trim().split('\n')
    return { secret, codes, form }
  }

  /** Signs in by the password, which leads to the second step and gives no session. */
  async function firstStep() {
    const other = createBrowser(fixture, { language: 'en' })
    const answer = await other.signIn(email, PASSWORD)
    expect(answer.headers.get('location')).toBe(CODE)
    expect([other.cookies.has('trilho_session'), await isSignedIn(other)]).toEqual([false, false])
    return other
  }
  const secondStep = (one: Browser, code: string) => one.send(CODE, { code, next: '' })

  test('is enabled by a code and the password; its secret is sealed, its ten recovery codes are hashed', async () => {
    const { text } = await beginEnrolment()
    expect(text).toContain('src="data:image/svg+xml;base64,')
    expect(await sql('select from user_totp where user_uuid = ?', [uuid])).toEqual([])
    const { secret, codes, form } = await enable()
    expect(codes).toHaveLength(10)
    expect(codes[0]).toMatch(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/)
    const stored = JSON.stringify([
      await sql('select * from user_totp where user_uuid = ?', [uuid]),
      await sql("select encode(hash, 'escape') from recovery_code"),
    ])
    expect(stored).toContain('sealed.')
    expect([stored.includes(secret), stored.includes(codes[0]!)]).toEqual([false, false])
    // The same form once more shows the same codes; another enrolment is refused.
    expect((await browser.send(FACTOR, form, { on: PROFILE })).text).toContain(codes[9])
    const page = await browser.get(PROFILE)
    expect(page.text).not.toContain(codes[0])
    expect(page.text).toContain('Unused recovery codes: 10')
  })

  test('is not enabled by a wrong code, a wrong password, or another user’s form, and keeps the secret on the page', async () => {
    const { secret, enrolment } = await beginEnrolment()
    const wrong = { enrolment, current_password: PASSWORD, code: '000000' }
    const refused = await browser.send(FACTOR, wrong)
    expect(refused.status).toBe(422)
    expect(/id="totp-secret"[^>]*value="([^"]+)"/.exec(refused.text)![1]!.replaceAll(' ', '')).toBe(secret)
    const form = { enrolment, code: codeOf(secret) }
    expect((await browser.send(FACTOR, { ...form, current_password: 'a wrong password' })).status).toBe(422)
    email = `thief-${users}@trilho.test`
    await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: account })
    const thief = await signedIn()
    expect((await thief.send(FACTOR, { ...form, current_password: PASSWORD })).status).toBe(403)
    expect(await sql('select from user_totp where user_uuid = ?', [uuid])).toEqual([])
  })

  test('is asked after the password; only then is there a session', async () => {
    const { secret } = await enable()
    const other = await firstStep()
    expect((await secondStep(other, '000000')).status).toBe(401)
    expect(await isSignedIn(other)).toBe(false)
    const answer = await secondStep(other, codeOf(secret))
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dashboard'])
    expect(await isSignedIn(other)).toBe(true)
  })

  test('accepts a code once, also from two browsers at once, and codes of one step of clock skew', async () => {
    const { secret } = await enable()
    const [one, two] = [await firstStep(), await firstStep()]
    const code = codeOf(secret)
    const answers = await Promise.all([secondStep(one, code), secondStep(two, code)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 401])
    expect((await secondStep(await firstStep(), codeOf(secret, -1))).status).toBe(401)
    expect((await secondStep(await firstStep(), codeOf(secret, 3))).status).toBe(401)
    expect((await secondStep(await firstStep(), codeOf(secret, 1))).status).toBe(303)
  })

  test('accepts each recovery code once, however it is typed', async () => {
    const { codes } = await enable()
    expect((await secondStep(await firstStep(), codes[0]!.toLowerCase().replaceAll('-', ' '))).status).toBe(
      303,
    )
    expect((await secondStep(await firstStep(), codes[0]!)).status).toBe(401)
    expect((await secondStep(await firstStep(), codes[1]!)).status).toBe(303)
    expect((await browser.get(PROFILE)).text).toContain('Unused recovery codes: 8')
  })

  test('is not confirmed where an outage follows an accepted code, which is used then', async () => {
    const { codes } = await enable()
    const other = await firstStep()
    const commits = await breakCommits(sql, 'dashboard_session')
    const answer = await secondStep(other, codes[0]!)
    await commits.end()
    expect([answer.status, await isSignedIn(other)]).toEqual([503, false])
    expect(answer.text).toContain('The result is not known yet')
    expect((await secondStep(await firstStep(), codes[0]!)).status).toBe(401)
  })

  test('uses no code that is accepted after the deadline of its request', async () => {
    const { codes } = await enable()
    const other = await firstStep()
    const writes = await slowDownWrites(sql, ['sign_in_attempt', 'recovery_code'])
    const answer = await secondStep(other, codes[0]!)
    await writes.end()
    expect(answer.status).toBe(503)
    expect((await secondStep(await firstStep(), codes[0]!)).status).toBe(303)
  })

  test('limits the attempts over all browsers, and a success deletes their count', async () => {
    const { secret, codes } = await enable()
    for (let n = 0; n < 4; n++) expect((await secondStep(await firstStep(), '000000')).status).toBe(401)
    expect((await secondStep(await firstStep(), codes[0]!)).status).toBe(303)
    for (let n = 0; n < 5; n++) expect((await secondStep(await firstStep(), '000000')).status).toBe(401)
    expect((await secondStep(await firstStep(), codeOf(secret))).status).toBe(429)
  })

  test('has a second step that ends with a new password, a disabled user, and without its cookie', async () => {
    const { codes } = await enable()
    const [one, two] = [await firstStep(), await firstStep()]
    const without = createBrowser(fixture)
    expect((await without.get(CODE)).headers.get('location')).toBe('/dashboard/sign-in')
    const late = await without.get(`${CODE}?next=%2Fdashboard%2Fcharges%2Fnew%3Fdraft%3D1`)
    const back = '/dashboard/sign-in?next=%2Fdashboard%2Fcharges%2Fnew%3Fdraft%3D1'
    expect(late.headers.get('location')).toBe(back)
    await setPassword(fixture.orm.em.fork(), email, NEW_PASSWORD)
    const answer = await one.send(CODE, { code: codes[0]! }, { on: '/dashboard/sign-in' })
    expect(answer.headers.get('location')).toBe('/dashboard/sign-in')
    await setPassword(fixture.orm.em.fork(), email, PASSWORD)
    await disableUser(fixture.orm.em.fork(), email)
    await two.send(CODE, { code: codes[0]! }, { on: '/dashboard/sign-in' })
    expect([await isSignedIn(one), await isSignedIn(two)]).toEqual([false, false])
  })

  test('is disabled by password and code; an owner resets another’s, and not the own', async () => {
    const { secret, codes } = await enable()
    const disable = (fields: object) =>
      browser.send(
        `${FACTOR}/disable`,
        { current_password: PASSWORD, code: '000000', ...fields },
        { on: PROFILE },
      )
    expect((await disable({})).status).toBe(422)
    expect((await disable({ code: codes[0], current_password: 'a wrong password' })).status).toBe(422)
    const ownReset = await browser.confirm(`/dashboard/users/${uuid}/totp`, {}, { on: PROFILE })
    expect([ownReset.status, await sql('select from user_totp where user_uuid = ?', [uuid])]).toEqual([
      404,
      [{}],
    ])

    const ownerEmail = `owner-${users}@trilho.test`
    await addUser(fixture.orm.em.fork(), { email: ownerEmail, password: PASSWORD, accountUuid: account })
    const owner = createBrowser(fixture)
    await owner.signIn(ownerEmail, PASSWORD)
    expect((await disable({ code: codeOf(secret) })).headers.get('location')).toContain('totp_disabled')
    await signedIn()
    await enable()
    expect(
      (await owner.confirm(`/dashboard/users/${uuid}/totp`, {}, { on: '/dashboard/users' })).status,
    ).toBe(303)
    expect(await isSignedIn(browser)).toBe(false)
    await signedIn()
    const actions = await sql<{ action: string }>(
      'select action from operator_action where subject = ? order by at',
      [`user/${uuid}`],
    )
    expect(actions.map(({ action }) => action)).toEqual([
      'enable_totp',
      'disable_totp',
      'enable_totp',
      'reset_totp',
    ])
  })

  test('is an operator’s too', async () => {
    email = `op-${users}@trilho.test`
    uuid = (await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: null })).uuid
    browser = createBrowser(fixture, { language: 'en' })
    await browser.signIn(email, PASSWORD)
    const { secret } = await enable()
    const other = createBrowser(fixture)
    await other.signIn(email, PASSWORD)
    expect((await secondStep(other, codeOf(secret))).headers.get('location')).toBe('/dashboard/operator')
  })
})
