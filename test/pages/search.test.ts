import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { addUser } from '../../src/admin/users.ts'
import { dashboardRoutes } from '../../src/dashboard/routes.ts'
import { findViolations } from '../browser/support/axe.ts'
import { findChromium, startBrowser } from '../browser/support/chromium.ts'
import { submitSignIn } from '../browser/support/sign-in.ts'
import { type ApiFixture, openApiFixture } from '../http/support/api-fixture.ts'
import { createFullAccount, PASSWORD } from '../http/support/full-account.ts'

/** The search over a page, by the keyboard alone: it opens, finds while one types, and its results are followed. */

const executablePath = await findChromium()
const testWithBrowser = executablePath === null ? test.skip : test

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let browser: Browser | undefined

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  ours = await createFullAccount(fixture)
  await ours.sql(`update movement set sender = '{"name": "Sônia Aparecida Pires"}' where charge_uuid = ?`, [
    ours.charge,
  ])
  // More than the search over a page shows of a group.
  await ours.sql(
    `insert into charge select (jsonb_populate_record(c, jsonb_build_object('uuid', gen_random_uuid(), 'payment_uuid',
       gen_random_uuid(), 'external_ref', 'copia ' || n, 'created_at', now() - n * interval '1 day'))).*
     from charge c, generate_series(1, 8) n where c.uuid = ?`,
    [ours.open],
  )
  await addUser(fixture.orm.em.fork(), {
    email: 'palette@operator.test',
    password: PASSWORD,
    accountUuid: null,
  })
  browser = executablePath === null ? undefined : await startBrowser(executablePath)
})
afterAll(async () => {
  await browser?.close()
  await fixture?.close()
})

async function signIn(email: string, viewport: { width: number; height: number }): Promise<Page> {
  const context = await browser!.newContext({ baseURL: fixture.server.url, locale: 'pt-BR', viewport })
  const page = await context.newPage()
  await submitSignIn(page, { email, password: PASSWORD })
  return page
}

testWithBrowser.each([
  { width: 1440, height: 900 },
  { width: 375, height: 812 },
])('a merchant finds a charge from any page at $width pixels', async viewport => {
  const page = await signIn(ours.email, viewport)
  await page.goto('/dashboard/ledger?mode=test')
  await page.locator('h1').first().waitFor()
  await page.keyboard.press('/')
  const palette = page.locator('#palette')
  await palette.locator('a', { hasText: 'Nova cobrança' }).waitFor()
  await page.keyboard.type('sonia pir')
  await palette.locator('b', { hasText: 'Sônia' }).first().waitFor()
  expect(await findViolations(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/dashboard/charges/${ours.charge}`)
  await page.context().close()
})

testWithBrowser('Ctrl-K opens the search, Escape closes it, and Enter leads to all results', async () => {
  const page = await signIn(ours.email, { width: 1440, height: 900 })
  await page.goto('/dashboard/charges?mode=test')
  await page.keyboard.press('Control+k')
  const palette = page.locator('#palette')
  await page.keyboard.type('copia')
  await palette.locator('b', { hasText: 'copia' }).first().waitFor()
  expect(await palette.locator('a:visible', { hasText: 'copia' }).count()).toBe(5)
  await page.keyboard.press('Escape')
  expect(await palette.isVisible()).toBe(false)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('copia')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/dashboard/search?*q=copia*')
  expect(await page.locator('#found a', { hasText: 'copia' }).count()).toBe(8)
  await page.context().close()
})

testWithBrowser('an operator finds a charge of any account, and opens it for a reason', async () => {
  const page = await signIn('palette@operator.test', { width: 1440, height: 900 })
  await page.goto('/dashboard/operator')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('sonia aparecida')
  const palette = page.locator('#palette')
  await palette.locator(`a[href$="${ours.charge}"]`).waitFor()
  expect(await findViolations(page)).toEqual([])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/dashboard/operator/accounts?q=${ours.charge}`)
  const row = page.locator('#found article').first()
  await row.locator('summary').click()
  await row.locator('[name=reason]').fill('the bank has asked')
  await row.locator('button').click()
  await page.waitForURL(`**/dashboard/charges/${ours.charge}`)
  await page.context().close()
})

testWithBrowser('keys lead to pages outside of fields, and a question mark lists them', async () => {
  const page = await signIn(ours.email, { width: 1440, height: 900 })
  await page.goto('/dashboard/ledger?mode=test')
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await page.waitForURL(/\/dashboard\/charges/)
  await page.keyboard.press('?')
  const shortcuts = page.locator('#shortcuts')
  await shortcuts.getByRole('heading', { name: 'Atalhos do teclado' }).waitFor()
  expect(await findViolations(page)).toEqual([])
  await page.keyboard.press('Escape')
  expect(await shortcuts.isVisible()).toBe(false)
  // In a field a letter is a letter.
  await page.getByRole('searchbox', { name: 'Buscar nesta lista' }).fill('')
  await page.keyboard.press('n')
  expect(new URL(page.url()).pathname).toBe('/dashboard/charges')
  await page.locator('h1').first().click()
  await page.keyboard.press('n')
  await page.waitForURL(/\/dashboard\/charges\/new/)
})
