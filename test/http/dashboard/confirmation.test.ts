import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf, hiddenFieldsOf } from '../support/browser.ts'
import { createFullAccount, MALICIOUS_TEXT, PASSWORD } from '../support/full-account.ts'

/** Nothing that moves money or cannot be undone happens without a page that names the amount and the receiver. */

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let merchant: ReturnType<typeof createBrowser>
let temporalCalls: number

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes], {}, async () => {
    temporalCalls++
    return {} as Client
  })
  ours = await createFullAccount(fixture)
  merchant = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
})
afterAll(() => fixture.close())
beforeEach(() => {
  temporalCalls = 0
})

const chargePath = () => `/dashboard/charges/${ours.charge}`
const plain = (text: string) => text.replaceAll('\u00a0', ' ')

test('a refund is confirmed by its amount and its payer before anything starts', async () => {
  const on = chargePath()
  const once = randomUUID()
  const asked = await merchant.send(`${on}/refund`, { value: '12,5', once }, { on })
  expect([asked.status, temporalCalls]).toEqual([200, 0])
  expect(plain(asked.text)).toContain('<button type="submit" class="danger">Devolver R$ 12,50</button>')
  expect(asked.text).not.toContain('<script>alert')
  expect(asked.text).toContain('&#60;script&#62;alert(1)')
  expect(hiddenFieldsOf(asked.text)).toMatchObject({ once, value: '12,5' })
  const sent = await merchant.call('POST', `${on}/refund`, { form: hiddenFieldsOf(asked.text) })
  expect([sent.status, temporalCalls > 0]).toEqual([503, true])
})

test('an empty field refunds nothing', async () => {
  const on = chargePath()
  for (const value of ['', '   ']) {
    const { status, text } = await merchant.confirm(`${on}/refund`, { value, once: randomUUID() }, { on })
    expect([status, text.includes('é obrigatório'), temporalCalls]).toEqual([422, true, 0])
    expect(text).toMatch(
      /<input name="value" [^>]*aria-describedby="in-value-wrong" aria-invalid="true" autofocus>/,
    )
    expect(text).toMatch(/<title>Erro: /)
  }
})

test('whoever confirms after a change is told what changed, and asked again', async () => {
  const on = chargePath()
  const asked = await merchant.send(`${on}/refund`, { value: '10,00', once: randomUUID() }, { on })
  await ours.sql('update charge set external_ref = ? where uuid = ?', ['pedido 2', ours.charge])
  const changed = await merchant.call('POST', `${on}/refund`, { form: hiddenFieldsOf(asked.text) })
  expect([changed.status, temporalCalls]).toEqual([200, 0])
  expect(changed.text).toMatch(/<strong>Referência externa<\/strong>: <del>.*<\/del> → <ins>pedido 2<\/ins>/)
  const confirmed = await merchant.call('POST', `${on}/refund`, { form: hiddenFieldsOf(changed.text) })
  expect([confirmed.status, temporalCalls > 0]).toEqual([503, true])
})

test('a confirmation of another charge, or one that was made up, confirms nothing', async () => {
  const on = chargePath()
  const form = { value: '10,00', once: randomUUID() }
  const of = async (confirmed: string) => merchant.send(`${on}/refund`, { ...form, confirmed }, { on })
  const other = await merchant.send(`/dashboard/charges/${ours.open}/cancel`, {}, { on })
  for (const confirmed of ['', '1', MALICIOUS_TEXT, hiddenFieldOf(other.text, 'confirmed')!]) {
    const { status, text } = await of(confirmed)
    expect([status, hiddenFieldOf(text, 'confirmed') !== undefined, temporalCalls]).toEqual([200, true, 0])
  }
})
