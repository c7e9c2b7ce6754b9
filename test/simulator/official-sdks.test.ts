import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import * as efiTypes from 'sdk-node-apis-efi'
import { startOfficialSdks } from './support/official-sdks.ts'
import { openSimulatorFixture, pollUntil, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'

type Sdks = Awaited<ReturnType<typeof startOfficialSdks>>
let simulator: SimulatorFixture
let sdks: Sdks

const WOOVI_SHOP = {
  ...SHOP,
  provider: 'PROVIDER_B' as const,
  dialect: 'woovi' as const,
  balance: 10_000,
  keys: ['loja-b@trilho.test'],
}
const range = { inicio: '2020-01-01T00:00:00Z', fim: '2099-01-01T00:00:00Z' }
const portOf = (provider: 'PROVIDER_A' | 'PROVIDER_B') =>
  Number(new URL(simulator.facts.providers[provider].base_url).port)

beforeAll(async () => {
  simulator = await openSimulatorFixture()
  const shop = { ...SHOP, keys: [...SHOP.keys], balance: 10_000, requires_certificate: true }
  await simulator.control.putAccount('shop', shop)
  await simulator.control.putAccount('shop-b', WOOVI_SHOP)
  const { certificate, key } = await simulator.control.issueCertificate('shop')
  const { client_id, client_secret } = SHOP
  sdks = await startOfficialSdks({
    caFile: simulator.facts.ca_file,
    hosts: { 'pix.api.efipay.com.br': portOf('PROVIDER_A'), 'api.woovi.com': portOf('PROVIDER_B') },
    efi: { client_id, client_secret, certificate, key },
    appId: Buffer.from(`${client_id}:${client_secret}`).toString('base64'),
  })
})
afterAll(async () => {
  await sdks?.close()
  await simulator.close()
})

type Issue = { code: string; path: PropertyKey[]; keys?: string[]; errors?: Issue[][] }
type Schema = { safeParse(value: unknown): { error?: { issues: Issue[] } } }

/** The fields by which a value differs from a schema: those that it lacks, and those that a strict schema does not have. */
function differencesIn(issues: Issue[]): string[] {
  return issues
    .flatMap(({ code, path, keys = [], errors = [] }) => {
      if (code === 'unrecognized_keys') return keys.map(key => `+${[...path, key].join('.')}`)
      const [closest] = errors.map(differencesIn).toSorted((one, other) => one.length - other.length)
      return closest ?? [path.join('.')]
    })
    .filter(field => !BESIDE_THE_SDK.test(field))
}
/** The owner of the recipient's key, which Efí's pages show; the key of a PIX of a charge, which the SDK has in lists only. */
const BESIDE_THE_SDK = /^\+(identificacao|pix\.\d+\.chave)$/

describe('sdk-node-apis-efi', () => {
  const schemas = efiTypes as unknown as Record<string, Schema | undefined>
  /** A call of Efí's SDK; its answer must have the fields of the SDK's own schema, where it has one. */
  const efi = async (method: string, ...args: unknown[]) => {
    const answer = await sdks.call(`efi.${method}`, ...args)
    const named =
      method === 'pixReceivedList' ? 'PixListReceived' : method[0]!.toUpperCase() + method.slice(1)
    const { error } = schemas[`${named}ResponseSchema`]?.safeParse(answer) ?? {}
    expect(differencesIn(error?.issues ?? [])).toEqual([])
    return answer
  }
  const chave = SHOP.keys[0]
  const cob = { calendario: { expiracao: 3600 }, valor: { original: '12.34' }, chave }
  const charge = async (txid: string) => {
    const response = await efi('pixCreateCharge', { txid }, cob)
    const { end_to_end: e2eId } = await simulator.control.pay({ payload: response.pixCopiaECola })
    return e2eId
  }

  test('its schemas are found', () => {
    for (const name of ['PixCreateCharge', 'PixSend', 'MedList', 'GetAccountBalance', 'PixConfigWebhook'])
      expect(schemas[`${name}ResponseSchema`]).toBeDefined()
  })

  test('authorises, and is refused with a wrong secret', async () => {
    expect((await efi('pixListEvp')).chaves).toEqual([])
    const wrong = await startOfficialSdks({
      caFile: simulator.facts.ca_file,
      hosts: { 'pix.api.efipay.com.br': portOf('PROVIDER_A') },
      efi: { ...SHOP, client_secret: 'invalid', ...(await simulator.control.issueCertificate('shop')) },
      appId: 'none',
    })
    await expect(wrong.call('efi.pixListEvp')).rejects.toMatchObject({ error: 'invalid_client' })
    await wrong.close()
  })

  test('charges are created with and without a txid, paid, found, changed and listed', async () => {
    const txid = 'a'.repeat(32)
    expect(await efi('pixCreateCharge', { txid }, cob)).toMatchObject({ txid, status: 'ATIVA' })
    const own = await efi('pixCreateImmediateCharge', cob)
    expect(own.txid).toMatch(/^[a-zA-Z0-9]{26,35}$/)
    const removed = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' }
    expect(await efi('pixUpdateCharge', { txid: own.txid }, removed)).toMatchObject(removed)
    const e2eId = await charge('b'.repeat(32))
    expect(await efi('pixDetailCharge', { txid: 'b'.repeat(32) })).toMatchObject({
      status: 'CONCLUIDA',
      pix: [{ endToEndId: e2eId }],
    })
    expect((await efi('pixListCharges', range)).cobs).toHaveLength(3)
    await expect(efi('pixDetailCharge', { txid: 'c'.repeat(32) })).rejects.toMatchObject({
      nome: 'cobranca_nao_encontrada',
    })
  })

  test('a charge with a due date is created, changed, paid late and found', async () => {
    const txid = '7'.repeat(32)
    const share = (modalidade: number, valorPerc: string) => ({ modalidade, valorPerc })
    const cobv = {
      calendario: { dataDeVencimento: '2030-05-07', validadeAposVencimento: 30 },
      devedor: {
        cpf: '52998224725',
        nome: 'Ana',
        logradouro: 'Rua A, 1',
        cidade: 'Recife',
        uf: 'PE',
        cep: '70011750',
      },
      valor: { original: '90.00', multa: share(2, '3.00'), juros: share(2, '1.00') },
      chave,
    }
    expect(await efi('pixCreateDueCharge', { txid }, cobv)).toMatchObject({
      txid,
      revisao: 0,
      valor: cobv.valor,
    })
    const valor = { ...cobv.valor, original: '100.00' }
    const changed = await efi('pixUpdateDueCharge', { txid }, { valor })
    expect(changed).toMatchObject({ revisao: 1, valor })
    await simulator.control.pay({ payload: changed.pixCopiaECola, on: '2030-05-09' })
    expect(await efi('pixDetailDueCharge', { txid })).toMatchObject({
      status: 'CONCLUIDA',
      pix: [{ valor: '105.00' }],
    })
    await expect(efi('pixUpdateDueCharge', { txid }, { valor })).rejects.toMatchObject({
      nome: 'status_cobranca_invalido',
    })
    await expect(efi('pixDetailDueCharge', { txid: '8'.repeat(32) })).rejects.toMatchObject({
      nome: 'cobranca_nao_encontrada',
    })
    expect((await efi('pixListDueCharges', range)).cobs).toHaveLength(1)
  })

  test('a charge is moved to a location, which is found, listed, shown as a code and left again', async () => {
    const { id } = await efi('pixCreateLocation', {}, { tipoCob: 'cob' })
    const txid = '1'.repeat(32)
    await efi('pixCreateCharge', { txid }, cob)
    expect((await efi('pixUpdateCharge', { txid }, { loc: { id } })).loc.id).toBe(id)
    expect((await efi('pixDetailLocation', { id })).txid).toBe(txid)
    expect((await efi('pixLocationList', range)).locs.length).toBeGreaterThan(1)
    expect((await efi('pixGenerateQRCode', { id })).qrcode).toContain('br.gov.bcb.pix')
    expect(await efi('pixUnlinkTxidLocation', { id })).not.toHaveProperty('txid')
  })

  test('a received PIX is found, listed and returned', async () => {
    const e2eId = await charge('d'.repeat(32))
    expect((await efi('pixDetailReceived', { e2eId })).valor).toBe('12.34')
    expect((await efi('pixReceivedList', range)).pix.length).toBeGreaterThan(0)
    expect(await efi('pixDevolution', { e2eId, id: 'back1' }, { valor: '2.34' })).toMatchObject({
      id: 'back1',
      status: 'EM_PROCESSAMENTO',
    })
    await pollUntil(
      () => efi('pixDetailDevolution', { e2eId, id: 'back1' }),
      ({ status }) => status === 'DEVOLVIDO',
    )
    expect((await efi('pixDetailReceived', { e2eId })).devolucoes).toHaveLength(1)
  })

  test('a PIX is sent, and found by both its ids', async () => {
    const order = { valor: '10.00', pagador: { chave }, favorecido: { chave: 'maria@example.com' } }
    const { e2eId } = await efi('pixSend', { idEnvio: 'send1' }, order)
    const sent = await pollUntil(
      () => efi('pixSendDetailId', { idEnvio: 'send1' }),
      ({ status }) => status === 'REALIZADO',
    )
    expect(sent.endToEndId).toBe(e2eId)
    expect((await efi('pixSendDetail', { e2eId })).idEnvio).toBe('send1')
    expect((await efi('pixSendList', range)).pix).toHaveLength(1)
    await expect(efi('pixSend', { idEnvio: 'send1' }, order)).rejects.toMatchObject({
      nome: 'id_envio_duplicado',
    })
  })

  test('a PIX returned by its recipient is found with the return', async () => {
    const order = { valor: '1.00', pagador: { chave }, favorecido: { chave: 'returned@sim.trilho.test' } }
    const { e2eId } = await efi('pixSend', { idEnvio: 'send2' }, order)
    await pollUntil(
      () => efi('pixSendDetailId', { idEnvio: 'send2' }),
      ({ devolucoes }) => devolucoes?.length === 1,
    )
    expect((await efi('pixSendDetail', { e2eId })).devolucoes).toMatchObject([{ valor: '1.00' }])
    expect((await efi('pixSendList', range)).pix).toHaveLength(2)
  })

  test('a PIX is sent to an account without a key', async () => {
    const contaBanco = {
      nome: 'Maria Silva',
      cpf: '52998224725',
      codigoBanco: '18236120',
      agencia: '0001',
      conta: '1234567',
      tipoConta: 'cacc',
    }
    const order = { valor: '1.00', pagador: { chave }, favorecido: { contaBanco } }
    await efi('pixSend', { idEnvio: 'account1' }, order)
    const sent = await pollUntil(
      () => efi('pixSendDetailId', { idEnvio: 'account1' }),
      ({ status }) => status === 'REALIZADO',
    )
    expect(sent).toMatchObject({ favorecido: { contaBanco: { nome: 'Maria Silva', conta: '1234567' } } })
  })

  test('the configuration of the account is written and listed', async () => {
    const recebimento = {
      txidObrigatorio: false,
      qrCodeEstatico: { recusarTodos: false },
      webhook: { notificar: { pixSemTxid: true } },
    }
    const config = { pix: { receberSemChave: true, chaves: { [chave]: { recebimento } } } }
    await efi('updateAccountConfig', {}, config)
    expect(await efi('listAccountConfig')).toEqual(config)
  })

  test('keys are created, listed and removed', async () => {
    const { chave: key } = await efi('pixCreateEvp')
    expect((await efi('pixListEvp')).chaves).toEqual([key])
    await efi('pixDeleteEvp', { chave: key })
    expect((await efi('pixListEvp')).chaves).toEqual([])
    await expect(efi('pixDeleteEvp', { chave: key })).rejects.toMatchObject({ nome: 'chave_nao_encontrada' })
  })

  test('the balance, with and without the blocked amount', async () => {
    expect(Object.keys(await efi('getAccountBalance'))).toEqual(['saldo'])
    expect(await efi('getAccountBalance', { bloqueios: true })).toMatchObject({ bloqueios: { med: '0.00' } })
  })

  test('webhooks are configured, found, listed, called and deleted', async () => {
    const webhookUrl = `${simulator.facts.inbox_url}/sdk?ignorar=`
    expect(await efi('pixConfigWebhook', { chave }, { webhookUrl })).toEqual({ webhookUrl })
    expect(await efi('pixDetailWebhook', { chave })).toMatchObject({ webhookUrl, chave })
    expect((await efi('pixListWebhook', range)).webhooks).toHaveLength(1)
    const e2eId = await charge('e'.repeat(32))
    await pollUntil(
      () => simulator.control.listInbox('sdk'),
      all => all.some(({ body }) => body.includes(e2eId)),
    )
    await simulator.control.clearInbox('sdk')
    await efi('pixResendWebhook', {}, { tipo: 'PIX_RECEBIDO', e2eids: [e2eId] })
    await pollUntil(
      () => simulator.control.listInbox('sdk'),
      all => all.some(({ body }) => body.includes(e2eId)),
    )
    await efi('pixDeleteWebhook', { chave })
    await expect(efi('pixDetailWebhook', { chave })).rejects.toMatchObject({ status: 404 })
  })

  test('the key bucket, and a report of the statement', async () => {
    expect((await efi('pixKeysBucket')).baldeB.capacidade).toBe(1000)
    const body = {
      dataMovimento: '2026-01-01',
      tipoRegistros: { pixRecebido: true, tarifaPixRecebido: true },
    }
    const { id } = await efi('createReport', {}, body)
    const report = await pollUntil(
      () => efi('detailReport', { id }),
      answer => typeof answer === 'string',
    )
    expect(report).toMatch(/^CA;Gerencianet;/)
  })

  test('disputes are listed and defended', async () => {
    const e2eId = await charge('f'.repeat(32))
    const { id: idInfracao } = await simulator.control.openDispute({ end_to_end: e2eId, type: 'SCAM' })
    const { infracoes } = await efi('medList', range)
    expect(infracoes).toMatchObject([{ idInfracao, status: 'ABERTA' }])
    await efi('medDefense', { idInfracao }, { analise: 'rejeitado', justificativa: 'Entregue.' })
    expect((await efi('medList', range)).infracoes).toMatchObject([{ status: 'EM_DEFESA' }])
  })
})

describe('@woovi/node-sdk', () => {
  const woovi = (method: string, ...args: unknown[]) => sdks.call(`woovi.${method}`, ...args)

  test('charges are created, found, listed, paid and deleted', async () => {
    const response = await woovi('charge.create', { correlationID: 'sdk-1', value: 1234, expiresIn: 3600 })
    expect(response.charge).toMatchObject({ correlationID: 'sdk-1', status: 'ACTIVE' })
    await simulator.control.pay({ payload: response.brCode })
    expect((await woovi('charge.get', { id: 'sdk-1' })).charge.status).toBe('COMPLETED')
    const again = { correlationID: 'sdk-1', value: 1234 }
    expect((await woovi('charge.create', again, { return_existing: true })).charge.status).toBe('COMPLETED')
    await woovi('charge.create', { correlationID: 'sdk-2', value: 1 })
    expect(await woovi('charge.delete', { id: 'sdk-2' })).toMatchObject({ status: 'OK' })
    expect((await woovi('charge.list')).charges).toHaveLength(1)
    await expect(woovi('charge.get', { id: 'sdk-2' })).rejects.toEqual({ error: 'Cobrança não encontrada' })
  })

  test('a received payment is found and refunded', async () => {
    const { transactions } = await woovi('transactions.list', {
      pagination: { limit: 10, skip: 0 },
      query: { charge: 'sdk-1' },
    })
    const [{ endToEndId }] = transactions
    expect((await woovi('transactions.get', { id: endToEndId })).transaction.value).toBe(1234)
    const order = { correlationID: 'back-1', transactionEndToEndId: endToEndId, value: 34 }
    expect((await woovi('refund.create', order)).refund).toMatchObject({ status: 'IN_PROCESSING' })
    await pollUntil(
      () => woovi('refund.list'),
      ({ refunds: [refund, ...others] }) => refund.status === 'REFUNDED' && others.length === 0,
    )
    // The SDK types a status here, which the example of the OpenAPI document does not have.
    expect((await woovi('refund.get', { id: 'back-1' })).pixTransactionRefund).toMatchObject({ value: 34 })
    await woovi('chargeRefund.create', { chargeId: 'sdk-1', correlationID: 'back-2', value: 100 })
    expect((await woovi('chargeRefund.list', { chargeId: 'sdk-1' })).refunds).toHaveLength(2)
  })

  test('a payment is created, approved, found and listed', async () => {
    const order = {
      type: 'PIX_KEY',
      correlationID: 'pay-1',
      value: 1000,
      destinationAlias: 'maria@example.com',
      destinationAliasType: 'EMAIL',
    }
    expect((await woovi('payment.create', order)).payment.status).toBe('CREATED')
    await woovi('payment.approve', { correlationID: 'pay-1' })
    const { transaction } = await pollUntil(
      () => woovi('payment.get', { id: 'pay-1' }),
      ({ payment }) => payment.status === 'CONFIRMED',
    )
    expect(transaction.endToEndId).toMatch(/^E/)
    expect((await woovi('payment.list')).payments).toHaveLength(1)
  })

  test('the balance of the account', async () => {
    const { accounts } = await woovi('account.list')
    expect(accounts).toMatchObject([{ isDefault: true, balance: { blocked: 0 } }])
    const { account } = await woovi('account.get', { id: accounts[0].accountId })
    expect(account).toEqual(accounts[0])
  })

  test('webhooks are created, listed, called and deleted', async () => {
    const url = `${simulator.facts.inbox_url}/sdk-b`
    const event = 'OPENPIX:CHARGE_COMPLETED'
    const response = await woovi('webhook.create', { webhook: { name: 'sdk', event, url, isActive: true } })
    const { webhooks } = await woovi('webhook.list')
    expect(webhooks).toMatchObject([{ id: response.webhook.id, event, url, isActive: true }])
    const { brCode } = await woovi('charge.create', { correlationID: 'sdk-3', value: 77 })
    await simulator.control.pay({ payload: brCode })
    await pollUntil(
      () => simulator.control.listInbox('sdk-b'),
      all => all.some(({ body }) => JSON.parse(body).charge.correlationID === 'sdk-3'),
    )
    expect(await woovi('webhook.delete', { id: response.webhook.id })).toMatchObject({ status: 'OK' })
  })

  test('static codes are made, found and listed', async () => {
    const response = await woovi('pixQrCode.create', {
      name: 'Balcao',
      correlationID: 'sdk-code',
      value: 500,
    })
    expect((await woovi('pixQrCode.get', { id: 'sdk-code' })).pixQrCode.brCode).toBe(response.brCode)
    expect((await woovi('pixQrCode.list')).pixQrCodes).toHaveLength(1)
    await simulator.control.pay({ payload: response.brCode })
  })
})
