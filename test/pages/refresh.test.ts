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

testWithBrowser('the counter says that it was paid, and the next charge is one key away', async () => {
  const counter = `/dashboard/charges/${ours.open}/counter`
  await page.goto(counter)
  const code = page.locator('#payload')
  expect(await code.isVisible()).toBe(false)
  await page.getByText('Mostrar o código para copiar').click()
  await code.waitFor()
  // What a user has switched off stays so.
  await page.getByLabel('Som ao receber').uncheck()
  await page.reload()
  expect(await page.getByLabel('Som ao receber').isChecked()).toBe(false)
  // The refresh is answered as that of a charge that is paid.
  const paid = await (await page.request.get(`/dashboard/charges/${ours.charge}/counter`)).text()
  await page.route(`**${counter}**`, route =>
    isOfScript(route.request().headers())
      ? route.fulfill({ contentType: 'text/html', body: paid })
      : route.continue(),
  )
  await page.locator('.outcome.paid').waitFor()
  await page.locator('[data-next]:focus').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/dashboard/charges/new?mode=test')
  await page.unrouteAll()
})
