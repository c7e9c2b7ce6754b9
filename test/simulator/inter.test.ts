import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { BankClient } from './support/bank-client.ts'
import { BANKS, createBankCaller, putBankAccount } from './support/banks.ts'
import { openSimulatorFixture, pollUntil, type SimulatorFixture } from './support/simulator-fixture.ts'

/** Inter's payments and account; every answer is validated by Inter's published description. */
let simulator: SimulatorFixture
let inter: BankClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  await putBankAccount(simulator, 'inter', {
    balance: 10_000,
    options: { enforces_pace: false, approval_above: 500 },
  })
  inter = await createBankCaller(simulator, 'inter')
})
afterAll(async () => {
  await inter.close()
  await simulator.close()
  // The kinds of details and of pages of the statement share all their fields, so that `oneOf` never holds.
  const isShared = (violation: string) =>
    violation.startsWith(`GET ${BANKING}/extrato/completo`) && violation.includes('oneOf')
  expect(inter.violations.filter(violation => !isShared(violation))).toEqual([])
  expect([...inter.undescribed]).toEqual([])
})

const BANKING = '/banking/v2'
const order = (valor = 10, chave = 'maria@example.com') => ({
  valor,
  descricao: 'Repasse 7',
  destinatario: { tipo: 'CHAVE', chave },
})
const send = (body: object = order(), id: string = randomUUID()) =>
  inter.post(`${BANKING}/pix`, body, id === '' ? {} : { 'x-id-idempotente': id })
const show = (code: string) => inter.get(`${BANKING}/pix/${code}`)
const ended = (code: string) =>
  pollUntil(
    () => show(code),
    ({ body }) => ['PAGO', 'FALHA'].includes(body.transacaoPix?.status),
  )
const balance = async () => (await simulator.control.findAccount('inter')).balance
const sentCount = async () =>
  (await simulator.control.listStatement('PROVIDER_D')).filter(line => line.kind === 'transfer').length

describe('payments', () => {
  test('a payment is accepted under a code, and settles', async () => {
    const before = await balance()
    const { status, body } = await send()
    expect(status).toBe(200)
    expect(body).toMatchObject({ tipoRetorno: 'PROCESSADO', codigoSolicitacao: expect.any(String) })
    const paid = (await ended(body.codigoSolicitacao)).body.transacaoPix
    expect(paid).toMatchObject({
      status: 'PAGO',
      valor: 10,
      chave: 'maria@example.com',
      endToEnd: expect.stringMatching(/^E00416968/),
      recebedor: { nome: 'Favorecido de Teste', cpfCnpj: '***.982.247-**' },
    })
    expect(await balance()).toBe(before - 10)
  })

  test('a repeat by the same id gets the same answer and moves nothing more', async () => {
    const id = randomUUID()
    const first = await send(order(), id)
    await ended(first.body.codigoSolicitacao)
    const before = await balance()
    expect((await send(order(), id)).body).toEqual(first.body)
    expect(await balance()).toBe(before)
    const other = await send(order(11), id)
    expect([other.status, other.body.title]).toEqual([422, 'Pagamento não realizado'])
  })

  test('without an id every order is a payment', async () => {
    const before = await sentCount()
    const codes = [await send(order(), ''), await send(order(), '')].map(one => one.body.codigoSolicitacao)
    expect(new Set(codes).size).toBe(2)
    for (const code of codes) await ended(code)
    expect(await sentCount()).toBe(before + 2)
  })

  test('two equal orders at once, by the same id, are one payment', async () => {
    const [before, id] = [await sentCount(), randomUUID()]
    const answers = await Promise.all([1, 2, 3, 4].map(() => send(order(), id)))
    expect(new Set(answers.map(({ body }) => body.codigoSolicitacao)).size).toBe(1)
    await ended(answers[0]!.body.codigoSolicitacao)
    expect(await sentCount()).toBe(before + 1)
  })

  test.each([
    ['no amount', { ...order(), valor: undefined }, 'valor'],
    ['a zero amount', order(0), 'valor'],
    ['an amount with three decimals', order(1.234), 'valor'],
    ['a text that is no key', order(10, 'not a key'), 'destinatario.chave'],
    [
      'an unlisted recipient',
      { valor: 1, destinatario: { tipo: 'PIX', chave: 'a@b.com' } },
      'destinatario.tipo',
    ],
    ['a day that is over', { ...order(), dataPagamento: '2020-01-01' }, 'dataPagamento'],
    ['a text that is too long', { ...order(), descricao: 'x'.repeat(141) }, 'descricao'],
  ])('an order with %s is refused with its field', async (_, body, propriedade) => {
    const refused = await send(body)
    expect([refused.status, refused.body.violacoes[0].propriedade]).toEqual([400, propriedade])
  })

  test('an id of the wrong form, an unknown key and a code that cannot be paid are refused', async () => {
    expect((await send(order(), 'not-a-uuid')).body.violacoes[0].propriedade).toBe('x-id-idempotente')
    expect((await send(order(10, 'unknown@sim.trilho.test'))).status).toBe(422)
    const destinatario = { tipo: 'PIX_COPIA_E_COLA', pixCopiaECola: '000201' }
    expect((await send({ valor: 1, destinatario })).status).toBe(422)
  })

  test('a payment without balance is refused, and its id stays free', async () => {
    await putBankAccount(simulator, 'inter', { options: { enforces_pace: false } })
    const id = randomUUID()
    const refused = await send(order(999_999), id)
    expect([refused.status, refused.body.title]).toEqual([422, 'Saldo insuficiente'])
    expect((await send(order(1), id)).body.tipoRetorno).toBe('PROCESSADO')
    await putBankAccount(simulator, 'inter', { options: { enforces_pace: false, approval_above: 500 } })
  })

  test('a payment above the amount waits for an approval, and is approved in the panel', async () => {
    const { body } = await send(order(600))
    expect(body.tipoRetorno).toBe('APROVACAO')
    const code = body.codigoSolicitacao
    const waiting = (await show(code)).body.transacaoPix
    expect([waiting.status, waiting.endToEnd]).toEqual(['AGUARDANDO_APROVACAO', undefined])
    expect(await simulator.control.listOrders()).toContainEqual({
      id: code,
      account: 'inter',
      value: 600,
      key: 'maria@example.com',
    })
    await simulator.control.approveOrder(code)
    expect((await ended(code)).body.transacaoPix.status).toBe('PAGO')
    await expect(simulator.control.approveOrder(code)).rejects.toMatchObject({ status: 404 })
  })

  test('or is disapproved there, and moves nothing; its repeat still gets the first answer', async () => {
    const [before, id] = [await balance(), randomUUID()]
    const { body } = await send(order(700), id)
    await simulator.control.removeOrder(body.codigoSolicitacao)
    expect((await show(body.codigoSolicitacao)).body.transacaoPix.status).toBe('REPROVADO')
    expect((await send(order(700), id)).body).toEqual(body)
    expect(await balance()).toBe(before)
  })

  test('a payment of a day to come is scheduled, and is sent on that day', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    const { body } = await send({ ...order(), dataPagamento: tomorrow })
    expect(body).toMatchObject({ tipoRetorno: 'AGENDADO', dataPagamento: tomorrow })
    expect((await show(body.codigoSolicitacao)).body.transacaoPix.status).toBe('AGENDADO')
    simulator.advanceClock(2 * 86_400)
    await inter.authorize()
    await send(order(1))
    expect((await ended(body.codigoSolicitacao)).body.transacaoPix.status).toBe('PAGO')
  })

  test.each([
    ['ac03@sim.trilho.test', 'FALHA', 'AC03'],
    ['ab03-later@sim.trilho.test', 'FALHA', 'AB03'],
    ['returned@sim.trilho.test', 'PAGO', undefined],
  ])('a payment to %s ends %s and moves nothing in the end', async (chave, status, code) => {
    const before = await balance()
    const { body } = await send(order(10, chave))
    const { transacaoPix } = (await ended(body.codigoSolicitacao)).body
    expect([transacaoPix.status, transacaoPix.erros?.[0].codigoErroComplementar]).toEqual([status, code])
    await pollUntil(balance, value => value === before)
  })

  test('a payment to an account is sent', async () => {
    const destinatario = {
      tipo: 'DADOS_BANCARIOS',
      nome: 'Maria',
      cpfCnpj: '52998224725',
      contaCorrente: '123',
      agencia: '0001',
      tipoConta: 'CONTA_CORRENTE',
      instituicaoFinanceira: { ispb: '00000000' },
    }
    const { body } = await send({ valor: 2, destinatario })
    expect((await ended(body.codigoSolicitacao)).body.transacaoPix.recebedor).toMatchObject({
      nome: 'Maria',
      nroConta: '123',
    })
  })

  test('a look-up of an unknown code, a malformed one, or after 90 days finds nothing', async () => {
    expect((await show(randomUUID())).status).toBe(404)
    expect((await show('7')).status).toBe(400)
    const { body } = await send()
    await ended(body.codigoSolicitacao)
    simulator.advanceClock(91 * 86_400)
    await inter.authorize()
    expect((await show(body.codigoSolicitacao)).status).toBe(404)
  })

  test.each(['timeout_then_done', 'timeout_then_absent'] as const)(
    'an order under %s is lost, and its repeat finishes it as one payment',
    async fault => {
      const [before, id] = [await balance(), randomUUID()]
      await simulator.control.addFault({
        provider: 'PROVIDER_D',
        fault,
        operation: 'sendTransfer',
        delay_ms: 20,
      })
      await expect(send(order(), id)).rejects.toThrow()
      const { body } = await send(order(), id)
      expect((await ended(body.codigoSolicitacao)).body.transacaoPix.status).toBe('PAGO')
      expect(await balance()).toBe(before - 10)
    },
  )

  test('the webhook of payments is registered, notified of ends, read and removed', async () => {
    const [path, webhookUrl] = [
      `${BANKING}/webhooks/pix-pagamento`,
      `${simulator.facts.inbox_url}/inter-payments`,
    ]
    expect((await inter.put(path, { webhookUrl })).status).toBe(204)
    expect((await inter.get(path)).body).toMatchObject({ webhookUrl })
    const paid = (await send()).body.codigoSolicitacao
    const failed = (await send(order(10, 'ac03-later@sim.trilho.test'))).body.codigoSolicitacao
    const refused = (await send(order(700))).body.codigoSolicitacao
    await simulator.control.removeOrder(refused)
    const messages = await pollUntil(
      () => simulator.control.listInbox('inter-payments'),
      all => all.length === 3,
    )
    expect(messages.every(({ headers }) => headers['x-conta-corrente'] === '13525622')).toBe(true)
    const { contract } = BANKS.inter.described[0]
    const violations = messages.flatMap(({ body }) =>
      contract.validateCallback({ method: 'PUT', path, body: JSON.parse(body) }),
    )
    expect(violations).toEqual([])
    const states = Object.fromEntries(
      messages.map(({ body }) => {
        const [payment] = JSON.parse(body)
        return [payment.codigoSolicitacao, payment.status]
      }),
    )
    expect(states).toEqual({ [paid]: 'EFETIVADO', [failed]: 'ERRO', [refused]: 'REPROVADO' })
    expect((await inter.put(path, { webhookUrl: 'nowhere' })).status).toBe(400)
    expect((await inter.delete(path)).status).toBe(204)
    expect((await inter.delete(path)).status).toBe(404)
    expect((await inter.get(path)).status).toBe(404)
  })
})

describe('the account', () => {
  test('shows its balance, and that of a day', async () => {
    const { body } = await inter.get(`${BANKING}/saldo`)
    expect(body).toMatchObject({ disponivel: await balance(), limite: 0 })
    expect((await inter.get(`${BANKING}/saldo?dataSaldo=2020-01-01`)).body).toEqual({ disponivel: 10_000 })
    expect((await inter.get(`${BANKING}/saldo?dataSaldo=yesterday`)).status).toBe(400)
  })

  test('lists its movements by day, in pages, with the end-to-end id and the code of a payment', async () => {
    const { end_to_end } = await simulator.control.deposit({ account: 'inter', value: 7 })
    const { body: sent } = await send()
    await ended(sent.codigoSolicitacao)
    const day = new Date(Date.now() + 93 * 86_400_000 - 3 * 3_600_000).toISOString().slice(0, 10)
    const path = `${BANKING}/extrato/completo?dataInicio=${day}&dataFim=${day}`
    const { body } = await inter.get(`${path}&tamanhoPagina=100`)
    expect(body.transacoes).toContainEqual(
      expect.objectContaining({
        tipoOperacao: 'C',
        valor: '7.00',
        detalhes: expect.objectContaining({ endToEndId: end_to_end }),
      }),
    )
    expect(body.transacoes).toContainEqual(
      expect.objectContaining({
        tipoOperacao: 'D',
        detalhes: expect.objectContaining({ codigoSolicitacao: sent.codigoSolicitacao }),
      }),
    )
    const first = await inter.get(`${path}&tamanhoPagina=1`)
    expect([first.body.transacoes.length, first.body.ultimaPagina]).toEqual([1, false])
    const credits = await inter.get(`${path}&tipoOperacao=C`)
    expect(credits.body.transacoes.every((one: { tipoOperacao: string }) => one.tipoOperacao === 'C')).toBe(
      true,
    )
    expect(
      (await inter.get(`${BANKING}/extrato/completo?dataInicio=2026-01-01&dataFim=2026-06-01`)).status,
    ).toBe(400)
    expect((await inter.get(`${BANKING}/extrato/completo?dataInicio=2026-01-01`)).status).toBe(400)
  })
})
