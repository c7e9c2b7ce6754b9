import type { Page } from 'playwright-core'

type SignIn = { email: string; password: string; leadsTo?: RegExp }

/** Fills in and sends the form of the sign-in page, in any language, and waits for the page that it leads to. */
export async function submitSignIn(
  page: Page,
  { email, password, leadsTo = /\/dashboard(\/operator)?$/ }: SignIn,
): Promise<void> {
  await page.goto('/dashboard/sign-in')
  await page.locator('input[name="email"]').fill(email)
  await page.locator('input[name="password"]').fill(password)
  await page.locator('main form button[type="submit"]').click()
  await page.waitForURL(leadsTo)
}
