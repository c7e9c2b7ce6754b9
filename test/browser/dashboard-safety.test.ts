import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { pollUntil } from '../api/support/poll-until.ts'
import type { Merchant, TestStack } from '../api/support/test-stack.ts'
import {
  type BrowserUsers,
  clickAndLoad,
  describeWithBrowser,
  findSeriousViolations,
  isWiderThanScreen,
  setUpBrowserSuite,
} from './support/browser.ts'

/** Texts of others execute nothing on our pages, forms of other sites change nothing here, and the pages are accessible. */

const EVIL = `"'><script>window.evil=1</script><img src=x onerror="window.evil=1"><svg onload=alert(1)>`

describeWithBrowser('the dashboard, safe and accessible', () => {
  let stage: TestStack
  let people: BrowserUsers
  let merchant: Merchant
  let pages: string[]

  setUpBrowserSuite(async suite => {
    ;({ stage, people } = suite)
    merchant = await stage.createMerchant({ providers: [{ balance: 100 }] })
    await stage.sql('update account set name = ? where uuid = ?', [EVIL, merchant.uuid])
    const { api } = merchant
    const charge = await api.createCharge({
      value: 12.34,
      external_ref: EVIL,
      final_beneficiary: { name: EVIL, document: '52998224725' },
    })
    const openCharge = await api.createCharge({ value: 5, external_ref: EVIL })
    await stage.simulator.pay({
      payload: charge.payment.payload,
      payer: { name: EVIL.slice(0, 100), document: '52998224725' },
    })
    const order = { value: 1, pix_key: 'ac03@sim.trilho.test', external_ref: EVIL }
    const transfer = await api.post('/api/v1/transfers', order)
    const webhook = await api.post('/api/v1/webhooks', {
      url: `${stage.local.inbox_url}/evil?${encodeURIComponent(EVIL)}`,
    })
    // Operators see it among the failing ones, with an address that offers a line no place to break.
    const url = `${stage.local.inbox_url}/${'x'.repeat(200)}`
    const dead = await api.post('/api/v1/webhooks', { url })
    await api.call('PATCH', `/api/v1/webhooks/${dead.body.data.uuid}`, { body: { status: 'DISABLED' } })
    await pollUntil(
      () => api.readCharge(charge.uuid),
      ({ status }) => status === 'PAID',
    )
    pages = [
      '/dashboard',
      '/dashboard/charges',
      `/dashboard/charges/${charge.uuid}`,
      `/dashboard/charges/${openCharge.uuid}`,
      '/dashboard/transfers',
      `/dashboard/transfers/${transfer.body.data.uuid}`,
      '/dashboard/ledger',
      '/dashboard/providers',
      '/dashboard/tokens',
      '/dashboard/webhooks',
      `/dashboard/webhooks/${webhook.body.data.uuid}`,
      '/dashboard/events',
      '/dashboard/disputes',
      '/dashboard/keys',
    ]
  })

  test('texts written by a merchant or a payer execute nothing', async () => {
    const page = await people.signIn(merchant.uuid)
    await page.goto('/dashboard/tokens')
    await page.getByLabel('Nome').fill(EVIL)
    await clickAndLoad(page.getByRole('button', { name: 'Criar um token' }))
    let seen = 0
    for (const one of pages) {
      await page.goto(one)
      if ((await page.getByText('<script>window.evil=1</script>').count()) > 0) seen++
      expect([one, await page.evaluate('window.evil')]).toEqual([one, undefined])
      expect(await page.locator('img[src="x"], script:not([src])').count()).toBe(0)
    }
    expect(seen).toBe(pages.length) // The account's own name is on each of them.
    expect(people.complaints).toEqual([])
  })

  test('a form on another site creates nothing, although the browser sends the session cookie', async () => {
    const page = await people.signIn(merchant.uuid)
    // The same host at another port is the same site to a browser: the cookie is sent.
    const form = `<form method="post" action="${stage.local.api_url}/dashboard/tokens">
      <input name="name" value="stolen"><input name="mode" value="test">
      <input name="once" value="00000000-0000-4000-8000-000000000001"></form><script>document.forms[0].submit()</script>`
    const server = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end(form))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    try {
      const answered = page.waitForResponse(answer => answer.url().endsWith('/dashboard/tokens'))
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      expect((await answered).status()).toBe(403)
    } finally {
      server.close()
    }
    expect(await stage.sql(`select * from token where name = 'stolen'`)).toEqual([])
    await page.goto('/dashboard/tokens')
    expect(await page.getByText('stolen').count()).toBe(0)
  })

  test('the back button after signing out leads to the sign-in page', async () => {
    const page = await people.signIn(merchant.uuid)
    await page.goto('/dashboard/charges')
    await page.getByRole('button', { name: 'Sair' }).click()
    await page.waitForURL(/sign-in/)
    await page.goBack()
    await page.waitForURL(/sign-in\?next=/)
  })

  const PHONE = { viewport: { width: 390, height: 844 } }
  const contexts: [string, BrowserContextOptions][] = [
    ['at a desk', {}],
    ['on a phone, in the dark, in English', { ...PHONE, colorScheme: 'dark', locale: 'en-US' }],
  ]
  test.each(contexts)('every page is accessible %s', async (_, look) => {
    const [merchants, operators] = await Promise.all([
      people.signIn(merchant.uuid, look),
      people.signIn(null, look),
    ])
    const stranger = await people.sits(look)
    const watched = [
      '',
      '/unknown',
      '/stuck',
      '/unexpected',
      '/unmatched',
      '/differences',
      '/entries',
      '/answers',
      '/webhooks',
      '/providers',
      '/acts',
    ]
    const findings = await Promise.all([
      looked(merchants, pages),
      looked(
        operators,
        watched.map(one => `/dashboard/operator${one}`),
      ),
      looked(stranger, ['/dashboard/sign-in']),
    ])
    expect(findings.flat()).toEqual([])
  })

  test.each([320, 375, 1024, 1280, 1600])(
    'at %i pixels no amount wraps, and names have room',
    async width => {
      const viewport = { width, height: 800 }
      const { uuid } = await stage.createMerchant({ providers: [{ balance: 9_876_543_210.98 }] })
      const page = await people.signIn(uuid, { viewport })
      expect(await page.locator('.cards .amount').first().innerText()).toMatch(/9\.876\.543\.210,98$/)
      expect(await page.evaluate(BROKEN_AMOUNTS)).toEqual([])
      expect(await isWiderThanScreen(page)).toBe(false)
      const operator = await people.signIn(null, { viewport })
      await operator.goto('/dashboard/operator/providers')
      const name = await operator.locator('th.text').last().boundingBox()
      expect(name!.width).toBeGreaterThanOrEqual(128)
    },
  )
  const BROKEN_AMOUNTS = `[...document.querySelectorAll('.cards .amount')]
    .filter(one => one.offsetHeight >= 2 * parseFloat(getComputedStyle(one).lineHeight) || one.scrollWidth > one.clientWidth)
    .map(one => one.innerText)`

  async function looked(page: Page, pages: string[]): Promise<string[]> {
    const faults = []
    for (const one of pages) {
      await page.goto(one)
      faults.push(...(await findSeriousViolations(page)))
      if (await isWiderThanScreen(page)) faults.push(`${one} is wider than its screen`)
    }
    return faults
  }

  test('the keyboard alone skips the menu and opens the mobile menu, which announces its state', async () => {
    const page = await people.signIn(merchant.uuid)
    await page.goto('/dashboard/charges')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Ir para o conteúdo')
    await page.keyboard.press('Enter')
    await page.locator('#main:focus').waitFor()

    const phone = await people.signIn(merchant.uuid, PHONE)
    const menu = (expanded: boolean) => phone.getByRole('button', { name: 'Menu', expanded })
    const link = phone.getByRole('link', { name: 'Cobranças', exact: true })
    expect(await link.isVisible()).toBe(false)
    await menu(false).focus()
    await phone.keyboard.press('Enter')
    await menu(true).waitFor()
    await link.waitFor()
  })

  test('in the other language', async () => {
    const page = await people.signIn(merchant.uuid)
    await page.getByRole('link', { name: 'English' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByRole('link', { name: 'Português' }).click()
    await page.getByRole('heading', { name: 'Visão geral' }).waitFor()
  })
})
