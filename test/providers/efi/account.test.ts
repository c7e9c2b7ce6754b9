import { expect, test } from '@jest/globals'
import {
  bcbErrorReply,
  devolucaoOf,
  END_TO_END,
  NOTIFICATION_SECRET,
  okReply,
  openEfiFixture,
  pixOf,
  REFERENCE,
  RETURN_ID,
  UNEXPLAINED_REPLIES,
} from '../support/efi-fixture.ts'
import type { ScriptedProvider } from '../support/scripted-provider.ts'

const SALDO = 'GET /v2/gn/saldo'
const RECEIVED = 'GET /v2/pix'
const SENT = 'GET /v2/gn/pix/enviados'
const WEBHOOK = 'PUT /v2/webhook/chave%40exemplo.com.br'
const CONFIG = 'GET /v2/gn/config'
const from = '2026-01-10T00:00:00.000Z'
const to = '2026-01-10T23:59:59.999Z'

test.each([
  ['with blocks', { saldo: '100.00', bloqueios: { judicial: '1.00', med: '2.50', total: '3.50' } }, 350],
  ['without', { saldo: '100.00' }, 0],
])('a balance %s', async (_name, json, blockedCents) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(SALDO, okReply(json))
  expect(await story.provider.balances()).toEqual({
    kind: 'found',
    balance: { availableCents: 10_000, blockedCents },
  })
  expect(story.scripted.calls()[0]?.path).toBe('/v2/gn/saldo?bloqueios=true')
})

test('a balance and its blocks have no limit: both are sums of what came in', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(
    SALDO,
    okReply({ saldo: '10000000000.00', bloqueios: { total: '123456789012.34' } }),
  )
  expect(await story.provider.balances()).toEqual({
    kind: 'found',
    balance: { availableCents: 1_000_000_000_000, blockedCents: 12_345_678_901_234 },
  })
})

test.each([
  ['-12.34', -1_234],
  ['-0.50', -50],
  ['-3', -300],
  [-12.3, -1_230],
  ['-0.00', 0],
])('a balance may be negative: %p', async (saldo, availableCents) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(SALDO, okReply({ saldo, bloqueios: { total: '1.00' } }))
  expect(await story.provider.balances()).toEqual({
    kind: 'found',
    balance: { availableCents, blockedCents: 100 },
  })
})

test.each([
  [{ saldo: '1,000.00' }],
  [{ saldo: '--1.00' }],
  [{ saldo: '1.00', bloqueios: { total: '-1.00' } }],
])('a balance that is not an amount is no answer: %j', async json => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(SALDO, okReply(json))
  expect(await story.provider.balances()).toMatchObject({ kind: 'no_answer', code: 'unreadable_answer' })
})

test.concurrent.each(UNEXPLAINED_REPLIES)('balance and statement: %s is no answer', async (_name, reply) => {
  await using story = await openEfiFixture({ reply })
  story.scripted.scriptReplies(SALDO, reply)
  story.scripted.scriptReplies(RECEIVED, okReply(page([])))
  story.scripted.scriptReplies(SENT, reply)
  const answers = await Promise.all([story.provider.balances(), story.provider.statement(from, to)])
  expect(answers).toMatchObject([{ kind: 'no_answer' }, { kind: 'no_answer' }])
})

const page = (items: unknown[], total = items.length) => ({
  parametros: { paginacao: { paginaAtual: 0, itensPorPagina: 100, quantidadeTotalDeItens: total } },
  pix: items,
})
const buildSentPix = (changes: Record<string, unknown> = {}) => ({
  endToEndId: 'E1',
  idEnvio: 'send1',
  valor: '7.00',
  status: 'REALIZADO',
  horario: { solicitacao: '2026-01-10T10:00:00.000Z', liquidacao: '2026-01-10T10:00:01.000Z' },
  ...changes,
})

test('the statement of an account that has sent no PIX contains what it received', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(RECEIVED, okReply(page([pixOf()])))
  story.scripted.scriptReplies(SENT, bcbErrorReply(404, 'PixEnviadoNaoEncontrado'))
  expect(await story.provider.statement(from, to)).toMatchObject({
    kind: 'found',
    entries: [{ endToEnd: END_TO_END, direction: 'IN', cents: 1234 }],
  })
  expect(story.recorded).toEqual([])
})

test('the absence that Efí documents of sent PIX says nothing about received ones', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(RECEIVED, bcbErrorReply(404, 'PixEnviadoNaoEncontrado'))
  story.scripted.scriptReplies(SENT, okReply(page([])))
  expect(await story.provider.statement(from, to)).toMatchObject({ kind: 'no_answer', code: 'not_found' })
})

test('odd amounts in a statement are recorded, and hide nothing', async () => {
  await using story = await openEfiFixture()
  const settled = { status: 'DEVOLVIDO', horario: { solicitacao: '2026-01-10T12:01:00.000Z' } }
  const devolucoes = [
    devolucaoOf({ ...settled, rtrId: 'D0', id: 'zero', valor: '0.00' }),
    devolucaoOf({ ...settled, rtrId: 'D1', id: 'more', valor: '99.00' }),
    devolucaoOf(settled),
  ]
  story.scripted.scriptReplies(
    RECEIVED,
    okReply(page([pixOf({ endToEndId: 'E0', valor: '0.00' }), pixOf()])),
    okReply(page([pixOf({ devolucoes })])),
  )
  story.scripted.scriptReplies(
    SENT,
    okReply(page([buildSentPix({ status: 'NAO_REALIZADO', endToEndId: null, horario: null })])),
  )
  const statement = await story.provider.statement(from, to)
  expect(statement.kind === 'found' && statement.entries).toMatchObject([
    { endToEnd: END_TO_END, direction: 'IN' },
    { endToEnd: RETURN_ID, direction: 'OUT', cents: 500 },
  ])
  expect(story.recorded.map(({ operation, kind }) => [operation, kind])).toEqual(
    Array.from({ length: 3 }, () => ['statement', 'unreadable_item']),
  )
})

test('a statement contains received, refunded, sent and returned amounts', async () => {
  await using story = await openEfiFixture()
  const settled = { status: 'DEVOLVIDO', horario: { solicitacao: '2026-01-10T12:01:00.000Z' } }
  const refunds = [
    devolucaoOf(settled),
    devolucaoOf({ ...settled, rtrId: 'D-too-early', horario: { solicitacao: '2026-01-09T12:00:00.000Z' } }),
    devolucaoOf({ rtrId: 'D-in-process' }),
  ]
  story.scripted.scriptReplies(
    RECEIVED,
    okReply(page([pixOf()])),
    okReply(page([pixOf({ devolucoes: refunds })])),
  )
  story.scripted.scriptReplies(
    SENT,
    okReply([buildSentPix(), buildSentPix({ endToEndId: 'E2', status: 'NAO_REALIZADO' })]),
    okReply([buildSentPix({ devolucoes: [devolucaoOf({ ...settled, id: undefined, rtrId: 'D2' })] })]),
  )

  expect(await story.provider.statement(from, to)).toEqual({
    kind: 'found',
    entries: [
      {
        endToEnd: END_TO_END,
        reference: REFERENCE,
        direction: 'IN',
        cents: 1234,
        at: '2026-01-10T11:59:30.500Z',
      },
      {
        endToEnd: RETURN_ID,
        reference: 'refund1',
        direction: 'OUT',
        cents: 500,
        at: '2026-01-10T12:01:00.000Z',
        returnOf: END_TO_END,
        returnId: 'refund1',
      },
      { endToEnd: 'E1', reference: 'send1', direction: 'OUT', cents: 700, at: '2026-01-10T10:00:01.000Z' },
      {
        endToEnd: 'D2',
        reference: 'send1',
        direction: 'IN',
        cents: 500,
        at: '2026-01-10T12:01:00.000Z',
        returnOf: 'E1',
      },
    ],
  })
  const requests = story.scripted
    .calls()
    .map(({ path }) => Object.fromEntries(new URL(path, story.scripted.url).searchParams))
  expect(requests[0]).toEqual({
    inicio: from,
    fim: to,
    'paginacao.paginaAtual': '0',
    'paginacao.itensPorPagina': '100',
  })
  expect(requests[1]).toMatchObject({
    inicio: '2025-10-11T00:00:00.000Z',
    fim: to,
    devolucaoPresente: 'true',
  })
})

test('a sent amount is in the statement of the day on which it settled, however long before it was requested', async () => {
  await using story = await openEfiFixture()
  const slow = (endToEndId: string, liquidacao: string) =>
    buildSentPix({ endToEndId, horario: { solicitacao: '2026-01-09T23:30:00.000Z', liquidacao } })
  story.scripted.scriptReplies(RECEIVED, okReply(page([])))
  story.scripted.scriptReplies(
    SENT,
    okReply([slow('E-before', '2026-01-09T23:59:59.999Z'), slow('E-slow', '2026-01-10T00:30:00.000Z')]),
    okReply([]),
  )
  const statement = await story.provider.statement(from, to)
  expect(statement.kind === 'found' && statement.entries).toMatchObject([
    { endToEnd: 'E-slow', direction: 'OUT', at: '2026-01-10T00:30:00.000Z' },
  ])
  const [listRequest] = story.scripted.calls().filter(({ path }) => path.startsWith('/v2/gn/pix/enviados'))
  const query = new URL(listRequest!.path, story.scripted.url).searchParams
  expect([query.get('inicio'), query.get('fim')]).toEqual(['2026-01-08T00:00:00.000Z', to])
})

test('an amount that Efí returned by itself after a dispute has no id of ours', async () => {
  await using story = await openEfiFixture()
  const byEfi = devolucaoOf({ status: 'DEVOLVIDO', natureza: 'MED_FRAUDE' })
  story.scripted.scriptReplies(RECEIVED, okReply(page([])), okReply(page([pixOf({ devolucoes: [byEfi] })])))
  story.scripted.scriptReplies(SENT, okReply(page([])))
  const statement = await story.provider.statement(from, to)
  expect(statement.kind === 'found' && statement.entries).toMatchObject([
    { endToEnd: RETURN_ID, reference: null, direction: 'OUT', returnOf: END_TO_END },
  ])
})

/** A list of sent PIX at a bank with a maximum page size, which counts pages in the requested size. */
function capped(items: unknown[], most: number, paginationOf: (total: number) => unknown) {
  return (path: string) => {
    const query = new URL(path, 'https://bank.test').searchParams
    const [number, size] = [
      Number(query.get('paginacao.paginaAtual')),
      Number(query.get('paginacao.itensPorPagina')),
    ]
    const pageItems = items.slice(number * size, number * size + Math.min(size, most))
    return paginationOf(items.length) === undefined
      ? pageItems
      : { parametros: { paginacao: paginationOf(items.length) }, pix: pageItems }
  }
}

test.each([
  ['with the total as a number', (quantidadeTotalDeItens: number) => ({ quantidadeTotalDeItens })],
  ['with the total as a text', (total: number) => ({ quantidadeTotalDeItens: String(total) })],
  ['with a page count only', () => ({ quantidadeDePaginas: 2 })],
  ['the list is bare', () => undefined],
])(
  'a list is read completely although a page holds fewer items than requested: %s',
  async (_name, paginationOf) => {
    for (const most of [100, 50, 33, 1]) {
      await using story = await openEfiFixture()
      const items = Array.from({ length: 120 }, (_, index) => buildSentPix({ endToEndId: `E${index}` }))
      story.scripted.scriptReplyByPath(SENT, capped(items, most, paginationOf))
      story.scripted.scriptReplies(RECEIVED, okReply(page([])))
      const statement = await story.provider.statement(from, to)
      expect(statement.kind === 'found' && statement.entries).toHaveLength(120)
    }
  },
)

test('a list with more items than a thousand pages is read in halves of its period', async () => {
  await using story = await openEfiFixture()
  const hours = ['03', '09', '15', '21'].map(hour => `2026-01-10T${hour}:00:00.000Z`)
  const all = hours.map((horario, index) => pixOf({ endToEndId: `E${index}`, horario }))
  story.scripted.scriptReplyByPath(RECEIVED, path => {
    const query = new URL(path, 'https://bank.test').searchParams
    if (query.has('devolucaoPresente')) return page([])
    const matches = all.filter(
      ({ horario }) => horario >= query.get('inicio')! && horario <= query.get('fim')!,
    )
    return page(matches, matches.length > 1 ? 100_001 : matches.length)
  })
  story.scripted.scriptReplies(SENT, okReply(page([])))
  const statement = await story.provider.statement(from, to)
  expect(statement.kind === 'found' && statement.entries.map(({ endToEnd }) => endToEnd)).toEqual([
    'E0',
    'E1',
    'E2',
    'E3',
  ])
})

test('an item listed twice counts once', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(
    RECEIVED,
    okReply(page([pixOf(), pixOf()], 3)),
    okReply(page([pixOf()], 3)),
    okReply(page([])),
  )
  story.scripted.scriptReplies(SENT, okReply(page([])))
  const statement = await story.provider.statement(from, to)
  expect(statement.kind === 'found' && statement.entries).toHaveLength(1)
})

test('an unreadable item is left out and recorded, and the others stay', async () => {
  await using story = await openEfiFixture()
  const odd = buildSentPix({ endToEndId: 'E2', status: 'QUASE' })
  story.scripted.scriptReplies(
    RECEIVED,
    okReply(page([pixOf({ valor: 'muito' }), pixOf({ endToEndId: 'E-b' })])),
  )
  story.scripted.scriptReplies(SENT, okReply(page([buildSentPix(), odd])))
  const statement = await story.provider.statement(from, to)
  expect(statement.kind === 'found' && statement.entries.map(({ endToEnd }) => endToEnd)).toEqual([
    'E-b',
    'E1',
  ])
  const period = { from, to }
  expect(story.recorded).toContainEqual(
    expect.objectContaining({ operation: 'statement', kind: 'unreadable_item', name: '', period }),
  )
  expect(story.recorded).toContainEqual(
    expect.objectContaining({ kind: 'unreadable_item', name: 'QUASE', body: JSON.stringify(odd) }),
  )
})

test.each([
  ['12.3', 1230],
  ['12', 1200],
  [12.34, 1234],
  [12, 1200],
  ['0012.34', 1234],
])('an amount %p is parsed exactly', async (valor, cents) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(RECEIVED, okReply(page([pixOf({ valor })])))
  story.scripted.scriptReplies(SENT, okReply(page([])))
  expect(await story.provider.statement(from, to)).toMatchObject({ entries: [{ cents }] })
})

test.each(['12.345', 12.345, '1e3', 1e-7, '12,34', '-1', '', ' 12', '10000000000', null, true])(
  'an amount %p is refused',
  async valor => {
    await using story = await openEfiFixture()
    story.scripted.scriptReplies(RECEIVED, okReply(page([pixOf({ valor })])))
    story.scripted.scriptReplies(SENT, okReply(page([])))
    expect(await story.provider.statement(from, to)).toMatchObject({ kind: 'found', entries: [] })
  },
)

function scriptRecurrenceWebhooks({ scripted }: { scripted: ScriptedProvider }) {
  for (const path of ['/v2/webhookrec', '/v2/webhookcobr']) {
    scripted.scriptReplies(`GET ${path}`, bcbErrorReply(404, 'NaoEncontrado'))
    scripted.scriptReplies(`PUT ${path}`, { status: 200 })
  }
}

test('notifications are registered under our secret, without mutual TLS', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(WEBHOOK, { status: 201, text: 'Webhook para notificações' })
  story.scripted.scriptReplies(
    CONFIG,
    okReply({ pix: { receberSemChave: false, chaves: { outra: { recebimento: { x: 1 } } } } }),
  )
  story.scripted.scriptReplies(`PUT ${CONFIG.slice(4)}`, { status: 204 })
  scriptRecurrenceWebhooks(story)
  const url = 'https://trilho.test/provider-notifications/c1'
  expect(await story.provider.registerNotificationUrl(url, 'chave@exemplo.com.br')).toEqual({
    kind: 'registered',
  })
  const [call, , written, ...others] = story.scripted.calls()
  const registered = others.filter(({ method }) => method === 'PUT')
  expect(registered.map(({ path }) => path)).toEqual(['/v2/webhookrec', '/v2/webhookcobr'])
  for (const { headers, body } of registered) {
    expect(headers['x-skip-mtls-checking']).toBe('true')
    expect(JSON.parse(body)).toEqual({ webhookUrl: `${url}/${NOTIFICATION_SECRET}` })
  }
  expect(JSON.parse(written!.body)).toEqual({
    pix: {
      receberSemChave: false,
      chaves: {
        outra: { recebimento: { x: 1 } },
        'chave@exemplo.com.br': {
          recebimento: {
            txidObrigatorio: false,
            qrCodeEstatico: { recusarTodos: false },
            webhook: { notificar: { pixSemTxid: true }, notificacao: { tarifa: false, pagador: true } },
          },
        },
      },
    },
  })
  expect(call?.headers['x-skip-mtls-checking']).toBe('true')
  expect(JSON.parse(call!.body)).toEqual({ webhookUrl: `${url}/${NOTIFICATION_SECRET}` })
})

test('a correct configuration is not written again', async () => {
  await using story = await openEfiFixture()
  const recebimento = { webhook: { notificar: { pixSemTxid: true }, notificacao: { pagador: true } } }
  story.scripted.scriptReplies(WEBHOOK, { status: 201 })
  story.scripted.scriptReplies(
    CONFIG,
    okReply({ pix: { chaves: { 'chave@exemplo.com.br': { recebimento } } } }),
  )
  scriptRecurrenceWebhooks(story)
  expect(await story.provider.registerNotificationUrl('https://t.test/n', 'chave@exemplo.com.br')).toEqual({
    kind: 'registered',
  })
  expect(
    story.scripted.calls().some(({ method, path }) => method === 'PUT' && path === CONFIG.slice(4)),
  ).toBe(false)
})

test('an application that may not change the configuration is registered with a warning', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(WEBHOOK, { status: 201 })
  story.scripted.scriptReplies(CONFIG, okReply({ error: 'insufficient_scope' }, 403))
  expect(
    await story.provider.registerNotificationUrl('https://t.test/n', 'chave@exemplo.com.br'),
  ).toMatchObject({
    kind: 'registered',
    warning: expect.stringMatching(/pixSemTxid.*notificacao\.pagador.*Pix Automático/),
  })
})

test('a failed registration of notifications is no answer', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(
    WEBHOOK,
    okReply({ nome: 'webhook_invalido', mensagem: 'A URL informada está inacessível' }, 400),
  )
  expect(
    await story.provider.registerNotificationUrl('https://trilho.test/n', 'chave@exemplo.com.br'),
  ).toMatchObject({
    kind: 'no_answer',
    code: 'provider_rejected',
    message: 'A URL informada está inacessível',
  })
  expect(await story.provider.registerNotificationUrl('https://trilho.test/n', null)).toMatchObject({
    kind: 'no_answer',
    code: 'collection_key_missing',
  })
})

test.each([
  [
    'another system has it',
    okReply({ webhookUrl: 'https://erp.example/pix', chave: 'k' }),
    'https://erp.example/pix',
  ],
  [
    'none is registered',
    {
      status: 404,
      json: {
        type: 'https://pix.bcb.gov.br/api/v2/error/WebhookNaoEncontrado',
        title: 'Não Encontrado',
        status: 404,
        detail: 'Webhook não encontrado.',
      },
    },
    null,
  ],
])('the URL of the key’s notifications is read before it is replaced: %s', async (_, reply, url) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(WEBHOOK.replace('PUT', 'GET'), reply)
  expect(await story.provider.findReplacedUrl!('chave@exemplo.com.br')).toEqual({ kind: 'found', url })
})

test('a URL that cannot be read is not an absent one', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(WEBHOOK.replace('PUT', 'GET'), {
    status: 404,
    json: { nome: 'nao_encontrado' },
  })
  expect(await story.provider.findReplacedUrl!('chave@exemplo.com.br')).toMatchObject({ kind: 'no_answer' })
})
