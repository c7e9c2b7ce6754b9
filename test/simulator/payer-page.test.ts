import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fetch } from 'undici'
import type { EfiClient } from './support/efi-client.ts'
import { openSimulatorFixture, type SimulatorFixture } from './support/simulator-fixture.ts'

let simulator: SimulatorFixture
let efi: EfiClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  efi = await simulator.createShop({ holder: { name: 'Loja <b>São</b> João', document: '11222333000181' } })
})
afterAll(() => simulator.close())

let count = 0
const payload = async (value: string) => {
  const { body } = await efi.createCob(`page${String(++count).padStart(28, '0')}`, value, {
    solicitacaoPagador: '<i>Pedido</i>',
  })
  return body.pixCopiaECola as string
}
const page = async (path: string, form?: Record<string, string>) => {
  const answer = await fetch(`${simulator.facts.url}${path}`, {
    dispatcher: simulator.browser,
    ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
  })
  return { status: answer.status, html: await answer.text(), headers: answer.headers }
}

test('the page shows the amount of the code, and a click pays it', async () => {
  const code = await payload('1234.56')
  const seen = await page(`/pay?payload=${encodeURIComponent(code)}`)
  expect(seen.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(seen.html).toContain('<html lang="pt-BR">')
  for (const text of ['R$\u00a01.234,56', 'loja@trilho.test', 'page0000', '<form method="post"'])
    expect(seen.html).toContain(text)
  expect(seen.html).not.toMatch(/<[bi]>|<script/)
  expect(seen.html).toContain(`Loja ${escaped('<b>')}Sao${escaped('</b>')} Joao`)
  expect(seen.html).toContain(`${escaped('<i>')}Pedido${escaped('</i>')}`)

  const field = /name="payload" value="([^"]*)"/.exec(seen.html)![1]!
  const paid = await page('/pay', { payload: unescaped(field) })
  expect(paid.status).toBe(200)
  expect(paid.html).toMatch(/Pagamento realizado[\s\S]*E99999004/)
  const repeat = await page('/pay', { payload: code })
  expect([repeat.status, repeat.html.includes('já foi paga')]).toEqual([409, true])
})

test('an unreadable code is answered with an explanation', async () => {
  const { html } = await page('/pay?payload=%3Cscript%3E')
  expect(html).toContain('role="alert"')
  expect(html).not.toContain('<script')
})

test('without a code the page asks for one; the index links to it', async () => {
  expect((await page('/pay')).html).toContain('<label for="payload">')
  expect((await page('/')).html).toContain('href="/pay"')
})

test('the payload URL serves a signed document, and 410 once it cannot be paid', async () => {
  const { body } = await efi.createCob('q'.repeat(32), '3.00')
  const path = body.location.slice(body.location.indexOf('/'))
  const response = await page(path)
  expect(response.headers.get('content-type')).toMatch(/^application\/jose/)
  const document = JSON.parse(Buffer.from(response.html.split('.')[1]!, 'base64url').toString())
  expect(document).toMatchObject({
    txid: 'q'.repeat(32),
    chave: 'loja@trilho.test',
    valor: { original: '3.00' },
  })
  await simulator.control.pay({ payload: body.pixCopiaECola })
  expect((await page(path)).status).toBe(410)
  expect((await page('/qr/v2/00000000000000000000000000000000')).status).toBe(404)
})

test('the inbox records any request and answers as configured', async () => {
  await simulator.control.setInboxResponse('shop', {
    status: 503,
    headers: { 'retry-after': '7' },
    delay_ms: 20,
  })
  const answer = await fetch(`${simulator.facts.inbox_url}/shop`, {
    method: 'PUT',
    dispatcher: simulator.browser,
    headers: { 'webhook-id': 'w1' },
    body: '{ "as": "it came" }',
  })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7'])
  const [message] = await simulator.control.listInbox('shop')
  expect(message).toMatchObject({
    method: 'PUT',
    body: '{ "as": "it came" }',
    headers: { 'webhook-id': 'w1' },
  })
})

function escaped(text: string): string {
  return text.replaceAll(/[<>]/g, character => `&#${character.charCodeAt(0)};`)
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}
