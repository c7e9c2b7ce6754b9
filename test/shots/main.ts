import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { addUser } from '../../src/admin/users.ts'
import { openTestStack, type TestStack } from '../api/support/test-stack.ts'
import { findChromium, startBrowser } from '../browser/support/chromium.ts'
import { submitSignIn } from '../browser/support/sign-in.ts'
import { startStack } from '../support/stack.ts'
import { type Seed, seedMerchant } from './seed.ts'

/** `npm run shots [-- --only charge,overview]`: pictures of the pages of a seeded running product, to be looked at. */

const PASSWORD = 'a long enough password'
const OUTPUT = join(import.meta.dirname, '../../shots')

/** A page by its name: who sees it, and where it is. */
const listMerchantPages = (seed: Seed) => ({
  overview: '/dashboard',
  charges: '/dashboard/charges',
  'charge-new': '/dashboard/charges/new',
  'charge-open': `/dashboard/charges/${seed.open}`,
  'charge-due': `/dashboard/charges/${seed.due}`,
  'charge-due-change': `/dashboard/charges/${seed.due}/change`,
  'charge-paid': `/dashboard/charges/${seed.paid}`,
  receipt: `/dashboard/charges/${seed.paid}/receipt`,
  'charge-refunded': `/dashboard/charges/${seed.refunded}`,
  counter: `/dashboard/charges/${seed.open}/counter`,
  recurrences: '/dashboard/recurrences',
  'recurrence-new': '/dashboard/recurrences/new',
  recurrence: `/dashboard/recurrences/${seed.recurrence}`,
  transfers: '/dashboard/transfers',
  'transfer-new': '/dashboard/transfers/new',
  'transfer-new-account': '/dashboard/transfers/new/account',
  'transfer-new-code': '/dashboard/transfers/new/code',
  'transfer-fallback': `/dashboard/transfers/${seed.fallback}`,
  'transfer-unknown': `/dashboard/transfers/${seed.unknown}`,
  approvals: '/dashboard/approvals',
  batches: '/dashboard/transfers/batches',
  'batch-new': '/dashboard/transfers/batches/new',
  disputes: '/dashboard/disputes',
  dispute: `/dashboard/disputes/${seed.dispute}`,
  unmatched: '/dashboard/unmatched',
  keys: '/dashboard/keys',
  ledger: '/dashboard/ledger',
  settlement: '/dashboard/settlement',
  refund: `/dashboard/refunds/${seed.refund}`,
  'unmatched-one': `/dashboard/unmatched/${seed.unmatched}`,
  providers: '/dashboard/providers',
  limits: '/dashboard/limits',
  tokens: '/dashboard/tokens',
  webhooks: '/dashboard/webhooks',
  webhook: `/dashboard/webhooks/${seed.webhook}`,
  events: '/dashboard/events',
  event: `/dashboard/events/${seed.event}`,
  search: '/dashboard/search?q=Pedido',
  refunds: '/dashboard/refunds',
  requests: '/dashboard/requests',
  users: '/dashboard/users',
  settings: '/dashboard/settings',
  profile: '/dashboard/profile',
  'second-factor': '/dashboard/profile/second-factor',
  'settlement-year': `/dashboard/settlement?period=${new Date().getFullYear()}`,
})
const listOperatorPages = (seed: Seed) => ({
  'op-overview': '/dashboard/operator',
  'op-accounts': `/dashboard/operator/accounts?q=${seed.account}`,
  'op-account': `/dashboard/operator/accounts/${seed.account}`,
  'op-account-new': '/dashboard/operator/accounts/new',
  'op-connect': `/dashboard/operator/accounts/${seed.account}/connect`,
  'op-connection': `/dashboard/operator/accounts/connections/${seed.connection}`,
  'op-unknown': '/dashboard/operator/unknown',
  'op-payout': `/dashboard/operator/unknown/transfer/${seed.unknown}`,
  'op-disputes': '/dashboard/operator/disputes',
  'op-unexpected': '/dashboard/operator/unexpected',
  'op-answers': '/dashboard/operator/answers',
  'op-stuck': '/dashboard/operator/stuck',
  'op-unmatched': '/dashboard/operator/unmatched',
  'op-differences': '/dashboard/operator/differences',
  'op-entries': '/dashboard/operator/entries',
  'op-webhooks': '/dashboard/operator/webhooks',
  'op-providers': '/dashboard/operator/providers',
  'op-attempts': '/dashboard/operator/providers/attempts?outcome=all',
  'op-acts': '/dashboard/operator/acts',
})

/** Every page on a phone and on a wide screen in both schemes, and on a tablet; English is the language of the wide dark ones. */
const LOOKS: Record<string, BrowserContextOptions> = {
  'wide-light': { viewport: { width: 1440, height: 900 }, colorScheme: 'light', locale: 'pt-BR' },
  'wide-dark': { viewport: { width: 1440, height: 900 }, colorScheme: 'dark', locale: 'en-US' },
  'tablet-light': { viewport: { width: 768, height: 1024 }, colorScheme: 'light', locale: 'pt-BR' },
  'phone-light': { viewport: { width: 375, height: 812 }, colorScheme: 'light', locale: 'pt-BR' },
  'phone-dark': { viewport: { width: 375, height: 812 }, colorScheme: 'dark', locale: 'pt-BR' },
}

const { only } = new Command('npm run shots --')
  .description('takes pictures of the pages of a seeded running product')
  .option('--only <pages>', 'names of pages, separated by commas', names => names.split(','))
  .parse()
  .opts<{ only?: string[] }>()

const executablePath = await findChromium()
if (executablePath === null) throw new Error('Install a Chromium, or name it by CHROMIUM_PATH.')
await rm(OUTPUT, { recursive: true, force: true })
await mkdir(OUTPUT, { recursive: true })
await using opened = new AsyncDisposableStack()
const stack = await startStack({ timeScale: 50 })
opened.defer(async () => void (await stack.stop()))
const stage = await openTestStack(stack.home)
opened.defer(stage.close)
const seed = await seedMerchant(stage)
const browser = await startBrowser(executablePath)
opened.defer(() => browser.close())
for (const [look, options] of Object.entries(LOOKS)) {
  await takeShots(await signIn(stage, browser, seed.account, options), look, listMerchantPages(seed))
  await takeShots(await signIn(stage, browser, null, options), look, listOperatorPages(seed))
  const stranger = await browser.newPage({ baseURL: stage.local.api_url, ...options })
  await takeShots(stranger, look, { 'sign-in': '/dashboard/sign-in' })
  console.log(`${look}: done`)
}
console.log(`The pictures are in ${OUTPUT}`)

async function takeShots(page: Page, look: string, pages: Record<string, string>): Promise<void> {
  for (const [name, path] of Object.entries(pages)) {
    if (only && !only.includes(name)) continue
    await page.goto(path)
    await page.screenshot({ path: join(OUTPUT, `${name}.${look}.png`), fullPage: true })
  }
  await page.context().close()
}

async function signIn(
  { orm, local }: TestStack,
  browser: Browser,
  accountUuid: string | null,
  options: BrowserContextOptions,
): Promise<Page> {
  const email = accountUuid ? 'ana@padariatrilho.com.br' : 'plantao@trilho.com.br'
  await addUser(orm.em.fork(), { email, password: PASSWORD, accountUuid }).catch(() => {}) // Of the look before.
  const context = await browser.newContext({ baseURL: local.api_url, ...options })
  const page = await context.newPage()
  await submitSignIn(page, { email, password: PASSWORD })
  return page
}
