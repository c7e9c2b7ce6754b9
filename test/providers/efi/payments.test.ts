import { expect, test } from '@jest/globals'
import {
  bcbErrorReply,
  devolucaoOf,
  END_TO_END,
  efiErrorReply,
  okReply,
  openEfiFixture,
  pixOf,
  REFERENCE,
  RETURN_ID,
  UNEXPLAINED_REPLIES,
} from '../support/efi-fixture.ts'

const order = { id: 'refund1', endToEnd: END_TO_END, cents: 500, description: 'Pedido 1042 cancelado' }
const FIND = `GET /v2/pix/${END_TO_END}`
const PUT = `PUT /v2/pix/${END_TO_END}/devolucao/refund1`
const GET = `GET /v2/pix/${END_TO_END}/devolucao/refund1`

const at = '2026-01-10T12:01:00.000Z'
const later = '2026-01-10T12:01:07.000Z'
const states = [
  ['in process', devolucaoOf(), { status: 'in_process', endToEnd: RETURN_ID, at }],
  [
    'settled',
    devolucaoOf({ status: 'DEVOLVIDO', horario: { solicitacao: at, liquidacao: later } }),
    { status: 'settled', endToEnd: RETURN_ID, at: later },
  ],
  [
    'rejected',
    devolucaoOf({ status: 'NAO_REALIZADO', motivo: 'Negado por timeout' }),
    { status: 'rejected', code: 'provider_rejected', message: 'Negado por timeout' },
  ],
  [
    'rejected by the rail',
    devolucaoOf({ status: 'NAO_REALIZADO', gnExtras: { erro: { codigo: 'AB03' } } }),
    { status: 'rejected', code: 'AB03' },
  ],
  [
    'rejected, the rail’s code being its reason',
    devolucaoOf({ status: 'NAO_REALIZADO', motivo: 'AB03' }),
    { status: 'rejected', code: 'AB03' },
  ],
  [
    'rejected, without a time',
    devolucaoOf({ status: 'NAO_REALIZADO', horario: null }),
    { status: 'rejected', code: 'provider_rejected', at: null },
  ],
  ['in process, without an id yet', devolucaoOf({ rtrId: null }), { status: 'in_process', endToEnd: '' }],
] as const

test.each(states)('a refund is %s', async (_name, json, payout) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(PUT, okReply(json, 201))
  story.scripted.scriptReplies(GET, okReply(json))
  expect(await story.provider.refund(order)).toMatchObject({
    kind: 'accepted',
    payout: { cents: 500, ...payout },
  })
  expect(await story.provider.findRefund(order)).toMatchObject({
    kind: 'found',
    payout: { cents: 500, ...payout },
  })
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({
    valor: '5.00',
    descricao: 'Pedido 1042 cancelado',
  })
})

test('a refund without a text for the payer sends none', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(PUT, okReply(devolucaoOf(), 201))
  const { description: _, ...silent } = order
  await story.provider.refund(silent)
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({ valor: '5.00' })
})

test('a refund of another value is found with the value that Efí reports', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(GET, okReply(devolucaoOf({ status: 'DEVOLVIDO', valor: '0.01' })))
  expect(await story.provider.findRefund(order)).toMatchObject({ payout: { status: 'settled', cents: 1 } })
})

test.concurrent.each([
  ...UNEXPLAINED_REPLIES,
  ['409', efiErrorReply(409, 'devolucao_id_duplicado'), { kind: 'unknown', code: 'duplicate_id' }],
  [
    'an existing id, as the Central Bank’s error',
    bcbErrorReply(400, 'PixDevolucaoInvalida', [{ razao: 'já utilizado', propriedade: 'devolucao.id' }]),
    { kind: 'unknown', code: 'duplicate_id' },
  ],
  [
    'no such PIX',
    efiErrorReply(400, 'pix_nao_encontrado'),
    { kind: 'rejected', finality: 'final', code: 'payment_not_found' },
  ],
  [
    'another value',
    okReply(devolucaoOf({ valor: '5.01' }), 201),
    { kind: 'unknown', code: 'unreadable_answer' },
  ],
  [
    'another id',
    okReply(devolucaoOf({ id: 'refund2' }), 201),
    { kind: 'unknown', code: 'unreadable_answer' },
  ],
  [
    'a new state',
    okReply(devolucaoOf({ status: 'QUASE' }), 201),
    { kind: 'unknown', code: 'unreadable_answer' },
  ],
] as typeof UNEXPLAINED_REPLIES)('sending a refund: %s', async (_name, reply, outcome) => {
  await using story = await openEfiFixture({ reply })
  story.scripted.scriptReplies(PUT, reply)
  expect(await story.provider.refund(order)).toMatchObject(outcome)
})

test.concurrent.each(UNEXPLAINED_REPLIES)('polling: %s is no answer', async (_name, reply, { code }) => {
  await using story = await openEfiFixture({ reply })
  story.scripted.scriptReplies(GET, reply)
  story.scripted.scriptReplies(FIND, reply)
  const noAnswer = { kind: 'no_answer', ...(code ? { code } : {}) }
  const answers = await Promise.all([
    story.provider.findRefund(order),
    story.provider.findPayment(END_TO_END),
  ])
  expect(answers).toMatchObject([noAnswer, noAnswer])
})

test.each([
  ['404', bcbErrorReply(404, 'PixDevolucaoNaoEncontrada'), bcbErrorReply(404, 'PixNaoEncontrado')],
  ["Efí's 400", efiErrorReply(400, 'devolucao_nao_encontrada'), efiErrorReply(400, 'pix_nao_encontrado')],
])('absence applies to the requested operation: %s', async (_name, noRefund, noPix) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(GET, noRefund, noPix)
  story.scripted.scriptReplies(FIND, noPix, noRefund)
  expect(await story.provider.findRefund(order)).toEqual({ kind: 'not_found' })
  expect(await story.provider.findPayment(END_TO_END)).toEqual({ kind: 'not_found' })
  expect(await story.provider.findRefund(order)).toMatchObject({ kind: 'no_answer' })
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject({ kind: 'no_answer' })
})

const tooMuch = bcbErrorReply(400, 'PixDevolucaoInvalida', [
  { razao: 'excederia', propriedade: 'pix.devolucao.valor' },
])
test.each([
  [
    'it is not there',
    efiErrorReply(400, 'devolucao_nao_encontrada'),
    { kind: 'unknown', refusal: { finality: 'final', code: 'refund_refused' } },
  ],
  ['it is there', okReply(devolucaoOf()), { kind: 'accepted', payout: { status: 'in_process' } }],
  ['no answer', { status: 503 }, { kind: 'unknown', refusal: { code: 'refund_refused' } }],
])('an amount too large to refund, and %s', async (_name, get, outcome) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(PUT, tooMuch)
  story.scripted.scriptReplies(GET, get)
  expect(await story.provider.refund(order)).toMatchObject(outcome)
})

test('a refusal about two fields is none that the standard explains', async () => {
  await using story = await openEfiFixture()
  const violations = ['devolucao.id', 'devolucao.valor'].map(propriedade => ({ razao: 'x', propriedade }))
  story.scripted.scriptReplies(PUT, bcbErrorReply(400, 'PixDevolucaoInvalida', violations))
  expect(await story.provider.refund(order)).toMatchObject({ kind: 'unknown', code: 'http_400' })
})

test('a refund uses a connection of its own, which is closed after it; lookups share theirs', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(PUT, okReply(devolucaoOf(), 201))
  story.scripted.scriptReplies(GET, okReply(devolucaoOf()))
  for (let times = 0; times < 3; times++) {
    await story.provider.refund(order)
    story.scripted.closeIdle()
    await story.provider.findRefund(order)
  }
  const refundRequests = story.scripted.calls().filter(({ method }) => method === 'PUT')
  expect(refundRequests.map(({ headers }) => headers.connection)).toEqual(['close', 'close', 'close'])
  expect(new Set(refundRequests.map(({ connection }) => connection)).size).toBe(3)
})

test('a refund whose handshake is reset was never sent', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(PUT, okReply(devolucaoOf(), 201))
  await story.provider.balances() // Fetches the token, over a connection of its own.
  story.scripted.resetHandshakes(1)
  expect(await story.provider.refund(order)).toMatchObject({ kind: 'unreachable', code: 'connection_reset' })
  expect(story.scripted.calls().filter(({ method }) => method === 'PUT')).toEqual([])
})

test.each([
  [
    'with its payer',
    pixOf({ chave: 'chave@exemplo.com.br' }),
    { name: 'Maria', document: '12345678909' },
    '',
  ],
  [
    'with its payer in the extras',
    pixOf({
      pagador: null,
      gnExtras: { pagador: { nome: 'Loja', cnpj: '09089356000118', codigoBanco: '00416968' } },
    }),
    { name: 'Loja', document: '09089356000118' },
    '00416968',
  ],
])('a received PIX is found %s', async (_name, json, party, ispb) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(FIND, okReply(json))
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject({
    kind: 'found',
    payment: {
      endToEnd: END_TO_END,
      txid: REFERENCE,
      reference: REFERENCE,
      cents: 1234,
      status: 'settled',
      at: '2026-01-10T11:59:30.500Z',
      payer: { ...party, bank: { ispb } },
    },
  })
})

test('a received PIX without payer or txid is returned without them', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(FIND, okReply(pixOf({ pagador: undefined, txid: undefined })))
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject({
    payment: { payer: null, txid: null, reference: null, pixKey: '' },
  })
})
