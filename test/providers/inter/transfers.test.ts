import { describe, expect, test } from '@jest/globals'
import { createInterAdapter } from '../../../src/providers/inter/adapter.ts'
import { bcbErrorReply, okReply } from '../support/efi-fixture.ts'
import {
  ACCOUNT_NUMBER,
  acceptanceOf,
  bankingErrorReply,
  credentials,
  openInterFixture,
  PAYMENT_CODE,
  paymentOf,
  SENT_ID,
  transferOrder,
} from '../support/inter-fixture.ts'
import { findUnusedUrl, type ScriptedReply } from '../support/scripted-provider.ts'

const POST = 'POST /banking/v2/pix'
const GET = `GET /banking/v2/pix/${PAYMENT_CODE}`
const { id } = transferOrder
const handle = { ref: PAYMENT_CODE }
const IDEMPOTENCY_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('sending', () => {
  test('a transfer is requested in reais, of the account, under an id that is derived from ours', async () => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(POST, okReply(acceptanceOf()))
    expect(await story.provider.sendTransfer(transferOrder)).toEqual({
      kind: 'accepted',
      payout: { status: 'in_process', cents: 1050, endToEnd: '', at: null, handle },
    })
    const [call] = story.scripted.calls()
    expect(JSON.parse(call!.body)).toEqual({
      valor: 10.5,
      descricao: 'Aluguel',
      destinatario: { tipo: 'CHAVE', chave: 'maria@example.com' },
    })
    expect(call!.headers).toMatchObject({
      'x-conta-corrente': ACCOUNT_NUMBER,
      'x-id-idempotente': expect.stringMatching(IDEMPOTENCY_ID),
      authorization: 'Bearer token-1',
    })
  })

  test('the token is requested with all scopes by a form', async () => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(POST, okReply(acceptanceOf()))
    await story.provider.sendTransfer(transferOrder)
    await story.provider.sendTransfer(transferOrder)
    const requests = story.scripted.seen.filter(({ path }) => path === '/oauth/v2/token')
    expect(requests).toHaveLength(1)
    expect(requests[0]!.headers['content-type']).toBe('application/x-www-form-urlencoded')
    const form = Object.fromEntries(new URLSearchParams(requests[0]!.body))
    expect(form).toMatchObject({ client_id: 'id', client_secret: 'hush', grant_type: 'client_credentials' })
    expect(form.scope!.split(' ')).toContain('pagamento-pix.write')
  })

  test('a longer message is cut, and none is left out', async () => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(POST, okReply(acceptanceOf()))
    await story.provider.sendTransfer({ ...transferOrder, message: 'x'.repeat(200) })
    const { message: _, ...silentOrder } = transferOrder
    await story.provider.sendTransfer(silentOrder)
    const [long, silent] = story.scripted.calls().map(({ body }) => JSON.parse(body))
    expect(long.descricao).toHaveLength(140)
    expect(silent).not.toHaveProperty('descricao')
  })

  test('a scheduled payment is in process', async () => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(POST, okReply(acceptanceOf({ tipoRetorno: 'AGENDADO' })))
    expect(await story.provider.sendTransfer(transferOrder)).toMatchObject({
      kind: 'accepted',
      payout: { status: 'in_process', handle },
    })
  })

  test('a payment that must be approved is stored at Inter under its id', async () => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(POST, okReply(acceptanceOf({ tipoRetorno: 'APROVACAO' })))
    expect(await story.provider.sendTransfer(transferOrder)).toMatchObject({
      kind: 'awaiting_approval',
      code: 'awaiting_approval',
      handle,
    })
  })

  test('a request that cannot leave is unreachable', async () => {
    const provider = createInterAdapter({ baseUrl: await findUnusedUrl(), credentials, timeoutMs: 1_000 })
    expect(await provider.sendTransfer(transferOrder)).toMatchObject({ kind: 'unreachable' })
    await provider.close()
  })

  test.each([
    ['is refused', { status: 400 }],
    ['is limited', { status: 429, text: '' }],
    ['has no token', okReply({ token_type: 'Bearer', expires_in: 3600 })],
  ])('without a token, because its request %s, nothing is sent', async (_, reply) => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies('POST /oauth/v2/token', reply)
    expect(await story.provider.sendTransfer(transferOrder)).toMatchObject({
      kind: 'unreachable',
      code: 'no_token',
    })
    expect(story.scripted.calls()).toEqual([])
  })

  const rejected = (code: string) => ({ kind: 'rejected', finality: 'other_may_help', code })
  test.each<[string, ScriptedReply, Record<string, unknown>]>([
    [
      'a request that is not valid',
      bankingErrorReply(400, 'Dados inválidos.'),
      rejected('provider_validation'),
    ],
    ['no authorization', bankingErrorReply(401, 'Acesso negado'), rejected('provider_denied')],
    ['no permission', bankingErrorReply(403, 'Acesso Negado'), rejected('provider_denied')],
    ['something that is not there', bankingErrorReply(404, 'Não Encontrado.'), rejected('provider_rejected')],
  ])('%s refuses the transfer', async (_, reply, outcome) => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(POST, reply)
    expect(await story.provider.sendTransfer(transferOrder)).toMatchObject(outcome)
    expect(story.recorded).toEqual([])
  })

  test.concurrent.each<[string, ScriptedReply, Record<string, unknown>]>(listUnprovenReplies())(
    '%s leaves the outcome unknown',
    async (_, reply, outcome) => {
      await using story = await openInterFixture({ reply })
      story.scripted.scriptReplies(POST, reply)
      expect(await story.provider.sendTransfer(transferOrder)).toMatchObject({ kind: 'unknown', ...outcome })
    },
  )
})

/** Replies that say nothing of whether the payment was made. */
function listUnprovenReplies(): [string, ScriptedReply, Record<string, unknown>][] {
  return [
    [
      'a validation error of no published title',
      bankingErrorReply(422, 'Chave não encontrada'),
      { code: 'http_422' },
    ],
    ['the published one, of a QR code', bankingErrorReply(422, 'Não foi possível processar o QR Code'), {}],
    ['too many requests', { status: 429, text: '' }, { code: 'http_429' }],
    ['a service that is not available', bankingErrorReply(500, 'Serviço Indisponível'), { code: 'http_500' }],
    ['a 503', bcbErrorReply(503, 'ServicoIndisponivel'), { code: 'http_503' }],
    ["the Central Bank's problem", bcbErrorReply(403, 'AcessoNegado'), { code: 'http_403' }],
    [
      'a problem with another status',
      okReply({ title: 'Acesso Negado', status: '404', detail: '' }, 403),
      {},
    ],
    ['a listed title under another status', bankingErrorReply(409, 'Dados inválidos.'), { code: 'http_409' }],
    ['a title without a detail', okReply({ title: 'Acesso Negado' }, 403), { code: 'http_403' }],
    ['an HTML page', { status: 403, text: '<html>' }, { code: 'http_403' }],
    ['a redirect', { status: 302, headers: { location: '/' } }, { code: 'http_302' }],
    ['broken JSON', { status: 200, text: '{"tipoRetorno":"PRO' }, { code: 'unreadable_answer' }],
    ['an empty 200', { status: 200 }, { code: 'unreadable_answer' }],
    ['an unlisted kind', okReply(acceptanceOf({ tipoRetorno: 'RECEBIDO' })), { code: 'unreadable_answer' }],
    ['no id', okReply(acceptanceOf({ codigoSolicitacao: undefined })), { code: 'unreadable_answer' }],
    ['an empty id', okReply(acceptanceOf({ codigoSolicitacao: '' })), { code: 'unreadable_answer' }],
    ['a timeout', 'hang', { code: 'timeout' }],
    ['a reset after the request', 'reset', { code: 'connection_reset' }],
    ['half an answer', 'half', {}],
  ]
}

describe('looking up by the order', () => {
  test('the same request is sent again, under the same id', async () => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(POST, 'reset', okReply(acceptanceOf()))
    expect(await story.provider.sendTransfer(transferOrder)).toMatchObject({ kind: 'unknown' })
    expect(await story.provider.findTransfer({ id, order: transferOrder })).toEqual({
      kind: 'found',
      payout: { status: 'in_process', cents: 1050, endToEnd: '', at: null, handle },
    })
    const [sent, repeated] = story.scripted.calls()
    expect(repeated!.body).toBe(sent!.body)
    expect(repeated!.headers['x-id-idempotente']).toBe(sent!.headers['x-id-idempotente'])
  })

  test('another order has another id', async () => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(POST, okReply(acceptanceOf()))
    await story.provider.sendTransfer(transferOrder)
    await story.provider.sendTransfer({ ...transferOrder, id: 'f'.repeat(32) })
    const [one, other] = story.scripted.calls().map(({ headers }) => headers['x-id-idempotente'])
    expect(one).not.toBe(other)
  })

  test('a payment that must be approved is reported under its id', async () => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(POST, okReply(acceptanceOf({ tipoRetorno: 'APROVACAO' })))
    const outcome = await story.provider.findTransfer({ id, order: transferOrder })
    expect(outcome).toMatchObject({ kind: 'awaiting_approval', handle })
  })

  test.concurrent.each<[string, ScriptedReply]>([
    ['a request that is not valid', bankingErrorReply(400, 'Dados inválidos.')],
    ['no authorization', bankingErrorReply(401, 'Acesso negado')],
    ['no permission', bankingErrorReply(403, 'Acesso Negado')],
    ['something that is not there', bankingErrorReply(404, 'Não Encontrado.')],
    ...listUnprovenReplies().map(([name, reply]): [string, ScriptedReply] => [name, reply]),
  ])('%s says nothing of the first sending', async (_, reply) => {
    await using story = await openInterFixture({ reply })
    story.scripted.scriptReplies(POST, reply)
    const outcome = await story.provider.findTransfer({ id, order: transferOrder })
    expect(outcome).toMatchObject({ kind: 'no_answer' })
  })

  test('without the order and without an id of Inter nothing is requested', async () => {
    await using story = await openInterFixture()
    expect(await story.provider.findTransfer({ id })).toMatchObject({ kind: 'no_answer', code: 'no_handle' })
    expect(story.scripted.seen).toEqual([])
  })
})

describe("looking up by Inter's id", () => {
  test('a paid transfer has its value, its key, its time in UTC and its end-to-end id', async () => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(GET, okReply(paymentOf()))
    expect(await story.provider.findTransfer({ id, handle, order: transferOrder })).toEqual({
      kind: 'found',
      payout: {
        status: 'settled',
        cents: 1050,
        pixKey: 'maria@example.com',
        endToEnd: SENT_ID,
        at: '2026-01-10T12:01:02.345Z',
        receiver: expect.objectContaining({ name: 'Maria', document: '***456789**' }),
        returns: [],
      },
    })
    expect(story.scripted.calls().map(({ method }) => method)).toEqual(['GET'])
  })

  test('the receiver of bank data is read', async () => {
    await using story = await openInterFixture()
    const recebedor = {
      nome: 'Loja',
      cpfCnpj: '01123456000123',
      codIspb: '00416968',
      codAgencia: '1',
      nroConta: '2',
    }
    story.scripted.scriptReplies(GET, okReply(paymentOf({ recebedor })))
    expect(await story.provider.findTransfer({ id, handle })).toMatchObject({
      payout: {
        receiver: {
          document: '01123456000123',
          account_number: '2',
          account_agency: '1',
          bank: { ispb: '00416968' },
        },
      },
    })
  })

  test.each([
    ['CRIADO', 'in_process'],
    ['APROVADO', 'in_process'],
    ['AGENDADO', 'in_process'],
    ['DEBITADO', 'in_process'],
    ['PARCIALMENTE_DEBITADO', 'in_process'],
    ['ENVIADO', 'in_process'],
    ['PARCIALMENTE_PAGO', 'in_process'],
    ['PAGO', 'settled'],
    ['REPROVADO', 'rejected'],
    ['EXPIRADO', 'rejected'],
    ['CANCELADO', 'rejected'],
    ['AGENDAMENTO_CANCELADO', 'rejected'],
    ['CANCELADO_SEM_SALDO', 'rejected'],
    ['NAO_DEBITADO', 'rejected'],
    ['FALHA', 'rejected'],
  ])('%s is %s', async (status, expected) => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(GET, okReply(paymentOf({ status })))
    const outcome = await story.provider.findTransfer({ id, handle })
    expect(outcome).toMatchObject({ kind: 'found', payout: { status: expected, cents: 1050 } })
  })

  test('a settled one says all that there is to learn: it is not polled for returns', async () => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(GET, okReply(paymentOf({ status: 'PAGO' })))
    expect(await story.provider.findTransfer({ id, handle })).toMatchObject({ payout: { returns: [] } })
  })

  test('one that waits for approval is no outcome', async () => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(
      GET,
      okReply(paymentOf({ status: 'AGUARDANDO_APROVACAO', endToEnd: undefined })),
    )
    expect(await story.provider.findTransfer({ id, handle })).toMatchObject({
      kind: 'awaiting_approval',
      handle,
    })
  })

  test.each([
    [
      "the rail's",
      { status: 'FALHA', erros: [{ codigoErro: 'AC03', descricaoErro: 'Conta inexistente' }] },
      'AC03',
    ],
    [
      "the rail's beside it",
      { status: 'FALHA', erros: [{ codigoErro: '7', codigoErroComplementar: 'AM02' }] },
      'AM02',
    ],
    ['no balance', { status: 'CANCELADO_SEM_SALDO' }, 'insufficient_balance'],
    ['no other', { status: 'REPROVADO', erros: null }, 'provider_rejected'],
  ])('a failed transfer has the code: %s', async (_, changes, code) => {
    await using story = await openInterFixture()
    story.scripted.scriptReplies(GET, okReply(paymentOf(changes)))
    expect(await story.provider.findTransfer({ id, handle })).toMatchObject({
      payout: { status: 'rejected', code },
    })
  })

  test.concurrent.each<[string, ScriptedReply]>([
    ['not found', bankingErrorReply(404, 'Não Encontrado.')],
    ['another payment', okReply(paymentOf({ codigoSolicitacao: 'another' }))],
    ['an unlisted status', okReply(paymentOf({ status: 'EM_PROCESSAMENTO' }))],
    ['no value', okReply(paymentOf({ valor: undefined }))],
    ['a value of zero', okReply(paymentOf({ valor: 0 }))],
    ['a fraction of a centavo', okReply(paymentOf({ valor: 10.505 }))],
    ['no payment', okReply({ historico: [] })],
    ...listUnprovenReplies().map(([name, reply]): [string, ScriptedReply] => [name, reply]),
  ])('%s is no answer', async (_, reply) => {
    await using story = await openInterFixture({ reply })
    story.scripted.scriptReplies(GET, reply)
    expect(await story.provider.findTransfer({ id, handle })).toMatchObject({ kind: 'no_answer' })
  })
})
