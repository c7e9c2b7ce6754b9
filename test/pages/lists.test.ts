import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { findChromium, startBrowser } from '../browser/support/chromium.ts'
import { submitSignIn } from '../browser/support/sign-in.ts'
import { type ApiFixture, openApiFixture } from '../http/support/api-fixture.ts'
import { recordDashboardRoutes } from '../http/support/dashboard-routes.ts'
import { createFullAccount, PASSWORD } from '../http/support/full-account.ts'

/** Lists in a browser: a row opens at any place, on paper they are tables, and the menu of a phone folds by the keyboard. */

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
  const options = { locale: 'pt-BR', baseURL: fixture.server.url, reducedMotion: 'reduce' } as const
  page = await (await browser.newContext(options)).newPage()
  await submitSignIn(page, { email: ours.email, password: PASSWORD })
})
afterAll(async () => {
  await browser?.close()
  await fixture?.close()
})

const WIDE = { width: 1440, height: 900 }
const PHONE = { width: 375, height: 812 }

testWithBrowser.each([
  ['a row', WIDE],
  ['a card', PHONE],
])('%s opens by its amount, and by its date', async (_, viewport) => {
  await page.setViewportSize(viewport)
  for (const place of ['td.number', 'th']) {
    await page.goto('/dashboard/refunds?mode=test')
    const row = page.locator('tbody tr', { has: page.locator(`a[href="/dashboard/refunds/${ours.refund}"]`) })
    // Where a person clicks: the link that is stretched over the row is no part of the cell.
    const { x, y, width, height } = (await row.locator(place).boundingBox())!
    await page.mouse.click(x + width / 2, y + height / 2)
    await page.waitForURL(`**/dashboard/refunds/${ours.refund}`)
  }
})

testWithBrowser('a link inside a row leads to its own page', async () => {
  await page.setViewportSize(WIDE)
  await page.goto('/dashboard/refunds?mode=test')
  await page.locator(`tbody a[href="/dashboard/charges/${ours.charge}"]`).first().click()
  await page.waitForURL(`**/dashboard/charges/${ours.charge}`)
})

testWithBrowser('the link back from an object leads to its list with the filters in use', async () => {
  await page.goto('/dashboard/refunds?mode=test&date_from=2020-01-01&page=1')
  await page.locator('tbody th a').first().click()
  await page.locator('.back a').click()
  await page.waitForURL(url => url.search === '?mode=test&date_from=2020-01-01&page=1')
})

testWithBrowser('the page of a row leads to the rows before and after it in the list', async () => {
  await page.goto('/dashboard/charges?mode=test&sort=value')
  const rows = await page.locator('tbody th a').all()
  const paths = await Promise.all(rows.map(row => row.getAttribute('href')))
  expect(paths.length).toBeGreaterThan(1)
  await rows[0]!.click()
  await page.waitForURL(`**${paths[0]}`)
  expect(await page.locator('.back a[rel="prev"]').count()).toBe(0)
  await page.locator('.back').getByText('Próxima').click()
  await page.waitForURL(`**${paths[1]}`)
  await page.locator('.back').getByText('Anterior').click()
  await page.waitForURL(`**${paths[0]}`)
  await page.locator('.back a').first().click()
  await page.waitForURL(url => url.search === '?mode=test&sort=value')
})

testWithBrowser(
  'paper has the tables of a page at its whole width, without the menu and the forms',
  async () => {
    await page.emulateMedia({ media: 'print' })
    for (const width of [1_050, 700]) {
      await page.setViewportSize({ width, height: 700 })
      for (const path of ['/dashboard/settlement?mode=test', '/dashboard/charges?mode=test']) {
        await page.goto(path)
        const shown = await page.evaluate(`({
        main: document.querySelector('main').clientWidth,
        headings: getComputedStyle(document.querySelector('thead')).position,
        visible: [...document.querySelectorAll('.side, main form, main .button')].filter(one => one.checkVisibility()).length,
      })`)
        expect([path, shown]).toEqual([path, { main: width, headings: 'static', visible: 0 }])
      }
    }
    await page.emulateMedia({ media: null })
    for (const path of ['/dashboard/settlement?mode=test', '/dashboard/charges?mode=test']) {
      await page.goto(path)
      const paper = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
      const [, wide, high] = /\/MediaBox \[0 0 (\S+) (\S+)\]/.exec(paper)!
      expect([path, Number(wide) > Number(high)]).toEqual([path, true])
      expect([path, paper.match(/\/Type ?\/Page\b/g)?.length]).toEqual([path, 1])
    }
  },
)

testWithBrowser('on a phone a day of the settlement is one line, which unfolds its figures', async () => {
  await page.setViewportSize(PHONE)
  await page.goto('/dashboard/settlement?mode=test')
  const [day] = await page.locator('.days details').all()
  expect(await page.locator('main table').isVisible()).toBe(false)
  const closing = day!.getByText('Saldo final')
  expect(await closing.isVisible()).toBe(false)
  await day!.locator('summary').click()
  expect(await closing.isVisible()).toBe(true)
  await page.setViewportSize(WIDE)
  expect([await page.locator('main table').isVisible(), await day!.isVisible()]).toEqual([true, false])
})

testWithBrowser('Escape folds the menu of a phone', async () => {
  await page.setViewportSize(PHONE)
  await page.goto('/dashboard')
  const button = page.locator('[data-menu]')
  await button.click()
  expect(await button.getAttribute('aria-expanded')).toBe('true')
  await page.keyboard.press('Escape')
  expect([await button.getAttribute('aria-expanded'), await page.locator('#menu').isVisible()]).toEqual([
    'false',
    false,
  ])
})
