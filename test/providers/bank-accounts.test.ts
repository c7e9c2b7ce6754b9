import { describe, expect, test } from '@jest/globals'
import * as efiSdk from 'sdk-node-apis-efi'
import { BANK_ACCOUNT_TYPES } from '../../src/domain/pix/party.ts'
import { PROVIDER_CAPABILITIES } from '../../src/domain/providers/capabilities.ts'
import { openContract } from '../support/openapi-contract.ts'
import { accountDestination, type BANK_ACCOUNT } from '../support/transfer-destinations.ts'
import { findWooviRequestViolations } from '../support/woovi-contract.ts'
import * as efi from './support/efi-fixture.ts'
import * as inter from './support/inter-fixture.ts'
import * as sicoob from './support/sicoob-fixture.ts'
import * as stark from './support/stark-fixture.ts'
import * as woovi from './support/woovi-fixture.ts'

const CNPJ = '11222333000181'
const order = {
  id: 'transfer1',
  cents: 1050,
  destination: accountDestination(),
  payerKey: 'loja@trilho.test',
}
const orderOf = (changes: Partial<typeof BANK_ACCOUNT>) => ({
  ...order,
  destination: accountDestination(changes),
})
const bodyOf = ({ scripted }: { scripted: { calls(): { body: string }[] } }) =>
  JSON.parse(scripted.calls().at(-1)!.body)

describe('Woovi', () => {
  const POST = 'POST /api/v1/payment'
  const paid = { payment: { correlationID: 'transfer1', value: 1050, status: 'APPROVED' } }

  test('pays the account of a holder, in one call with its approval', async () => {
    await using story = await woovi.openPayingWooviFixture()
    story.scripted.scriptReplies(POST, woovi.okReply(paid))
    expect(await story.provider.sendTransfer({ ...order, message: 'Aluguel' })).toMatchObject({
      kind: 'accepted',
      payout: { status: 'in_process', cents: 1050 },
    })
    expect(bodyOf(story)).toEqual({
      type: 'MANUAL',
      correlationID: 'transfer1',
      value: 1050,
      psp: '18236120',
      holder: { name: 'Maria Silva', taxID: { type: 'BR:CPF', taxID: '52998224725' } },
      account: { account: '1234567', branch: '0001', accountType: 'TRAN' },
      sourceAccountId: woovi.ACCOUNT_ID,
      comment: 'Aluguel',
      autoApprove: true,
    })
  })

  test.each([
    ['CHECKING', 'CACC'],
    ['PAYMENT', 'TRAN'],
    ['SAVINGS', 'SVGS'],
    ['SALARY', 'SLRY'],
  ] as const)(
    'names an account of the type %s %s, as its OpenAPI document has it',
    async (account_type, accountType) => {
      await using story = await woovi.openPayingWooviFixture()
      story.scripted.scriptReplies(POST, woovi.okReply(paid))
      await story.provider.sendTransfer(orderOf({ account_type, document: CNPJ }))
      const body = bodyOf(story)
      expect(body).toMatchObject({
        account: { accountType },
        holder: { taxID: { type: 'BR:CNPJ', taxID: CNPJ } },
      })
      expect(findWooviRequestViolations({ method: 'POST', path: '/api/v1/payment', body })).toEqual([])
    },
  )

  test.each([
    ['ACCOUNT_NOT_FOUND', 'account_not_found', 'final'],
    ['ACCOUNT_TRANSACTION_BLOCKED_BY_MED', 'provider_account_blocked', 'other_may_help'],
  ])('a payment that fails with %s moved nothing', async (code, ours, finality) => {
    await using story = await woovi.openPayingWooviFixture()
    const payment = { ...paid.payment, status: 'FAILED' }
    story.scripted.scriptReplies(POST, woovi.okReply({ payment, error: { code, description: 'Falha' } }))
    expect(await story.provider.sendTransfer(order)).toMatchObject({ kind: 'rejected', code: ours, finality })
  })

  test('an order without an answer is looked up by our id', async () => {
    await using story = await woovi.openPayingWooviFixture()
    story.scripted.scriptReplies(POST, 'reset')
    story.scripted.scriptReplies(
      'GET /api/v1/payment/transfer1',
      woovi.okReply({
        payment: { ...paid.payment, status: 'CONFIRMED' },
        transaction: { time: '2026-01-10T12:00:00Z' },
        destination: { name: 'MARIA SILVA', taxID: '52998224725', branch: '0001', account: '1234567' },
      }),
    )
    expect(await story.provider.sendTransfer(order)).toMatchObject({ kind: 'unknown' })
    expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({
      kind: 'found',
      payout: { status: 'settled', receiver: { name: 'MARIA SILVA', document: '52998224725' } },
    })
  })
})

describe('Efí', () => {
  const PUT = 'PUT /v3/gn/pix/transfer1'
  const accepted = {
    idEnvio: 'transfer1',
    e2eId: efi.END_TO_END,
    valor: '10.50',
    horario: { solicitacao: '2026-01-10T12:00:00.000Z' },
    status: 'EM_PROCESSAMENTO',
  }

  test.each([
    ['CHECKING', '52998224725', { cpf: '52998224725', tipoConta: 'cacc' }],
    ['SAVINGS', CNPJ, { cnpj: CNPJ, tipoConta: 'svgs' }],
  ] as const)(
    'pays an account of the type %s, in the words of its SDK',
    async (account_type, document, names) => {
      await using story = await efi.openEfiFixture()
      story.scripted.scriptReplies(PUT, efi.okReply(accepted, 201))
      expect(await story.provider.sendTransfer(orderOf({ account_type, document }))).toMatchObject({
        kind: 'accepted',
        payout: { status: 'in_process', cents: 1050, endToEnd: efi.END_TO_END },
      })
      const body = bodyOf(story)
      expect(body).toEqual({
        valor: '10.50',
        pagador: { chave: 'loja@trilho.test' },
        favorecido: {
          contaBanco: {
            nome: 'Maria Silva',
            codigoBanco: '18236120',
            agencia: '0001',
            conta: '1234567',
            ...names,
          },
        },
      })
      expect(efiSdk.PixSendBodySchema.parse(body)).toEqual(body)
    },
  )

  test.each(['PAYMENT', 'SALARY'] as const)(
    'an account of the type %s is not requested',
    async account_type => {
      await using story = await efi.openEfiFixture()
      expect(await story.provider.sendTransfer(orderOf({ account_type }))).toMatchObject({
        kind: 'rejected',
        finality: 'other_may_help',
        code: 'account_type_unsupported',
      })
      expect(story.scripted.calls()).toEqual([])
      expect(PROVIDER_CAPABILITIES.efi.payableAccountTypes).not.toContain(account_type)
    },
  )
})

describe('Sicoob', () => {
  const CONFIRM = `POST ${sicoob.PAYMENTS}/confirmacao`
  const contract = openContract('sicoob-pagamentos-pix.yaml')

  test('prepares a payment to a key, and none to an account', async () => {
    await using story = await sicoob.openSicoobFixture()
    expect(story.provider.preparedDestinations).toEqual(['key'])
    await expect(story.provider.prepareTransfer!(order)).rejects.toThrow('keys only')
    expect(story.scripted.calls()).toEqual([])
  })

  test.each([
    ['CHECKING', 'CORRENTE'],
    ['PAYMENT', 'CONTAPAGAMENTO'],
    ['SAVINGS', 'POUPANCA'],
    ['SALARY', 'SALARIO'],
  ] as const)(
    'confirms a payment to an account of the type %s at once, as its OpenAPI document has it',
    async (account_type, tipo) => {
      await using story = await sicoob.openSicoobFixture()
      story.scripted.scriptReplies(CONFIRM, sicoob.okReply(sicoob.paymentOf()))
      expect(await story.provider.sendTransfer(orderOf({ account_type }))).toMatchObject({
        kind: 'accepted',
        // By what it is looked up from now on: its answer is the first to name it.
        payout: { endToEnd: sicoob.END_TO_END, handle: { ref: sicoob.END_TO_END } },
      })
      const body = bodyOf(story)
      expect(body).toEqual({
        meioIniciacao: 'MANUAL',
        valor: '10,50',
        destino: {
          ispb: '18236120',
          cpfCnpj: '52998224725',
          nome: 'Maria Silva',
          conta: '1234567',
          agencia: '0001',
          tipo,
        },
      })
      expect(contract.validateRequest({ method: 'POST', path: '/pagamentos/confirmacao', body })).toEqual([])
    },
  )

  test('a CNPJ with letters is not requested: the published form has digits only', async () => {
    await using story = await sicoob.openSicoobFixture()
    expect(await story.provider.sendTransfer(orderOf({ document: '12ABC34501DE35' }))).toMatchObject({
      kind: 'rejected',
      finality: 'other_may_help',
      code: 'document_unsupported',
    })
    expect(story.scripted.calls()).toEqual([])
  })

  test('the documented refusal of the only confirmation moved nothing', async () => {
    await using story = await sicoob.openSicoobFixture()
    story.scripted.scriptReplies(CONFIRM, sicoob.problemReply(400, 'RequisicaoInvalida'))
    expect(await story.provider.sendTransfer(order)).toMatchObject({
      kind: 'rejected',
      finality: 'other_may_help',
      code: 'provider_validation',
    })
  })

  test.each([
    ['another value', { valor: 10.51 }],
    ['no outcome', { estado: 'NÃO_REALIZADO' }],
  ])('an answer with %s proves nothing', async (_, change) => {
    await using story = await sicoob.openSicoobFixture()
    story.scripted.scriptReplies(CONFIRM, sicoob.okReply(sicoob.paymentOf(change)))
    expect(await story.provider.sendTransfer(order)).toMatchObject({ kind: 'unknown' })
  })

  test('a payment without an answer cannot be looked up, and is never sent again', async () => {
    await using story = await sicoob.openSicoobFixture()
    story.scripted.scriptReplies(CONFIRM, 'reset')
    expect(await story.provider.sendTransfer(order)).toMatchObject({ kind: 'unknown' })
    expect(await story.provider.findTransfer({ id: order.id, order })).toMatchObject({
      kind: 'no_answer',
      code: 'no_handle',
    })
    expect(story.scripted.calls()).toHaveLength(1)
    expect(PROVIDER_CAPABILITIES.sicoob.transferLookUp).not.toBe('repeat')
  })
})

describe('Inter', () => {
  const POST = 'POST /banking/v2/pix'

  test.each([
    ['CHECKING', 'CONTA_CORRENTE'],
    ['PAYMENT', 'CONTA_PAGAMENTO'],
    ['SAVINGS', 'CONTA_POUPANCA'],
    ['SALARY', 'CONTA_SALARIO'],
  ] as const)(
    'pays an account of the type %s, as its OpenAPI document has it',
    async (account_type, tipoConta) => {
      await using story = await inter.openInterFixture()
      story.scripted.scriptReplies(POST, efi.okReply(inter.acceptanceOf()))
      expect(await story.provider.sendTransfer(orderOf({ account_type }))).toMatchObject({
        kind: 'accepted',
        payout: { handle: { ref: inter.PAYMENT_CODE } },
      })
      const body = bodyOf(story)
      expect(body).toEqual({
        valor: 10.5,
        destinatario: {
          tipo: 'DADOS_BANCARIOS',
          nome: 'Maria Silva',
          cpfCnpj: '52998224725',
          agencia: '0001',
          contaCorrente: '1234567',
          tipoConta,
          instituicaoFinanceira: { ispb: '18236120' },
        },
      })
      const { headers } = story.scripted.calls()[0]!
      const request = { method: 'POST', path: '/banking/v2/pix', headers, body }
      expect(inter.contract.validateRequest(request)).toEqual([])
    },
  )

  test('a payment without an answer is finished by the same order, word for word', async () => {
    await using story = await inter.openInterFixture()
    story.scripted.scriptReplies(POST, 'reset', efi.okReply(inter.acceptanceOf()))
    expect(await story.provider.sendTransfer(order)).toMatchObject({ kind: 'unknown' })
    expect(await story.provider.findTransfer({ id: order.id, order })).toMatchObject({
      kind: 'found',
      payout: { status: 'in_process', cents: 1050 },
    })
    const [first, second] = story.scripted.calls()
    expect(second!.body).toBe(first!.body)
    expect(second!.headers['x-id-idempotente']).toBe(first!.headers['x-id-idempotente'])
  })
})

describe('Stark Bank', () => {
  const starkOrder = { ...order, id: stark.TRANSFER_ID, payerKey: null }
  const LIST = 'GET /v2/verified-account'
  const CREATE = 'POST /v2/verified-account'
  const ordered = {
    taxId: '52998224725',
    name: 'Maria Silva',
    bankCode: '18236120',
    branchCode: '0001',
    number: '123456-7',
    type: 'payment',
    tags: [stark.TRANSFER_ID],
  }
  const verified = { ...ordered, id: '5656565656565656', keyId: null, status: 'active' }

  test('an account is verified before anything is sent to it', async () => {
    await using story = await stark.openStarkFixture()
    story.scripted.scriptReplies(LIST, stark.okReply({ cursor: null, accounts: [] }))
    story.scripted.scriptReplies(CREATE, stark.okReply({ accounts: [verified] }))
    expect(await story.provider.prepareTransfer!(starkOrder)).toMatchObject({
      kind: 'prepared',
      handle: { ref: verified.id, receiver: { name: 'Maria Silva', document: '52998224725' } },
    })
    expect(story.provider.preparedDestinations).toBeUndefined()
    expect(bodyOf(story)).toEqual({ accounts: [ordered] })
  })

  test.each(BANK_ACCOUNT_TYPES)('an account of the type %s has its name in the SDK', async account_type => {
    await using story = await stark.openStarkFixture()
    story.scripted.scriptReplies(CREATE, stark.okReply({ accounts: [verified] }))
    const changed = { ...starkOrder, destination: accountDestination({ account_type, account_number: '5' }) }
    await story.provider.prepareTransfer!(changed, { isFirst: true })
    expect(bodyOf(story)).toMatchObject({ accounts: [{ type: account_type.toLowerCase(), number: '5' }] })
  })

  test('the account of an earlier preparation is used again', async () => {
    await using story = await stark.openStarkFixture()
    story.scripted.scriptReplies(LIST, stark.okReply({ cursor: null, accounts: [verified] }))
    expect(await story.provider.prepareTransfer!(starkOrder)).toMatchObject({ handle: { ref: verified.id } })
    expect(story.scripted.calls()).toHaveLength(1)
  })

  test.each([
    ['another bank', { bankCode: '00000000' }],
    ['another branch', { branchCode: '0002' }],
    ['another number', { number: '765432-1' }],
    ['another type', { type: 'checking' }],
    ['another holder', { taxId: '111.444.777-35' }],
    ['a key', { bankCode: null, branchCode: null, number: null, type: null, keyId: 'a@b.example' }],
  ])('an account of %s is not used', async (_, changes) => {
    await using story = await stark.openStarkFixture()
    const other = { ...verified, id: '1', ...changes }
    story.scripted.scriptReplies(LIST, stark.okReply({ cursor: null, accounts: [other] }))
    story.scripted.scriptReplies(CREATE, stark.okReply({ accounts: [verified] }))
    expect(await story.provider.prepareTransfer!(starkOrder)).toMatchObject({ handle: { ref: verified.id } })
  })

  test('an account that is not verified moves nothing; another provider may pay it', async () => {
    await using story = await stark.openStarkFixture()
    story.scripted.scriptReplies(CREATE, stark.okReply({ accounts: [{ ...verified, status: 'failed' }] }))
    expect(await story.provider.prepareTransfer!(starkOrder, { isFirst: true })).toMatchObject({
      kind: 'rejected',
      finality: 'other_may_help',
    })
    expect(story.scripted.calls()).toHaveLength(1)
  })
})
