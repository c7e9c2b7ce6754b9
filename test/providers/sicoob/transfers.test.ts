import { describe, expect, test } from '@jest/globals'
import { keyDestination } from '../../support/transfer-destinations.ts'
import {
  END_TO_END,
  HANDLE,
  initiationOf,
  NOW,
  okReply,
  openSicoobFixture,
  PAYMENTS,
  paymentOf,
  problemReply,
  transferOrder,
  UNEXPLAINED_REPLIES,
} from '../support/sicoob-fixture.ts'

const INITIATE = `POST ${PAYMENTS}`
const CONFIRM = `POST ${PAYMENTS}/confirmacao`
const FIND = `GET ${PAYMENTS}/${END_TO_END}`

describe('a preparation', () => {
  test('names the end-to-end id, the owner of the key, and until when it can be sent', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(INITIATE, okReply(initiationOf()))
    expect(await story.provider.prepareTransfer!(transferOrder)).toEqual({ kind: 'prepared', handle: HANDLE })
    const [call] = story.scripted.calls()
    expect(JSON.parse(call!.body)).toEqual({ chave: 'maria@example.com' })
    expect(call!.headers).toMatchObject({ client_id: 'app-1', authorization: 'Bearer token-1' })
  })

  test.each<[string, string, string]>([
    ['of the minute before', END_TO_END, '2026-01-10T12:14:00.000Z'],
    // A clock that is ahead, or one that counts local time, lengthens nothing.
    ['of the future', 'E12345678202601101500abcdefghijk', '2026-01-10T12:15:00.000Z'],
    ['of three hours ago', 'E12345678202601100900abcdefghijk', '2026-01-10T09:15:00.000Z'],
    ['without a time', `E${'9'.repeat(31)}`, '2026-01-10T12:15:00.000Z'],
  ])('with an end-to-end id %s expires 15 minutes after it', async (_, endToEndId, expiresAt) => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(INITIATE, okReply(initiationOf({ endToEndId })))
    expect(await story.provider.prepareTransfer!(transferOrder)).toMatchObject({ handle: { expiresAt } })
  })

  test.each<[string, string | null | undefined, object]>([
    ['the same', '12345678909', { kind: 'prepared' }],
    ['the same, formatted', '123.456.789-09', { kind: 'prepared' }],
    ['another', '52998224725', { kind: 'rejected', finality: 'final', code: 'document_mismatch' }],
    ["a company's", '11222333000181', { kind: 'rejected', finality: 'final', code: 'document_mismatch' }],
    [
      'masked and another',
      '***.999.789-**',
      { kind: 'rejected', finality: 'final', code: 'document_mismatch' },
    ],
    [
      'masked and perhaps the same',
      '***.456.789-**',
      { kind: 'rejected', finality: 'other_may_help', code: 'document_unchecked' },
    ],
    ['absent', undefined, { kind: 'rejected', finality: 'other_may_help', code: 'document_unchecked' }],
    ['empty', '', { kind: 'rejected', finality: 'other_may_help', code: 'document_unchecked' }],
    ['no document', '123', { kind: 'rejected', finality: 'other_may_help', code: 'document_unchecked' }],
  ])('for a document whose key has an owner that is %s', async (_, identificador, outcome) => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(INITIATE, okReply(initiationOf({ proprietario: { identificador } })))
    const order = { ...transferOrder, destination: keyDestination('maria@example.com', '12345678909') }
    expect(await story.provider.prepareTransfer!(order)).toMatchObject(outcome)
  })

  test('compares the alphanumeric CNPJ of an owner', async () => {
    await using story = await openSicoobFixture()
    const order = { ...transferOrder, destination: keyDestination('maria@example.com', '12ABC34501DE35') }
    const prepareFor = async (identificador: string) => {
      story.scripted.scriptReplies(INITIATE, okReply(initiationOf({ proprietario: { identificador } })))
      return story.provider.prepareTransfer!(order)
    }
    expect(await prepareFor('12.abc.345/01de-35')).toMatchObject({ kind: 'prepared' })
    expect(await prepareFor('11222333000181')).toMatchObject({ kind: 'rejected', code: 'document_mismatch' })
  })

  test('without an owner is of nobody known', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(INITIATE, okReply(initiationOf({ proprietario: undefined })))
    const outcome = await story.provider.prepareTransfer!(transferOrder)
    expect(outcome).toMatchObject({ kind: 'prepared' })
    expect(outcome).not.toHaveProperty('handle.receiver')
  })

  test.each<[string, object]>([
    ['of another key', initiationOf({ chave: 'joao@example.com' })],
    ['without an end-to-end id', initiationOf({ endToEndId: undefined })],
    ['with an end-to-end id that is none', initiationOf({ endToEndId: 'E1' })],
  ])('%s has no answer', async (_, body) => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(INITIATE, okReply(body))
    expect(await story.provider.prepareTransfer!(transferOrder)).toMatchObject({
      kind: 'no_answer',
      code: 'unreadable_answer',
    })
    expect(story.recorded).toHaveLength(1)
  })

  test.each(UNEXPLAINED_REPLIES)('answered with %s has no answer', async (_, reply, code) => {
    await using story = await openSicoobFixture({ reply })
    story.scripted.scriptReplies(INITIATE, reply)
    expect(await story.provider.prepareTransfer!(transferOrder)).toMatchObject({
      kind: 'no_answer',
      ...(code && { code }),
    })
  })

  test('is unreachable without an access token', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies('POST /auth/realms/cooperado/protocol/openid-connect/token', {
      status: 401,
      json: { error: 'invalid_client' },
    })
    expect(await story.provider.prepareTransfer!(transferOrder)).toMatchObject({
      kind: 'unreachable',
      code: 'no_token',
    })
    expect(story.scripted.calls()).toEqual([])
  })
})

describe('a confirmation', () => {
  test('sends the end-to-end id, the amount with a comma, and the message', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(CONFIRM, okReply(paymentOf()))
    const order = { ...transferOrder, message: 'x'.repeat(200) }
    expect(await story.provider.sendTransfer(order, HANDLE)).toEqual({
      kind: 'accepted',
      payout: {
        status: 'in_process',
        cents: 1050,
        endToEnd: END_TO_END,
        at: '2026-01-10T12:00:01.000Z',
        receiver: {
          name: 'Maria',
          document: '12345678909',
          account_number: '1234',
          account_agency: '1',
          bank: { code: '', name: '', ispb: '00416968' },
          account_type: 'CHECKING',
        },
        // Otherwise the workflow would poll for them for ever.
        returns: [],
      },
    })
    const [call] = story.scripted.calls()
    expect(JSON.parse(call!.body)).toEqual({
      endToEndId: END_TO_END,
      valor: '10,50',
      meioIniciacao: 'CHAVE',
      descricao: 'x'.repeat(140),
    })
  })

  test.each([
    [1, '0,01', 0.01],
    [100, '1,00', 1],
    [1010, '10,10', 10.1],
    [999_999_999, '9999999,99', 9999999.99],
  ])('of %d centavos is %s, and is answered with %d', async (cents, valor, answered) => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(CONFIRM, okReply(paymentOf({ valor: answered, estado: 'FINALIZADO' })))
    expect(await story.provider.sendTransfer({ ...transferOrder, cents }, HANDLE)).toMatchObject({
      kind: 'accepted',
      payout: { cents, status: 'settled' },
    })
    expect(JSON.parse(story.scripted.calls()[0]!.body)).toMatchObject({ valor })
  })

  test('that was rejected at once moved nothing', async () => {
    await using story = await openSicoobFixture()
    const confirm = (change: Record<string, unknown>) => {
      story.scripted.scriptReplies(CONFIRM, okReply(paymentOf(change)))
      return story.provider.sendTransfer(transferOrder, HANDLE)
    }
    expect(await confirm({ estado: 'REJEITADO', detalheRejeicao: 'Conta encerrada' })).toEqual({
      kind: 'rejected',
      finality: 'final',
      code: 'provider_rejected',
      message: 'Conta encerrada',
      providerMessage: 'Conta encerrada',
    })
    expect(await confirm({ estado: 'REJEITADO', detalheRejeicao: 'AC03' })).toMatchObject({
      kind: 'rejected',
      finality: 'final',
      code: 'AC03',
      message: 'AC03',
    })
    // Sicoob did not carry it out and says why: another provider may.
    expect(await confirm({ estado: 'NÃO_REALIZADO', detalheRejeicao: 'Saldo insuficiente' })).toEqual({
      kind: 'rejected',
      finality: 'other_may_help',
      code: 'provider_rejected',
      message: 'Saldo insuficiente',
      providerMessage: 'Saldo insuficiente',
    })
  })

  test.each<[string, object]>([
    ['of another end-to-end id', paymentOf({ endToEndId: END_TO_END.replace('E1', 'E2') })],
    ['of another amount', paymentOf({ valor: 10.51 })],
    ['of a hundredth of the amount', paymentOf({ valor: 0.105 })],
    ['without a state', paymentOf({ estado: undefined })],
    ['of an unknown state', paymentOf({ estado: 'AGENDADO' })],
    ['not carried out, without a reason', paymentOf({ estado: 'NÃO_REALIZADO' })],
    ['without an amount', paymentOf({ valor: undefined })],
  ])('answered with a payment %s is unknown', async (_, body) => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(CONFIRM, okReply(body))
    expect(await story.provider.sendTransfer(transferOrder, HANDLE)).toMatchObject({ kind: 'unknown' })
    expect(story.recorded).toHaveLength(1)
  })

  test.each(UNEXPLAINED_REPLIES)('answered with %s is unknown', async (_, reply, code) => {
    await using story = await openSicoobFixture({ reply })
    story.scripted.scriptReplies(CONFIRM, reply)
    expect(await story.provider.sendTransfer(transferOrder, HANDLE)).toMatchObject({
      kind: 'unknown',
      ...(code && { code }),
    })
    expect(story.scripted.calls()).toHaveLength(1)
  })

  test('that is refused as invalid counts once the absence of the payment is proved', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(CONFIRM, problemReply(400, 'RequisicaoInvalida', 'endToEndId'))
    expect(await story.provider.sendTransfer(transferOrder, HANDLE)).toEqual({
      kind: 'unknown',
      code: 'provider_validation',
      message: 'so it is',
      refusal: {
        finality: 'other_may_help',
        code: 'provider_validation',
        providerCode: 'RequisicaoInvalida',
        message: 'so it is',
        providerMessage: 'so it is',
      },
    })
  })

  test('is not sent without a preparation', async () => {
    await using story = await openSicoobFixture()
    expect(await story.provider.sendTransfer(transferOrder)).toMatchObject({
      kind: 'rejected',
      finality: 'other_may_help',
    })
    expect(story.scripted.seen).toEqual([])
  })
})

describe('a look-up', () => {
  const find = { id: 'transfer1', handle: HANDLE }

  test.each<[string, Record<string, unknown>, object]>([
    ['in process', { estado: 'EM_PROCESSAMENTO' }, { status: 'in_process', cents: 1050 }],
    ['settled', { estado: 'FINALIZADO' }, { status: 'settled', cents: 1050, endToEnd: END_TO_END }],
    [
      'rejected',
      { estado: 'REJEITADO', detalheRejeicao: 'AC03' },
      { status: 'rejected', code: 'AC03', message: 'AC03' },
    ],
    ['rejected without a reason', { estado: 'REJEITADO' }, { status: 'rejected', code: 'provider_rejected' }],
    [
      'not carried out, with a reason',
      { estado: 'NÃO_REALIZADO', detalheRejeicao: 'Saldo insuficiente' },
      { status: 'rejected', code: 'provider_rejected', message: 'Saldo insuficiente' },
    ],
    ['of another amount', { estado: 'FINALIZADO', valor: 99 }, { status: 'settled', cents: 9900 }],
  ])('of a payment %s', async (_, change, payout) => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(FIND, okReply(paymentOf(change)))
    expect(await story.provider.findTransfer(find)).toMatchObject({ kind: 'found', payout })
  })

  test('of a payment that was not confirmed, or is unknown, finds nothing', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(
      FIND,
      okReply(paymentOf({ estado: 'NÃO_REALIZADO' })),
      problemReply(404, 'NaoEncontrado'),
    )
    expect(await story.provider.findTransfer(find)).toEqual({ kind: 'not_found' })
    expect(await story.provider.findTransfer(find)).toEqual({ kind: 'not_found' })
  })

  test('without a handle proves nothing, and makes no call', async () => {
    await using story = await openSicoobFixture()
    expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({ kind: 'no_answer' })
    expect(story.scripted.seen).toEqual([])
  })

  test('of a payment with another end-to-end id has no answer', async () => {
    await using story = await openSicoobFixture()
    story.scripted.scriptReplies(FIND, okReply(paymentOf({ endToEndId: END_TO_END.replace('E1', 'E2') })))
    expect(await story.provider.findTransfer(find)).toMatchObject({
      kind: 'no_answer',
      code: 'unreadable_answer',
    })
  })

  test.each(UNEXPLAINED_REPLIES)('answered with %s has no answer', async (_, reply) => {
    await using story = await openSicoobFixture({ reply })
    story.scripted.scriptReplies(FIND, reply)
    expect(await story.provider.findTransfer(find)).toMatchObject({ kind: 'no_answer' })
  })
})

test('the clock of a preparation is the wall clock', async () => {
  let now = NOW
  await using story = await openSicoobFixture({ now: () => now })
  now += 3_600_000
  story.scripted.scriptReplies(INITIATE, okReply(initiationOf({ endToEndId: `E${'9'.repeat(31)}` })))
  expect(await story.provider.prepareTransfer!(transferOrder)).toMatchObject({
    handle: { expiresAt: '2026-01-10T13:15:00.000Z' },
  })
})
