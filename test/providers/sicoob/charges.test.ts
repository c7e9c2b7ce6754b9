import { describe, expect, test } from '@jest/globals'
import {
  COB,
  cobOf,
  okReply,
  openSicoobFixture,
  pixOf,
  problemReply,
  REFERENCE,
  UNEXPLAINED_REPLIES,
} from '../support/sicoob-fixture.ts'

const order = {
  reference: REFERENCE,
  totalCents: 1234,
  expiresInSeconds: 3600,
  collectionKey: 'loja@trilho.test',
  message: 'Pedido 7',
  additionalInfo: [{ name: 'Contrato', value: '2026/7' }],
}

describe('issuing', () => {
  test('a charge has its payload as `brcode`, and our reference as its txid', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(`PUT ${COB}`, okReply(cobOf(), 201))
    expect(await story.provider.issueCharge(order)).toMatchObject({
      kind: 'accepted',
      charge: {
        txid: REFERENCE,
        payload: '00020101021226...',
        totalCents: 1234,
        expiresAt: '2026-01-10T13:00:00.000Z',
        pixKey: 'loja@trilho.test',
      },
    })
    expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({
      calendario: { expiracao: 3600 },
      valor: { original: '12.34' },
      chave: 'loja@trilho.test',
      solicitacaoPagador: 'Pedido 7',
      infoAdicionais: [{ nome: 'Contrato', valor: '2026/7' }],
    })
  })

  test.each([
    ['a person', '52998224725', { devedor: { cpf: '52998224725', nome: 'Ana Souza' } }],
    ['a company', '11222333000181', { devedor: { cnpj: '11222333000181', nome: 'Ana Souza' } }],
    ['a CNPJ with letters, which the published pattern does not allow', '12ABC34501DE35', {}],
  ])('a debtor is shown to the payer: %s', async (_name, document, devedor) => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(`PUT ${COB}`, okReply(cobOf(devedor), 201))
    const debtor = { name: 'Ana Souza', document, email: 'ana@exemplo.com.br' }
    expect(await story.provider.issueCharge({ ...order, debtor })).toMatchObject({ kind: 'accepted' })
    const { devedor: sent } = JSON.parse(story.scripted.calls()[0]!.body)
    expect({ devedor: sent }).toEqual({ devedor: undefined, ...devedor })
  })

  test('the Central Bank’s name of the payload is read too', async () => {
    await using story = await openSicoobFixture()
    const cob = cobOf({ brcode: undefined, pixCopiaECola: '000201...' })
    story.scripted.scriptReplies(`PUT ${COB}`, okReply(cob, 201))
    expect(await story.provider.issueCharge(order)).toMatchObject({ charge: { payload: '000201...' } })
  })

  test('a charge without its payload is unknown, and no location is asked for it', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(`PUT ${COB}`, okReply(cobOf({ brcode: undefined, loc: { id: 7 } }), 201))
    expect(await story.provider.issueCharge(order)).toMatchObject({
      kind: 'unknown',
      code: 'payload_missing',
    })
    expect(story.scripted.calls()).toHaveLength(1)
  })

  test('a refused charge is looked up: a repeat of our own order is accepted', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(`PUT ${COB}`, problemReply(400, 'CobOperacaoInvalida', 'cob.txid'))
    story.scripted.scriptReplies(
      `GET ${COB}`,
      okReply(cobOf()),
      okReply(cobOf({ valor: { original: '99.00' } })),
      problemReply(404, 'NaoEncontrado'),
    )
    expect(await story.provider.issueCharge(order)).toMatchObject({ kind: 'accepted' })
    expect(await story.provider.issueCharge(order)).toMatchObject({
      kind: 'rejected',
      code: 'reference_in_use',
    })
    expect(await story.provider.issueCharge(order)).toMatchObject({
      kind: 'rejected',
      finality: 'other_may_help',
      code: 'charge_refused',
    })
  })

  test.each([
    ['of an open amount', { ...order, totalCents: 0 }, 'open_amount_unsupported'],
    ['without a collection key', { ...order, collectionKey: null }, 'collection_key_missing'],
  ])('a charge %s is refused without a call', async (_, refused, code) => {
    await using story = await openSicoobFixture()
    expect(await story.provider.issueCharge(refused)).toMatchObject({
      kind: 'rejected',
      finality: 'other_may_help',
      code,
    })
    expect(story.scripted.seen).toEqual([])
  })

  test.each(UNEXPLAINED_REPLIES)('a charge answered with %s is unknown', async (_, reply) => {
    await using story = await openSicoobFixture({ reply })
    story.scripted.scriptReplies(`PUT ${COB}`, reply)
    expect(await story.provider.issueCharge(order)).toMatchObject({ kind: 'unknown' })
  })
})

describe('looking up and cancelling', () => {
  test('a paid charge has its payments', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(`GET ${COB}`, okReply(cobOf({ status: 'CONCLUIDA', pix: [pixOf()] })))
    expect(await story.provider.findCharge(REFERENCE)).toMatchObject({
      kind: 'found',
      status: 'completed',
      payments: [{ cents: 1234, reference: REFERENCE, payer: { name: 'Maria', document: '12345678909' } }],
    })
  })

  test('a charge is cancelled; one that is closed is looked up', async () => {
    await using story = await openSicoobFixture()
    const removed = cobOf({ status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' })
    story.scripted.scriptReplies(
      `PATCH ${COB}`,
      okReply(removed),
      problemReply(400, 'CobOperacaoInvalida'),
      problemReply(400, 'CobOperacaoInvalida'),
      problemReply(404, 'NaoEncontrado'),
    )
    story.scripted.scriptReplies(
      `GET ${COB}`,
      okReply(removed),
      okReply(cobOf({ status: 'CONCLUIDA', pix: [pixOf()] })),
    )
    const cancel = () => story.provider.cancelCharge(REFERENCE)
    expect(await cancel()).toEqual({ kind: 'cancelled' })
    expect(await cancel()).toEqual({ kind: 'cancelled' })
    expect(await cancel()).toMatchObject({ kind: 'refused', code: 'charge_refused' })
    expect(await cancel()).toEqual({ kind: 'not_found' })
    expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({ status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' })
  })

  test.each(UNEXPLAINED_REPLIES)('answered with %s has no answer', async (_, reply) => {
    await using story = await openSicoobFixture({ reply })
    story.scripted.scriptReplies(`GET ${COB}`, reply)
    story.scripted.scriptReplies(`PATCH ${COB}`, reply)
    expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ kind: 'no_answer' })
    expect(await story.provider.cancelCharge(REFERENCE)).toMatchObject({ kind: 'no_answer' })
  })
})
