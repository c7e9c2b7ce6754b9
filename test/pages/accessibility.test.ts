import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { addUser } from '../../src/admin/users.ts'
import { findViolations } from '../browser/support/axe.ts'
import { findChromium, startBrowser } from '../browser/support/chromium.ts'
import { submitSignIn } from '../browser/support/sign-in.ts'
import { type ApiFixture, openApiFixture } from '../http/support/api-fixture.ts'
import { fillPath, isOperatorRoute, recordDashboardRoutes } from '../http/support/dashboard-routes.ts'
import { createFullAccount, PASSWORD } from '../http/support/full-account.ts'
import { prepareUnlistedPages } from '../http/support/unlisted-pages.ts'

/**
 * Every page of the dashboard, taken from its router, in a browser: nothing for axe to find in either scheme, at 1440 pixels
 * and on a phone, nothing wider than its screen, no table that scrolls sideways, a title of its own, and no two links of
 * one name that lead elsewhere.
 * All texts of the account are hostile and long.
 */

const WIDE = { width: 1440, height: 900 }
const PHONE = { width: 375, height: 812 }
const NARROW = { width: 320, height: 640 }
const WIDTHS = [320, 375, 640, 768, 1024, 1100, 1280, 1440, 1600, 1920]

const executablePath = await findChromium()
const testWithBrowser = executablePath === null ? test.skip : test

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let browser: Browser | undefined
const { register, routes } = recordDashboardRoutes()

beforeAll(async () => {
  fixture = await openApiFixture([register], { TRILHO_OUTBOX: 'true' })
  ours = await createFullAccount(fixture)
  browser = executablePath === null ? undefined : await startBrowser(executablePath)
})
afterAll(async () => {
  await browser?.close()
  await fixture.close()
})

testWithBrowser.each<[string, () => string | null, string[]]>([
  ['a merchant', () => ours.account, ['/dashboard/search?q=1234']],
  ['an operator', () => null, []],
])('every page of %s is accessible at every width', async (_, account, more) => {
  const page = await signIn(account())
  const resize = await createResizer(page)
  const paths = routes
    .filter(route => route.method === 'GET' && isOperatorRoute(route) === (account() === null))
    .map(route => fillPath(route, ours))
    .filter(path => !path.endsWith('.pdf')) // Without a receipt its answer is an error.
  const findings: string[] = []
  const titles = new Map<string, string>()
  for (const path of new Set([...paths, ...more])) {
    if (!(await isPage(page, path))) continue
    findings.push(...(await examine(page, { path, resize })))
    const title = await page.title()
    if (titles.has(title)) findings.push(`${path} has the title of ${titles.get(title)}: ${title}`)
    titles.set(title, path)
  }
  expect(titles.size).toBeGreaterThan(8)
  expect(findings).toEqual([])
})

testWithBrowser('every other page is accessible at 320 and 1440 pixels', async () => {
  const findings: string[] = []
  for (const [name, open] of Object.entries(await prepareUnlistedPages(fixture, ours))) {
    const page = await openPage()
    await open(page)
    const resize = await createResizer(page)
    findings.push(...(await examine(page, { path: name, resize, widths: [NARROW.width] })))
    await page.context().close()
  }
  expect(findings).toEqual([])
})

/** Opens a page; a form's own address leads to a page that has its own turn, a file is no page. */
async function isPage(page: Page, path: string): Promise<boolean> {
  const { status, type } = await page.request
    .get(path, { maxRedirects: 0 })
    .then(answer => ({ status: answer.status(), type: answer.headers()['content-type'] ?? '' }))
  if (status === 303 || !type.includes('html')) return false
  expect([path, status]).toEqual([path, 200])
  await page.goto(path)
  return true
}

type Examination = { path: string; resize: Resize; widths?: number[] }
async function examine(page: Page, { path, resize, widths = WIDTHS }: Examination): Promise<string[]> {
  const found: string[] = []
  const phone = widths === WIDTHS ? PHONE : NARROW
  await page.evaluate('document.querySelectorAll("details").forEach(one => { one.open = true })')
  for (const [colorScheme, viewport] of [
    ['light', WIDE],
    ['dark', WIDE],
    ['dark', phone],
    ['light', phone],
  ] as const) {
    await resize(viewport)
    await page.emulateMedia({ colorScheme })
    // Only colours differ between the schemes.
    const violations = await findViolations(page, colorScheme === 'dark' ? ['color-contrast'] : undefined)
    for (const { id, nodes } of violations)
      found.push(
        `${path} ${viewport.width} ${colorScheme} ${id}: ${nodes.map(node => node.html).join(' | ')}`,
      )
  }
  for (const width of widths) {
    await resize({ width, height: 800 })
    if (await page.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth'))
      found.push(`${path} is wider than ${width} pixels`)
    for (const table of await page.evaluate<string[]>(
      `[...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.ariaLabel)`,
    ))
      found.push(`${path} has the table "${table}", which scrolls sideways at ${width} pixels`)
  }
  const links = await page.evaluate<[string, string][]>(
    `[...document.querySelectorAll('a[href]')].map(one => [one.textContent.replace(/\\s+/g, ' ').trim(), one.getAttribute('href')])`,
  )
  const targets = new Map(links)
  for (const [name, href] of links)
    if (targets.get(name) !== href)
      found.push(`${path} has two links "${name}": ${href} and ${targets.get(name)}`)
  return found
}

type Resize = (size: { width: number; height: number }) => Promise<void>

/** Sizes the page alone: Playwright sizes its window too, which the browser then paints anew for each of the widths. */
async function createResizer(page: Page): Promise<Resize> {
  const session = await page.context().newCDPSession(page)
  return async size =>
    void (await session.send('Emulation.setDeviceMetricsOverride', {
      ...size,
      screenWidth: size.width,
      screenHeight: size.height,
      deviceScaleFactor: 1,
      mobile: false,
      dontSetVisibleSize: true,
    }))
}

async function signIn(accountUuid: string | null): Promise<Page> {
  const email = `${accountUuid ?? 'operator'}@accessible.test`
  await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid })
  const page = await openPage()
  await submitSignIn(page, { email, password: PASSWORD })
  return page
}

async function openPage(): Promise<Page> {
  const context = await browser!.newContext({
    locale: 'pt-BR',
    baseURL: fixture.server.url,
    viewport: WIDE,
    reducedMotion: 'reduce',
  })
  return context.newPage()
}
