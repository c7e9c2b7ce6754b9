import { expect, test } from '@jest/globals'
import { devolucao, END_TO_END, efi, failures, ok, pix, problem, RETURN_ID } from './support/efi.ts'

const LIST = 'GET /v2/gn/infracoes'
const PIX = `GET /v2/pix/${END_TO_END}`
const SENT = `GET /v2/gn/pix/enviados/${END_TO_END}`
const ID = '8ad75c93-6150-422c-929e-822f361c7a6b'
const DEFENCE = `POST /v2/gn/infracoes/${ID}/defesa`
const from = '2026-01-01T00:00:00.000Z'
const to = '2026-01-10T23:59:59.999Z'
const absent = problem(404, 'PixNaoEncontrado')

/** As the official SDK's types and the documentation's example have it. */
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
  ok({ parametros: { paginacao: { quantidadeTotalDeItens } }, infracoes: items })
const asked = async (changes: Record<string, unknown>, devolucoes: unknown[] = []) => {
  await using story = await efi()
  story.far.answers(LIST, page([infraction(changes)]))
  story.far.answers(PIX, ok(pix({ devolucoes })))
  const found = await story.provider.findMed({ id: ID, endToEnd: END_TO_END })
  return found.kind === 'found' ? found.med : found
}

test('a dispute is told in our words', async () => {
  await using story = await efi()
  story.far.answers(LIST, page([infraction()], 2), page([infraction({ idInfracao: 'another' })], 2))
  story.far.answers(PIX, ok(pix()))
  const listed = await story.provider.listMeds(from, to)
  expect(listed.kind === 'found' && listed.meds.map(({ id }) => id)).toEqual([ID, 'another'])
  expect(listed).toMatchObject({
    meds: [
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
        closed: false,
      },
      { id: 'another' },
    ],
  })
  const { searchParams } = new URL(story.far.calls()[0]!.path, story.far.url)
  expect([searchParams.get('inicio'), searchParams.get('fim')]).toEqual([from, to])
})

test.each([
  ['ABERTA', 'open'],
  ['EM_DEFESA', 'analysing'],
  ['ACEITA', 'agreed'],
  ['REJEITADA', 'disagreed'],
  ['CANCELADA_EFI', 'withdrawn'],
])('%s is %s', async (theirs, status) => {
  expect(await asked({ status: theirs })).toMatchObject({ status, closed: false })
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
  expect(await asked({ tipoSituacao })).toMatchObject({ disputeType })
})

test.each([
  ['100', 10_000],
  ['99.90', 9_990],
  [0.5, 50],
])('the value %p is %p centavos', async (valor, cents) => {
  expect(await asked({ valor })).toMatchObject({ cents })
})

const byEfi = (changes: Record<string, unknown> = {}) => devolucao({ natureza: 'MED_FRAUDE', ...changes })
test.each([
  ['one of ours is none of the dispute', [devolucao({ status: 'DEVOLVIDO' })], [], false],
  ['on its way', [byEfi()], [], false],
  ['settled', [byEfi({ status: 'DEVOLVIDO' })], [500], false],
  ['settled, and nothing is left', [byEfi({ status: 'DEVOLVIDO', valor: '12.34' })], [1234], true],
  ['without money', [byEfi({ status: 'NAO_REALIZADO' })], [], true],
  ['nothing was left to return', [devolucao({ status: 'DEVOLVIDO', valor: '12.34' })], [], true],
])('the return of a dispute: %s', async (_name, devolucoes, returned, closed) => {
  const med = await asked({ status: 'ACEITA' }, devolucoes)
  expect(med).toMatchObject({ closed })
  expect('returns' in med && med.returns).toEqual(
    returned.map(cents => ({ id: 'refund1', endToEnd: RETURN_ID, cents, at: '2026-01-10T12:01:00.000Z' })),
  )
})

test('after ninety days nothing is returned any more', async () => {
  await using story = await efi({ now: () => Date.parse('2026-04-12T00:00:00Z') })
  story.far.answers(LIST, page([infraction({ status: 'ACEITA' })]))
  story.far.answers(PIX, ok(pix()))
  expect(await story.provider.findMed({ id: ID, endToEnd: null })).toMatchObject({ med: { closed: true } })
})

test('what we sent we contest ourselves', async () => {
  await using story = await efi()
  story.far.answers(LIST, page([infraction({ status: 'ACEITA' })]))
  story.far.answers(PIX, absent)
  const sent = {
    ...{ endToEndId: END_TO_END, idEnvio: 'send1', valor: '12.34', status: 'REALIZADO' },
    horario: { solicitacao: '2026-01-10T11:59:00Z', liquidacao: '2026-01-10T11:59:02Z' },
    devolucoes: [byEfi({ status: 'DEVOLVIDO', id: undefined })],
  }
  story.far.answers(SENT, ok(sent), absent)
  expect(await story.provider.findMed({ id: ID, endToEnd: END_TO_END })).toMatchObject({
    med: { kind: 'REQUESTED_MED', returns: [{ id: RETURN_ID, cents: 500 }] },
  })
  expect(await story.provider.findMed({ id: ID, endToEnd: END_TO_END })).toMatchObject({
    med: { kind: 'RECEIVED_MED', returns: [] },
  })
})

test('a dispute that is not listed is not found', async () => {
  await using story = await efi()
  story.far.answers(LIST, page([infraction({ idInfracao: 'another' })]))
  expect(await story.provider.findMed({ id: ID, endToEnd: null })).toEqual({ kind: 'not_found' })
})

test.each(failures)('a dispute asked for: %s is no answer', async (_name, reply) => {
  await using story = await efi({ reply })
  story.far.answers(LIST, reply, page([infraction()]))
  story.far.answers(PIX, reply)
  expect(await story.provider.listMeds(from, to)).toMatchObject({ kind: 'no_answer' })
  expect(await story.provider.findMed({ id: ID, endToEnd: END_TO_END })).toMatchObject({ kind: 'no_answer' })
})

test.each([
  ['of a new state', infraction({ status: 'EM_RECURSO' }), 'EM_RECURSO'],
  ['without a value', infraction({ valor: undefined }), ''],
])('a dispute %s is left out and recorded, and is not absent', async (_name, odd, name) => {
  await using story = await efi()
  story.far.answers(LIST, page([odd, infraction({ idInfracao: 'another' })]))
  story.far.answers(PIX, ok(pix()))
  const listed = await story.provider.listMeds(from, to)
  expect(listed.kind === 'found' && listed.meds.map(({ id }) => id)).toEqual(['another'])
  expect(story.recorded).toMatchObject([
    { operation: 'listMeds', kind: 'unreadable_item', name, period: { from, to }, body: JSON.stringify(odd) },
  ])
  expect(await story.provider.findMed({ id: ID, endToEnd: null })).toMatchObject({ kind: 'no_answer' })
})

test('a dispute whose PIX cannot be read does not hide the others', async () => {
  await using story = await efi()
  story.far.answers(LIST, page([infraction(), infraction({ idInfracao: 'b', endToEndId: 'E2' })]))
  story.far.answers(PIX, ok(pix({ devolucoes: [devolucao({ status: undefined })] })))
  story.far.answers('GET /v2/pix/E2', ok(pix({ endToEndId: 'E2' })))
  const listed = await story.provider.listMeds(from, to)
  expect(listed.kind === 'found' && listed.meds.map(({ id }) => id)).toEqual(['b'])
  expect(story.recorded).toContainEqual(
    expect.objectContaining({ operation: 'listMeds', kind: 'unreadable_item', reference: ID }),
  )
})

const reply = { id: ID, endToEnd: END_TO_END, accept: false, analysis: 'Entregue.', attachments: [] }
const invalid = (status: number, razao: string) =>
  problem(status, 'InfracaoOperacaoInvalida', [{ razao, propriedade: 'body.infractionId' }])

test('agreeing is nothing to send: Efí takes defences alone', async () => {
  await using story = await efi()
  expect(await story.provider.replyMed({ ...reply, accept: true })).toEqual({ kind: 'accepted' })
  expect(story.far.seen).toEqual([])
})

const proof = (url: string) => ({ uuid: 'a', name: 'nota.pdf', contentType: 'application/pdf', url })
const far = `https://f.test/${'a'.repeat(600)}`
test.each([
  ['with its proofs', ['https://f.test/a?s=1'], 'Entregue.\n\nAnexos:\nnota.pdf: https://f.test/a?s=1'],
  ['with as many proofs as fit', [far, far], `Entregue.\n\nAnexos:\nnota.pdf: ${far}\nOutros anexos: 1`],
])('a defence is sent %s', async (_name, urls, justificativa) => {
  await using story = await efi()
  story.far.answers(DEFENCE, { status: 201, text: 'Defesa de infração MED criada' })
  const attachments = urls.map(proof)
  expect(await story.provider.replyMed({ ...reply, attachments })).toEqual({ kind: 'accepted' })
  expect(JSON.parse(story.far.calls()[0]!.body)).toEqual({ analise: 'rejeitado', justificativa })
})

test('a defence of more than a thousand characters is refused before it is sent', async () => {
  await using story = await efi()
  const analysis = 'a'.repeat(1_001)
  expect(await story.provider.replyMed({ ...reply, analysis })).toMatchObject({
    kind: 'rejected',
    code: 'reply_refused',
  })
  expect(story.far.seen).toEqual([])
})

test.each([
  ['too late', invalid(422, 'O prazo para defesa foi excedido.'), 'reply_refused'],
  ['of nobody', problem(404, 'InfracaoNaoEncontrada'), 'med_not_found'],
])('a reply %s is refused for good', async (_name, answer, code) => {
  await using story = await efi()
  story.far.answers(DEFENCE, answer)
  expect(await story.provider.replyMed(reply)).toMatchObject({ kind: 'rejected', finality: 'final', code })
})

test.each([
  ['EM_DEFESA', { kind: 'accepted' }],
  ['REJEITADA', { kind: 'accepted' }],
  ['ABERTA', { kind: 'rejected', code: 'reply_refused' }],
])('a defence that is there already, of a dispute that is %s', async (status, outcome) => {
  await using story = await efi()
  story.far.answers(DEFENCE, invalid(409, 'A defesa para essa infração já foi criada.'))
  story.far.answers(LIST, page([infraction({ status })]))
  story.far.answers(PIX, ok(pix()))
  expect(await story.provider.replyMed(reply)).toMatchObject(outcome)
})

test('a defence that is there, of a dispute nobody can tell of just now, is unknown', async () => {
  await using story = await efi()
  story.far.answers(DEFENCE, invalid(409, 'A defesa para essa infração já foi criada.'))
  story.far.answers(LIST, 'reset')
  expect(await story.provider.replyMed(reply)).toMatchObject({ kind: 'unknown', code: 'duplicate_id' })
})

test.each(failures.filter(([, , outcome]) => outcome.code !== 'unreadable_answer'))(
  'a reply: %s',
  async (_name, answer, outcome) => {
    await using story = await efi({ reply: answer })
    story.far.answers(DEFENCE, answer)
    expect(await story.provider.replyMed(reply)).toMatchObject(outcome)
  },
)
