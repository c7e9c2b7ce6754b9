import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { findChromium, startBrowser } from '../../browser/support/chromium.ts'
import { submitSignIn } from '../../browser/support/sign-in.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** The story of a user in a browser: invited, signed in by two factors, given another role, removed. */

const PASSWORD = 'a long enough password'
const executablePath = await findChromium()
const testWithBrowser = executablePath === null ? test.skip : test
jest.setTimeout(180_000)

let fixture: ApiFixture
let browser: Browser | undefined

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  browser = executablePath === null ? undefined : await startBrowser(executablePath)
})
afterAll(async () => {
  await browser?.close()
  await fixture.close()
})

testWithBrowser.each([
  ['pt-BR', 375, false],
  ['en', 1440, true],
] as const)(
  'a user is invited, signs in by two factors and is removed (%s, %i pixels)',
  async (locale, width, javaScriptEnabled) => {
    const accountUuid = await fixture.insertAccount()
    const [ownerEmail, email] = [`owner-${width}@loja.test`, `bia-${width}@loja.test`]
    await addUser(fixture.orm.em.fork(), { email: ownerEmail, password: PASSWORD, accountUuid })
    const open = async () => {
      const viewport = { width, height: 900 }
      const context = await browser!.newContext({
        locale,
        baseURL: fixture.server.url,
        viewport,
        javaScriptEnabled,
      })
      return context.newPage()
    }

    const owner = await open()
    await signIn(owner, ownerEmail)
    await owner.goto('/dashboard/users')
    await owner.locator('form[action$="/invitations"] input[name="email"]').fill(email)
    await owner.locator('form[action$="/invitations"] select[name="role"]').selectOption('finance')
    await owner.locator('form[action$="/invitations"] button').click()
    const link = new URL(await owner.locator('#link').inputValue())

    const bia = await open()
    await bia.goto(link.pathname)
    await bia.locator('input[name="name"]').fill('Bia Souza')
    await bia.locator('input[name="password"]').fill(PASSWORD)
    await bia.locator('main form button[type="submit"]').click()
    await bia.waitForURL(/\/dashboard\?done=invitation_accepted/)
    expect(await bia.locator('nav a[href="/dashboard/transfers"]').count()).toBe(1)
    expect(await bia.locator('nav a[href="/dashboard/tokens"], nav a[href="/dashboard/users"]').count()).toBe(
      0,
    )
    expect((await bia.goto('/dashboard/tokens'))!.status()).toBe(403)

    await bia.goto('/dashboard/profile')
    await bia.locator('a[href="/dashboard/profile/second-factor"]').click()
    const secret = Secret.fromBase32((await bia.locator('#totp-secret').inputValue()).replaceAll(' ', ''))
    await bia.locator('input[name="code"]').fill(new TOTP({ secret }).generate())
    await bia.locator('input[name="current_password"]').fill(PASSWORD)
    await bia.locator('.sheet button[type="submit"]').click()
    const codes = (await bia.locator('#codes').inputValue()).trim().split('\n')
    expect(codes).toHaveLength(10)

    const other = await open()
    await signIn(other, email, /\/dashboard\/sign-in\/code/)
    await other.locator('input[name="code"]').fill(codes[0]!)
    await other.locator('main form button[type="submit"]').click()
    await other.waitForURL(/\/dashboard$/)

    await owner.goto('/dashboard/users')
    await owner.locator('table').first().getByRole('link', { name: email }).click()
    await owner.locator('select[name="role"]').selectOption('viewer')
    await owner.locator('form[action$="/role"] button').click()
    await owner.locator('.confirm button').click()
    await owner.waitForURL(/done=role_changed/)
    await other.goto('/dashboard/transfers')
    expect(other.url()).toContain('/dashboard/sign-in')

    await owner.locator('form[action$="/remove"] button').click()
    await owner.locator('.confirm button').click()
    await owner.waitForURL(/done=user_removed/)
    await signIn(other, email, /\/dashboard\/sign-in$/)
    expect(await other.locator('[role="alert"]').count()).toBe(1)
  },
)

function signIn(page: Page, email: string, leadsTo: RegExp = /\/dashboard$/): Promise<void> {
  return submitSignIn(page, { email, password: PASSWORD, leadsTo })
}
