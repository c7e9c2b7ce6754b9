import { describe, expect, test } from '@jest/globals'
import {
  devolucaoOf,
  END_TO_END,
  okReply,
  openSicoobFixture,
  pixOf,
  problemReply,
  RETURN_ID,
  UNEXPLAINED_REPLIES,
} from '../support/sicoob-fixture.ts'

const PIX = `/pix/api/v2/pix/${END_TO_END}`
const DEVOLUCAO = `${PIX}/devolucao/refund1`
const order = { id: 'refund1', endToEnd: END_TO_END, cents: 500 }

test('a received PIX is found by its end-to-end id', async () => {
  await using story = await openSicoobFixture()
  story.scripted.scriptReplies(`GET ${PIX}`, okReply(pixOf()), problemReply(404, 'NaoEncontrado'))
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject({
    kind: 'found',
    payment: { endToEnd: END_TO_END, cents: 1234, status: 'settled' },
  })
  expect(await story.provider.findPayment(END_TO_END)).toEqual({ kind: 'not_found' })
})

describe('a refund', () => {
  test('is sent under our id', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(`PUT ${DEVOLUCAO}`, okReply(devolucaoOf(), 201))
    expect(await story.provider.refund({ ...order, description: 'Troca' })).toMatchObject({
      kind: 'accepted',
      payout: { status: 'in_process', cents: 500, endToEnd: RETURN_ID },
    })
    expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({ valor: '5.00', descricao: 'Troca' })
  })

  test('that is refused counts once its absence is proved', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(`PUT ${DEVOLUCAO}`, problemReply(400, 'PixDevolucaoInvalida'))
    story.scripted.scriptReplies(
      `GET ${DEVOLUCAO}`,
      problemReply(404, 'NaoEncontrado'),
      okReply(devolucaoOf({ status: 'DEVOLVIDO' })),
    )
    expect(await story.provider.refund(order)).toMatchObject({
      kind: 'unknown',
      code: 'refund_refused',
      refusal: { finality: 'final' },
    })
    expect(await story.provider.refund(order)).toMatchObject({
      kind: 'accepted',
      payout: { status: 'settled' },
    })
  })

  test('is found with the reason of its rejection', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(
      `GET ${DEVOLUCAO}`,
      okReply(devolucaoOf({ status: 'NAO_REALIZADO', motivo: 'AB03' })),
      okReply(devolucaoOf({ status: 'NAO_REALIZADO', motivo: 'Saldo insuficiente' })),
      problemReply(404, 'NaoEncontrado'),
    )
    const find = () => story.provider.findRefund(order)
    expect(await find()).toMatchObject({ payout: { status: 'rejected', code: 'AB03' } })
    expect(await find()).toMatchObject({
      payout: { status: 'rejected', code: 'provider_rejected', message: 'Saldo insuficiente' },
    })
    expect(await find()).toEqual({ kind: 'not_found' })
  })

  test.each(UNEXPLAINED_REPLIES)(
    'answered with %s is unknown; its look-up has no answer',
    async (_, reply) => {
      await using story = await openSicoobFixture({ reply })
      story.scripted.scriptReplies(`PUT ${DEVOLUCAO}`, reply)
      story.scripted.scriptReplies(`GET ${DEVOLUCAO}`, reply)
      expect(await story.provider.refund(order)).toMatchObject({ kind: 'unknown' })
      expect(await story.provider.findRefund(order)).toMatchObject({ kind: 'no_answer' })
    },
  )
})
