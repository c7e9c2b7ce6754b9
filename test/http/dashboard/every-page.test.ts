import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { request } from 'undici'
import { addUser } from '../../../src/admin/users.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'
import {
  type DashboardRoute,
  fillPath,
  isOperatorRoute,
  recordDashboardRoutes,
} from '../support/dashboard-routes.ts'
import { createFullAccount, MALICIOUS_TEXT, PASSWORD } from '../support/full-account.ts'
import { multiplyRows } from '../support/many-rows.ts'

describe('page weight', () => {
  /**
   * The bytes that a browser with an empty cache receives for a page of the dashboard, with lists that are full: the page,
   * which is not compressed (src/api/middleware/compression.ts), its style sheets, scripts and pictures, over gzip.
   */

  const MAX_BYTES = 120_000

  let fixture: ApiFixture
  let ours: Awaited<ReturnType<typeof createFullAccount>>
  const { register, routes } = recordDashboardRoutes()

  beforeAll(async () => {
    fixture = await openApiFixture([register])
    ours = await createFullAccount(fixture)
    await multiplyRows(ours)
  })
  afterAll(() => fixture.close())

  test.each<[string, () => string | null]>([
    ['a merchant', () => ours.account],
    ['an operator', () => null],
  ])('every page of %s weighs at most 120 kB, and its assets are loaded once', async (_, account) => {
    const accountUuid = account()
    const email = `${accountUuid ?? 'operator'}@weight.test`
    await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid })
    const browser = createBrowser(fixture)
    await browser.signIn(email, PASSWORD)
    const paths = routes
      .filter(route => route.method === 'GET' && isOperatorRoute(route) === (accountUuid === null))
      .map(route => fillPath(route, ours))
    const weights: Record<string, number> = {}
    for (const path of new Set(paths)) {
      const { status, headers, text } = await browser.get(path)
      // A form's own address leads to a page that has its own turn, a file is no page.
      if (status !== 200 || !headers.get('content-type')?.startsWith('text/html')) continue
      // The manifest and the icon of an installed page are read when it is installed.
      const loaded = text.replaceAll(/<link rel="(?:manifest|apple-touch-icon)"[^>]*>/g, '')
      const assets = new Set(loaded.match(/(?<=(?:href|src)=")\/dashboard\/(?:assets\/|.*qr\.svg)[^"]*/g))
      weights[path] = Buffer.byteLength(text)
      for (const asset of assets) weights[path] += await weigh(browser.cookies, asset)
    }
    expect(Object.keys(weights).length).toBeGreaterThan(8)
    const heavy = Object.entries(weights).filter(([, bytes]) => bytes > MAX_BYTES)
    expect(heavy).toEqual([])
  })

  const weighed = new Map<string, number>()

  /** Loads an asset as a browser does, once, and returns its bytes on the wire. */
  async function weigh(cookies: Map<string, string>, path: string): Promise<number> {
    const known = weighed.get(path)
    if (known !== undefined) return known
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const { body, headers } = await request(fixture.server.url + path, {
      headers: { cookie, 'accept-encoding': 'gzip' },
    })
    const bytes = (await body.arrayBuffer()).byteLength
    if (path.startsWith('/dashboard/assets/'))
      expect([path, headers['cache-control'], headers['content-encoding']]).toEqual([
        ...[path, 'public, max-age=31536000, immutable', 'gzip'],
      ])
    weighed.set(path, bytes)
    return bytes
  }
})

describe('page walk', () => {
  /** Every route of the dashboard, taken from its router, as those who may not use it. */

  let fixture: ApiFixture
  let ours: Awaited<ReturnType<typeof createFullAccount>>
  const { register, routes } = recordDashboardRoutes()

  beforeAll(async () => {
    fixture = await openApiFixture([register])
    ours = await createFullAccount(fixture)
  })
  afterAll(() => fixture.close())

  /** Right for any form that reads it, so that only the account can be what is wrong. */
  const FORM = {
    role: 'viewer',
    value: '1,00',
    link: randomUUID(),
    reason: 'a walk',
    status: 'DISABLED',
    events: 'PAYMENT',
  }

  const merchantRoutes = () => routes.filter(route => !isOperatorRoute(route) && !isForAnybody(route))
  const isForAnybody = ({ path }: DashboardRoute) =>
    ['/dashboard', '/dashboard/sign-out'].includes(path) || path.startsWith('/dashboard/profile')

  async function signIn(accountUuid: string | null) {
    const email = `${accountUuid ?? 'operator'}@walk.test`
    await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid })
    const browser = createBrowser(fixture)
    await browser.signIn(email, PASSWORD)
    const { text } = await browser.get(accountUuid ? '/dashboard/tokens' : '/dashboard/operator')
    const _csrf = hiddenFieldOf(text, '_csrf')!
    return {
      ...browser,
      csrf: _csrf,
      visit: (route: DashboardRoute) =>
        route.method === 'GET'
          ? browser.get(fillPath(route, ours))
          : browser.call('POST', fillPath(route, ours), { form: { ...FORM, once: randomUUID(), _csrf } }),
    }
  }

  /** A hash of every row that belongs to an account. */
  async function hashRows(): Promise<string> {
    const tables = await ours.sql(
      `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'account_uuid' order by table_name`,
    )
    const parts = tables.map(
      ({ name }) =>
        `(select md5(string_agg(one::text, '' order by one::text)) from "${name}" one where account_uuid = '${ours.account}')`,
    )
    const [row] = await ours.sql(`select concat_ws('-', ${parts.join(',')}) as hash`)
    return row!.hash
  }

  describe('every route of the dashboard', () => {
    test('is in the walk', () => {
      expect(routes.length).toBeGreaterThan(60)
      expect(routes.filter(isOperatorRoute).length).toBeGreaterThan(15)
    })

    test('leads to the sign-in without a session', async () => {
      const before = await hashRows()
      const nobody = createBrowser(fixture)
      for (const route of routes) {
        const { status, headers, text } = await nobody.call(route.method, fillPath(route, ours), {
          ...(route.method === 'POST' && { form: { value: '1,00' } }),
        })
        expect([route, status]).toEqual([route, 303])
        expect(headers.get('location')).toMatch(/^\/dashboard\/sign-in/)
        expectNothingOfOurs(route, text)
      }
      expect(await hashRows()).toBe(before)
    })

    test('shows another account nothing, and takes none of its forms', async () => {
      const before = await hashRows()
      const stranger = await signIn(await fixture.insertAccount())
      for (const route of merchantRoutes()) {
        const { status, text } = await stranger.visit(route)
        if (route.path.includes(':')) expectAbsent(route, status)
        expect([route, status >= 500]).toEqual([route, false])
        expectNothingOfOurs(route, text)
      }
      expect(await hashRows()).toBe(before)
    })

    test('of an operator is absent for a merchant', async () => {
      const merchant = await signIn(ours.account)
      for (const route of routes.filter(isOperatorRoute))
        expect([route, (await merchant.visit(route)).status]).toEqual([route, 404])
    })

    test('of a merchant is absent for an operator who has not opened the account, and takes no form of one who has', async () => {
      const before = await hashRows()
      const operator = await signIn(null)
      for (const route of merchantRoutes())
        expect([route, (await operator.visit(route)).status]).toEqual([route, 404])
      const account = await fixture.insertAccount()
      const openForm = { _csrf: operator.csrf, account, noun: 'account', uuid: account, reason: 'a walk' }
      const opened = await operator.call('POST', '/dashboard/operator/accounts/open', { form: openForm })
      expect(opened.status).toBe(303)
      for (const route of merchantRoutes()) {
        const { status, text } = await operator.visit(route)
        if (route.method === 'POST') expect([route, status]).toEqual([route, 404])
        else if (route.path.includes(':')) expectAbsent(route, status)
        expectNothingOfOurs(route, text)
      }
      expect(await hashRows()).toBe(before)
    })

    /** A form's own address leads to the page of the form, which may be a list. */
    function expectAbsent(route: DashboardRoute, status: number): void {
      const isForm = routes.some(({ method, path }) => method === 'POST' && path === route.path)
      const expected = route.method === 'GET' && isForm ? [303, 404] : [404]
      expect([route, status, expected.includes(status)]).toEqual([route, status, true])
    }

    function expectNothingOfOurs(route: DashboardRoute, text: string): void {
      expect(text).not.toContain('&#60;script&#62;alert(1)')
      expect(text).not.toContain(MALICIOUS_TEXT)
      const inPath = fillPath(route, ours)
      for (const uuid of [
        ours.charge,
        ours.transfer,
        ours.webhook,
        ours.connection,
        ours.dispute,
        ours.token,
      ])
        if (!inPath.includes(uuid)) expect([route, text.includes(uuid)]).toEqual([route, false])
    }
  })
})
