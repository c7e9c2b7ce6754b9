import { expect, test } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { DECISIONS, DOCUMENTS, RUNBOOKS } from '../../src/api/docs/documents.ts'
import { GUIDE_PAGES, type GuideLanguage } from '../../src/api/docs/guide-pages.ts'
import type { Merchant, TestStack } from '../api/support/test-stack.ts'
import {
  type BrowserUsers,
  describeWithBrowser,
  findSeriousViolations,
  isWiderThanScreen,
  setUpBrowserSuite,
} from './support/browser.ts'

/** What can be read without signing in: the documentation, and the pages of the simulated payer's bank. */

const REFERENCE = '/docs/reference'

/** What leads to a place within a page, and where its links lead. */
type Outline = { ids: string[]; links: string[] }
/** Lists the outline of a document, in the page. */
const OUTLINE = `page => ({
  ids: [...page.querySelectorAll('[id]')].map(one => one.id),
  links: [...page.links].map(link => link.getAttribute('href')),
})`

describeWithBrowser('public pages', () => {
  let stage: TestStack
  let people: BrowserUsers
  let merchant: Merchant
  setUpBrowserSuite(async suite => {
    ;({ stage, people } = suite)
    merchant = await stage.createMerchant()
  })

  const PHONE = { viewport: { width: 375, height: 812 } }
  const contexts: [string, BrowserContextOptions, GuideLanguage][] = [
    ['at a desk', {}, 'en'],
    ['on a phone, in the dark', { ...PHONE, colorScheme: 'dark' }, 'pt'],
  ]

  test.each(contexts)('the guide and the documents are accessible %s', async (_, look, language) => {
    const page = await people.sits(look)
    const found: string[] = []
    const guide = GUIDE_PAGES[language].map(({ path }) => path)
    const documents = [...DOCUMENTS, RUNBOOKS[0]!].map(({ name }) => `/docs/${name}`)
    for (const path of [...guide, ...documents]) {
      await page.goto(path)
      found.push(...(await wrongWith(page)))
    }
    expect([...found, ...people.complaints]).toEqual([])
  })

  test.each(contexts)(
    'the API reference is accessible, in the colours of the reader, %s',
    async (_, look) => {
      const page = await people.sits(look)
      await page.goto(REFERENCE)
      await page.locator('summary', { hasText: 'TypeScript' }).first().click()
      const luminance = await page.evaluate<number>(
        `getComputedStyle(document.querySelector('h1')).color.match(/[\\d.]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0)`,
      )
      expect(luminance > 384).toBe(look.colorScheme === 'dark')
      expect([...(await wrongWith(page)), ...people.complaints]).toEqual([])
    },
  )

  test.each(contexts)('a payer can read and pay the payment page %s', async (_, look) => {
    const { payment } = await merchant.api.createCharge({ value: 1234.56 })
    // Its certificate is of the local authority.
    const page = await people.sits({ ...look, ignoreHTTPSErrors: true })
    await page.goto(`${stage.local.simulator_url}/pay`)
    const violations = await wrongWith(page)
    await page.getByLabel('Código PIX').fill(payment.payload)
    await page.getByRole('button', { name: 'Continuar' }).click()
    await page.getByText('R$ 1.234,56').first().waitFor()
    violations.push(...(await wrongWith(page)))
    await page.getByRole('button', { name: 'Pagar R$ 1.234,56' }).click()
    await page.getByRole('heading', { name: 'Pagamento realizado' }).waitFor()
    violations.push(...(await wrongWith(page)))
    await page.goto(`${stage.local.simulator_url}/pay?payload=${encodeURIComponent(payment.payload)}`)
    await page.getByRole('alert').waitFor()
    violations.push(...(await wrongWith(page)))
    expect([...violations, ...people.complaints]).toEqual([])
  })

  test('the API reference calls no other server, finds an operation, and every link of a page leads to a page or to an anchor on one', async () => {
    const page = await people.sits()
    const origins = new Set<string>()
    page.on('request', request => origins.add(new URL(request.url()).origin))
    await page.goto(REFERENCE)
    const documents = [...DOCUMENTS, ...DECISIONS, ...RUNBOOKS].map(({ name }) => `/docs/${name}`)
    const guide = [...GUIDE_PAGES.en, ...GUIDE_PAGES.pt].map(({ path }) => path)
    const outlines = [
      { path: REFERENCE, ...(await page.evaluate<Outline>(`(${OUTLINE})(document)`)) },
      ...(await page.evaluate<({ path: string } & Outline)[]>(
        `Promise.all(${JSON.stringify([...guide, ...documents])}.map(async path => {
          const text = await (await fetch(path)).text()
          return { path, ...(${OUTLINE})(new DOMParser().parseFromString(text, 'text/html')) }
        }))`,
      )),
    ]
    const ids = new Map(outlines.map(({ path, ids }) => [path, new Set(ids)]))
    const others = ['/openapi.json', '/dashboard']
    const ownLinks = outlines
      .flatMap(({ path, links }) =>
        links.map(link => ({ from: path, to: new URL(link, stage.local.api_url + path) })),
      )
      .filter(({ to }) => to.origin === stage.local.api_url && !others.includes(to.pathname))
    expect(ownLinks.length).toBeGreaterThan(100)
    const wrong = ownLinks.filter(({ to }) => {
      const there = ids.get(to.pathname)
      return !there || (to.hash !== '' && !there.has(decodeURIComponent(to.hash.slice(1))))
    })
    expect(wrong.map(({ from, to }) => `${from}: ${to}`)).toEqual([])

    await page.keyboard.press('/')
    await page.keyboard.type('refundPayment')
    // The first result of the whole name, not of a part that was typed before.
    const operation = '/docs/reference#refund-a-charge-whole-or-in-part'
    await page.locator(`#results a:first-child[href="${operation}"]`).click()
    await page.waitForURL(`**${operation}`)
    expect([...origins].filter(origin => origin !== 'null')).toEqual([stage.local.api_url])
    expect(people.complaints).toEqual([])
  })

  test('the table of contents opens on a phone and its links work', async () => {
    const page = await people.sits(PHONE)
    await page.goto('/docs/errors')
    const link = page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).first()
    expect(await link.isVisible()).toBe(false)
    await page.getByText('Contents', { exact: true }).click()
    await link.click()
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  })

  test('the other language has the same page, and the pages of a language follow one another', async () => {
    const page = await people.sits()
    await page.goto('/docs')
    expect(new URL(page.url()).pathname).toBe('/docs/pt')
    await page.goto('/docs/pt/refunds')
    await page.getByRole('link', { name: 'English' }).click()
    await page.waitForURL('**/docs/en/refunds')
    expect(await page.evaluate('document.documentElement.lang')).toBe('en')
    await page.getByRole('link', { name: 'Next Transfers' }).click()
    await page.waitForURL('**/docs/en/transfers')
    await page.getByRole('link', { name: 'Previous Refunds' }).click()
    await page.waitForURL('**/docs/en/refunds')
  })

  test.each([
    ['/docs/pt', 'cobranca', 'Cobranças', '/docs/pt/charges'],
    ['/docs/pt', 'DEVOLUCOES', 'Devoluções', '/docs/pt/refunds'],
    ['/docs/en', 'idempotency', 'Idempotency-Key', '/docs/en/requests'],
    ['/docs/en', 'refund_med_open', 'refund_med_open', '/docs/en/errors#refund_med_open'],
  ])('the search of %s finds %s by the keyboard alone', async (path, query, title, found) => {
    const page = await people.sits()
    await page.goto(path)
    await page.keyboard.press('/')
    await page.keyboard.type(query)
    const first = page.locator('#results a').first()
    await first.filter({ hasText: title }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${found}**`)
    expect(people.complaints.filter(one => one.includes(found))).toEqual([])
  })

  test('a search without results says so, and Escape closes it', async () => {
    const page = await people.sits()
    await page.goto('/docs/pt')
    await page.keyboard.press('/')
    await page.keyboard.type('zzzzzz')
    const results = page.locator('#results')
    await results.filter({ hasText: 'Nenhum resultado para “zzzzzz”' }).waitFor()
    await page.keyboard.press('Escape')
    expect(await results.isVisible()).toBe(false)
  })

  test('the button of a block copies its code', async () => {
    const page = await people.sits({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto('/docs/en/quick-start')
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npm ci && npm start')
  })

  async function wrongWith(page: Page): Promise<string[]> {
    const violations = await findSeriousViolations(page)
    if (await isWiderThanScreen(page)) violations.push(`${page.url()} is wider than its screen`)
    return violations
  }
})
