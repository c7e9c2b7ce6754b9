import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect } from '@jest/globals'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { addUser } from '../../../src/admin/users.ts'
import { openSharedTestStack, type TestStack } from '../../api/support/test-stack.ts'
import { findViolations } from './axe.ts'
import { findChromium, startBrowser } from './chromium.ts'

/** Password of every user of `signIn`. */
export const PASSWORD = 'a long enough password'

const installedChromium = await findChromium()
if (installedChromium === null)
  console.warn('SKIPPED: the browser stories need a Chromium; install one, or name it by CHROMIUM_PATH.')
/** `describe` where there is a browser. */
export const describeWithBrowser = installedChromium === null ? describe.skip : describe

/** How a story is walked: what its title says, the browser, and R$ 12.50 as the language writes it. */
export const WAYS = [
  ['on a phone in Portuguese', { viewport: { width: 375, height: 812 }, locale: 'pt-BR' }, '12,50'],
  ['at a desk in English', { viewport: { width: 1440, height: 900 }, locale: 'en-US' }, '12.50'],
] as const
type Look = (typeof WAYS)[number][1]

/** Returns the text of a way's language. */
export const sayIn =
  ({ locale }: Look) =>
  (portuguese: string, english: string) =>
    locale === 'pt-BR' ? portuguese : english

/** Follows a link of the menu, which is folded on a phone. */
export async function followMenu(page: Page, name: string): Promise<void> {
  await unfoldMenu(page)
  await clickAndLoad(page.getByRole('navigation').getByRole('link', { name }))
}

/** Shows the menu where it is folded. */
export async function unfoldMenu(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu', expanded: false })
  if (await menu.isVisible()) await menu.click()
}

export type BrowserUsers = ReturnType<typeof createBrowserUsers>

/** Opens a browser over the shared stack; both end with the suite. */
export function setUpBrowserSuite(
  begin: (suite: { stage: TestStack; people: BrowserUsers }) => Promise<void> | void,
): void {
  const open = async () => {
    const stage = await openSharedTestStack()
    return { stage, url: stage.local.api_url, orm: stage.orm, close: stage.close }
  }
  setUpBrowserOver(open, ({ site: { stage }, people }) => begin({ stage, people }))
}

type Site = { url: string; orm: TestStack['orm']; close(): Promise<void> }

/** Opens a browser over a server of the dashboard and its database; both end with the suite. */
export function setUpBrowserOver<S extends Site>(
  open: () => Promise<S>,
  begin: (suite: { site: S; people: BrowserUsers }) => Promise<void> | void,
): void {
  let site: S | undefined
  let browser: Browser | undefined
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([open(), startBrowser(installedChromium!)])
    await begin({ site, people: createBrowserUsers(site, browser) })
  })
  // An open page polls for news for ever.
  afterEach(async () => void (await Promise.all(browser?.contexts().map(context => context.close()) ?? [])))
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })
}

/** Users at their browsers; every error of a page is kept. */
function createBrowserUsers({ url, orm }: Site, browser: Browser) {
  const complaints: string[] = []

  async function sits(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: 'pt-BR', baseURL: url, ...options })
    context.setDefaultTimeout(100_000)
    const page = await context.newPage()
    page.on('dialog', dialog => {
      complaints.push(`a dialog on ${page.url()}: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('pageerror', error => complaints.push(`${page.url()}: ${error.message}`))
    page.on('console', message => {
      // 503: a page that polls while the machine stands still asks again.
      const isExpected = /status of (4\d\d|503)/.test(message.text())
      if (message.type() === 'error' && !isExpected) complaints.push(`${page.url()}: ${message.text()}`)
    })
    return page
  }

  return {
    complaints,
    sits,
    /** A user of an account, or an operator, signed in. */
    async signIn(accountUuid: string | null, options?: BrowserContextOptions): Promise<Page> {
      const email = `${randomUUID()}@trilho.test`
      await addUser(orm.em.fork(), { email, password: PASSWORD, accountUuid })
      const page = await sits(options)
      await page.goto('/dashboard')
      await page.getByLabel(/^E-mail/).fill(email)
      await page.getByLabel(/^(Senha|Password)/).fill(PASSWORD)
      await page.getByRole('button', { name: /^(Entrar|Sign in)$/ }).click()
      await page.waitForURL(/\/dashboard(\/operator)?$/)
      return page
    },
  }
}

/** Clicks a link, and waits until the new page is complete: a click may end while the old page is still shown. */
export async function clickAndLoad(leading: Locator): Promise<void> {
  const page = leading.page()
  await page.waitForLoadState()
  await Promise.all([page.waitForEvent('load'), leading.click()])
}

/** What axe finds serious or critical on a page, as lines with the place. */
export async function findSeriousViolations(page: Page): Promise<string[]> {
  await page.waitForLoadState()
  const violations = await findViolations(page)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${page.url()} ${id}: ${nodes.map(node => node.html).join(' | ')}`)
}

/** Fails with what axe finds on the page, or where the page is wider than its screen. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await findSeriousViolations(page)).toEqual([])
  expect(await isWiderThanScreen(page)).toBe(false)
}

/** Nothing of a page is outside the viewport. */
export async function isWiderThanScreen(page: Page): Promise<boolean> {
  await page.waitForLoadState()
  return page.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth')
}
