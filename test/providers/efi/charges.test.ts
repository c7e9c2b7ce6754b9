import { expect, test } from '@jest/globals'
import { PROVIDER_CAPABILITIES } from '../../../src/domain/providers/capabilities.ts'
import {
  bcbErrorReply,
  cobOf,
  efiErrorReply,
  NOW,
  okReply,
  openEfiFixture,
  pixOf,
  REFERENCE,
  UNEXPLAINED_REPLIES,
} from '../support/efi-fixture.ts'

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

const EMPTY_PARTY = {
  name: '',
  document: '',
  account_number: '',
  account_agency: '',
  bank: { code: '', name: '', ispb: '' },
  account_type: 'CHECKING',
}
/** It expires an hour after its order, by our clock. */
const issued = {
  totalCents: 1234,
  txid: REFERENCE,
  payload: '00020101021226...',
  expiresAt: '2026-01-10T13:00:00.000Z',
  pixKey: 'chave@exemplo.com.br',
  receiver: EMPTY_PARTY,
}

const foundCharge = { ...issued, expiresAt: '2026-01-10T12:59:00.000Z' }

test('a charge is requested in Efí’s fields and its answer mapped to ours', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(PUT, okReply(cobOf(), 201))
  expect(await story.provider.issueCharge(order)).toEqual({ kind: 'accepted', charge: issued })
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({
    calendario: { expiracao: 3600 },
    valor: { original: '12.34' },
    chave: 'chave@exemplo.com.br',
    solicitacaoPagador: 'Pedido 7',
  })
})

test.each([
  ['a person', '52998224725', { devedor: { cpf: '52998224725', nome: 'Ana Souza' } }],
  ['a company', '11222333000181', { devedor: { cnpj: '11222333000181', nome: 'Ana Souza' } }],
  ['a CNPJ with letters, which Efí’s schema does not describe', '12ABC34501DE35', {}],
])('a debtor is shown to the payer: %s', async (_name, document, devedor) => {
  expect(PROVIDER_CAPABILITIES.efi.locksPayer).toBe('none')
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(PUT, okReply(cobOf(), 201))
  const debtor = { name: 'Ana Souza', document, email: 'ana@exemplo.com.br' }
  await story.provider.issueCharge({ ...order, debtor })
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({
    calendario: { expiracao: 3600 },
    valor: { original: '12.34' },
    chave: 'chave@exemplo.com.br',
    solicitacaoPagador: 'Pedido 7',
    ...devedor,
  })
})

test('a charge that Efí cannot issue is not requested', async () => {
  await using story = await openEfiFixture()
  expect(PROVIDER_CAPABILITIES.efi.canIssueOpenAmount).toBe(false)
  expect(await story.provider.issueCharge({ ...order, totalCents: 0 })).toMatchObject({
    kind: 'rejected',
    finality: 'other_may_help',
    code: 'open_amount_unsupported',
  })
  expect(await story.provider.issueCharge({ ...order, collectionKey: null })).toMatchObject({
    kind: 'rejected',
    code: 'collection_key_missing',
  })
  expect(story.scripted.seen).toEqual([])
})

test.concurrent.each(UNEXPLAINED_REPLIES)('issuing: %s', async (_name, reply, outcome) => {
  await using story = await openEfiFixture({ reply })
  story.scripted.scriptReplies(PUT, reply)
  expect(await story.provider.issueCharge(order)).toMatchObject(outcome)
})

test.each([
  ['another value', cobOf({ valor: { original: '12.35' } })],
  ['another txid', cobOf({ txid: 'f'.repeat(32) })],
  ['a state of its own', cobOf({ status: 'VENCIDA' })],
])('a charge issued with %s is no acceptance', async (_name, json) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(PUT, okReply(json, 201))
  expect(await story.provider.issueCharge(order)).toMatchObject({
    kind: 'unknown',
    code: 'unreadable_answer',
  })
})

test('a creation time hours behind does not make an issued charge unusable', async () => {
  await using story = await openEfiFixture()
  const calendario = { criacao: '2026-01-10T09:00:00.000Z', expiracao: 3600 }
  story.scripted.scriptReplies(PUT, okReply(cobOf({ calendario }), 201))
  expect(await story.provider.issueCharge(order)).toEqual({ kind: 'accepted', charge: issued })
})

const CODE = 'GET /v2/loc/7/qrcode'
const withoutCode = (loc: unknown) => cobOf({ pixCopiaECola: undefined, loc })
test.each([
  [
    'its location has it',
    { id: 7 },
    okReply({ qrcode: issued.payload }),
    { kind: 'accepted', charge: issued },
  ],
  ['its location does not answer', { id: 7 }, { status: 503 }, { kind: 'unknown', code: 'payload_missing' }],
  ['it has no location', undefined, { status: 503 }, { kind: 'unknown', code: 'payload_missing' }],
])('a charge issued without its payload: %s', async (_name, loc, code, outcome) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(PUT, okReply(withoutCode(loc), 201))
  story.scripted.scriptReplies(CODE, code)
  expect(await story.provider.issueCharge(order)).toMatchObject(outcome)
})

const duplicateTxidReply = efiErrorReply(409, 'txid_duplicado')
const opaque = bcbErrorReply(400, 'CobOperacaoInvalida')
test.concurrent.each([
  [
    '409, and the charge is ours',
    duplicateTxidReply,
    okReply(cobOf()),
    { kind: 'accepted', charge: foundCharge },
  ],
  [
    'CobOperacaoInvalida, and the charge is ours',
    opaque,
    okReply(cobOf()),
    { kind: 'accepted', charge: foundCharge },
  ],
  [
    '409, of another value',
    duplicateTxidReply,
    okReply(cobOf({ valor: { original: '1.00' } })),
    { kind: 'rejected', finality: 'other_may_help', code: 'reference_in_use' },
  ],
  [
    '409, removed',
    duplicateTxidReply,
    okReply(cobOf({ status: 'REMOVIDA_PELO_PSP' })),
    { kind: 'rejected', code: 'reference_in_use' },
  ],
  [
    '409, already paid',
    duplicateTxidReply,
    okReply(cobOf({ status: 'CONCLUIDA', pix: [pixOf()] })),
    { kind: 'rejected', code: 'reference_in_use' },
  ],
  [
    '409, but not there',
    duplicateTxidReply,
    bcbErrorReply(404, 'CobNaoEncontrado'),
    { kind: 'unknown', code: 'duplicate_id' },
  ],
  ['409, and silence', duplicateTxidReply, 'hang' as const, { kind: 'unknown', code: 'timeout' }],
  [
    'CobOperacaoInvalida, and not there',
    opaque,
    efiErrorReply(400, 'cobranca_nao_encontrada'),
    { kind: 'rejected', code: 'charge_refused' },
  ],
])('an id that may exist already is looked up: %s', async (_name, put, get, outcome) => {
  await using story = await openEfiFixture({ reply: get })
  story.scripted.scriptReplies(PUT, put)
  story.scripted.scriptReplies(GET, get)
  expect(await story.provider.issueCharge(order)).toMatchObject(outcome)
  expect(story.scripted.calls().map(({ method }) => method)).toEqual(['PUT', 'GET'])
})

const payment = {
  endToEnd: pixOf().endToEndId,
  txid: REFERENCE,
  reference: REFERENCE,
  cents: 1234,
  status: 'settled',
  at: '2026-01-10T11:59:30.500Z',
  payer: { ...EMPTY_PARTY, name: 'Maria', document: '12345678909' },
  pixKey: 'chave@exemplo.com.br',
}
const past = { criacao: '2026-01-10T11:00:00.000Z', expiracao: '3600' }
test.each([
  ['open', cobOf(), 'open', []],
  ['open, its expiry a text', cobOf({ calendario: { ...past, expiracao: '3601' } }), 'open', []],
  ['open, without its payload', cobOf({ pixCopiaECola: undefined }), 'open', []],
  ['expired', cobOf({ calendario: past }), 'expired', []],
  ['expired, without its payload', cobOf({ calendario: past, pixCopiaECola: null }), 'expired', []],
  [
    'paid, beside a PIX of 0.00',
    cobOf({ status: 'CONCLUIDA', pix: [pixOf({ endToEndId: 'E0', valor: '0.00' }), pixOf()] }),
    'completed',
    [payment],
  ],
  [
    'expired, with a PIX of 0.00',
    cobOf({ calendario: past, pix: [pixOf({ valor: '0.00' })] }),
    'expired',
    [],
  ],
  [
    'paid with another amount, and still open because another payment is unreadable',
    cobOf({ calendario: past, pix: [pixOf(), pixOf({ valor: 'muito' })] }),
    'open',
    [payment],
  ],
  ['paid', cobOf({ status: 'CONCLUIDA', pix: [pixOf()], pixCopiaECola: undefined }), 'completed', [payment]],
  [
    'paid with another amount, and expired',
    cobOf({ calendario: past, pix: [pixOf()] }),
    'expired',
    [payment],
  ],
  [
    'open after its expiry, because a listed PIX names another charge',
    cobOf({ calendario: past, pix: [pixOf({ txid: 'b'.repeat(32) })] }),
    'open',
    [],
  ],
  [
    'paid by a PIX whose txid is empty',
    cobOf({ status: 'CONCLUIDA', pix: [pixOf({ txid: '' })] }),
    'completed',
    [{ ...payment, txid: null, reference: null }],
  ],
  ['removed by us', cobOf({ status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' }), 'removed', []],
  ['removed by Efí', cobOf({ status: 'REMOVIDA_PELO_PSP', pix: null }), 'removed', []],
])('a charge is found %s', async (_name, json, status, payments) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(GET, okReply(json))
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ kind: 'found', status, payments })
})

test('a PIX of 0.00 beside the right one is left out and recorded for operators', async () => {
  await using story = await openEfiFixture()
  const pix = [pixOf({ endToEndId: 'E0', valor: '0.00' }), pixOf()]
  story.scripted.scriptReplies(GET, okReply(cobOf({ status: 'CONCLUIDA', pix })))
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ payments: [payment] })
  expect(story.recorded).toMatchObject([
    { kind: 'unreadable_item', operation: 'findCharge', reference: REFERENCE },
  ])
})

test.each([
  ['an empty list', []],
  ['no list', undefined],
  ['a list of the PIX of another charge', [pixOf({ txid: 'b'.repeat(32) })]],
])('a charge that is paid, with %s of payments, is no answer', async (_name, listedPayments) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(
    GET,
    okReply(cobOf({ status: 'CONCLUIDA', calendario: past, pix: listedPayments })),
  )
  story.scripted.scriptReplies(PATCH, invalidStatusReply)
  const outcome = { kind: 'no_answer', code: 'payment_not_listed' }
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject(outcome)
  expect(await story.provider.cancelCharge(REFERENCE)).toMatchObject(outcome)
})

const absent = [
  ['404', bcbErrorReply(404, 'CobNaoEncontrado')],
  ["Efí's 400", efiErrorReply(400, 'cobranca_nao_encontrada')],
] as const

test.each(absent)('a charge is absent: %s', async (_name, reply) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(GET, reply)
  story.scripted.scriptReplies(PATCH, reply)
  expect(await story.provider.findCharge(REFERENCE)).toEqual({ kind: 'not_found' })
  expect(await story.provider.cancelCharge(REFERENCE)).toEqual({ kind: 'not_found' })
})

test.concurrent.each(UNEXPLAINED_REPLIES)(
  'lookup and cancellation: %s is no answer',
  async (_name, reply, { code }) => {
    await using story = await openEfiFixture({ reply })
    story.scripted.scriptReplies(GET, reply)
    story.scripted.scriptReplies(PATCH, reply)
    const noAnswer = { kind: 'no_answer', ...(code ? { code } : {}) }
    const answers = await Promise.all([
      story.provider.findCharge(REFERENCE),
      story.provider.cancelCharge(REFERENCE),
    ])
    expect(answers).toMatchObject([noAnswer, noAnswer])
  },
)

const invalidStatusReply = efiErrorReply(400, 'status_cobranca_invalido')
const removed = cobOf({ status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' })
test.each([
  ['removed', okReply(removed), okReply(null), { kind: 'cancelled' }],
  ['removed before', invalidStatusReply, okReply(removed), { kind: 'cancelled' }],
  [
    'paid meanwhile',
    invalidStatusReply,
    okReply(cobOf({ status: 'CONCLUIDA', pix: [pixOf()] })),
    { kind: 'refused', code: 'charge_refused' },
  ],
  [
    'refused, then silence',
    bcbErrorReply(400, 'CobOperacaoInvalida'),
    'reset' as const,
    { kind: 'no_answer' },
  ],
  [
    'a 200 with the charge still active',
    okReply(cobOf()),
    okReply(null),
    { kind: 'no_answer', code: 'unreadable_answer' },
  ],
])('cancelling: %s', async (_name, patch, get, outcome) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(PATCH, patch)
  story.scripted.scriptReplies(GET, get)
  expect(await story.provider.cancelCharge(REFERENCE)).toMatchObject(outcome)
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({ status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' })
})

test('a charge expires by the caller’s clock', async () => {
  let now = NOW
  await using story = await openEfiFixture({ now: () => now })
  story.scripted.scriptReplies(GET, okReply(cobOf()))
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ status: 'open' })
  now = Date.parse(foundCharge.expiresAt)
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ status: 'expired' })
})
