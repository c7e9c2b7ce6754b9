import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { request } from 'undici'
import { addUser } from '../../../src/admin/users.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { fillPath, isOperatorRoute, recordDashboardRoutes } from '../support/dashboard-routes.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'
import { multiplyRows } from '../support/many-rows.ts'

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
    const assets = new Set(text.match(/(?<=(?:href|src)=")\/dashboard\/(?:assets\/|.*qr\.svg)[^"]*/g))
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
