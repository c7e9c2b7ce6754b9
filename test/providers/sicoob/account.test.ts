import { describe, expect, test } from '@jest/globals'
import { createSicoobAdapter } from '../../../src/providers/sicoob/adapter.ts'
import { SICOOB_SCOPES } from '../../../src/providers/sicoob/client.ts'
import type { ScriptedReply } from '../support/scripted-provider.ts'
import {
  BALANCE,
  credentials,
  devolucaoOf,
  END_TO_END,
  NOTIFICATION_SECRET,
  okReply,
  openSicoobFixture,
  PAYMENTS,
  pixOf,
  problemReply,
  RETURN_ID,
  TOKEN,
} from '../support/sicoob-fixture.ts'

const KEY = 'loja@trilho.test'
const KEY_WEBHOOK = `/pix/api/v2/webhook/${encodeURIComponent(KEY)}`
const PAYMENTS_WEBHOOK = `${PAYMENTS}/webhook`
const URL_OF_OURS = 'https://trilho.test/provider-notifications/1'

describe('access tokens', () => {
  test('are requested with the client id in a form, without a secret, and with all scopes', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(`GET ${BALANCE}`, okReply({ saldo: 1 }))
    await story.provider.balances()
    const [request] = story.scripted.seen
    expect(request).toMatchObject({ method: 'POST', path: TOKEN })
    expect(request!.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(request!.headers.authorization).toBeUndefined()
    expect(Object.fromEntries(new URLSearchParams(request!.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'app-1',
      scope: SICOOB_SCOPES.join(' '),
    })
  })

  test('come from the host auth. where the API is on the host api., over the same certificate', async () => {
    const targets: string[] = []
    const provider = createSicoobAdapter({
      baseUrl: 'https://api.sicoob.test',
      credentials,
      timeoutMs: 1_000,
      openPool({ origin }) {
        const reply = async ({ path }: { path: string }) => {
          targets.push(origin + String(path).split('?')[0])
          const json = path.endsWith('/token') ? { access_token: 't', expires_in: 300 } : { saldo: 1 }
          return { kind: 'answer' as const, status: 200, headers: {}, json, text: '', bytes: Buffer.alloc(0) }
        }
        return { sendPooled: reply, sendOnOwnConnection: reply, preconnect() {}, async close() {} }
      },
    })
    expect(await provider.balances()).toMatchObject({ kind: 'found' })
    await provider.close()
    expect(targets).toEqual([`https://auth.sicoob.test${TOKEN}`, `https://api.sicoob.test${BALANCE}`])
  })

  test('that are refused are dropped, and the call is not repeated: no document says that it was not carried out', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(`GET ${BALANCE}`, { status: 401, text: '' }, okReply({ saldo: 1 }))
    expect(await story.provider.balances()).toMatchObject({ kind: 'no_answer', code: 'http_401' })
    expect(story.scripted.calls()).toHaveLength(1)
    expect(await story.provider.balances()).toMatchObject({ kind: 'found' })
    expect(story.scripted.countTokenRequests()).toBe(2)
  })
})

describe('the account', () => {
  test.each<[string, unknown, object]>([
    [
      'as described',
      { saldo: 1234.5, saldoLimite: 100, saldoBloqueado: 2 },
      { cents: 123_450, blocked: 200 },
    ],
    ['inside `resultado`', { mensagens: [], resultado: { saldo: 0.1 } }, { cents: 10, blocked: 0 }],
    ['below zero', { saldo: -3.07 }, { cents: -307, blocked: 0 }],
  ])('has a balance %s', async (_, body, expected) => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(`GET ${BALANCE}`, okReply(body))
    const { cents, blocked } = expected as { cents: number; blocked: number }
    expect(await story.provider.balances()).toEqual({
      kind: 'found',
      balance: { availableCents: cents, blockedCents: blocked },
    })
    expect(story.scripted.calls()[0]).toMatchObject({
      path: `${BALANCE}?numeroContaCorrente=48213705`,
      headers: { client_id: 'app-1' },
    })
  })

  test.each([{}, { saldo: '1,50' }, { saldo: 1, saldoBloqueado: -1 }, { resultado: {} }, [], null])(
    'has no balance in %j',
    async body => {
      await using story = await openSicoobFixture()
      story.scripted.scriptReplies(`GET ${BALANCE}`, okReply(body))
      expect(await story.provider.balances()).toMatchObject({ kind: 'no_answer', code: 'unreadable_answer' })
    },
  )

  test('is identified by its number, if the credentials read its balance', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(
      `GET ${BALANCE}`,
      okReply({ saldo: 1 }),
      okReply({ codigo: '1', mensagem: 'Conta não pertence ao cooperado' }, 400),
    )
    const { host } = new URL(story.scripted.url)
    expect(await story.provider.identity()).toEqual({ kind: 'found', id: `${host} 48213705` })
    expect(await story.provider.identity()).toMatchObject({ kind: 'no_answer', code: 'http_400' })
  })

  test('has neither keys nor disputes, and no call is made for them', async () => {
    await using story = await openSicoobFixture()
    const { provider } = story
    expect(await provider.createKey({ type: 'RANDOM', key: null })).toMatchObject({
      kind: 'rejected',
      code: 'key_unsupported',
    })
    expect(await provider.deleteKey('k')).toMatchObject({ kind: 'rejected', code: 'key_unsupported' })
    expect(await provider.listKeys()).toMatchObject({ kind: 'no_answer' })
    expect(await provider.listDisputes('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z')).toEqual({
      kind: 'found',
      disputes: [],
    })
    expect(await provider.findDispute({ id: '1', endToEnd: null })).toMatchObject({ kind: 'no_answer' })
    const reply = { id: '1', endToEnd: END_TO_END, accept: true, analysis: '', attachments: [] }
    expect(await provider.replyToDispute(reply)).toMatchObject({ kind: 'rejected' })
    expect(story.scripted.seen).toEqual([])
  })
})

test('the statement has received PIX and settled devoluções, and says that sent PIX are left out', async () => {
  await using story = await openSicoobFixture()
  const settled = devolucaoOf({
    status: 'DEVOLVIDO',
    horario: { solicitacao: '2026-01-10T10:00:00Z', liquidacao: '2026-01-10T10:00:05Z' },
  })
  const older = pixOf({
    endToEndId: END_TO_END.replace('E1', 'E2'),
    horario: '2025-12-01T00:00:00Z',
    devolucoes: [settled, devolucaoOf({ id: 'refund2' })],
  })
  story.scripted.scriptReplyByPath('GET /pix/api/v2/pix', path => {
    const isOfReturns = new URLSearchParams(path.split('?')[1]).has('devolucaoPresente')
    const pix = isOfReturns ? [older] : [pixOf()]
    const paginacao = {
      paginaAtual: 0,
      itensPorPagina: 100,
      quantidadeDePaginas: 1,
      quantidadeTotalDeItens: pix.length,
    }
    return { parametros: { paginacao }, pix }
  })
  expect(await story.provider.statement('2026-01-10T00:00:00.000Z', '2026-01-10T23:59:59.999Z')).toEqual({
    kind: 'found',
    leavesOutTransfers: true,
    entries: [
      {
        endToEnd: END_TO_END,
        reference: pixOf().txid,
        direction: 'IN',
        cents: 1234,
        at: '2026-01-10T11:59:30.500Z',
      },
      {
        endToEnd: RETURN_ID,
        reference: 'refund1',
        returnId: 'refund1',
        returnOf: older.endToEndId,
        direction: 'OUT',
        cents: 500,
        at: '2026-01-10T10:00:05.000Z',
      },
    ],
  })
})

describe('the URL of notifications', () => {
  test('is registered for the key and for sent payments, with our secret', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(`PUT ${KEY_WEBHOOK}`, { status: 200 })
    story.scripted.scriptReplies(`PUT ${PAYMENTS_WEBHOOK}`, { status: 200 })
    expect(await story.provider.registerNotificationUrl(URL_OF_OURS, KEY)).toEqual({ kind: 'registered' })
    const webhookUrl = `${URL_OF_OURS}/${NOTIFICATION_SECRET}`
    expect(story.scripted.calls().map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
      [KEY_WEBHOOK, { webhookUrl }],
      [PAYMENTS_WEBHOOK, { webhookUrl }],
    ])
  })

  test('is not registered where one of both fails, or without a key', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(`PUT ${KEY_WEBHOOK}`, problemReply(404, 'NaoEncontrado'), { status: 200 })
    story.scripted.scriptReplies(
      `PUT ${PAYMENTS_WEBHOOK}`,
      problemReply(400, 'WebhookOperacaoInvalida', 'webhook.webhookUrl'),
    )
    const register = (key: string | null) => story.provider.registerNotificationUrl(URL_OF_OURS, key)
    expect(await register(KEY)).toMatchObject({ kind: 'no_answer', code: 'http_404' })
    expect(await register(KEY)).toMatchObject({ kind: 'no_answer', code: 'provider_rejected' })
    expect(await register(null)).toMatchObject({ kind: 'no_answer', code: 'collection_key_missing' })
  })

  test('that would be replaced is one of another system before one of ours', async () => {
    await using story = await openSicoobFixture()
    const showing = (webhookUrl: string) =>
      okReply({ webhookUrl, chave: KEY, criacao: '2026-01-01T00:00:00Z' })
    const [absent, ours] = [problemReply(404, 'NaoEncontrado'), showing(`${URL_OF_OURS}/secret`)]
    const find = async (ofKey: ScriptedReply, ofPayments: ScriptedReply) => {
      story.scripted.scriptReplies(`GET ${KEY_WEBHOOK}`, ofKey)
      story.scripted.scriptReplies(`GET ${PAYMENTS_WEBHOOK}`, ofPayments)
      return await story.provider.findReplacedUrl!(KEY)
    }
    const found = (url: string | null) => ({ kind: 'found', url })
    expect(await find(showing('https://erp.test/pix'), absent)).toEqual(found('https://erp.test/pix'))
    expect(await find(absent, showing('https://erp.test/out'))).toEqual(found('https://erp.test/out'))
    expect(await find(ours, showing('https://erp.test/out'))).toEqual(found('https://erp.test/out'))
    expect(await find(ours, absent)).toEqual(found(`${URL_OF_OURS}/secret`))
    expect(await find(absent, absent)).toEqual(found(null))
    expect(await find(absent, problemReply(503, 'ServicoIndisponivel'))).toMatchObject({
      kind: 'no_answer',
      code: 'http_503',
    })
  })
})
