import { expect, test } from '@jest/globals'
import {
  bcbErrorReply,
  devolucaoOf,
  END_TO_END,
  efiErrorReply,
  okReply,
  openEfiFixture,
  pixOf,
  RETURN_ID,
  UNEXPLAINED_REPLIES,
} from '../support/efi-fixture.ts'

const LIST = 'GET /v2/gn/infracoes'
const PIX = `GET /v2/pix/${END_TO_END}`
const SENT = `GET /v2/gn/pix/enviados/${END_TO_END}`
const ID = '8ad75c93-6150-422c-929e-822f361c7a6b'
const DEFENCE = `POST /v2/gn/infracoes/${ID}/defesa`
const from = '2026-01-01T00:00:00.000Z'
const to = '2026-01-10T23:59:59.999Z'
const absent = bcbErrorReply(404, 'PixNaoEncontrado')

/** As in the official SDK's types and the documentation's example. */
const infraction = (changes: Record<string, unknown> = {}) => ({
  idInfracao: ID,
  endToEndId: END_TO_END,
  protocolo: 1313,
  dataTransacao: '2026-01-10T11:59:30.500Z',
  valor: 12.34,
  chave: 'chave@exemplo.com.br',
  status: 'ABERTA',
  razao: 'Solicitacao de devolução',
  tipoSituacao: 'golpe',
  tipoFraude: 'aplicativo fraudulento',
  comentario: 'Boleto falso',
  identificadorTicket: [94],
  dadosAnalise: { abertura: '2026-01-10T12:00:00Z', prazoFinalizacao: '2026-01-17T12:00:00Z' },
  ...changes,
})
const page = (items: unknown[], quantidadeTotalDeItens = items.length) =>
  okReply({ parametros: { paginacao: { quantidadeTotalDeItens } }, infracoes: items })
const readDispute = async (
  changes: Record<string, unknown>,
  devolucoes: unknown[] = [],
  onUnlisted: (name: string) => void = () => {},
) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(LIST, page([infraction(changes)]))
  story.scripted.scriptReplies(PIX, okReply(pixOf({ devolucoes })))
  const outcome = await story.provider.findDispute({ id: ID, endToEnd: END_TO_END })
  for (const { kind, name } of story.recorded) if (kind === 'unreadable_item') onUnlisted(name)
  return outcome.kind === 'found' ? outcome.dispute : outcome
}

test('a dispute is mapped to our fields', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(
    LIST,
    page([infraction()], 2),
    page([infraction({ idInfracao: 'another' })], 2),
  )
  story.scripted.scriptReplies(PIX, okReply(pixOf()))
  const list = await story.provider.listDisputes(from, to)
  expect(list.kind === 'found' && list.disputes.map(({ id }) => id)).toEqual([ID, 'another'])
  expect(list).toMatchObject({
    disputes: [
      {
        id: ID,
        kind: 'RECEIVED_MED',
        endToEnd: END_TO_END,
        disputeType: 'SCAM',
        cents: 1234,
        status: 'open',
        openedAt: '2026-01-10T12:00:00.000Z',
        dueAt: '2026-01-17T12:00:00.000Z',
        details: 'golpe; aplicativo fraudulento; Solicitacao de devolução',
        analysis: 'Boleto falso',
        returns: [],
        isClosed: false,
      },
      { id: 'another' },
    ],
  })
  const { searchParams } = new URL(story.scripted.calls()[0]!.path, story.scripted.url)
  expect([searchParams.get('inicio'), searchParams.get('fim')]).toEqual([from, to])
})

test.each([
  ['ABERTA', 'open'],
  ['EM_DEFESA', 'analysing'],
  ['ACEITA', 'agreed'],
  ['REJEITADA', 'disagreed'],
  ['CANCELADA_EFI', 'withdrawn'],
])('%s is %s', async (theirs, status) => {
  expect(await readDispute({ status: theirs })).toMatchObject({ status, isClosed: false })
})

test.each([
  ['golpe', 'SCAM'],
  ['aquisição da conta', 'WRONG_TRANSACTION'],
  ['coerção', 'COERCION_CRIME'],
  ['acesso fraudulento', 'UNAUTHORIZED_ACCESS'],
  ['outro', 'UNDEFINED'],
  ['desconhecido', 'UNDEFINED'],
  ['constructor', 'UNDEFINED'],
  [undefined, 'UNDEFINED'],
])('the situation %s is %s', async (tipoSituacao, disputeType) => {
  expect(await readDispute({ tipoSituacao })).toMatchObject({ disputeType })
})

test.each([
  ['100', 10_000],
  ['99.90', 9_990],
  [0.5, 50],
])('the value %p is %p centavos', async (valor, cents) => {
  expect(await readDispute({ valor })).toMatchObject({ cents })
})

const byEfi = (changes: Record<string, unknown> = {}) => devolucaoOf({ natureza: 'MED_FRAUDE', ...changes })
test.each([
  ['of which Efí does not say who ordered it', [devolucaoOf({ status: 'DEVOLVIDO' })], [500], false],
  ['on its way', [byEfi()], [], false],
  ['settled', [byEfi({ status: 'DEVOLVIDO' })], [500], false],
  ['settled, and nothing is left', [byEfi({ status: 'DEVOLVIDO', valor: '12.34' })], [1234], true],
  ['without money', [byEfi({ status: 'NAO_REALIZADO' })], [], true],
  [
    'whole, and Efí does not say who ordered it',
    [devolucaoOf({ status: 'DEVOLVIDO', valor: '12.34' })],
    [1234],
    true,
  ],
  [
    'beside one of 0.00',
    [byEfi({ valor: '0.00' }), byEfi({ status: 'DEVOLVIDO', valor: '12.34' })],
    [1234],
    true,
  ],
  ['beside an unreadable one', [byEfi({ status: 'QUASE' }), byEfi({ status: 'DEVOLVIDO' })], [500], false],
  ['above the value of the PIX', [byEfi({ status: 'DEVOLVIDO', valor: '12.35' })], [], false],
])('the return of a dispute: %s', async (_name, devolucoes, returns, closed) => {
  const med = await readDispute({ status: 'ACEITA' }, devolucoes)
  expect(med).toMatchObject({ isClosed: closed })
  expect('returns' in med && med.returns).toEqual(
    returns.map(cents => ({ id: 'refund1', endToEnd: RETURN_ID, cents, at: '2026-01-10T12:01:00.000Z' })),
  )
})

test.each([
  ['MED_FRAUDE', true, []],
  ['MED_OPERACIONAL', true, []],
  ['MED_PIX_AUTOMATICO', true, []],
  ['ORIGINAL', false, []],
  ['RETIRADA', false, ['RETIRADA']],
  ['MED_NOVA', true, ['MED_NOVA']],
] as const)('a devolução of the nature %s', async (natureza, isOfDispute, unlisted) => {
  const recorded: unknown[] = []
  const devolucoes = [devolucaoOf({ natureza, status: 'DEVOLVIDO' })]
  const med = await readDispute({ status: 'EM_DEFESA' }, devolucoes, name => recorded.push(name))
  expect('returns' in med && med.returns.length > 0).toBe(isOfDispute)
  expect(recorded).toEqual(unlisted)
})

test('before the decision only a devolução that says so is the return of a dispute', async () => {
  const devolucoes = [
    devolucaoOf({ status: 'DEVOLVIDO' }),
    byEfi({ id: 'med', rtrId: 'D2', status: 'DEVOLVIDO' }),
  ]
  expect(await readDispute({ status: 'EM_DEFESA' }, devolucoes)).toMatchObject({ returns: [{ id: 'med' }] })
})

const failed = (changes: Record<string, unknown> = {}) =>
  devolucaoOf({ id: 'failed', status: 'NAO_REALIZADO', horario: null, ...changes })
test.each([
  ['that failed', 'ACEITA', [failed()], ['failed']],
  ['that failed beside one on its way', 'ACEITA', [failed(), devolucaoOf()], []],
  ['that failed beside an unreadable one', 'ACEITA', [failed(), devolucaoOf({ status: 'QUASE' })], []],
  [
    'that failed before the dispute was opened',
    'ACEITA',
    [failed({ horario: { solicitacao: '2026-01-10T11:59:00Z' } })],
    [],
  ],
  ['that failed, and says who ordered it', 'ACEITA', [failed({ natureza: 'ORIGINAL' })], []],
  ['that failed before the decision', 'EM_DEFESA', [failed()], undefined],
])(
  'a devolução %s, of which Efí does not say who ordered it',
  async (_, status, devolucoes, failedReturnIds) => {
    const med = await readDispute({ status }, devolucoes)
    expect(med).toMatchObject({ returns: [], isClosed: false })
    expect('failedReturnIds' in med ? med.failedReturnIds : undefined).toEqual(failedReturnIds)
  },
)

test('after ninety days nothing is returned any more', async () => {
  await using story = await openEfiFixture({ now: () => Date.parse('2026-04-12T00:00:00Z') })
  story.scripted.scriptReplies(LIST, page([infraction({ status: 'ACEITA' })]))
  story.scripted.scriptReplies(PIX, okReply(pixOf()))
  expect(await story.provider.findDispute({ id: ID, endToEnd: null })).toMatchObject({
    dispute: { isClosed: true },
  })
})

test('a dispute of a payment that we sent is ours', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(LIST, page([infraction({ status: 'ACEITA' })]))
  story.scripted.scriptReplies(PIX, absent)
  const sentPix = {
    endToEndId: END_TO_END,
    idEnvio: 'send1',
    valor: '12.34',
    status: 'REALIZADO',
    horario: { solicitacao: '2026-01-10T11:59:00Z', liquidacao: '2026-01-10T11:59:02Z' },
    devolucoes: [
      { rtrId: 'D0', valor: '1.00', horario: '2026-01-10T11:59:30Z' },
      byEfi({ status: 'DEVOLVIDO', id: undefined }),
      { rtrId: 'D2', valor: '2.00', horario: '2026-01-10T12:05:00Z' },
    ],
  }
  story.scripted.scriptReplies(SENT, okReply(sentPix), absent)
  expect(await story.provider.findDispute({ id: ID, endToEnd: END_TO_END })).toMatchObject({
    dispute: {
      kind: 'REQUESTED_MED',
      returns: [
        { id: RETURN_ID, cents: 500 },
        { id: 'D2', cents: 200 },
      ],
    },
  })
  expect(await story.provider.findDispute({ id: ID, endToEnd: END_TO_END })).toMatchObject({
    dispute: { kind: 'RECEIVED_MED', returns: [] },
  })
})

test('a dispute that is not listed is not found', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(LIST, page([infraction({ idInfracao: 'another' })]))
  expect(await story.provider.findDispute({ id: ID, endToEnd: null })).toEqual({ kind: 'not_found' })
})

test.concurrent.each(UNEXPLAINED_REPLIES)('a list of disputes: %s is no answer', async (_name, reply) => {
  await using story = await openEfiFixture({ reply })
  story.scripted.scriptReplies(LIST, reply)
  expect(await story.provider.listDisputes(from, to)).toMatchObject({ kind: 'no_answer' })
})

test.concurrent.each(UNEXPLAINED_REPLIES)('a lookup of a dispute: %s is no answer', async (_name, reply) => {
  await using story = await openEfiFixture({ reply })
  story.scripted.scriptReplies(LIST, page([infraction()]))
  story.scripted.scriptReplies(PIX, reply)
  expect(await story.provider.findDispute({ id: ID, endToEnd: END_TO_END })).toMatchObject({
    kind: 'no_answer',
  })
})

test.each([
  ['of a new state', infraction({ status: 'EM_RECURSO' }), 'EM_RECURSO'],
  ['without a value', infraction({ valor: undefined }), ''],
])('a dispute %s is left out and recorded, and does not count as absent', async (_name, odd, name) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(LIST, page([odd, infraction({ idInfracao: 'another' })]))
  story.scripted.scriptReplies(PIX, okReply(pixOf()))
  const list = await story.provider.listDisputes(from, to)
  expect(list.kind === 'found' && list.disputes.map(({ id }) => id)).toEqual(['another'])
  expect(story.recorded).toMatchObject([
    {
      operation: 'listDisputes',
      kind: 'unreadable_item',
      name,
      period: { from, to },
      body: JSON.stringify(odd),
    },
  ])
  expect(await story.provider.findDispute({ id: ID, endToEnd: null })).toMatchObject({ kind: 'no_answer' })
})

test('a dispute with an unreadable PIX hides neither the others nor, by a devolução, itself', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(LIST, page([infraction(), infraction({ idInfracao: 'b', endToEndId: 'E2' })]))
  story.scripted.scriptReplies(
    PIX,
    okReply(pixOf({ valor: 'muito' })),
    okReply(pixOf({ devolucoes: [devolucaoOf({ status: undefined })] })),
  )
  story.scripted.scriptReplies('GET /v2/pix/E2', okReply(pixOf({ endToEndId: 'E2' })))
  const list = await story.provider.listDisputes(from, to)
  expect(list.kind === 'found' && list.disputes.map(({ id }) => id)).toEqual(['b'])
  expect(story.recorded).toContainEqual(
    expect.objectContaining({ operation: 'listDisputes', kind: 'unreadable_item', reference: ID }),
  )
  const repeat = await story.provider.listDisputes(from, to)
  expect(repeat.kind === 'found' && repeat.disputes.map(({ id }) => id)).toEqual([ID, 'b'])
})

test.each([
  ['is refused for good', bcbErrorReply(403, 'AcessoNegado'), undefined],
  ['is refused without a documented name', efiErrorReply(403, 'novidade'), undefined],
  ['fails each time', efiErrorReply(500, 'erro_aplicacao'), undefined],
  ['is not answered', 'reset' as const, 'connection_reset'],
])('a dispute whose PIX look-up %s does not hide the others', async (_name, answer, incompleteCode) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(LIST, page([infraction(), infraction({ idInfracao: 'b', endToEndId: 'E2' })]))
  story.scripted.scriptReplies(PIX, answer)
  story.scripted.scriptReplies('GET /v2/pix/E2', okReply(pixOf({ endToEndId: 'E2' })))
  const list = await story.provider.listDisputes(from, to)
  expect(list).toMatchObject({ kind: 'found', disputes: [{ id: 'b' }] })
  expect('incompleteCode' in list ? list.incompleteCode : undefined).toBe(incompleteCode)
  const isRecorded = story.recorded.some(
    ({ operation, kind, reference }) =>
      operation === 'listDisputes' && kind === 'unreadable_item' && reference === ID,
  )
  expect(isRecorded).toBe(incompleteCode === undefined)
})

const reply = { id: ID, endToEnd: END_TO_END, accept: false, analysis: 'Entregue.', attachments: [] }
const invalid = (status: number, razao: string) =>
  bcbErrorReply(status, 'InfracaoOperacaoInvalida', [{ razao, propriedade: 'body.infractionId' }])

test('an acceptance sends nothing: Efí takes defences only', async () => {
  await using story = await openEfiFixture()
  expect(await story.provider.replyToDispute({ ...reply, accept: true })).toEqual({ kind: 'accepted' })
  expect(story.scripted.seen).toEqual([])
})

const proof = (url: string) => ({ uuid: 'a', name: 'nota.pdf', contentType: 'application/pdf', url })
const longUrl = `https://f.test/${'a'.repeat(600)}`
test('a defence is sent with the links to its files', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(DEFENCE, { status: 201, text: 'Defesa de infração MED criada' })
  const attachments = [proof('https://f.test/a?s=1'), proof('https://f.test/b?s=2')]
  expect(await story.provider.replyToDispute({ ...reply, attachments })).toEqual({ kind: 'accepted' })
  const justificativa = 'Entregue.\n\nAnexos:\nnota.pdf: https://f.test/a?s=1\nnota.pdf: https://f.test/b?s=2'
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({ analise: 'rejeitado', justificativa })
})

test.each([
  ['of more than a thousand characters', { analysis: 'a'.repeat(1_001) }],
  ['of more than a thousand UTF-16 units', { analysis: '😀'.repeat(501) }],
  ['whose links do not all fit', { attachments: [proof(longUrl), proof(longUrl)] }],
])('a defence %s is refused before it is sent', async (_name, changes) => {
  await using story = await openEfiFixture()
  expect(await story.provider.replyToDispute({ ...reply, ...changes })).toMatchObject({
    kind: 'rejected',
    code: 'reply_refused',
  })
  expect(story.scripted.seen).toEqual([])
})

test.each([
  ['too late', invalid(422, 'O prazo para defesa foi excedido.'), 'reply_refused'],
  ['that does not exist', bcbErrorReply(404, 'InfracaoNaoEncontrada'), 'med_not_found'],
])('a reply %s is refused finally', async (_name, answer, code) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(DEFENCE, answer)
  expect(await story.provider.replyToDispute(reply)).toMatchObject({
    kind: 'rejected',
    finality: 'final',
    code,
  })
})

test.each([
  ['EM_DEFESA', { kind: 'accepted' }],
  ['REJEITADA', { kind: 'accepted' }],
  ['ABERTA', { kind: 'rejected', code: 'reply_refused' }],
])('an existing defence, of a dispute that is %s', async (status, outcome) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(DEFENCE, invalid(409, 'A defesa para essa infração já foi criada.'))
  story.scripted.scriptReplies(LIST, page([infraction({ status })]))
  story.scripted.scriptReplies(PIX, okReply(pixOf()))
  expect(await story.provider.replyToDispute(reply)).toMatchObject(outcome)
})

test('an existing defence, of a dispute that cannot be looked up now, is unknown', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(DEFENCE, invalid(409, 'A defesa para essa infração já foi criada.'))
  story.scripted.scriptReplies(LIST, 'reset')
  expect(await story.provider.replyToDispute(reply)).toMatchObject({ kind: 'unknown', code: 'duplicate_id' })
})

test.concurrent.each(UNEXPLAINED_REPLIES.filter(([, , outcome]) => outcome.code !== 'unreadable_answer'))(
  'a reply: %s',
  async (_name, answer, outcome) => {
    await using story = await openEfiFixture({ reply: answer })
    story.scripted.scriptReplies(DEFENCE, answer)
    expect(await story.provider.replyToDispute(reply)).toMatchObject(outcome)
  },
)
