import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { findChromium, startBrowser } from '../browser/support/chromium.ts'
import { submitSignIn } from '../browser/support/sign-in.ts'
import { type ApiFixture, openApiFixture } from '../http/support/api-fixture.ts'
import { recordDashboardRoutes } from '../http/support/dashboard-routes.ts'
import { createFullAccount, PASSWORD } from '../http/support/full-account.ts'

/** A page in a browser whose requests fail: only its refresh says how old it is. */

const executablePath = await findChromium()
const testWithBrowser = executablePath === null ? test.skip : test

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let browser: Browser | undefined
let page: Page

beforeAll(async () => {
  if (executablePath === null) return
  fixture = await openApiFixture([recordDashboardRoutes().register])
  ours = await createFullAccount(fixture)
  browser = await startBrowser(executablePath)
  page = await (await browser.newContext({ locale: 'pt-BR', baseURL: fixture.server.url })).newPage()
  await submitSignIn(page, { email: ours.email, password: PASSWORD })
})
afterAll(async () => {
  await browser?.close()
  await fixture?.close()
})

const isOfScript = (headers: Record<string, string>) => headers['hx-request'] === 'true'

/** Lets the requests of htmx fail until the page is left. */
const breakRefresh = () =>
  page.route('**/dashboard/**', route =>
    isOfScript(route.request().headers()) ? route.abort() : route.continue(),
  )

testWithBrowser('a refresh that fails says since when the page is old', async () => {
  await page.goto(`/dashboard/charges/${ours.open}`)
  await breakRefresh()
  await page.locator('#stale', { hasText: /Sem atualização desde \d\d:\d\d:\d\d/ }).waitFor()
  await page.unrouteAll()
})

testWithBrowser('a check of a form that fails says nothing about the age of its page', async () => {
  await page.goto('/dashboard/transfers/new?mode=test')
  await breakRefresh()
  const failed = page.waitForEvent('requestfailed')
  await page.locator('#in-pix_key').pressSequentially('maria@example.com')
  await failed
  // The event of htmx follows the failure in the same turn of the page.
  await page.evaluate('new Promise(resolve => setTimeout(resolve))')
  expect(await page.locator('#stale').textContent()).toBe('')
  await page.unrouteAll()
})
