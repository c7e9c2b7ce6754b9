import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { BankClient } from './support/bank-client.ts'
import { BANK_KEYS, BANKS, createBankCaller, putBankAccount } from './support/banks.ts'
import { openSimulatorFixture, type SimulatorFixture } from './support/simulator-fixture.ts'

/** Scopes of charges with a due date. */
const SCOPES = 'cobv.read cobv.write pix.read'

/** Charges with a due date of the simulated Sicoob and Inter; every answer is validated by the published documents. */
describe.each(['sicoob', 'inter'] as const)('%s', bank => {
  const { pix: base, credentials } = BANKS[bank]
  let simulator: SimulatorFixture
  let client: BankClient
  beforeAll(async () => {
    simulator = await openSimulatorFixture()
    await putBankAccount(simulator, bank, { balance: 1_000, options: { enforces_pace: false } })
    client = await createBankCaller(simulator, bank)
    await client.authorize({ ...credentials, scope: SCOPES })
  })
  afterEach(() => simulator.control.clearFaults())
  afterAll(async () => {
    await client.close()
    await simulator.close()
    expect(client.violations).toEqual([])
    expect([...client.undescribed].filter(one => one !== 'GET 400')).toEqual([])
  })

  let count = 0
  const txid = () => `due${String(++count).padStart(29, '0')}`
  const devedor = {
    cpf: '52998224725',
    nome: 'Ana',
    logradouro: 'Rua A, 1',
    cidade: 'Recife',
    uf: 'PE',
    cep: '70011750',
  }
  const calendario = { dataDeVencimento: '2030-05-07', validadeAposVencimento: 30 }
  const order = { calendario, devedor, valor: { original: '100.00' }, chave: BANK_KEYS[bank] }
  const create = (id: string, more: object = {}) => client.put(`${base}/cobv/${id}`, { ...order, ...more })
  const pay = async (valor: object, on: string, calendar: object = {}) => {
    const id = txid()
    const { body } = await create(id, {
      valor: { original: '100.00', ...valor },
      calendario: { ...calendario, ...calendar },
    })
    await simulator.control.pay({ payload: body.pixCopiaECola ?? body.brcode, on })
    return (await client.get(`${base}/cobv/${id}`)).body
  }
  const problemOf = ({
    status,
    body,
  }: {
    status: number
    body: { type: string; violacoes?: { propriedade: string }[] }
  }) => [status, body.type.split('/').at(-1), body.violacoes?.[0]?.propriedade]

  test('one is created, read, changed and removed', async () => {
    const id = txid()
    const multa = { modalidade: 2, valorPerc: '2.00' }
    const juros = { modalidade: 3, valorPerc: '1.00' }
    const created = await create(id, { valor: { original: '100.00', multa }, solicitacaoPagador: 'Pedido 7' })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      txid: id,
      status: 'ATIVA',
      revisao: 0,
      devedor,
      calendario,
      loc: { tipoCob: 'cobv' },
      valor: { original: '100.00', multa },
    })
    const changed = await client.patch(`${base}/cobv/${id}`, { valor: { original: '120.00', juros } })
    expect(changed.body).toMatchObject({ revisao: 1, valor: { original: '120.00', multa, juros } })
    const nothing = { modalidade: 1, valorPerc: '0.00' }
    const cleared = await client.patch(`${base}/cobv/${id}`, {
      valor: { original: '120.00', multa: nothing },
    })
    expect(cleared.body.valor).toEqual({ original: '120.00', juros })
    const mixed = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR', solicitacaoPagador: 'x' }
    expect(problemOf(await client.patch(`${base}/cobv/${id}`, mixed))).toEqual([
      400,
      'CobVOperacaoInvalida',
      'cobv.status',
    ])
    const removed = await client.patch(`${base}/cobv/${id}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' })
    expect(removed.body.status).toBe('REMOVIDA_PELO_USUARIO_RECEBEDOR')
    expect((await client.get(`${base}/cobv/${id}`)).body).toMatchObject({ revisao: 3 })
    const first = JSON.parse((await client.raw('GET', `${base}/cobv/${id}?revisao=0`)).text)
    expect(first.valor).toEqual({ original: '100.00', multa })
    expect(problemOf(await client.patch(`${base}/cobv/${id}`, { valor: { original: '1.00' } }))).toEqual([
      400,
      'CobVOperacaoInvalida',
      'cobv.status',
    ])
    expect(problemOf(await client.get(`${base}/cobv/${txid()}`)).slice(0, 2)).toEqual([
      404,
      'CobVNaoEncontrada',
    ])
  })

  test('a token without their scopes is refused', async () => {
    const other = await createBankCaller(simulator, bank)
    await other.authorize({ ...credentials, scope: 'cob.read cob.write' })
    const { status } = await other.put(`${base}/cobv/${txid()}`, order)
    await other.close()
    expect(status).toBe(403)
  })

  test('a repeated PUT leaves the same charge unchanged', async () => {
    const id = txid()
    await create(id)
    expect((await create(id)).body.revisao).toBe(0)
  })

  test.each([
    [
      'a due day before its creation',
      { calendario: { dataDeVencimento: '2020-01-01' } },
      'cobv.calendario.dataDeVencimento',
    ],
    ['no amount', { valor: { original: '0.00' } }, 'cobv.valor.original'],
    ['no debtor', { devedor: undefined }, 'cobv.devedor'],
    [
      'a fine of an unknown modality',
      { valor: { original: '1.00', multa: { modalidade: 3, valorPerc: '1.00' } } },
      'cobv.valor.multa.modalidade',
    ],
    [
      'an abatement of all',
      { valor: { original: '1.00', abatimento: { modalidade: 1, valorPerc: '1.00' } } },
      'cobv.valor.abatimento',
    ],
    [
      'an abatement of 100 %',
      { valor: { original: '1.00', abatimento: { modalidade: 2, valorPerc: '100.00' } } },
      'cobv.valor.abatimento',
    ],
    [
      'a discount after the due day',
      {
        valor: {
          original: '9.00',
          desconto: { modalidade: 1, descontoDataFixa: [{ data: '2030-05-08', valorPerc: '1.00' }] },
        },
      },
      'cobv.valor.desconto.descontoDataFixa',
    ],
    [
      'a discount until no day',
      { valor: { original: '9.00', desconto: { modalidade: 2, descontoDataFixa: [] } } },
      'cobv.valor.desconto.descontoDataFixa',
    ],
    [
      'a discount a day without a value',
      { valor: { original: '9.00', desconto: { modalidade: 3 } } },
      'cobv.valor.desconto.valorPerc',
    ],
    ['the key of another account', { chave: 'maria@example.com' }, 'cobv.chave'],
  ])('one with %s is refused with its field', async (_, change, propriedade) => {
    const { status, text } = await client.raw('PUT', `${base}/cobv/${txid()}`, { ...order, ...change })
    expect(problemOf({ status, body: JSON.parse(text) })).toEqual([400, 'CobVOperacaoInvalida', propriedade])
  })

  const share = (modalidade: number, valorPerc: string) => ({ modalidade, valorPerc })
  // 2030-05-07 is a Tuesday, 2030-05-04 a Saturday, 2030-05-01 a holiday.
  test.each<[string, object, string, string, object?]>([
    [
      'the worked example of the Central Bank',
      { multa: share(2, '3.00'), juros: share(2, '1.00') },
      '2030-05-09',
      '105.00',
    ],
    ['nothing on the due day', { multa: share(2, '3.00'), juros: share(2, '1.00') }, '2030-05-07', '100.00'],
    [
      'nothing on the next business day of a due Saturday',
      { multa: share(1, '3.00') },
      '2030-05-06',
      '100.00',
      { dataDeVencimento: '2030-05-04' },
    ],
    [
      'one day after it',
      { multa: share(1, '3.00'), juros: share(1, '0.50') },
      '2030-05-07',
      '103.50',
      { dataDeVencimento: '2030-05-04' },
    ],
    ['an amount a day', { juros: share(1, '0.25') }, '2030-05-13', '101.50'],
    ['a percentage a month', { juros: share(3, '3.00') }, '2030-05-13', '100.60'],
    ['a percentage a year', { juros: share(4, '36.50') }, '2030-05-13', '100.60'],
    ['an amount a business day', { juros: share(5, '0.25') }, '2030-05-13', '101.00'],
    ['a percentage a business day', { juros: share(6, '1.00') }, '2030-05-13', '104.00'],
    ['a percentage a month of business days', { juros: share(7, '2.10') }, '2030-05-13', '100.40'],
    ['a percentage a year of business days', { juros: share(8, '25.20') }, '2030-05-13', '100.40'],
    [
      'percentages of what an abatement leaves',
      { abatimento: share(1, '50.00'), multa: share(2, '2.00') },
      '2030-05-08',
      '51.00',
    ],
    ['a percentage of abatement', { abatimento: share(2, '10.00') }, '2030-05-07', '90.00'],
    [
      'the first open day of a discount',
      {
        desconto: {
          modalidade: 1,
          descontoDataFixa: [
            { data: '2030-04-30', valorPerc: '9.00' },
            { data: '2030-05-03', valorPerc: '4.00' },
          ],
        },
      },
      '2030-05-02',
      '96.00',
    ],
    [
      'a day of a discount that moves to the next business day',
      { desconto: { modalidade: 2, descontoDataFixa: [{ data: '2030-05-04', valorPerc: '5.00' }] } },
      '2030-05-06',
      '95.00',
    ],
    [
      'no discount after its day',
      { desconto: { modalidade: 2, descontoDataFixa: [{ data: '2030-05-03', valorPerc: '5.00' }] } },
      '2030-05-04',
      '100.00',
    ],
    ['an amount of discount a day', { desconto: share(3, '0.50') }, '2030-04-30', '96.50'],
    [
      'an amount of discount a business day, over a holiday',
      { desconto: share(4, '0.50') },
      '2030-04-30',
      '98.00',
    ],
    ['a percentage of discount a day', { desconto: share(5, '1.00') }, '2030-04-30', '93.00'],
    ['a percentage of discount a business day', { desconto: share(6, '1.00') }, '2030-04-30', '96.00'],
  ])('a payer pays %s', async (_, valor, on, paid, calendar: object = {}) => {
    const { pix, status } = await pay(valor, on, calendar)
    expect([status, pix[0].valor]).toEqual(['CONCLUIDA', paid])
    const { original, multa, juros, desconto, abatimento } = pix[0].componentesValor
    const cents = (part?: { valor: string }) => Math.round(Number(part?.valor ?? 0) * 100)
    expect(cents(original) + cents(multa) + cents(juros) - cents(desconto) - cents(abatimento)).toBe(
      Math.round(Number(paid) * 100),
    )
  })

  test('one is paid until the end of the texts of the bank, and not after it', async () => {
    const day = (on: string, validadeAposVencimento: number, dataDeVencimento: string) =>
      pay({}, on, { dataDeVencimento, validadeAposVencimento }).then(
        ({ status }) => status,
        (error: Error) => error.message,
      )
    // "Exemplo A" and "Exemplo B", in the year that the calendar has: a Tuesday, and Christmas on a Friday.
    expect(await day('2030-05-11', 4, '2030-05-07')).toBe('CONCLUIDA')
    expect(await day('2030-05-12', 4, '2030-05-07')).toContain('expired')
    expect(await day('2029-12-26', 0, '2029-12-25')).toBe('CONCLUIDA')
    expect(await day('2029-12-27', 0, '2029-12-25')).toContain('expired')
    expect(await day('2029-12-26', 1, '2029-12-25')).toBe('CONCLUIDA')
  })

  test('under a fault a payment is a centavo more, in its interest', async () => {
    const { provider } = BANKS[bank]
    await simulator.control.addFault({ provider, operation: 'findPayment', fault: 'centavo_off' })
    const { status, pix } = await pay({ juros: share(1, '0.50') }, '2030-05-08')
    expect([status, pix[0].valor, pix[0].componentesValor.juros.valor]).toEqual([
      'CONCLUIDA',
      '100.51',
      '0.51',
    ])
  })

  test('under a fault a change is answered and lost', async () => {
    const { provider } = BANKS[bank]
    const id = txid()
    await create(id)
    await simulator.control.addFault({ provider, operation: 'reviseCharge', fault: 'revision_lost' })
    const change = { valor: { original: '7.00' } }
    const lost = await client.patch(`${base}/cobv/${id}`, change)
    expect([lost.status, lost.body.valor.original, lost.body.revisao]).toEqual([200, '100.00', 0])
    expect((await client.patch(`${base}/cobv/${id}`, change)).body).toMatchObject({ revisao: 1 })
  })

  test('the document at its location has the cost of the intended day', async () => {
    const { body } = await create(txid(), { valor: { original: '100.00', multa: share(2, '3.00') } })
    const url = `https://${body.location}?DPP=2030-05-08`
    const { fetch } = await import('undici')
    const document = await (await fetch(url, { dispatcher: simulator.browser })).text()
    const claims = JSON.parse(Buffer.from(document.split('.')[1]!, 'base64url').toString())
    expect(claims).toMatchObject({
      calendario,
      devedor,
      valor: { original: '100.00', multa: '3.00', final: '103.00' },
    })
  })

  test('they are listed in pages', async () => {
    const period = 'inicio=2020-01-01T00:00:00Z&fim=2099-01-01T00:00:00Z'
    const { text } = await client.raw('GET', `${base}/cobv?${period}&paginacao.itensPorPagina=2`)
    expect(JSON.parse(text).cobs).toHaveLength(2)
  })
})
