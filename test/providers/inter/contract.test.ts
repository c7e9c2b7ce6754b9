import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { cobOf, devolucaoOf, END_TO_END, okReply, pixOf, REFERENCE } from '../support/efi-fixture.ts'
import {
  acceptanceOf,
  contract,
  NOTIFICATION_SECRET,
  openInterFixture,
  PAYMENT_CODE,
  pageOf,
  paymentOf,
  pixListOf,
  transactionOf,
  transferOrder,
} from '../support/inter-fixture.ts'

const { components } = JSON.parse(
  readFileSync(new URL('../openapi/inter-empresas.json', import.meta.url), 'utf8'),
) as { components: { examples: Record<string, { value: unknown }> } }

test('the adapter has fifteen operations, each as the document describes it', async () => {
  await using story = await openInterFixture()
  const { scripted, provider } = story
  scripted.scriptReplies(`PUT /pix/v2/cob/${REFERENCE}`, okReply(cobOf(), 201))
  scripted.scriptReplies(`GET /pix/v2/cob/${REFERENCE}`, okReply(cobOf()))
  scripted.scriptReplies(`PATCH /pix/v2/cob/${REFERENCE}`, okReply(cobOf()))
  scripted.scriptReplies(`PUT /pix/v2/pix/${END_TO_END}/devolucao/refund1`, okReply(devolucaoOf(), 201))
  scripted.scriptReplies(`GET /pix/v2/pix/${END_TO_END}/devolucao/refund1`, okReply(devolucaoOf()))
  scripted.scriptReplies('GET /pix/v2/pix', okReply(pixListOf(pixOf())))
  scripted.scriptReplies('GET /banking/v2/extrato/completo', okReply(pageOf(transactionOf())))
  scripted.scriptReplies('POST /banking/v2/pix', okReply(acceptanceOf()))
  scripted.scriptReplies(`GET /banking/v2/pix/${PAYMENT_CODE}`, okReply(paymentOf()))
  scripted.scriptReplies('PUT /pix/v2/webhook/5511999999999', { status: 204 })
  scripted.scriptReplies('GET /pix/v2/webhook/5511999999999', okReply({ webhookUrl: 'https://t.test' }))
  const charge = { reference: REFERENCE, expiresInSeconds: 60, collectionKey: 'k', message: 'Pedido 7' }
  const debtors = ['52998224725', '11222333000181', '12ABC34501DE35'].map(document => ({
    name: 'Ana',
    document,
  }))
  const refund = { id: 'refund1', endToEnd: END_TO_END, cents: 500, description: 'Devolvido' }

  await provider.issueCharge({ ...charge, totalCents: 1234 })
  for (const debtor of debtors) await provider.issueCharge({ ...charge, totalCents: 1234, debtor })
  await provider.findCharge(REFERENCE)
  await provider.cancelCharge(REFERENCE)
  await provider.findPayment(END_TO_END)
  await provider.refund(refund)
  await provider.findRefund(refund)
  for (const cents of [1, 10, 1050, 123_456, 999_999_999_999])
    await provider.sendTransfer({ ...transferOrder, cents })
  await provider.findTransfer({ id: transferOrder.id, order: transferOrder })
  await provider.findTransfer({ id: transferOrder.id, handle: { ref: PAYMENT_CODE } })
  await provider.balances()
  await provider.statement('2026-01-08T12:00:00.000Z', '2026-01-10T12:00:00.000Z')
  await provider.findReplacedUrl!('+5511999999999')
  await provider.registerNotificationUrl('https://trilho.test/provider-notifications/1', '+5511999999999')

  const operations = new Set(
    story.scripted.calls().map(({ method, path }) => `${method} ${path.split('?')[0]}`),
  )
  expect(operations.size).toBe(15)
  const sentDebtors = story.scripted
    .calls()
    .flatMap(({ method, body }) => (method === 'PUT' && body ? (JSON.parse(body).devedor ?? []) : []))
  expect(sentDebtors).toEqual([
    { cpf: '52998224725', nome: 'Ana' },
    { cnpj: '11222333000181', nome: 'Ana' },
  ])
  const amounts = story.scripted
    .calls()
    .flatMap(({ path, body }) => (path.endsWith('v2/pix') && body ? JSON.parse(body).valor : []))
  expect(amounts.slice(0, 5)).toEqual([0.01, 0.1, 10.5, 1234.56, 9_999_999_999.99])
})

describe('the answers of the tests are as the document describes them', () => {
  const answers: [string, string, number, unknown][] = [
    ['PUT', `/pix/v2/cob/${REFERENCE}`, 201, cobOf()],
    ['GET', `/pix/v2/cob/${REFERENCE}`, 200, cobOf()],
    ['GET', '/pix/v2/pix', 200, pixListOf(pixOf())],
    ['PUT', `/pix/v2/pix/${END_TO_END}/devolucao/refund1`, 201, devolucaoOf()],
    ['POST', '/banking/v2/pix', 200, acceptanceOf()],
    ['GET', `/banking/v2/pix/${PAYMENT_CODE}`, 200, paymentOf()],
  ]
  test.each(answers)('%s %s', (method, path, status, body) => {
    expect(contract.validateResponse({ method, path, status, body })).toEqual([])
  })
})

describe('its examples are readable', () => {
  const example = (name: string) => components.examples[name]!.value

  test.each([
    ['PagamentoPixResponseEfetivado', 'accepted'],
    ['PagamentoPixResponseAguardandoAprovacao', 'awaiting_approval'],
  ])('%s: %s', async (name, kind) => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies('POST /banking/v2/pix', okReply(example(name)))
    expect(await story.provider.sendTransfer(transferOrder)).toMatchObject({ kind })
  })

  test.each([
    ['RequisicaoInvalidaIncluirPixExample', 400, 'provider_validation'],
    ['NaoAutorizadoExample', 401, 'provider_denied'],
    ['AcessoNegadoExample', 403, 'provider_denied'],
    ['NaoEncontradoExample', 404, 'provider_rejected'],
  ])('%s refuses a transfer', async (name, status, code) => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies('POST /banking/v2/pix', okReply(example(name), status))
    expect(await story.provider.sendTransfer(transferOrder)).toMatchObject({ kind: 'rejected', code })
  })

  test.each([
    ['cobResponse1', 'ATIVA'],
    ['cobResponse2', 'CONCLUIDA'],
  ])('%s is a charge', async name => {
    await using story = await openInterFixture()
    const cob = example(name) as { txid: string }
    story.scripted.scriptReplies(`GET /pix/v2/cob/${cob.txid}`, okReply(cob))
    expect(await story.provider.findCharge(cob.txid)).toMatchObject({
      kind: 'found',
      charge: { txid: cob.txid },
    })
  })

  test.each([
    ['RequisicaoInvalidaCobExample1', 400, 'charge_refused'],
    ['Pix_AcessoNegadoExample1', 403, 'provider_denied'],
  ])('%s refuses a charge', async (name, status, code) => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(`PUT /pix/v2/cob/${REFERENCE}`, okReply(example(name), status))
    story.scripted.scriptReplies(
      `GET /pix/v2/cob/${REFERENCE}`,
      okReply(example('Pix_NaoEncontradoExample1'), 404),
    )
    const order = { reference: REFERENCE, totalCents: 1, expiresInSeconds: 60, collectionKey: 'k' }
    expect(await story.provider.issueCharge(order)).toMatchObject({ kind: 'rejected', code })
  })

  test.each([
    ['CallbackPixPagamentoChave', ['transfer']],
    ['CallbackPixPagamentoDadosBancarios', ['transfer']],
    ['CallbackPixCobrancaExemploSemDevolucao', ['payment']],
    ['CallbackPixCobrancaExemploComDevolucao', ['payment', 'refund']],
  ])('%s is a notification', async (name, kinds) => {
    await using story = await openInterFixture()
    const body = JSON.stringify(example(name))
    const outcome = await story.provider.readNotification({ body, headers: {}, secret: NOTIFICATION_SECRET })
    expect(outcome.kind === 'items' && outcome.items.map(({ kind }) => kind)).toEqual(kinds)
    expect(story.recorded).toEqual([])
  })
})
