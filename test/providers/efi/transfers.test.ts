import { expect, test } from '@jest/globals'
import { createEfiAdapter } from '../../../src/providers/efi/adapter.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import {
  bcbErrorReply,
  credentials,
  efiErrorReply,
  okReply,
  openEfiFixture,
  UNEXPLAINED_REPLIES,
} from '../support/efi-fixture.ts'
import { findUnusedUrl } from '../support/scripted-provider.ts'

const order = {
  id: 'transfer1',
  cents: 1050,
  destination: keyDestination('maria@example.com', '12345678909'),
  payerKey: 'loja@trilho.test',
  message: 'Aluguel',
}
const END_TO_END = 'E09089356202601101200abcdefghijk'
const PUT = 'PUT /v3/gn/pix/transfer1'
const at = '2026-01-10T12:00:00.000Z'

const accepted = (changes: Record<string, unknown> = {}) => ({
  idEnvio: 'transfer1',
  e2eId: END_TO_END,
  valor: '10.50',
  horario: { solicitacao: at },
  status: 'EM_PROCESSAMENTO',
  ...changes,
})

test('a transfer is requested with the paying key and the required owner of the recipient’s key', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(PUT, okReply(accepted(), 201))
  expect(await story.provider.sendTransfer(order)).toMatchObject({
    kind: 'accepted',
    payout: { status: 'in_process', endToEnd: END_TO_END, at },
  })
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({
    valor: '10.50',
    pagador: { chave: 'loja@trilho.test', infoPagador: 'Aluguel' },
    favorecido: { chave: 'maria@example.com', cpf: '12345678909' },
  })
})

test('a new transfer’s end-to-end id has one of two names, or comes later', async () => {
  await using story = await openEfiFixture()
  const { e2eId: endToEndId, ...rest } = accepted()
  story.scripted.scriptReplies(PUT, okReply({ ...rest, endToEndId }, 201), okReply(rest, 201))
  expect(await story.provider.sendTransfer(order)).toMatchObject({ payout: { endToEnd: END_TO_END } })
  expect(await story.provider.sendTransfer(order)).toMatchObject({ payout: { endToEnd: '' } })
})

test.each([
  ['12ABC34501DE35', { chave: 'maria@example.com', cnpj: '12ABC34501DE35' }],
  [null, { chave: 'maria@example.com' }],
])('the recipient’s document %s', async (document, favorecido) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(PUT, okReply(accepted(), 201))
  await story.provider.sendTransfer({ ...order, destination: keyDestination('maria@example.com', document) })
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toMatchObject({ favorecido })
})

test('without a paying key nothing is requested', async () => {
  await using story = await openEfiFixture()
  expect(await story.provider.sendTransfer({ ...order, payerKey: null })).toMatchObject({
    kind: 'rejected',
    finality: 'other_may_help',
    code: 'collection_key_missing',
  })
  expect(story.scripted.seen).toEqual([])
})

test.concurrent.each([
  ...UNEXPLAINED_REPLIES,
  ['an existing id', efiErrorReply(409, 'id_envio_duplicado'), { kind: 'unknown', code: 'duplicate_id' }],
  [
    'too little money, as another API words it',
    efiErrorReply(400, 'saldo_insuficiente'),
    { kind: 'unknown' },
  ],
  ['the same with its status there', efiErrorReply(422, 'saldo_insuficiente'), { kind: 'unknown' }],
  [
    'no more tokens in the bucket',
    efiErrorReply(429, 'balde_fichas_vazio'),
    { kind: 'rejected', finality: 'other_may_help', code: 'rate_limited' },
  ],
  [
    'an account that is blocked',
    efiErrorReply(400, 'documento_bloqueado'),
    { kind: 'rejected', finality: 'other_may_help', code: 'provider_account_blocked' },
  ],
  [
    'denied with a rail reason',
    okReply({ nome: 'pagamento_negado', mensagem: 'x', erro: { codigo: 'AM04' } }, 422),
    { kind: 'rejected', finality: 'other_may_help', code: 'AM04' },
  ],
  [
    'denied',
    efiErrorReply(422, 'pagamento_negado'),
    { kind: 'rejected', finality: 'final', code: 'payment_denied' },
  ],
  ['not allowed, as another call words it', bcbErrorReply(403, 'AcessoNegado'), { kind: 'unknown' }],
  [
    'a value that may mean the id',
    efiErrorReply(400, 'valor_invalido'),
    { kind: 'unknown', code: 'http_400' },
  ],
  [
    'a listed name under another status',
    efiErrorReply(409, 'chave_favorecido_nao_encontrada'),
    { kind: 'unknown', code: 'http_409' },
  ],
  [
    'a problem document with another status',
    okReply({ type: 'https://pix.bcb.gov.br/api/v2/error/AcessoNegado', title: 'x', status: 404 }, 403),
    { kind: 'unknown', code: 'http_403' },
  ],
  [
    "another owner's key",
    efiErrorReply(400, 'chave_nao_pertence_ao_documento'),
    { kind: 'rejected', finality: 'final', code: 'document_mismatch' },
  ],
  [
    'no such key',
    efiErrorReply(404, 'chave_favorecido_nao_encontrada'),
    { kind: 'rejected', finality: 'final', code: 'pix_key_not_found' },
  ],
  [
    'rejected immediately with a final reason',
    okReply(accepted({ status: 'NAO_REALIZADO', gnExtras: { erro: { codigo: 'AC03' } } }), 201),
    { kind: 'rejected', finality: 'final', code: 'AC03' },
  ],
  [
    'rejected immediately with the provider’s own reason',
    okReply(accepted({ status: 'NAO_REALIZADO', gnExtras: { erro: { codigo: 'AM04' } } }), 201),
    { kind: 'rejected', finality: 'other_may_help', code: 'AM04' },
  ],
  [
    'rejected immediately without a reason',
    okReply(accepted({ status: 'NAO_REALIZADO' }), 201),
    { kind: 'rejected', finality: 'final', code: 'provider_rejected' },
  ],
  [
    'another value',
    okReply(accepted({ valor: '10.51' }), 201),
    { kind: 'unknown', code: 'unreadable_answer' },
  ],
  ['another id', okReply(accepted({ idEnvio: 'x' }), 201), { kind: 'unknown', code: 'unreadable_answer' }],
  [
    'a new state',
    okReply(accepted({ status: 'QUASE' }), 201),
    { kind: 'unknown', code: 'unreadable_answer' },
  ],
] as typeof UNEXPLAINED_REPLIES)('sending a transfer: %s', async (_name, reply, outcome) => {
  await using story = await openEfiFixture({ reply })
  story.scripted.scriptReplies(PUT, reply)
  expect(await story.provider.sendTransfer(order)).toMatchObject(outcome)
  const sends = story.scripted.calls()
  expect(sends.length).toBe(sends.filter(({ method }) => method === 'PUT').length)
})

test('a transfer whose request cannot be sent is unreachable', async () => {
  const provider = createEfiAdapter({ baseUrl: await findUnusedUrl(), credentials, timeoutMs: 10_000 })
  expect(await provider.sendTransfer(order)).toMatchObject({
    kind: 'unreachable',
    code: 'connection_refused',
  })
  await provider.close()
})

test('without a token nothing is sent', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies('POST /oauth/token', { status: 503 })
  expect(await story.provider.sendTransfer(order)).toMatchObject({ kind: 'unreachable', code: 'no_token' })
  expect(story.scripted.calls()).toEqual([])
})

test('a transfer uses a connection of its own, which is closed after it', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(PUT, okReply(accepted(), 201))
  await story.provider.sendTransfer(order)
  await story.provider.sendTransfer({ ...order })
  const sends = story.scripted.calls()
  expect(sends.map(({ headers }) => headers.connection)).toEqual(['close', 'close'])
  expect(new Set(sends.map(({ connection }) => connection)).size).toBe(2)
})
