import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { BankClient } from './support/bank-client.ts'
import { BANKS, createBankCaller, putBankAccount } from './support/banks.ts'
import { openSimulatorFixture, pollUntil, type SimulatorFixture } from './support/simulator-fixture.ts'

/** Sicoob's payments and current account; every answer is validated by Sicoob's published descriptions. */
let simulator: SimulatorFixture
let sicoob: BankClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  await putBankAccount(simulator, 'sicoob', { balance: 10_000 })
  sicoob = await createBankCaller(simulator, 'sicoob')
})
afterAll(async () => {
  await sicoob.close()
  await simulator.close()
  expect(sicoob.violations).toEqual([])
  // A missing header is refused by the gateway, which has no description.
  expect([...sicoob.undescribed]).toEqual([])
})

const PAYMENTS = '/pix-pagamentos/v2/pagamentos'
const start = (chave = 'maria@example.com') => sicoob.post(PAYMENTS, { chave })
const confirm = (endToEndId: string, more: object = {}) =>
  sicoob.post(`${PAYMENTS}/confirmacao`, {
    endToEndId,
    valor: '10,00',
    meioIniciacao: 'CHAVE',
    descricao: 'Repasse 7',
    ...more,
  })
const show = (endToEndId: string) => sicoob.get(`${PAYMENTS}/${endToEndId}`)
const startAndConfirm = async (chave?: string, more?: object) => {
  const { endToEndId } = (await start(chave)).body
  return { endToEndId, response: await confirm(endToEndId, more) }
}
const ended = (endToEndId: string) =>
  pollUntil(
    () => show(endToEndId),
    ({ status, body }) => status === 200 && body.estado !== 'EM_PROCESSAMENTO',
  )
const balance = async () => (await simulator.control.findAccount('sicoob')).balance

describe('payments', () => {
  test('a started payment names the owner of the key and moves nothing', async () => {
    const before = await balance()
    const { status, body } = await start()
    expect(status).toBe(200)
    expect(body).toEqual({
      endToEndId: expect.stringMatching(/^E02038232\d{12}\w{11}$/),
      chave: 'maria@example.com',
      tipo: 'EMAIL',
      proprietario: { identificador: '52998224725', nome: 'Favorecido de Teste', tipo: 'FISICO' },
    })
    expect(await balance()).toBe(before)
    expect((await show(body.endToEndId)).status).toBe(404)
  })

  test('a confirmed payment settles under its end-to-end id', async () => {
    const before = await balance()
    const { endToEndId, response } = await startAndConfirm()
    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({
      endToEndId,
      valor: 10,
      estado: 'EM_PROCESSAMENTO',
      descricao: 'Repasse 7',
      destino: { nome: 'Favorecido de Teste', cpfCnpj: '52998224725' },
    })
    expect((await ended(endToEndId)).body.estado).toBe('FINALIZADO')
    expect(await balance()).toBe(before - 10)
    const statement = await simulator.control.listStatement('PROVIDER_C')
    expect(statement.at(-1)).toMatchObject({ kind: 'transfer', end_to_end: endToEndId, value: 10 })
  })

  test.each([
    ['199', 199],
    ['12,5', 12.5],
    ['0,01', 0.01],
  ])('the amount %s has a decimal comma', async (valor, reais) => {
    const { response } = await startAndConfirm(undefined, { valor })
    expect(response.body.valor).toBe(reais)
  })

  test.each([
    ['an amount with a point', { valor: '10.00' }, 'valor'],
    ['a zero amount', { valor: '0,00' }, 'valor'],
    ['an unlisted way of initiation', { meioIniciacao: 'PIX' }, 'meioIniciacao'],
    ['another owner of the key', { destino: { cpfCnpj: '11144477735' } }, 'destino.cpfCnpj'],
    ['another name of the owner', { destino: { nome: 'Outra' } }, 'destino.nome'],
    ['a day to come', { dataAgendamento: '2099-01-01' }, 'dataAgendamento'],
    ['a text that is too long', { descricao: 'x'.repeat(141) }, 'descricao'],
  ])(
    'a confirmation with %s is refused with its field, and the payment can still be confirmed',
    async (_, more, propriedade) => {
      const { endToEndId, response } = await startAndConfirm(undefined, more)
      expect([response.status, response.body.violacoes[0].propriedade]).toEqual([400, propriedade])
      expect((await show(endToEndId)).status).toBe(404)
      expect((await confirm(endToEndId)).status).toBe(200)
    },
  )

  test('a payment is confirmed once', async () => {
    const { endToEndId } = await startAndConfirm()
    await ended(endToEndId)
    const before = await balance()
    const refused = await confirm(endToEndId)
    expect([refused.status, refused.body.violacoes[0].propriedade]).toEqual([400, 'endToEndId'])
    expect(await balance()).toBe(before)
  })

  test('a payment of another account, and one that was never started, cannot be confirmed', async () => {
    await putBankAccount(simulator, 'sicoob', { balance: 10_000 })
    await simulator.control.putAccount('other', {
      provider: 'PROVIDER_C',
      dialect: 'sicoob',
      client_id: 'other',
      client_secret: 'other-secret',
      holder: { name: 'Outra Loja', document: '11222333000181' },
      ispb: '02038232',
      keys: ['other@trilho.test'],
      balance: 100,
    })
    const other = await createBankCaller(simulator, 'sicoob', { clientId: 'other' })
    const { endToEndId } = (await start()).body
    const body = { endToEndId, valor: '1,00', meioIniciacao: 'CHAVE' }
    expect((await other.post(`${PAYMENTS}/confirmacao`, body)).status).toBe(400)
    expect((await simulator.control.findAccount('other')).balance).toBe(100)
    expect((await confirm(`E02038232202001010000${'a'.repeat(11)}`)).status).toBe(400)
    const { endToEndId: sent } = await startAndConfirm()
    expect((await other.get(`${PAYMENTS}/${sent}`)).status).toBe(404)
    expect(other.violations).toEqual([])
    await other.close()
  })

  test('a started payment expires, by its time or by a fault', async () => {
    const { endToEndId } = (await start()).body
    await simulator.control.addFault({
      provider: 'PROVIDER_C',
      fault: 'draft_expired',
      operation: 'sendTransfer',
    })
    for (let i = 0; i < 2; i++) {
      const refused = await confirm(endToEndId)
      expect([refused.status, refused.body.violacoes[0].razao]).toEqual([
        400,
        'O prazo para efetivar o pagamento iniciado expirou.',
      ])
    }
    const late = (await start()).body.endToEndId
    simulator.advanceClock(16 * 60)
    await sicoob.authorize()
    expect((await confirm(late)).body.violacoes[0].razao).toMatch(/expirou/)
    expect((await show(late)).status).toBe(404)
  })

  test.each([
    ['a text that is no key', 'not a key'],
    ['a key that nobody has', 'unknown@sim.trilho.test'],
  ])('%s starts no payment', async (_, chave) => {
    const { status, body } = await start(chave)
    expect([status, body.violacoes[0].propriedade]).toEqual([400, 'chave'])
  })

  test('a payment above the balance is not carried out, and stays so', async () => {
    const before = await balance()
    const { endToEndId, response } = await startAndConfirm(undefined, { valor: '999999' })
    expect(response.body).toMatchObject({ estado: 'NÃO_REALIZADO', detalheRejeicao: expect.any(String) })
    expect((await show(endToEndId)).body.estado).toBe('NÃO_REALIZADO')
    expect((await confirm(endToEndId)).status).toBe(400)
    expect(await balance()).toBe(before)
  })

  test.each([
    ['ac03@sim.trilho.test', 'REJEITADO'],
    ['ab03-later@sim.trilho.test', 'NÃO_REALIZADO'],
    ['ac06-later@sim.trilho.test', 'REJEITADO'],
    ['returned@sim.trilho.test', 'FINALIZADO'],
  ])('a payment to %s ends %s and moves nothing in the end', async (chave, estado) => {
    const before = await balance()
    const { endToEndId } = await startAndConfirm(chave)
    expect((await ended(endToEndId)).body.estado).toBe(estado)
    await pollUntil(balance, value => value === before)
  })

  test('a payment to an account is confirmed without a start', async () => {
    const destino = {
      ispb: '00000000',
      cpfCnpj: '52998224725',
      nome: 'Maria',
      conta: '123',
      agencia: '1',
      tipo: 'CORRENTE',
    }
    const manual = { valor: '2,00', meioIniciacao: 'MANUAL' }
    const { status, body } = await sicoob.post(`${PAYMENTS}/confirmacao`, { ...manual, destino })
    expect([status, body.destino.nome]).toEqual([200, 'Maria'])
    const refused = await sicoob.post(`${PAYMENTS}/confirmacao`, manual)
    expect([refused.status, refused.body.violacoes[0].propriedade]).toEqual([400, 'destino'])
  })

  test('a simulated recipient receives the payment under the same end-to-end id', async () => {
    const { endToEndId } = await startAndConfirm('other@trilho.test')
    await ended(endToEndId)
    const received = (await simulator.control.listStatement()).filter(line => line.account === 'other')
    expect(received.map(line => line.end_to_end)).toContain(endToEndId)
  })

  test.each([
    ['timeout_then_done', 'FINALIZADO'],
    ['timeout_then_absent', null],
  ] as const)(
    'a confirmation under %s is lost, and its look-up says whether it was carried out',
    async (fault, estado) => {
      const { endToEndId } = (await start()).body
      await simulator.control.addFault({
        provider: 'PROVIDER_C',
        fault,
        operation: 'sendTransfer',
        delay_ms: 20,
      })
      await expect(confirm(endToEndId)).rejects.toThrow()
      if (estado) expect((await ended(endToEndId)).body.estado).toBe(estado)
      else expect((await show(endToEndId)).status).toBe(404)
    },
  )

  test('the webhook of payments is registered, notified of ends, read and removed', async () => {
    const webhookUrl = `${simulator.facts.inbox_url}/payments-secret`
    expect((await sicoob.get(`${PAYMENTS}/webhook`)).status).toBe(404)
    expect(await sicoob.put(`${PAYMENTS}/webhook`, { webhookUrl })).toMatchObject({ status: 200, body: null })
    expect((await sicoob.get(`${PAYMENTS}/webhook`)).body).toMatchObject({ webhookUrl })
    const paid = await startAndConfirm()
    const rejected = await startAndConfirm('ac03-later@sim.trilho.test')
    const messages = await pollUntil(
      () => simulator.control.listInbox('payments-secret'),
      all => all.length === 2,
    )
    const payloads = messages.map(({ body }) => JSON.parse(body))
    const { contract } = BANKS.sicoob.described[2]
    for (const body of payloads)
      expect(contract.validateCallback({ method: 'PUT', path: '/pagamentos/webhook', body })).toEqual([])
    const states = Object.fromEntries(payloads.map(({ payload }) => [payload.id, payload.estado]))
    expect(states).toEqual({
      [paid.endToEndId]: 'FINALIZADO_SUCESSO',
      [rejected.endToEndId]: 'FINALIZADO_REJEICAO',
    })
    expect((await sicoob.put(`${PAYMENTS}/webhook`, { webhookUrl: 'nowhere' })).status).toBe(400)
    expect((await sicoob.delete(`${PAYMENTS}/webhook`)).status).toBe(204)
    expect((await sicoob.delete(`${PAYMENTS}/webhook`)).status).toBe(404)
  })
})

describe('the current account', () => {
  const ACCOUNT = '/conta-corrente/v4'
  const today = () => {
    const [year, month] = new Date(Date.now() - 3 * 3_600_000).toISOString().split('-') // In Brasília.
    return `${ACCOUNT}/extrato/${month}/${year}?numeroContaCorrente=13525622`
  }

  test('shows its balance', async () => {
    const { body } = await sicoob.get(`${ACCOUNT}/saldo?numeroContaCorrente=13525622`)
    expect(body).toEqual({ saldo: await balance(), saldoLimite: 0, saldoBloqueado: 0 })
    expect((await sicoob.get(`${ACCOUNT}/saldo?numeroContaCorrente=1`)).status).toBe(400)
  })

  test('lists its movements of a month, and of its days; no field has the end-to-end id', async () => {
    const { end_to_end } = await simulator.control.deposit({ account: 'sicoob', value: 7, message: 'Oi' })
    const { body } = await sicoob.get(today())
    const last = body.transacoes.at(-1)
    expect(last).toMatchObject({ tipo: 'CREDITO', valor: '7.00', descInfComplementar: 'Oi' })
    expect(JSON.stringify(body)).not.toContain(end_to_end)
    expect((await sicoob.get(`${today()}&diaInicial=31&diaFinal=1`)).status).toBe(400)
    const none = await sicoob.get(`${ACCOUNT}/extrato/1/2021?numeroContaCorrente=13525622`)
    expect(none.body.transacoes).toEqual([])
    expect((await sicoob.get(`${ACCOUNT}/extrato/13/2021?numeroContaCorrente=13525622`)).status).toBe(400)
  })

  test('an account may answer as its users publish: inside `resultado`, with the end-to-end id in the text', async () => {
    await putBankAccount(simulator, 'sicoob', {
      options: { wraps_results: true, end_to_end_in_statement: true },
    })
    const { end_to_end } = await simulator.control.deposit({ account: 'sicoob', value: 8 })
    const { text } = await sicoob.raw('GET', today())
    expect(JSON.parse(text).resultado.transacoes.at(-1).descInfComplementar).toContain(end_to_end)
    await putBankAccount(simulator, 'sicoob')
  })

  test('needs the header client_id', async () => {
    const { status } = await sicoob.raw('GET', `${ACCOUNT}/saldo`, undefined, { client_id: '' })
    expect(status).toBe(401)
  })
})
