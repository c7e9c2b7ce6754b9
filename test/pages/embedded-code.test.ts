import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { paymentLinkRoutes } from '../../src/api/payment-links/routes.ts'
import { dashboardRoutes } from '../../src/dashboard/routes.ts'
import { findChromium, startBrowser } from '../browser/support/chromium.ts'
import { type ApiFixture, openApiFixture } from '../http/support/api-fixture.ts'
import { createFullAccount } from '../http/support/full-account.ts'

/** The web component of a payment link in a browser, on a page of another origin that allows it nothing but our own. */

const executablePath = await findChromium()
const testWithBrowser = executablePath === null ? test.skip : test

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let browser: Browser | undefined
let token: string
let shop: Server | undefined

beforeAll(async () => {
  if (executablePath === null) return
  fixture = await openApiFixture([paymentLinkRoutes, dashboardRoutes])
  ours = await createFullAccount(fixture)
  token = await fixture.insertToken({ accountUuid: ours.account })
  browser = await startBrowser(executablePath)
  shop = await startShop()
})
afterAll(async () => {
  await browser?.close()
  shop?.close()
  await fixture?.close()
})

/** Creates a link of a charge; returns its address at the server of this test. */
async function createLink(charge: string): Promise<string> {
  const { body } = await fixture.call('POST', '/api/v1/payment-links', {
    token,
    body: { charge_uuid: charge },
  })
  return fixture.server.url + new URL(body.data.url).pathname
}

/** Serves the page of a shop with the component, which keeps the events of the component. */
async function startShop() {
  const server = createServer((request, response) => {
    const site = fixture.server.url
    const link = new URL(request.url!, 'http://localhost').searchParams.get('link')
    response.setHeader('content-type', 'text/html')
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; script-src ${site} 'nonce-shop'; connect-src ${site}`,
    )
    response.end(`<!doctype html><html lang="en"><body><script nonce="shop">
      window.events = []
      for (const name of ['trilho-status', 'trilho-paid'])
        addEventListener(name, event => events.push(name + ' ' + event.detail.status))
      </script><script type="module" src="${site}/embed/v1/trilho-pix.js"></script>
      <trilho-pix link="${link}"></trilho-pix></body></html>`)
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  return server
}

async function openShop(link: string) {
  const page = await browser!.newPage({ locale: 'en-US' })
  const { port } = shop!.address() as AddressInfo
  await page.goto(`http://localhost:${port}/?${new URLSearchParams({ link })}`)
  return page
}

testWithBrowser('the component shows the code of a charge, and that it can no longer be paid', async () => {
  await fixture.orm.em.execute(`update charge set expires_at = now() + interval '1 hour' where uuid = ?`, [
    ours.open,
  ])
  const page = await openShop(await createLink(ours.open))
  await page.getByText('Waiting for payment').waitFor()
  expect(await page.getByRole('img', { name: 'QR code to pay by PIX' }).count()).toBe(1)
  expect(await page.getByLabel('PIX copy and paste').inputValue()).not.toBe('')
  expect(await page.locator('.amount').textContent()).toContain('1,234.56')
  await page.getByRole('button', { name: 'Copy the code' }).click()
  await page.getByText('Code copied').waitFor()
  await fixture.orm.em.execute(`update charge set state = 'cancelled' where uuid = ?`, [ours.open])
  await page.getByText('Charge cancelled').waitFor()
  expect(await page.getByRole('img').count()).toBe(0)
  expect(await page.evaluate('events')).toEqual(['trilho-status PENDING', 'trilho-status CANCELLED'])
})

testWithBrowser('the component tells its page once that the charge is paid', async () => {
  const page = await openShop(await createLink(ours.charge))
  await page.locator('.paid', { hasText: 'Paid' }).waitFor()
  expect(await page.evaluate('events')).toEqual(['trilho-status PAID', 'trilho-paid PAID'])
})

testWithBrowser.each(['https://other.example/pay/x', 'javascript:alert(1)', '', '/pay/x'])(
  'the component shows no code of an address that is no link of its service: %j',
  async link => {
    const page = await openShop(link)
    await page.getByText('Payment link not found').waitFor()
    expect(await page.evaluate('events')).toEqual(['trilho-status NOT_FOUND'])
  },
)
