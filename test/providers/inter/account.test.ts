import { describe, expect, test } from '@jest/globals'
import { bcbErrorReply, devolucaoOf, END_TO_END, okReply, pixOf, RETURN_ID } from '../support/efi-fixture.ts'
import {
  ACCOUNT_NUMBER,
  bankingErrorReply,
  NOTIFICATION_SECRET,
  openInterFixture,
  pageOf,
  pixListOf,
  SENT_ID,
  transactionOf,
} from '../support/inter-fixture.ts'

const BALANCE = 'GET /banking/v2/saldo'
const STATEMENT = 'GET /banking/v2/extrato/completo'
const PIX_LIST = 'GET /pix/v2/pix'
const SENT_WEBHOOK = '/banking/v2/webhooks/pix-pagamento'
const FROM = '2026-01-08T12:00:00.000Z'
const TO = '2026-01-10T12:30:00.000Z'
const DEPOSIT_ID = 'E18236120202601101130abcdefghijk'

describe('the balance', () => {
  test('adds up what is blocked, and leaves the limit of credit out', async () => {
    await using story = await openInterFixture()
    const saldo = { disponivel: 2850.55, bloqueadoCheque: 0.5, bloqueadoJudicialmente: 10, limite: 510.35 }
    story.scripted.scriptReplies(BALANCE, okReply(saldo))
    expect(await story.provider.balances()).toEqual({
      kind: 'found',
      balance: { availableCents: 285_055, blockedCents: 1_050 },
    })
    expect(story.scripted.calls()[0]!.headers['x-conta-corrente']).toBe(ACCOUNT_NUMBER)
  })

  test('may be negative', async () => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(BALANCE, okReply({ disponivel: -1.5 }))
    expect(await story.provider.balances()).toMatchObject({
      balance: { availableCents: -150, blockedCents: 0 },
    })
  })

  test.each([
    ['without a value', okReply({ limite: 1 })],
    ['of another type', okReply({ disponivel: 'muito' })],
    ['with a blocked value below zero', okReply({ disponivel: 1, bloqueadoAdministrativo: -1 })],
    ['that was denied', bankingErrorReply(403, 'Acesso Negado')],
  ])('%s is no answer', async (_, reply) => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(BALANCE, reply)
    expect(await story.provider.balances()).toMatchObject({ kind: 'no_answer' })
    expect(await story.provider.identity()).toMatchObject({ kind: 'no_answer' })
  })

  test('read by the credentials identifies the account at its host', async () => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(BALANCE, okReply({ disponivel: 1 }))
    const id = `${new URL(story.scripted.url).host} ${ACCOUNT_NUMBER}`
    expect(await story.provider.identity()).toEqual({ kind: 'found', id })
  })
})

const RECURRENCE_WEBHOOKS = ['/pix/v2/webhookrec', '/pix/v2/webhookcobr']

describe('the URL of notifications', () => {
  const url = 'https://trilho.test/provider-notifications/1'
  const ours = `${url}/${NOTIFICATION_SECRET}`
  const none = bcbErrorReply(404, 'NaoEncontrado')

  test('is registered for received PIX of the key, a phone without its sign, and for sent payments', async () => {
    await using story = await openInterFixture()
    const created = { status: 204 }
    story.scripted.scriptReplies('PUT /pix/v2/webhook/5511999999999', created)
    story.scripted.scriptReplies(`PUT ${SENT_WEBHOOK}`, created)
    for (const path of RECURRENCE_WEBHOOKS) {
      story.scripted.scriptReplies(`GET ${path}`, none)
      story.scripted.scriptReplies(`PUT ${path}`, { status: 200 })
    }
    expect(await story.provider.registerNotificationUrl(url, '+5511999999999')).toEqual({
      kind: 'registered',
    })
    const written = story.scripted.calls().filter(({ method }) => method === 'PUT')
    expect(written.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
      ['/pix/v2/webhook/5511999999999', { webhookUrl: ours }],
      [SENT_WEBHOOK, { webhookUrl: ours }],
      ...RECURRENCE_WEBHOOKS.map(path => [path, { webhookUrl: ours }]),
    ])
    expect(story.recorded).toEqual([])
  })

  test.each([
    ['the scopes of recurrences are denied', bcbErrorReply(403, 'AcessoNegado'), { status: 200 }],
    [
      'another system is notified of them',
      okReply({ webhookUrl: 'https://other.test/rec' }),
      { status: 200 },
    ],
    ['the bank refuses the URL', none, bcbErrorReply(400, 'WebhookRecOperacaoInvalida')],
    ['the bank has no such path', { status: 404, text: '' }, { status: 200 }],
  ])('is registered with a warning where %s', async (_, found, registered) => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies('PUT /pix/v2/webhook/k', { status: 204 })
    story.scripted.scriptReplies(`PUT ${SENT_WEBHOOK}`, { status: 204 })
    story.scripted.scriptReplies(`GET ${RECURRENCE_WEBHOOKS[0]}`, found)
    story.scripted.scriptReplies(`PUT ${RECURRENCE_WEBHOOKS[0]}`, registered)
    const outcome = await story.provider.registerNotificationUrl(url, 'k')
    expect(outcome).toMatchObject({ kind: 'registered', warning: expect.stringContaining('Pix Automático') })
    expect(JSON.stringify(outcome)).not.toContain('other.test')
    const isWritten = story.scripted
      .calls()
      .some(({ method, path }) => method === 'PUT' && path === RECURRENCE_WEBHOOKS[0])
    expect(isWritten).toBe(found === none)
  })

  test('is not registered without a key, nor where one of the two fails', async () => {
    await using story = await openInterFixture()
    expect(await story.provider.registerNotificationUrl(url, null)).toMatchObject({
      kind: 'no_answer',
      code: 'collection_key_missing',
    })
    expect(story.scripted.calls()).toEqual([])
    story.scripted.scriptReplies('PUT /pix/v2/webhook/k', bcbErrorReply(404, 'NaoEncontrado'), {
      status: 204,
    })
    story.scripted.scriptReplies(`PUT ${SENT_WEBHOOK}`, bankingErrorReply(400, 'Dados inválidos.'))
    const results = [
      await story.provider.registerNotificationUrl(url, 'k'),
      await story.provider.registerNotificationUrl(url, 'k'),
    ]
    expect(results).toMatchObject([
      { kind: 'no_answer', code: 'collection_key_invalid' },
      { kind: 'no_answer', code: 'provider_validation' },
    ])
  })

  const noneOfBanking = bankingErrorReply(404, 'Não Encontrado.')
  const registered = (webhookUrl: string) => okReply({ webhookUrl, chave: 'k', criacao: TO })
  test.each([
    ['none', none, noneOfBanking, null],
    ['ours, twice', registered(ours), registered(ours), ours],
    [
      'of another system for received PIX',
      registered('https://other.test'),
      registered(ours),
      'https://other.test',
    ],
    [
      'of another system for sent payments',
      registered(ours),
      registered('https://other.test'),
      'https://other.test',
    ],
    ['for sent payments only', none, registered('https://other.test'), 'https://other.test'],
  ])('that is replaced: %s', async (_, received, sent, expected) => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies('GET /pix/v2/webhook/k', received)
    story.scripted.scriptReplies(`GET ${SENT_WEBHOOK}`, sent)
    expect(await story.provider.findReplacedUrl!('k')).toEqual({ kind: 'found', url: expected })
  })

  test('that is replaced is unknown where one of the two has no answer', async () => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies('GET /pix/v2/webhook/k', none)
    expect(await story.provider.findReplacedUrl!('k')).toMatchObject({ kind: 'no_answer' })
  })
})

describe('the statement', () => {
  const sent = transactionOf({ tipoOperacao: 'D', valor: '10.50', detalhes: { endToEndId: SENT_ID } })
  const deposit = transactionOf({ valor: '7', detalhes: { endToEndId: DEPOSIT_ID, txId: '' } })
  const tariff = transactionOf({
    idTransacao: 'T3',
    tipoTransacao: 'TARIFA',
    tipoOperacao: 'D',
    valor: '1.9',
  })

  /** A story whose Pix API lists one paid charge with a devolução, and whose statement lists these transactions. */
  async function openStatement(...transactions: unknown[]) {
    const story = await openInterFixture()
    const returned = devolucaoOf({ status: 'DEVOLVIDO', horario: { liquidacao: '2026-01-10T11:00:00Z' } })
    const paid = pixOf({ horario: '2026-01-10T11:59:00Z', devolucoes: [returned] })
    story.scripted.scriptReplies(PIX_LIST, okReply(pixListOf(paid)))
    story.scripted.scriptReplies(STATEMENT, okReply(pageOf(...transactions)))
    return story
  }

  test('has PIX of charges from the Pix API, and others from the account, each once', async () => {
    const charged = transactionOf({ detalhes: { endToEndId: END_TO_END } })
    const returned = transactionOf({ tipoOperacao: 'D', valor: '5.00', detalhes: { endToEndId: RETURN_ID } })
    await using story = await openStatement(charged, returned, sent, deposit, tariff)
    const outcome = await story.provider.statement(FROM, TO)
    expect(outcome).toMatchObject({ kind: 'found' })
    if (outcome.kind !== 'found') return
    expect(outcome.entries.map(({ endToEnd, direction, cents }) => [endToEnd, direction, cents])).toEqual([
      [END_TO_END, 'IN', 1234],
      [RETURN_ID, 'OUT', 500],
      [SENT_ID, 'OUT', 1050],
      [DEPOSIT_ID, 'IN', 700],
    ])
    expect(outcome.entries[2]).toMatchObject({ reference: null, at: '2026-01-10T12:01:00.000Z' })
    expect(outcome.accountEntries).toEqual([
      { id: 'T3', kind: 'tariff', type: 'TARIFA', cents: 190, at: '2026-01-10T03:00:00.000Z' },
    ])
  })

  test('is requested by days of Brasília, the day after the period included while it has begun', async () => {
    await using story = await openStatement()
    await story.provider.statement('2026-01-07T02:00:00.000Z', '2026-01-09T01:00:00.000Z')
    const { searchParams } = new URL(story.scripted.calls().at(-1)!.path, 'https://inter.test')
    expect(Object.fromEntries(searchParams)).toEqual({
      dataInicio: '2026-01-06',
      dataFim: '2026-01-09',
      pagina: '0',
      tamanhoPagina: '500',
    })
  })

  test.each([
    ['TARIFA', 'D', 'tariff'],
    ['TARIFA', 'C', 'credit'],
    ['PAGAMENTO', 'D', 'withdrawal'],
    ['TRANSFERENCIA', 'D', 'withdrawal'],
    ['DEPOSITO_BOLETO', 'C', 'credit'],
    ['ESTORNO', 'C', 'unlisted'],
    ['OUTROS', 'D', 'unlisted'],
    ['NOVIDADE', 'C', 'unlisted'],
  ])('%s %s is an entry of the kind %s', async (tipoTransacao, tipoOperacao, kind) => {
    await using story = await openStatement(transactionOf({ tipoTransacao, tipoOperacao }))
    const outcome = await story.provider.statement(FROM, TO)
    expect(outcome).toMatchObject({ accountEntries: [{ id: 'T1', kind, type: tipoTransacao, cents: 1234 }] })
  })

  test('has a return that no list explains as an entry of its own id', async () => {
    const id = 'D18236120202601101130abcdefghijk'
    await using story = await openStatement(transactionOf({ detalhes: { endToEndId: id } }))
    expect(await story.provider.statement(FROM, TO)).toMatchObject({
      accountEntries: [{ id, kind: 'unlisted', type: 'PIX', endToEnd: id }],
    })
  })

  test.each([
    ['a PIX without its end-to-end id', transactionOf()],
    ['a PIX with an id of another form', transactionOf({ detalhes: { endToEndId: 'E1' } })],
    ['another without an id', transactionOf({ tipoTransacao: 'TARIFA', idTransacao: undefined })],
    [
      'another without a day',
      transactionOf({ tipoTransacao: 'JUROS', dataTransacao: 'x', dataInclusao: null }),
    ],
    ['one without a direction', transactionOf({ tipoTransacao: 'JUROS', tipoOperacao: 'X' })],
    ['one without a value', transactionOf({ tipoTransacao: 'JUROS', valor: '0.00' })],
  ])('leaves out and records %s', async (_, transaction) => {
    await using story = await openStatement(transaction, sent)
    expect(await story.provider.statement(FROM, TO)).toMatchObject({
      kind: 'found',
      entries: [{}, {}, { endToEnd: SENT_ID }],
      accountEntries: [],
    })
    expect(story.recorded).toMatchObject([{ operation: 'statement', kind: 'unreadable_item' }])
  })

  test('is read page by page, until the last', async () => {
    await using story = await openStatement()
    const page = (transaction: unknown, ultimaPagina: boolean) =>
      okReply({ ...pageOf(transaction), totalElementos: 2, ultimaPagina })
    story.scripted.scriptReplies(STATEMENT, page(sent, false), page(deposit, true))
    const outcome = await story.provider.statement(FROM, TO)
    expect(outcome.kind === 'found' && outcome.entries.length).toBe(4)
    expect(story.scripted.calls().filter(({ path }) => path.includes('extrato'))).toHaveLength(2)
  })

  test.each([
    ['repeats its page', { ...pageOf(sent), ultimaPagina: false }],
    ['is longer than Inter lists', { ...pageOf(sent), totalElementos: 10_001, ultimaPagina: false }],
  ])('that %s has no answer', async (_, page) => {
    await using story = await openStatement()
    story.scripted.scriptReplies(STATEMENT, okReply(page))
    expect(await story.provider.statement(FROM, TO)).toMatchObject({
      kind: 'no_answer',
      code: 'too_many_pages',
    })
    expect(story.scripted.calls().length).toBeLessThan(150)
  })

  test.each([
    ['no page', okReply({ transacoes: 'none' })],
    ['a refusal', bankingErrorReply(400, 'Dados inválidos.')],
    ['too many requests', { status: 429 }],
  ])('with %s has no answer', async (_, reply) => {
    await using story = await openStatement()
    story.scripted.scriptReplies(STATEMENT, reply)
    expect(await story.provider.statement(FROM, TO)).toMatchObject({ kind: 'no_answer' })
  })
})

describe('a received PIX', () => {
  const absent = bcbErrorReply(404, 'NaoEncontrado')
  const detalhes = {
    endToEndId: DEPOSIT_ID,
    nomePagador: 'Maria',
    cpfCnpjPagador: '***.456.789-**',
    chavePixRecebedor: '+5511999999999',
  }

  test('of a charge is found by the Pix API alone', async () => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(`GET /pix/v2/pix/${END_TO_END}`, okReply(pixOf()))
    expect(await story.provider.findPayment(END_TO_END)).toMatchObject({
      kind: 'found',
      payment: { cents: 1234 },
    })
    expect(story.scripted.calls()).toHaveLength(1)
  })

  test('of no charge is found in the statement of its days', async () => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(`GET /pix/v2/pix/${DEPOSIT_ID}`, absent)
    story.scripted.scriptReplies(STATEMENT, okReply(pageOf(transactionOf({ detalhes }))))
    expect(await story.provider.findPayment(DEPOSIT_ID)).toEqual({
      kind: 'found',
      payment: {
        endToEnd: DEPOSIT_ID,
        txid: null,
        reference: null,
        cents: 1234,
        status: 'settled',
        at: '2026-01-10T11:30:00.000Z',
        payer: expect.objectContaining({ name: 'Maria', document: '***456789**' }),
        pixKey: '+5511999999999',
      },
    })
    const { searchParams } = new URL(story.scripted.calls().at(-1)!.path, 'https://inter.test')
    expect(Object.fromEntries(searchParams)).toMatchObject({
      dataInicio: '2026-01-10',
      dataFim: '2026-01-10',
      tipoTransacao: 'PIX',
      tipoOperacao: 'C',
    })
  })

  test.each([
    ['in no list', DEPOSIT_ID, []],
    ['sent by the account', DEPOSIT_ID, [transactionOf({ tipoOperacao: 'D', detalhes })]],
    ['with an id of another form', 'X'.repeat(32), []],
  ])('%s is not found', async (_, endToEnd, transactions) => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(`GET /pix/v2/pix/${endToEnd}`, absent)
    story.scripted.scriptReplies(STATEMENT, okReply(pageOf(...transactions)))
    expect(await story.provider.findPayment(endToEnd)).toEqual({ kind: 'not_found' })
  })

  test.each([
    ['the Pix API', { status: 503 }, okReply(pageOf())],
    ['the statement', absent, { status: 429 }],
  ])('has no answer where %s has none', async (_, pix, statement) => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(`GET /pix/v2/pix/${DEPOSIT_ID}`, pix)
    story.scripted.scriptReplies(STATEMENT, statement)
    expect(await story.provider.findPayment(DEPOSIT_ID)).toMatchObject({ kind: 'no_answer' })
  })
})
