import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { EfiClient } from './support/efi-client.ts'
import { openSimulatorFixture, pollUntil, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'
import { createWooviClient, type WooviClient } from './support/woovi-client.ts'

/** Faults with undocumented answers, and payments that wait in a provider's panel. */

let simulator: SimulatorFixture
let efi: EfiClient
let woovi: WooviClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  efi = await simulator.createShop({ balance: 10_000 })
  const settings = { ...SHOP, provider: 'PROVIDER_B', dialect: 'woovi', keys: ['woovi@trilho.test'] } as const
  await simulator.control.putAccount('woovi', { ...settings, keys: [...settings.keys], balance: 10_000 })
  woovi = createWooviClient(simulator.facts.providers.PROVIDER_B.base_url, { ca: simulator.ca, ...SHOP })
})
afterEach(async () => void (await simulator.control.clearFaults()))
afterAll(async () => {
  await woovi.close()
  await simulator.close()
})

type Fault = Parameters<SimulatorFixture['control']['addFault']>[0]
const fault = (kind: Fault['fault'], operation: NonNullable<Fault['operation']>, more: Partial<Fault> = {}) =>
  simulator.control.addFault({ provider: 'PROVIDER_A', fault: kind, operation, ...more })

let count = 0
const id = () => `u${++count}`
const served = async () => (await simulator.control.listServedFaults()).at(-1)
const payer = { pagador: { chave: 'loja@trilho.test' }, favorecido: { chave: 'maria@example.com' } }
const rawSend = (name: string) => efi.raw('PUT', `/v3/gn/pix/${name}`, { valor: '1.00', ...payer })
const period = 'inicio=2020-01-01T00:00:00Z&fim=2099-01-01T00:00:00Z'

describe('an undocumented answer', () => {
  test('done_then_unlisted_refusal executes the call and answers what the fault says', async () => {
    const name = id()
    await fault('done_then_unlisted_refusal', 'sendTransfer', {
      status: 425,
      body: '<h1>Too Early</h1>',
    })
    const { status, text, headers } = await rawSend(name)
    expect([status, text, headers['content-type']]).toEqual([425, '<h1>Too Early</h1>', 'text/html'])
    await pollUntil(
      () => efi.findSent(name),
      response => response.body.status === 'REALIZADO',
    )
    expect(await served()).toMatchObject({
      account: 'shop',
      operation: 'sendTransfer',
      fault: 'done_then_unlisted_refusal',
      item_id: null,
    })
  })

  test('a body is JSON where it is an object, and empty where there is none', async () => {
    await fault('unlisted_refusal', 'sendTransfer', { status: 409, body: { nome: 'conflito' } })
    const name = id()
    const response = await rawSend(name)
    expect([response.status, response.text, response.headers['content-type']]).toEqual([
      409,
      '{"nome":"conflito"}',
      'application/json',
    ])
    await fault('unlisted_refusal', 'sendTransfer', { status: 403 })
    expect(await rawSend(name)).toMatchObject({ status: 403, text: '' })
    expect((await efi.findSent(name)).status).toBe(404)
  })

  test('without an answer of its own the provider’s API cycles through its default answers, each a 4xx', async () => {
    await fault('unlisted_refusal', 'balances', { times: 20 })
    const answers = []
    for (let i = 0; i < 20; i++) answers.push(await efi.raw('GET', '/v2/gn/saldo'))
    expect(answers.every(({ status }) => status >= 400 && status < 500)).toBe(true)
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(10)
  })

  test.each([
    ['refund', (e2e: string) => efi.raw('PUT', `/v2/pix/${e2e}/devolucao/once`, { valor: '1.00' })],
  ] as const)('done_then_unlisted_refusal of a %s', async (operation, ask) => {
    const { end_to_end } = await simulator.control.deposit({ account: 'shop', value: 3 })
    await fault('done_then_unlisted_refusal', operation)
    expect((await ask(end_to_end)).status).toBeGreaterThanOrEqual(400)
    await pollUntil(
      () => efi.get(`/v2/pix/${end_to_end}/devolucao/once`),
      response => response.body.status === 'DEVOLVIDO',
    )
  })

  test('unknown_route answers like a route that does not exist, and does nothing', async () => {
    const name = id()
    expect((await efi.send(name, 'maria@example.com')).status).toBe(201)
    await fault('unknown_route', 'findTransfer')
    expect(await efi.findSent(name)).toMatchObject({ status: 404, body: { nome: 'nao_encontrado' } })
    expect((await efi.findSent(name)).status).toBe(200)
    await simulator.control.addFault({
      provider: 'PROVIDER_B',
      fault: 'unknown_route',
      operation: 'sendTransfer',
    })
    expect((await woovi.orderPayment(name)).status).toBe(404)
    expect((await woovi.get(`/payment/${name}`)).body.error).toBe('Pagamento não encontrado')
  })

  test('status, body and page_size are refused where they have no effect', async () => {
    for (const wrong of [
      { fault: 'slow', operation: 'balances', status: 400 },
      { fault: 'unlisted_refusal', operation: 'balances', body: 'x' },
      { fault: 'unlisted_refusal', operation: 'balances', status: 500 },
      { fault: 'unlisted_refusal', operation: 'balances', page_size: 3 },
      { fault: 'order_left', operation: 'refund' },
    ] as const)
      await expect(simulator.control.addFault({ provider: 'PROVIDER_A', ...wrong })).rejects.toMatchObject({
        status: 422,
      })
  })
})

describe('lists and lookups', () => {
  test('page_cap returns fewer items a page than requested, and the pages say so', async () => {
    for (let i = 0; i < 3; i++) await simulator.control.deposit({ account: 'shop', value: 1 })
    await fault('page_cap', 'statement', { page_size: 2, times: 2 })
    const page = (index: number) =>
      efi.get(`/v2/pix?${period}&paginacao.itensPorPagina=100&paginacao.paginaAtual=${index}`)
    const [first, second] = [(await page(0)).body, (await page(1)).body]
    expect(first.parametros.paginacao).toMatchObject({ itensPorPagina: 2 })
    expect(first.pix).toHaveLength(2)
    expect(second.pix[0].endToEndId).not.toBe(first.pix[1].endToEndId)
    expect((await page(0)).body.pix.length).toBeGreaterThan(2)

    for (let i = 0; i < 2; i++) await simulator.control.deposit({ account: 'woovi', value: 1 })
    await simulator.control.addFault({
      provider: 'PROVIDER_B',
      fault: 'page_cap',
      operation: 'statement',
      page_size: 1,
    })
    const { body } = await woovi.get('/transaction?skip=0&limit=100')
    expect([body.transactions.length, body.pageInfo.limit, body.pageInfo.hasNextPage]).toEqual([1, 1, true])
  })

  test('odd_item adds one to the end of a list, and to a list inside a lookup', async () => {
    await fault('odd_item', 'statement')
    const plain = (await efi.get(`/v2/pix?${period}`)).body.pix
    const odd = plain.at(-1)
    expect(odd).toMatchObject({ status: 'SOB_REVISAO_INTERNA', valor: { centavos: 100 } })
    expect(odd.endToEndId).toMatch(/^E[a-zA-Z0-9]{31}$/)
    expect(await served()).toMatchObject({ fault: 'odd_item', item_id: odd.endToEndId })
    expect((await efi.get(`/v2/pix?${period}`)).body.pix).toHaveLength(plain.length - 1)

    const { end_to_end } = await simulator.control.deposit({ account: 'woovi', value: 1 })
    await simulator.control.addFault({ provider: 'PROVIDER_B', fault: 'odd_item', operation: 'findPayment' })
    const { refunds } = (await woovi.get(`/transaction/${end_to_end}`)).body.transaction
    expect(refunds).toMatchObject([{ status: 'SOB_REVISAO_INTERNA' }])
  })

  test('unlisted_status and unlisted_type replace one value', async () => {
    const name = id()
    await efi.send(name, 'maria@example.com')
    await fault('unlisted_status', 'findTransfer')
    expect((await efi.findSent(name)).body.status).toBe('SOB_REVISAO_INTERNA')
    expect((await efi.findSent(name)).body.status).not.toBe('SOB_REVISAO_INTERNA')

    const { end_to_end } = await simulator.control.deposit({ account: 'woovi', value: 1 })
    await simulator.control.addFault({
      provider: 'PROVIDER_B',
      fault: 'unlisted_type',
      operation: 'findPayment',
    })
    expect((await woovi.get(`/transaction/${end_to_end}`)).body.transaction.type).toBe('INTERNAL_DEBIT')
    expect(await served()).toMatchObject({ account: 'woovi', fault: 'unlisted_type' })
  })

  test('a refused lookup has no body that could be changed', async () => {
    await fault('unlisted_status', 'findTransfer')
    const faultsBefore = await simulator.control.listServedFaults()
    expect((await efi.findSent('nothing')).status).toBe(404)
    expect(await simulator.control.listServedFaults()).toEqual(faultsBefore)
  })

  test('books_lag sends the notification of a payment before any lookup shows it', async () => {
    const txid = 'l'.repeat(32)
    const { body } = await efi.createCob(txid)
    await efi.put('/v2/webhook/loja@trilho.test', {
      webhookUrl: `${simulator.facts.inbox_url}/lagging?ignorar=`,
    })
    await fault('books_lag', 'issueCharge', { delay_ms: 60_000 })
    const { end_to_end } = await simulator.control.pay({ payload: body.pixCopiaECola })
    await pollUntil(
      () => simulator.control.listInbox('lagging'),
      messages => messages.some(one => one.body.includes(end_to_end)),
    )
    const charge = (await efi.get(`/v2/cob/${txid}`)).body
    expect([charge.status, charge.pix]).toEqual(['ATIVA', undefined])
    expect((await efi.get(`/v2/pix/${end_to_end}`)).body.nome).toBe('pix_nao_encontrado')
    expect(JSON.stringify((await efi.get(`/v2/pix?${period}`)).body)).not.toContain(end_to_end)
    expect((await simulator.control.listStatement()).map(line => line.end_to_end)).toContain(end_to_end)

    simulator.advanceClock(60)
    expect((await efi.get(`/v2/cob/${txid}`)).body).toMatchObject({
      status: 'CONCLUIDA',
      pix: [{ endToEndId: end_to_end }],
    })
    expect((await efi.get(`/v2/pix/${end_to_end}`)).status).toBe(200)
  })

  test('books_lag hides a sent PIX and a refund from look-ups and lists, and keeps their ids taken', async () => {
    const received = await simulator.control.deposit({ account: 'shop', value: 5 })
    const refundPath = `/v2/pix/${received.end_to_end}/devolucao/laggingback`
    await fault('books_lag', 'sendTransfer', { delay_ms: 60_000 })
    await fault('books_lag', 'findRefund', { delay_ms: 60_000 })
    expect((await efi.send('laggingsent', 'maria@example.com')).status).toBe(201)
    expect((await efi.put(refundPath, { valor: '1.00' })).status).toBe(201)
    const readLists = async () =>
      JSON.stringify([
        (await efi.get(`/v2/gn/pix/enviados?${period}`)).body,
        (await efi.get(`/v2/pix?${period}`)).body,
      ])
    expect((await efi.findSent('laggingsent')).status).toBe(404)
    expect((await efi.get(refundPath)).body.nome).toBe('devolucao_nao_encontrada')
    expect(await readLists()).not.toMatch(/laggingsent|laggingback/)
    expect((await efi.send('laggingsent', 'maria@example.com')).status).toBe(409)

    simulator.advanceClock(60)
    expect((await efi.findSent('laggingsent')).status).toBe(200)
    expect((await efi.get(refundPath)).status).toBe(200)
    expect(await readLists()).toMatch(/laggingsent.*laggingback/)
  })

  test('books_lag hides a sent payment and a refund of Woovi, and lists them later', async () => {
    const received = await simulator.control.deposit({ account: 'woovi', value: 5 })
    const lag = (operation: 'sendTransfer' | 'refund') =>
      simulator.control.addFault({
        provider: 'PROVIDER_B',
        fault: 'books_lag',
        operation,
        delay_ms: 60_000,
      })
    await lag('sendTransfer')
    await lag('refund')
    await woovi.orderPayment('laggingsent', 'maria@example.com', { autoApprove: true })
    const refund = { correlationID: 'laggingback', transactionEndToEndId: received.end_to_end, value: 100 }
    expect((await woovi.post('/refund', refund)).status).toBe(200)
    const readAll = async () => [
      (await woovi.get('/payment/laggingsent')).status === 200,
      (await woovi.get('/refund/laggingback')).status === 200,
      /laggingsent/.test(JSON.stringify((await woovi.get('/payment')).body)),
      /laggingback/.test(JSON.stringify((await woovi.get('/refund')).body)),
    ]
    expect(await readAll()).toEqual([false, false, false, false])

    simulator.advanceClock(60)
    expect(await readAll()).toEqual([true, true, true, true])
  })
})

describe('order_left', () => {
  const left = () =>
    simulator.control.addFault({ provider: 'PROVIDER_B', fault: 'order_left', operation: 'sendTransfer' })
  const order = (name: string) => woovi.orderPayment(name, 'maria@example.com', { autoApprove: true })

  test('refuses for balance, and the payment can be approved in the panel', async () => {
    const name = id()
    await left()
    expect((await order(name)).body).toEqual({
      error: 'You do not have enough balance to make this payment',
    })
    expect((await woovi.get(`/payment/${name}`)).body.payment.status).toBe('CREATED')
    const [shown] = await simulator.control.listOrders()
    expect(shown).toEqual({ id: name, account: 'woovi', value: 10, key: 'maria@example.com' })

    await simulator.control.approveOrder(name)
    await pollUntil(
      () => woovi.get(`/payment/${name}`),
      response => response.body.payment.status === 'CONFIRMED',
    )
    expect(await simulator.control.listOrders()).toEqual([])
    await expect(simulator.control.approveOrder(name)).rejects.toMatchObject({ status: 404 })
  })

  test('or removed there; a provider without stored payments has none', async () => {
    const name = id()
    await left()
    await order(name)
    await simulator.control.removeOrder(name)
    expect((await woovi.get(`/payment/${name}`)).status).toBe(400)

    await fault('order_left', 'sendTransfer')
    expect((await efi.send(name, 'maria@example.com')).body.nome).toBe('pagamento_negado')
    expect(await simulator.control.listOrders()).toEqual([])
  })
})
