import { expect, test } from '@jest/globals'
import {
  devolucao,
  END_TO_END,
  efi,
  failures,
  ok,
  pix,
  problem,
  REFERENCE,
  RETURN_ID,
  refused,
} from './support/efi.ts'

const order = { id: 'refund1', endToEnd: END_TO_END, cents: 500 }
const FIND = `GET /v2/pix/${END_TO_END}`
const PUT = `PUT /v2/pix/${END_TO_END}/devolucao/refund1`
const GET = `GET /v2/pix/${END_TO_END}/devolucao/refund1`

const at = '2026-01-10T12:01:00.000Z'
const later = '2026-01-10T12:01:07.000Z'
const states = [
  ['in process', devolucao(), { status: 'in_process', endToEnd: RETURN_ID, at }],
  [
    'settled',
    devolucao({ status: 'DEVOLVIDO', horario: { solicitacao: at, liquidacao: later } }),
    { status: 'settled', endToEnd: RETURN_ID, at: later },
  ],
  [
    'rejected',
    devolucao({ status: 'NAO_REALIZADO', motivo: 'Negado por timeout' }),
    { status: 'rejected', code: 'provider_rejected', message: 'Negado por timeout' },
  ],
  [
    'rejected by the rail',
    devolucao({ status: 'NAO_REALIZADO', gnExtras: { erro: { codigo: 'AB03' } } }),
    { status: 'rejected', code: 'AB03' },
  ],
  ['in process, without an id yet', devolucao({ rtrId: null }), { status: 'in_process', endToEnd: '' }],
] as const

test.each(states)('a refund is %s', async (_name, json, sending) => {
  await using story = await efi()
  story.far.answers(PUT, ok(json, 201))
  story.far.answers(GET, ok(json))
  expect(await story.provider.refund(order)).toMatchObject({ kind: 'accepted', sending })
  expect(await story.provider.findRefund(order)).toMatchObject({ kind: 'found', sending })
  expect(JSON.parse(story.far.calls()[0]!.body)).toEqual({ valor: '5.00' })
})

test.each([
  ...failures,
  ['409', refused(409, 'devolucao_id_duplicado'), { kind: 'unknown', code: 'duplicate_id' }],
  [
    'a taken id, in the Central Bank’s words',
    problem(400, 'PixDevolucaoInvalida', [{ razao: 'já utilizado', propriedade: 'devolucao.id' }]),
    { kind: 'unknown', code: 'duplicate_id' },
  ],
  [
    'no such PIX',
    refused(400, 'pix_nao_encontrado'),
    { kind: 'rejected', finality: 'final', code: 'payment_not_found' },
  ],
  ['another value', ok(devolucao({ valor: '5.01' }), 201), { kind: 'unknown', code: 'unreadable_answer' }],
  ['another id', ok(devolucao({ id: 'refund2' }), 201), { kind: 'unknown', code: 'unreadable_answer' }],
  ['a new state', ok(devolucao({ status: 'QUASE' }), 201), { kind: 'unknown', code: 'unreadable_answer' }],
] as typeof failures)('sending a refund: %s', async (_name, reply, outcome) => {
  await using story = await efi({ reply })
  story.far.answers(PUT, reply)
  expect(await story.provider.refund(order)).toMatchObject(outcome)
})

test.each(failures)('asking: %s is no answer', async (_name, reply, { code }) => {
  await using story = await efi({ reply })
  story.far.answers(GET, reply)
  story.far.answers(FIND, reply)
  const noAnswer = { kind: 'no_answer', ...(code ? { code } : {}) }
  expect(await story.provider.findRefund(order)).toMatchObject(noAnswer)
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject(noAnswer)
})

test.each([
  ['404', problem(404, 'PixDevolucaoNaoEncontrada'), problem(404, 'PixNaoEncontrado')],
  ["Efí's 400", refused(400, 'devolucao_nao_encontrada'), refused(400, 'pix_nao_encontrado')],
])('absence is about what is asked for: %s', async (_name, noRefund, noPix) => {
  await using story = await efi()
  story.far.answers(GET, noRefund, noPix)
  story.far.answers(FIND, noPix, noRefund)
  expect(await story.provider.findRefund(order)).toEqual({ kind: 'not_found' })
  expect(await story.provider.findPayment(END_TO_END)).toEqual({ kind: 'not_found' })
  expect(await story.provider.findRefund(order)).toMatchObject({ kind: 'no_answer' })
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject({ kind: 'no_answer' })
})

const tooMuch = problem(400, 'PixDevolucaoInvalida', [
  { razao: 'excederia', propriedade: 'pix.devolucao.valor' },
])
test.each([
  [
    'it is not there',
    refused(400, 'devolucao_nao_encontrada'),
    { kind: 'rejected', finality: 'final', code: 'refund_refused' },
  ],
  ['it is there', ok(devolucao()), { kind: 'accepted', sending: { status: 'in_process' } }],
  ['nobody answers', { status: 503 }, { kind: 'unknown', code: 'refund_refused' }],
])('too much to return, and %s', async (_name, get, outcome) => {
  await using story = await efi()
  story.far.answers(PUT, tooMuch)
  story.far.answers(GET, get)
  expect(await story.provider.refund(order)).toMatchObject(outcome)
})

test('a refusal that is about two fields is none that the standard explains', async () => {
  await using story = await efi()
  const violations = ['devolucao.id', 'devolucao.valor'].map(propriedade => ({ razao: 'x', propriedade }))
  story.far.answers(PUT, problem(400, 'PixDevolucaoInvalida', violations))
  expect(await story.provider.refund(order)).toMatchObject({ kind: 'unknown', code: 'http_400' })
})

test('a refund leaves over a connection of its own, which ends with it; questions share theirs', async () => {
  await using story = await efi()
  story.far.answers(PUT, ok(devolucao(), 201))
  story.far.answers(GET, ok(devolucao()))
  for (let times = 0; times < 3; times++) {
    await story.provider.refund(order)
    story.far.closeIdle()
    await story.provider.findRefund(order)
  }
  const sent = story.far.calls().filter(({ method }) => method === 'PUT')
  expect(sent.map(({ headers }) => headers.connection)).toEqual(['close', 'close', 'close'])
  expect(new Set(sent.map(({ connection }) => connection)).size).toBe(3)
})

test('a refund whose handshake is reset never left', async () => {
  await using story = await efi()
  story.far.answers(PUT, ok(devolucao(), 201))
  await story.provider.balances() // Takes the token, over a connection of its own.
  story.far.resetsHandshakes(1)
  expect(await story.provider.refund(order)).toMatchObject({ kind: 'unreachable', code: 'connection_reset' })
  expect(story.far.calls().filter(({ method }) => method === 'PUT')).toEqual([])
})

test.each([
  ['with its payer', pix({ chave: 'chave@exemplo.com.br' }), { name: 'Maria', document: '12345678909' }, ''],
  [
    'with its payer in the extras',
    pix({
      pagador: null,
      gnExtras: { pagador: { nome: 'Loja', cnpj: '09089356000118', codigoBanco: '00416968' } },
    }),
    { name: 'Loja', document: '09089356000118' },
    '00416968',
  ],
])('a received PIX is found %s', async (_name, json, party, ispb) => {
  await using story = await efi()
  story.far.answers(FIND, ok(json))
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

test('a received PIX without payer or txid says so', async () => {
  await using story = await efi()
  story.far.answers(FIND, ok(pix({ pagador: undefined, txid: undefined })))
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject({
    payment: { payer: null, txid: null, reference: null, pixKey: '' },
  })
})
