import { expect, test } from '@jest/globals'
import {
  bcbErrorReply,
  devolucaoOf,
  efiErrorReply,
  okReply,
  openEfiFixture,
  RETURN_ID,
  UNEXPLAINED_REPLIES,
} from '../support/efi-fixture.ts'

const END_TO_END = 'E09089356202601101200abcdefghijk'
const GET = 'GET /v2/gn/pix/enviados/id-envio/transfer1'
const at = '2026-01-10T12:00:00.000Z'
const later = '2026-01-10T12:00:07.000Z'

const buildSentPix = (changes: Record<string, unknown> = {}) => ({
  endToEndId: END_TO_END,
  idEnvio: 'transfer1',
  valor: '10.50',
  chave: 'loja@trilho.test',
  horario: { solicitacao: at },
  status: 'EM_PROCESSAMENTO',
  ...changes,
})

const receiver = { identificacao: { nome: 'Maria', cpf: '***.456.789-**', codigoBanco: '00416968' } }
test.each([
  ['in process', buildSentPix(), { status: 'in_process', at, receiver: null, returns: [] }],
  [
    'settled',
    buildSentPix({
      status: 'REALIZADO',
      horario: { solicitacao: at, liquidacao: later },
      favorecido: receiver,
    }),
    {
      status: 'settled',
      at: later,
      receiver: { name: 'Maria', document: '***456789**', bank: { ispb: '00416968' } },
    },
  ],
  [
    'settled on an account',
    buildSentPix({
      status: 'REALIZADO',
      favorecido: { contaBanco: { nome: 'Loja', cnpj: '11222333000181', codigoBanco: '00416968' } },
    }),
    { receiver: { name: 'Loja', document: '11222333000181', bank: { ispb: '00416968' } } },
  ],
  [
    'rejected by the rail',
    buildSentPix({ status: 'NAO_REALIZADO', gnExtras: { erro: { codigo: 'AC07', motivo: 'Encerrada' } } }),
    { status: 'rejected', code: 'AC07', message: 'Encerrada' },
  ],
  [
    'rejected without a reason',
    buildSentPix({ status: 'NAO_REALIZADO' }),
    { status: 'rejected', code: 'provider_rejected' },
  ],
  [
    'rejected by a name of a refused order',
    buildSentPix({
      status: 'NAO_REALIZADO',
      gnExtras: { erro: { codigo: 'chave_favorecido_nao_encontrada', motivo: 'A chave não existe' } },
    }),
    { status: 'rejected', code: 'pix_key_not_found', message: 'A chave não existe' },
  ],
  [
    'rejected, without a time',
    buildSentPix({ status: 'NAO_REALIZADO', horario: null }),
    { status: 'rejected', code: 'provider_rejected', at: null },
  ],
  [
    'settled, its time a text',
    buildSentPix({ status: 'REALIZADO', horario: later }),
    { status: 'settled', at: later },
  ],
  [
    'settled and returned in part',
    buildSentPix({
      status: 'REALIZADO',
      devolucoes: [
        { rtrId: RETURN_ID, valor: '4.00', status: 'DEVOLVIDO', horario: { liquidacao: later } },
        devolucaoOf({ rtrId: 'D2' }),
        { rtrId: 'D3', valor: 2, horario: later },
      ],
    }),
    {
      returns: [
        { id: RETURN_ID, endToEnd: RETURN_ID, cents: 400, at: later },
        { id: 'D3', endToEnd: 'D3', cents: 200, at: later },
      ],
    },
  ],
])('a transfer is found %s', async (_name, json, payout) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(GET, okReply(json))
  expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({
    kind: 'found',
    payout: { cents: 1050, endToEnd: END_TO_END, ...payout },
  })
})

test('a transfer of another value is found with the value that Efí reports', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(GET, okReply(buildSentPix({ status: 'REALIZADO', valor: '0.01' })))
  expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({
    payout: { status: 'settled', cents: 1 },
  })
})

test.each([
  ['without an id', { valor: '1.00', status: 'DEVOLVIDO', horario: { liquidacao: later } }],
  ['of a new state', { rtrId: 'D3', valor: '1.00', status: 'QUASE', horario: { liquidacao: later } }],
  ['without a time', { rtrId: 'D3', valor: '1.00', horario: null }],
  ['of 0.00', { rtrId: 'D3', valor: '0.00', horario: later }],
  ['no return at all', 'D3'],
])('a return %s is recorded, and hides neither the transfer nor its other returns', async (_name, odd) => {
  await using story = await openEfiFixture()
  const whole = { rtrId: RETURN_ID, valor: '4.00', horario: later }
  story.scripted.scriptReplies(GET, okReply(buildSentPix({ status: 'REALIZADO', devolucoes: [odd, whole] })))
  expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({
    kind: 'found',
    payout: { status: 'settled', endToEnd: END_TO_END, returns: [{ id: RETURN_ID, cents: 400 }] },
  })
  expect(story.recorded).toMatchObject([
    { operation: 'findTransfer', kind: 'unreadable_item', body: JSON.stringify(odd) },
  ])
})

test('returns above the value of a transfer are recorded, and the others remain', async () => {
  await using story = await openEfiFixture()
  const returned = (rtrId: string, valor: string) => ({ rtrId, valor, horario: later })
  const devolucoes = [returned('D1', '4.00'), returned('D2', '6.51'), returned('D3', '6.50')]
  story.scripted.scriptReplies(GET, okReply(buildSentPix({ status: 'REALIZADO', devolucoes })))
  expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({
    payout: { status: 'settled', returns: [{ id: 'D1' }, { id: 'D3' }] },
  })
  expect(story.recorded).toMatchObject([{ operation: 'findTransfer', kind: 'unreadable_item' }])
})

test.each([
  ['missing', undefined],
  ['null', null],
])('a transfer is found with its end-to-end id %s', async (_name, endToEndId) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(
    GET,
    okReply(buildSentPix({ status: 'NAO_REALIZADO', endToEndId, horario: null })),
  )
  expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({
    payout: { status: 'rejected', endToEnd: '' },
  })
})

test('one name of a refusal alone does not prove that a transfer is absent', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(
    GET,
    bcbErrorReply(404, 'PixEnviadoNaoEncontrado'),
    efiErrorReply(400, 'pix_nao_encontrado'),
    bcbErrorReply(400, 'PixEnviadoNaoEncontrado'),
    bcbErrorReply(404, 'PixNaoEncontrado'),
  )
  expect(await story.provider.findTransfer({ id: 'transfer1' })).toEqual({ kind: 'not_found' })
  for (let times = 0; times < 3; times++)
    expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({ kind: 'no_answer' })
})

test.concurrent.each([
  ...UNEXPLAINED_REPLIES,
  ['another id', okReply(buildSentPix({ idEnvio: 'x' })), { code: 'unreadable_answer' }],
  ['a new state', okReply(buildSentPix({ status: 'QUASE' })), { code: 'unreadable_answer' }],
] as typeof UNEXPLAINED_REPLIES)('polling a transfer: %s is no answer', async (_name, reply, { code }) => {
  await using story = await openEfiFixture({ reply })
  story.scripted.scriptReplies(GET, reply)
  expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({
    kind: 'no_answer',
    ...(code ? { code } : {}),
  })
})
