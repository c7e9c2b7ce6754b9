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
  const question = await merchant.send(`${on}/refund`, { value: '12,5', once }, { on })
  expect([question.status, temporalCalls]).toEqual([200, 0])
  expect(plain(question.text)).toContain('<button type="submit" class="danger">Devolver R$ 12,50</button>')
  expect(question.text).not.toContain('<script>alert')
  expect(question.text).toContain('&#60;script&#62;alert(1)')
  expect(hiddenFieldsOf(question.text)).toMatchObject({ once, value: '12,5' })
  const answer = await merchant.call('POST', `${on}/refund`, { form: hiddenFieldsOf(question.text) })
  expect([answer.status, temporalCalls > 0]).toEqual([503, true])
})

test('a refund of all that is left carries the text for the payer, which is checked', async () => {
  const on = chargePath()
  const form = { value: '', whole: '80,99', once: randomUUID() }
  const question = await merchant.send(`${on}/refund`, { ...form, description: ' Pedido 1042 ' }, { on })
  expect(question.status).toBe(200)
  expect(question.text).toMatch(/<dt>Mensagem ao pagador<\/dt>\s*<dd[^>]*>Pedido 1042<\/dd>/)
  expect(hiddenFieldsOf(question.text)).toMatchObject({ whole: '80,99', description: ' Pedido 1042 ' })
  const tooLong = await merchant.send(`${on}/refund`, { ...form, description: 'x'.repeat(141) }, { on })
  expect([tooLong.status, temporalCalls]).toEqual([422, 0])
  expect(tooLong.text).toMatch(/<input name="description" [^>]*aria-invalid="true"/)
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
  const question = await merchant.send(`${on}/refund`, { value: '10,00', once: randomUUID() }, { on })
  await ours.sql('update charge set external_ref = ? where uuid = ?', ['pedido 2', ours.charge])
  const changed = await merchant.call('POST', `${on}/refund`, { form: hiddenFieldsOf(question.text) })
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

test.each([
  ['pt-BR', '(11) 98888-7777', '+5511988887777', '+55 (11) 98888-7777', '9,99'],
  ['pt-BR', '529.982.247-25', '52998224725', '529.982.247-25', '1.234,56'],
  ['en', ' Maria@Example.com ', 'maria@example.com', 'maria@example.com', '9.99'],
])('a transfer in %s to %s is reviewed before it is sent', async (language, typed, key, shown, value) => {
  const on = '/dashboard/transfers/new'
  merchant.cookies.set('trilho_language', language)
  const form = { pix_key: typed, value, once: randomUUID(), mode: 'test' }
  const question = await merchant.send(on, form)
  merchant.cookies.set('trilho_language', 'pt-BR')
  expect([question.status, temporalCalls]).toEqual([200, 0])
  expect(hiddenFieldsOf(question.text)).toMatchObject({ pix_key: key, value, once: form.once })
  expect(question.text).toContain(shown)
  const typing = await merchant.send(`${on}/key`, { pix_key: typed }, { on })
  expect(typing.text).toContain(`<strong>${shown}</strong>`)
})

test('a transfer without a key or an amount is not reviewed, and keeps what was typed', async () => {
  const on = '/dashboard/transfers/new'
  const form = {
    pix_key: MALICIOUS_TEXT,
    value: '',
    scheduled_for: '2020-01-01T10:00',
    once: randomUUID(),
    mode: 'live',
  }
  const { status, text } = await merchant.send(on, form)
  expect([status, temporalCalls, hiddenFieldOf(text, 'confirmed')]).toEqual([422, 0, undefined])
  expect(text).toContain('value="&#34;&#39;&#62;&#60;script&#62;')
  for (const id of ['in-pix_key', 'in-value']) expect(text).toContain(`id="${id}-wrong"`)
  const past = await merchant.send(on, { ...form, pix_key: 'maria@example.com', value: '1,00' })
  expect([past.status, past.text.includes('precisa estar no futuro')]).toEqual([422, true])
})

test('a charge needs an amount, and names every wrong field at its field', async () => {
  const on = '/dashboard/charges/new'
  const wrong = {
    value: '1,2,3',
    expires_in: '1',
    once: randomUUID(),
    mode: 'test',
    external_ref: MALICIOUS_TEXT,
    'splits.0.value': 'x',
    'splits.0.type': 'FIXED',
    'splits.0.recipient_account_uuid': 'x',
  }
  const { status, text } = await merchant.send(on, wrong)
  expect([status, temporalCalls, text.includes('<script>alert')]).toEqual([422, 0, false])
  for (const field of ['value', 'splits.0.value', 'splits.0.recipient_account_uuid'])
    expect(text).toContain(`id="in-${field}-wrong"`)
  const more = await merchant.send(on, { ...wrong, more: '1' })
  expect([more.status, more.text.includes('name="splits.1.value"')]).toEqual([200, true])
})
