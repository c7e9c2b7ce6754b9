import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { hash } from '@node-rs/argon2'
import { addUser, disableUser, enableUser, setPassword } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { User } from '../../../src/db/entities/user.ts'
import { createSealer, sha256 } from '../../../src/security/sealing.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'

const PASSWORD = 'a long enough password'
const HOME = '/dashboard/tokens'
let fixture: ApiFixture
let account: string
let users = 0

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  account = await fixture.insertAccount()
})
afterAll(() => fixture.close())
// Attempts from one address count together: each test deletes those of the others.
afterEach(async () => void (await fixture.orm.em.execute('delete from sign_in_attempt')))

async function user({ isOperator = false, accountUuid = account } = {}) {
  const email = `user-${++users}@trilho.test`
  const order = { email, password: PASSWORD, accountUuid: isOperator ? null : accountUuid }
  await addUser(fixture.orm.em.fork(), order)
  await lowerPasswordCost(fixture, email)
  return email
}

/** Hundreds of passwords are checked here, at the cost that their hash names; the first test has one of the usual cost. */
async function lowerPasswordCost({ orm }: ApiFixture, email: string): Promise<void> {
  const cheapHash = await hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 })
  await orm.em.fork().nativeUpdate(User, { email }, { passwordHash: cheapHash })
}

describe('signing in', () => {
  test('opens a session whose secret only the browser has', async () => {
    const browser = createBrowser(fixture)
    const email = 'usual-cost@trilho.test'
    await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: account })
    const answer = await browser.signIn(email, PASSWORD)
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/dashboard')
    const [cookie] = answer.headers.getSetCookie().filter(one => one.startsWith('trilho_session='))
    expect(cookie).toMatch(/; path=\/; samesite=lax; httponly$/i)
    const rows = await fixture.orm.em.execute('select * from dashboard_session')
    expect(JSON.stringify(rows)).not.toContain(browser.cookies.get('trilho_session'))
    expect(fixture.lines.join('')).not.toContain(browser.cookies.get('trilho_session'))
    expect((await browser.get(HOME)).status).toBe(200)
  })

  test('accepts the e-mail in any case, and returns to the requested page', async () => {
    const email = await user()
    const browser = createBrowser(fixture)
    const away = await browser.get('/dashboard/charges?status=PAID')
    expect(away.headers.get('location')).toBe(
      '/dashboard/sign-in?next=%2Fdashboard%2Fcharges%3Fstatus%3DPAID',
    )
    const form = { email: email.toUpperCase(), password: PASSWORD, next: '/dashboard/charges?status=PAID' }
    const answer = await browser.send('/dashboard/sign-in', form)
    expect(answer.headers.get('location')).toBe('/dashboard/charges?status=PAID')
    // Characters that browsers leave as they are in the address of a search.
    const search = '/dashboard/search?q=a*b(c)~d!'
    const searchAnswer = await createBrowser(fixture).send('/dashboard/sign-in', { ...form, next: search })
    expect(searchAnswer.headers.get('location')).toBe(search)
  })

  test.each([
    ...['https://evil.example', '//evil.example', '/dashboard//evil.example\\', '/api/v1/payments'],
    ...[
      '/\\evil.example',
      '/dashboard/..//evil.example',
      '/dashboard\r\nSet-Cookie: a=b',
      '/\t/evil.example',
    ],
  ])('never redirects to %s', async next => {
    const browser = createBrowser(fixture)
    const answer = await browser.send('/dashboard/sign-in', {
      email: await user(),
      password: PASSWORD,
      next,
    })
    expect(answer.status).toBe(303)
    expect(new URL(answer.headers.get('location')!, fixture.server.url).origin).toBe(fixture.server.url)
    expect(answer.headers.get('location')).toMatch(/^\/dashboard(?!\/\/)/)
  })

  test('keeps the e-mail and the requested page after a wrong password', async () => {
    const email = await user()
    const browser = createBrowser(fixture)
    const form = { email, password: 'a wrong password', next: '/dashboard/charges?status=PAID' }
    const refused = await browser.send('/dashboard/sign-in', form)
    expect([refused.status, hiddenFieldOf(refused.text, 'next')]).toEqual([401, form.next])
    expect(refused.text).toContain(`type="email" value="${email}"`)
    expect(refused.text).not.toContain(form.password)
    const elsewhere = await browser.send('/dashboard/sign-in', { ...form, next: 'https://evil.example' })
    expect([elsewhere.status, hiddenFieldOf(elsewhere.text, 'next')]).toEqual([401, ''])
  })

  test('reveals a blocked account only to a request with the right password', async () => {
    const accountUuid = await fixture.insertAccount()
    const email = await user({ accountUuid })
    await fixture.orm.em.execute(`update account set status = 'BLOCKED' where uuid = ?`, [accountUuid])
    const readRefusal = async (password: string) => {
      const answer = await createBrowser(fixture).signIn(email, password)
      return [answer.status, /role="alert">\s*<p>([^<]*)/.exec(answer.text)?.[1]]
    }
    expect(await readRefusal('a wrong password')).toEqual([401, 'E-mail ou senha incorretos.'])
    expect(await readRefusal(PASSWORD)).toEqual([
      403,
      'A conta está bloqueada. Entre em contato com o suporte.',
    ])
    expect(
      await fixture.orm.em.execute(
        'select * from dashboard_session s join app_user u on u.uuid = s.user_uuid where email = ?',
        [email],
      ),
    ).toEqual([])
  })

  test('refuses a body that is not text', async () => {
    const browser = createBrowser(fixture)
    for (const [name, secret] of [
      ['a\0b@trilho.test', 'a password'],
      ['a@trilho.test', 'a\0password'],
    ] as const)
      expect((await browser.signIn(name, secret)).status).toBe(422)
  })

  test('answers the same to a wrong password, an unknown e-mail and a disabled user', async () => {
    const [known, disabled] = [await user(), await user()]
    await disableUser(fixture.orm.em.fork(), disabled)
    const refusals = []
    for (const [email, password] of [
      [known, 'another long password'],
      ['nobody@trilho.test', PASSWORD],
      [disabled, PASSWORD],
    ] as const) {
      const answer = await createBrowser(fixture).signIn(email, password)
      refusals.push([answer.status, /role="alert">\s*<p>([^<]*)/.exec(answer.text)?.[1]])
    }
    expect(refusals).toEqual(Array(3).fill([401, 'E-mail ou senha incorretos.']))
  })

  test('needs the form token of its own page', async () => {
    const form = { email: await user(), password: PASSWORD }
    const stranger = createBrowser(fixture)
    expect((await stranger.call('POST', '/dashboard/sign-in', { form })).status).toBe(403)
    const other = createBrowser(fixture)
    const page = await other.get('/dashboard/sign-in')
    const _csrf = /name="_csrf" value="([^"]*)"/.exec(page.text)![1]!
    expect((await stranger.call('POST', '/dashboard/sign-in', { form: { ...form, _csrf } })).status).toBe(403)
    const headers = { 'sec-fetch-site': 'cross-site' }
    const foreign = await other.call('POST', '/dashboard/sign-in', { form: { ...form, _csrf }, headers })
    expect(foreign.status).toBe(403)
    expect((await other.call('POST', '/dashboard/sign-in', { form: { ...form, _csrf } })).status).toBe(303)
  })
})

describe('password guessing', () => {
  /** Signs out on the browser, and signs in again. */
  function signInAgain(browser: ReturnType<typeof createBrowser>, email: string, password: string) {
    browser.cookies.delete('trilho_session')
    return browser.signIn(email, password)
  }

  async function fail(browser: ReturnType<typeof createBrowser>, email: string, times: number) {
    for (let guess = 0; guess < times; guess++)
      expect((await signInAgain(browser, email, 'a wrong password')).status).toBe(401)
  }

  test('is refused on an unknown device after ten failures, with the right password too', async () => {
    const email = await user()
    const browser = createBrowser(fixture)
    for (let guess = 0; guess < 10; guess++)
      expect((await browser.signIn(email, `guess number ${guess}`)).status).toBe(401)
    const answer = await browser.signIn(email, PASSWORD)
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toBe('900')
    expect(answer.text).toContain('Muitas tentativas de acesso')
    await fixture.orm.em.execute(`update sign_in_attempt set at = at - interval '16 minutes'`)
    expect((await browser.signIn(email, PASSWORD)).status).toBe(303)
  })

  test('starts again from zero after a success', async () => {
    const email = await user()
    const browser = createBrowser(fixture)
    for (let guess = 0; guess < 9; guess++) await browser.signIn(email, 'a wrong password')
    expect((await browser.signIn(email, PASSWORD)).status).toBe(303)
    for (let guess = 0; guess < 9; guess++) await signInAgain(browser, email, 'a wrong password')
    expect((await browser.signIn(email, PASSWORD)).status).toBe(303)
    const rows = await fixture.orm.em.execute('select * from sign_in_attempt')
    expect(rows).toEqual([])
  })

  test('reaches ten password checks under any concurrency', async () => {
    const email = await user()
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => createBrowser(fixture).signIn(email, 'a wrong password')),
    )
    const count = (status: number) => answers.filter(answer => answer.status === status).length
    // Each attempt that reaches the check is stored before; the response to one may have been 503.
    expect(await fixture.orm.em.execute('select from sign_in_attempt')).toHaveLength(10)
    if (answers.every(({ repeats }) => repeats === 0)) expect([count(401), count(429)]).toEqual([10, 15])
    expect(count(401)).toBeLessThanOrEqual(10)
    expect(count(401) + count(429)).toBe(25)
  })

  test('from one network fails for many e-mails, and other users of its address sign in', async () => {
    const email = await user()
    const stranger = createBrowser(fixture)
    for (let guess = 0; guess < 35; guess++)
      expect((await stranger.signIn(`guess-${guess}@trilho.test`, 'a wrong password')).status).toBe(401)
    expect((await createBrowser(fixture).signIn(email, PASSWORD)).status).toBe(303)
  })

  test('by strangers does not block a known device at the same address', async () => {
    const email = await user()
    const [ownDevice, stranger] = [createBrowser(fixture), createBrowser(fixture)]
    expect((await signInAgain(ownDevice, email, PASSWORD)).status).toBe(303)
    await fail(stranger, email, 10)
    expect((await stranger.signIn(email, PASSWORD)).status).toBe(429)
    expect((await signInAgain(ownDevice, email, PASSWORD)).status).toBe(303)
    expect((await stranger.signIn(email, PASSWORD)).status).toBe(429)
  })

  test('fails ten times per user on a known device, and only users who signed in on it are known there', async () => {
    const [ana, bia, other] = [await user(), await user(), await user()]
    const device = createBrowser(fixture)
    for (const email of [ana, bia]) expect((await signInAgain(device, email, PASSWORD)).status).toBe(303)
    await fail(createBrowser(fixture), ana, 10)
    await fail(createBrowser(fixture), other, 10)
    expect((await signInAgain(device, other, PASSWORD)).status).toBe(429)
    await fail(device, ana, 10)
    expect((await signInAgain(device, ana, PASSWORD)).status).toBe(429)
    expect((await signInAgain(device, bia, PASSWORD)).status).toBe(303)
  })

  test('is not helped by a cookie of another key or another kind', async () => {
    const email = await user()
    const forged = createBrowser(fixture)
    const device = { kind: 'dashboard-device', device: randomUUID(), endsAtMs: Date.now() + 60_000 }
    const emails = [sha256(`device ${email}`).toString('base64url')]
    await fail(createBrowser(fixture), email, 10)
    for (const value of [
      createSealer(`a:${Buffer.alloc(32, 8).toString('base64')}`).seal({ ...device, emails }),
      fixture.dependencies.sealer.seal({ ...device, kind: 'other', emails }),
      fixture.dependencies.sealer.seal({ ...device, emails, endsAtMs: Date.now() - 1 }),
      'sealed.a.x',
    ]) {
      forged.cookies.set('trilho_device', value)
      expect((await forged.signIn(email, PASSWORD)).status).toBe(429)
    }
  })

  test('for an unknown e-mail is refused after as many failures', async () => {
    await fail(createBrowser(fixture), 'unknown@trilho.test', 10)
    expect((await createBrowser(fixture).signIn('unknown@trilho.test', PASSWORD)).status).toBe(429)
  })

  describe('behind a proxy', () => {
    let proxied: ApiFixture
    beforeAll(async () => {
      proxied = await openApiFixture([dashboardRoutes], { TRILHO_BEHIND_PROXY: 'true' })
    })
    afterAll(() => proxied?.close())
    afterEach(async () => void (await proxied.orm.em.execute('delete from sign_in_attempt')))

    async function signIn(email: string, password: string, address: string) {
      const browser = createBrowser(proxied)
      const headers = { 'x-forwarded-for': address }
      const { text } = await browser.get('/dashboard/sign-in')
      const form = { _csrf: hiddenFieldOf(text, '_csrf')!, email, password }
      return (await browser.call('POST', '/dashboard/sign-in', { form, headers })).status
    }
    async function proxiedUser() {
      const email = `proxied-${++users}@trilho.test`
      await addUser(proxied.orm.em.fork(), { email, password: PASSWORD, accountUuid: null })
      await lowerPasswordCost(proxied, email)
      return email
    }

    test('ten failures from one network block that network only, a whole /64 of IPv6', async () => {
      const email = await proxiedUser()
      for (let host = 1; host <= 10; host++)
        expect(await signIn(email, 'a wrong password', `2001:db8:1:2::${host}`)).toBe(401)
      expect(await signIn(email, PASSWORD, '2001:db8:1:2:ffff::1')).toBe(429)
      expect(await signIn(email, PASSWORD, '2001:db8:1:3::1')).toBe(303)
      expect(await signIn(email, PASSWORD, '203.0.113.7')).toBe(303)
    })

    test('a port, another spelling or no address does not count as another network', async () => {
      const email = await proxiedUser()
      const spellings = ['203.0.113.7', '203.0.113.7:1', '203.0.113.7:2', '::ffff:203.0.113.7']
      for (let guess = 0; guess < 10; guess++)
        expect(await signIn(email, 'a wrong password', spellings[guess % 4]!)).toBe(401)
      for (const spelling of spellings) expect(await signIn(email, PASSWORD, spelling)).toBe(429)
      for (let guess = 0; guess < 10; guess++)
        expect(await signIn(email, 'a wrong password', `word${guess}`)).toBe(401)
      expect(await signIn(email, 'a wrong password', 'word')).toBe(429)
    })

    test('while many networks fail for one e-mail, each gets three attempts and a new one still signs in', async () => {
      const email = await proxiedUser()
      for (let guess = 0; guess < 50; guess++)
        expect(await signIn(email, 'a wrong password', `198.51.100.${guess % 10}`)).toBe(401)
      const more = []
      for (let guess = 0; guess < 4; guess++) more.push(await signIn(email, 'a wrong password', '192.0.2.1'))
      expect(more).toEqual([401, 401, 401, 429])
      expect(await signIn(email, PASSWORD, '203.0.113.9')).toBe(303)
    })

    test('one network fails at most a hundred times over all e-mails', async () => {
      const email = await proxiedUser()
      for (let ten = 0; ten < 10; ten++)
        await Promise.all(
          Array.from({ length: 10 }, (_, one) =>
            signIn(`many-${ten}-${one}@trilho.test`, 'a wrong password', '192.0.2.2'),
          ),
        )
      expect(await signIn(email, PASSWORD, '192.0.2.2')).toBe(429)
      expect(await signIn(email, PASSWORD, '192.0.2.3')).toBe(303)
    })
  })

  test('stores nothing that was typed, because it may be a password', async () => {
    await createBrowser(fixture).signIn('my secret typed here', 'another secret')
    const rows = JSON.stringify(await fixture.orm.em.execute('select * from sign_in_attempt'))
    expect(rows).not.toMatch(/secret/)
    expect(fixture.lines.join('')).not.toMatch(/another secret|my secret/)
  })
})

describe('a session ends', () => {
  async function inside() {
    const email = await user({ accountUuid: await fixture.insertAccount() })
    const browser = createBrowser(fixture)
    await browser.signIn(email, PASSWORD)
    expect((await browser.get(HOME)).status).toBe(200)
    return { email, browser, leaves: async () => expect((await browser.get(HOME)).status).toBe(303) }
  }
  const sql = (statement: string, values: unknown[] = []) => fixture.orm.em.execute(statement, values)

  test('by signing out, wherever its cookie is', async () => {
    const { browser, leaves } = await inside()
    const secret = browser.cookies.get('trilho_session')!
    expect((await browser.send('/dashboard/sign-out', {}, { on: HOME })).status).toBe(303)
    browser.cookies.set('trilho_session', secret)
    await leaves()
  })

  test('by signing in again in the same browser, and not by another browser', async () => {
    const [email, colleague] = [await user(), await user()]
    const [browser, other, copy] = [createBrowser(fixture), createBrowser(fixture), createBrowser(fixture)]
    await browser.signIn(email, PASSWORD)
    await other.signIn(email, PASSWORD)
    const stolen = browser.cookies.get('trilho_session')!
    copy.cookies.set('trilho_session', stolen)
    expect((await copy.get(HOME)).status).toBe(200)
    // A page of the sign-in form that was open all the time.
    const visitor = createBrowser(fixture)
    const page = await visitor.get('/dashboard/sign-in')
    browser.cookies.set('trilho_form', visitor.cookies.get('trilho_form')!)
    const form = { _csrf: hiddenFieldOf(page.text, '_csrf')!, email: colleague, password: PASSWORD, next: '' }
    expect((await browser.call('POST', '/dashboard/sign-in', { form })).status).toBe(303)
    expect([(await copy.get(HOME)).status, (await other.get(HOME)).status]).toEqual([303, 200])
    expect((await browser.get(HOME)).status).toBe(200)
  })

  test('by a new password', async () => {
    const { email, leaves } = await inside()
    await setPassword(fixture.orm.em.fork(), email, 'another long password')
    await leaves()
  })

  test('by its user being disabled', async () => {
    const { email, leaves } = await inside()
    await disableUser(fixture.orm.em.fork(), email)
    await leaves()
    await enableUser(fixture.orm.em.fork(), email)
    await leaves()
  })

  test('by its account being blocked', async () => {
    const { email, leaves } = await inside()
    await sql(
      `update account set status = 'BLOCKED' where uuid = (select account_uuid from app_user where email = ?)`,
      [email],
    )
    await leaves()
  })

  test('after twelve hours, and after two hours without activity', async () => {
    const { leaves } = await inside()
    await sql('update dashboard_session set expires_at = now()')
    await leaves()
    const idle = await inside()
    await sql(`update dashboard_session set last_seen_at = now() - interval '121 minutes'`)
    await idle.leaves()
  })

  test('although a page polls for news, and the page redirects to signing in', async () => {
    const { browser, leaves } = await inside()
    await sql(`update dashboard_session set last_seen_at = now() - interval '119 minutes'`)
    expect((await browser.get(HOME, { 'HX-Request': 'true' })).status).toBe(200)
    await sql(`update dashboard_session set last_seen_at = last_seen_at - interval '2 minutes'`)
    const answer = await browser.get(HOME, { 'HX-Request': 'true' })
    expect([answer.status, answer.headers.get('hx-redirect')]).toEqual([401, '/dashboard/sign-in'])
    await leaves()
  })

  test('and not while the user types on a page that polls for news', async () => {
    const { browser } = await inside()
    const poll = (typed: boolean) =>
      browser.get(HOME, { 'HX-Request': 'true', 'X-Trilho-Typed': String(typed) })
    const later = () =>
      sql(`update dashboard_session set last_seen_at = last_seen_at - interval '70 minutes'`)
    for (const typed of [true, true, false]) {
      await later()
      expect((await poll(typed)).status).toBe(200)
    }
    await later()
    expect((await poll(false)).status).toBe(401)
  })
})

test('a visitor’s form without its cookie is refused, whatever its token', async () => {
  const email = await user()
  const visitor = createBrowser(fixture)
  const page = await visitor.get('/dashboard/sign-in')
  const tokenOf = (cookie: string) => sha256(`sign-in ${cookie}`).toString('base64url')
  for (const _csrf of [tokenOf(''), hiddenFieldOf(page.text, '_csrf')!]) {
    for (const cookie of [undefined, '']) {
      const browser = createBrowser(fixture)
      if (cookie !== undefined) browser.cookies.set('trilho_form', cookie)
      const form = { _csrf, email, password: PASSWORD, next: '' }
      const answer = await browser.call('POST', '/dashboard/sign-in', { form })
      expect([answer.status, browser.cookies.has('trilho_session')]).toEqual([403, false])
    }
  }
})

test('over https the cookie can only be set by this host', async () => {
  const secure = await openApiFixture([dashboardRoutes], { TRILHO_PUBLIC_URL: 'https://trilho.example' })
  try {
    await addUser(secure.orm.em.fork(), { email: 'op@trilho.test', password: PASSWORD, accountUuid: null })
    const answer = await createBrowser(secure).signIn('op@trilho.test', PASSWORD)
    expect(answer.headers.getSetCookie().join('\n')).toMatch(
      /^__Host-trilho_session=[\w-]{43}; path=\/; samesite=lax; secure; httponly$/im,
    )
  } finally {
    await secure.close()
  }
})
