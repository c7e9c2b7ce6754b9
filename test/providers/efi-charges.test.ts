import { expect, test } from '@jest/globals'
import { cob, efi, failures, NOW, ok, pix, problem, REFERENCE, refused } from './support/efi.ts'

const order = {
  reference: REFERENCE,
  totalCents: 1234,
  expiresInSeconds: 3600,
  collectionKey: 'chave@exemplo.com.br',
  message: 'Pedido 7',
}
const PUT = `PUT /v2/cob/${REFERENCE}`
const GET = `GET /v2/cob/${REFERENCE}`
const PATCH = `PATCH /v2/cob/${REFERENCE}`

const nobody = {
  name: '',
  document: '',
  account_number: '',
  account_agency: '',
  bank: { code: '', name: '', ispb: '' },
  account_type: 'CHECKING',
}
const issued = {
  txid: REFERENCE,
  payload: '00020101021226...',
  expiresAt: '2026-01-10T12:59:00.000Z',
  pixKey: 'chave@exemplo.com.br',
  receiver: nobody,
}

test('an issued charge is asked for in Efí’s words and accepted in ours', async () => {
  await using story = await efi()
  story.far.answers(PUT, ok(cob(), 201))
  expect(await story.provider.issueCharge(order)).toEqual({ kind: 'accepted', charge: issued })
  expect(JSON.parse(story.far.calls()[0]!.body)).toEqual({
    calendario: { expiracao: 3600 },
    valor: { original: '12.34' },
    chave: 'chave@exemplo.com.br',
    solicitacaoPagador: 'Pedido 7',
  })
})

test('what Efí cannot issue is not asked for', async () => {
  await using story = await efi()
  expect(story.provider.capabilities.openAmount).toBe(false)
  expect(await story.provider.issueCharge({ ...order, totalCents: 0 })).toMatchObject({
    kind: 'rejected',
    finality: 'other_may_help',
    code: 'open_amount_unsupported',
  })
  expect(await story.provider.issueCharge({ ...order, collectionKey: null })).toMatchObject({
    kind: 'rejected',
    code: 'collection_key_missing',
  })
  expect(story.far.seen).toEqual([])
})

test.each(failures)('issuing: %s', async (_name, reply, outcome) => {
  await using story = await efi({ reply })
  story.far.answers(PUT, reply)
  expect(await story.provider.issueCharge(order)).toMatchObject(outcome)
})

test.each([
  ['another value', cob({ valor: { original: '12.35' } })],
  ['another txid', cob({ txid: 'f'.repeat(32) })],
  ['no payload', cob({ pixCopiaECola: undefined })],
  ['a state of its own', cob({ status: 'VENCIDA' })],
])('a charge issued with %s is no acceptance', async (_name, json) => {
  await using story = await efi()
  story.far.answers(PUT, ok(json, 201))
  expect(await story.provider.issueCharge(order)).toMatchObject({
    kind: 'unknown',
    code: 'unreadable_answer',
  })
})

const taken = refused(409, 'txid_duplicado')
const opaque = problem(400, 'CobOperacaoInvalida')
test.each([
  ['409, and ours', taken, ok(cob()), { kind: 'accepted', charge: issued }],
  ['CobOperacaoInvalida, and ours', opaque, ok(cob()), { kind: 'accepted', charge: issued }],
  [
    '409, of another value',
    taken,
    ok(cob({ valor: { original: '1.00' } })),
    { kind: 'rejected', finality: 'other_may_help', code: 'reference_taken' },
  ],
  [
    '409, removed',
    taken,
    ok(cob({ status: 'REMOVIDA_PELO_PSP' })),
    { kind: 'rejected', code: 'reference_taken' },
  ],
  [
    '409, already paid',
    taken,
    ok(cob({ status: 'CONCLUIDA', pix: [pix()] })),
    { kind: 'rejected', code: 'reference_taken' },
  ],
  ['409, but not there', taken, problem(404, 'CobNaoEncontrado'), { kind: 'unknown', code: 'duplicate_id' }],
  ['409, and silence', taken, 'hang' as const, { kind: 'unknown', code: 'timeout' }],
  [
    'CobOperacaoInvalida, and not there',
    opaque,
    refused(400, 'cobranca_nao_encontrada'),
    { kind: 'rejected', code: 'charge_refused' },
  ],
])('an id that may be taken is looked up: %s', async (_name, put, get, outcome) => {
  await using story = await efi({ reply: get })
  story.far.answers(PUT, put)
  story.far.answers(GET, get)
  expect(await story.provider.issueCharge(order)).toMatchObject(outcome)
  expect(story.far.calls().map(({ method }) => method)).toEqual(['PUT', 'GET'])
})

const payment = {
  endToEnd: pix().endToEndId,
  txid: REFERENCE,
  reference: REFERENCE,
  cents: 1234,
  status: 'settled',
  at: '2026-01-10T11:59:30.500Z',
  payer: { ...nobody, name: 'Maria', document: '12345678909' },
  pixKey: 'chave@exemplo.com.br',
}
const past = { criacao: '2026-01-10T11:00:00.000Z', expiracao: '3600' }
test.each([
  ['open', cob(), 'open', []],
  ['open, its expiry a text', cob({ calendario: { ...past, expiracao: '3601' } }), 'open', []],
  ['expired', cob({ calendario: past }), 'expired', []],
  ['paid', cob({ status: 'CONCLUIDA', pix: [pix()], pixCopiaECola: undefined }), 'completed', [payment]],
  [
    'paid by another amount, and its time is over',
    cob({ calendario: past, pix: [pix()] }),
    'expired',
    [payment],
  ],
  ['removed by us', cob({ status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' }), 'removed', []],
  ['removed by Efí', cob({ status: 'REMOVIDA_PELO_PSP', pix: null }), 'removed', []],
])('a charge is found %s', async (_name, json, status, payments) => {
  await using story = await efi()
  story.far.answers(GET, ok(json))
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ kind: 'found', status, payments })
})

test.each([
  ['an empty list', []],
  ['no list', undefined],
])('a charge that is paid, with %s of payments, is no answer', async (_name, listed) => {
  await using story = await efi()
  story.far.answers(GET, ok(cob({ status: 'CONCLUIDA', calendario: past, pix: listed })))
  story.far.answers(PATCH, over)
  const outcome = { kind: 'no_answer', code: 'payment_not_listed' }
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject(outcome)
  expect(await story.provider.cancelCharge(REFERENCE)).toMatchObject(outcome)
})

const absent = [
  ['404', problem(404, 'CobNaoEncontrado')],
  ["Efí's 400", refused(400, 'cobranca_nao_encontrada')],
] as const

test.each(absent)('a charge is not there: %s', async (_name, reply) => {
  await using story = await efi()
  story.far.answers(GET, reply)
  story.far.answers(PATCH, reply)
  expect(await story.provider.findCharge(REFERENCE)).toEqual({ kind: 'not_found' })
  expect(await story.provider.cancelCharge(REFERENCE)).toEqual({ kind: 'not_found' })
})

test.each(failures)('looking up and cancelling: %s is no answer', async (_name, reply, { code }) => {
  await using story = await efi({ reply })
  story.far.answers(GET, reply)
  story.far.answers(PATCH, reply)
  const noAnswer = { kind: 'no_answer', ...(code ? { code } : {}) }
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject(noAnswer)
  expect(await story.provider.cancelCharge(REFERENCE)).toMatchObject(noAnswer)
})

const over = refused(400, 'status_cobranca_invalido')
const removed = cob({ status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' })
test.each([
  ['removed', ok(removed), ok(null), { kind: 'cancelled' }],
  ['removed before', over, ok(removed), { kind: 'cancelled' }],
  [
    'paid meanwhile',
    over,
    ok(cob({ status: 'CONCLUIDA', pix: [pix()] })),
    { kind: 'refused', code: 'charge_refused' },
  ],
  ['refused, then silence', problem(400, 'CobOperacaoInvalida'), 'reset' as const, { kind: 'no_answer' }],
  ['still active, says a 200', ok(cob()), ok(null), { kind: 'no_answer', code: 'unreadable_answer' }],
])('cancelling: %s', async (_name, patch, get, outcome) => {
  await using story = await efi()
  story.far.answers(PATCH, patch)
  story.far.answers(GET, get)
  expect(await story.provider.cancelCharge(REFERENCE)).toMatchObject(outcome)
  expect(JSON.parse(story.far.calls()[0]!.body)).toEqual({ status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' })
})

test('a charge expires by the clock of whoever asks', async () => {
  let now = NOW
  await using story = await efi({ now: () => now })
  story.far.answers(GET, ok(cob()))
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ status: 'open' })
  now = Date.parse(issued.expiresAt)
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ status: 'expired' })
})
