import { describe, expect, test } from '@jest/globals'
import { PixQrCodeBodySchema, PixQrCodePayResponseSchema } from 'sdk-node-apis-efi'
import { codeDestination, PAYMENT_CODE } from '../support/transfer-destinations.ts'
import { bcbErrorReply, okReply, openEfiFixture } from './support/efi-fixture.ts'
import { acceptanceOf, openInterFixture } from './support/inter-fixture.ts'
import { ACCOUNT_ID, openPayingWooviFixture, paymentOf, wooviErrorReply } from './support/woovi-fixture.ts'

/** Paying a PIX code: what each bank is sent, judged by its published schema, and what its answers prove. */

const { payload } = PAYMENT_CODE
const order = {
  id: 'transfer1',
  cents: 1050,
  destination: codeDestination(),
  payerKey: 'loja@trilho.test',
  message: 'Fatura 7',
}
const staticOrder = { ...order, destination: codeDestination({ initiation: 'QR_STATIC', txid: 'MESA1' }) }
const unsupported = { kind: 'rejected', finality: 'other_may_help', code: 'qr_code_unsupported' }

describe('efi', () => {
  const PUT = 'PUT /v2/gn/pix/transfer1/qrcode'
  const accepted = (changes: object = {}) => ({
    idEnvio: 'transfer1',
    e2eId: 'E09089356202601101200abcdefghijk',
    endToEndId: 'E09089356202601101200abcdefghijk',
    valor: '10.50',
    horario: { solicitacao: '2026-01-10T12:00:00.000Z' },
    status: 'EM_PROCESSAMENTO',
    ...changes,
  })

  test('a code is paid with the value that it asks', async () => {
    expect(PixQrCodePayResponseSchema.safeParse(accepted()).success).toBe(true)
    await using story = await openEfiFixture()
    story.scripted.scriptReplies(PUT, okReply(accepted(), 201))
    expect(await story.provider.sendTransfer(order)).toMatchObject({
      kind: 'accepted',
      payout: { status: 'in_process', cents: 1050 },
    })
    const body = JSON.parse(story.scripted.calls()[0]!.body)
    expect(body).toEqual({
      pagador: { chave: 'loja@trilho.test', infoPagador: 'Fatura 7' },
      pixCopiaECola: payload,
    })
    expect(PixQrCodeBodySchema.strict().safeParse(body).success).toBe(true)
  })

  test('another value than the ordered one is no acceptance: the look-up shows what was paid', async () => {
    await using story = await openEfiFixture()
    story.scripted.scriptReplies(PUT, okReply(accepted({ valor: '10.51' }), 201))
    expect(await story.provider.sendTransfer(order)).toMatchObject({ kind: 'unknown' })
    const found = { ...accepted({ valor: '10.51' }), status: 'REALIZADO' }
    story.scripted.scriptReplies('GET /v2/gn/pix/enviados/id-envio/transfer1', okReply(found))
    expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({
      kind: 'found',
      payout: { status: 'settled', cents: 1051 },
    })
  })

  test('a refusal counts once the absence of the payment is proved, and one for lack of a scope at once', async () => {
    await using story = await openEfiFixture()
    story.scripted.scriptReplies(PUT, bcbErrorReply(400, 'QrcodeOperacaoInvalida'), {
      status: 403,
      json: { error: 'insufficient_scope', error_description: 'Access token has insufficient scope' },
    })
    expect(await story.provider.sendTransfer(order)).toMatchObject({
      kind: 'unknown',
      code: 'provider_rejected',
      refusal: { finality: 'other_may_help' },
    })
    expect(await story.provider.sendTransfer(order)).toMatchObject({
      kind: 'rejected',
      finality: 'other_may_help',
      code: 'provider_denied',
    })
  })

  test.each([
    ['static', { initiation: 'QR_STATIC' }],
    ['of an open value', { isOpen: true }],
  ] as const)('no code that is %s is sent', async (_, change) => {
    await using story = await openEfiFixture()
    const outcome = await story.provider.sendTransfer({ ...order, destination: codeDestination(change) })
    expect(outcome).toMatchObject(unsupported)
    expect(story.scripted.seen).toEqual([])
  })
})

describe('woovi', () => {
  const POST = 'POST /api/v1/payment'

  test.each([
    ['dynamic', order],
    ['static', staticOrder],
  ])('a %s code is paid with the ordered value, bound to no look-up of its key', async (_, codeOrder) => {
    await using story = await openPayingWooviFixture()
    story.scripted.scriptReplies(POST, okReply(paymentOf('APPROVED')))
    expect(
      await story.provider.sendTransfer({ ...codeOrder, payerKey: null, lookUpEndToEnd: 'E1' }),
    ).toMatchObject({ kind: 'accepted', payout: { status: 'in_process', cents: 1050 } })
    expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({
      type: 'QR_CODE',
      qrCode: payload,
      correlationID: 'transfer1',
      value: 1050,
      sourceAccountId: ACCOUNT_ID,
      comment: 'Fatura 7',
      autoApprove: true,
    })
  })

  test('the key that was paid is that of the destination', async () => {
    await using story = await openPayingWooviFixture()
    const { payment, ...rest } = paymentOf('CONFIRMED', {
      destination: { name: 'Dan', pixKey: 'eva@example.com' },
    })
    const { destinationAlias: _, ...code } = payment as Record<string, unknown>
    const answer = { payment: { ...code, type: 'QR_CODE', qrCode: payload }, ...rest }
    story.scripted.scriptReplies('GET /api/v1/payment/transfer1', okReply(answer))
    expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({
      kind: 'found',
      payout: { pixKey: 'eva@example.com' },
    })
  })

  test('a refusal whose sentence is not published proves nothing', async () => {
    await using story = await openPayingWooviFixture()
    story.scripted.scriptReplies(POST, wooviErrorReply('QR Code inválido'))
    expect(await story.provider.sendTransfer({ ...order, payerKey: null })).toMatchObject({ kind: 'unknown' })
  })
})

test.each([
  ['dynamic', order],
  ['static', staticOrder],
])(
  'inter: a %s code is paid with the ordered value under the id that makes a repeat the same',
  async (_, codeOrder) => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies('POST /banking/v2/pix', okReply(acceptanceOf()))
    expect(await story.provider.sendTransfer(codeOrder)).toMatchObject({
      kind: 'accepted',
      payout: { status: 'in_process', cents: 1050 },
    })
    const [call] = story.scripted.calls()
    expect(JSON.parse(call!.body)).toEqual({
      valor: 10.5,
      descricao: 'Fatura 7',
      destinatario: { tipo: 'PIX_COPIA_E_COLA', pixCopiaECola: payload },
    })
    expect(call!.headers['x-id-idempotente']).toMatch(/^[0-9a-f-]{36}$/)
  },
)
