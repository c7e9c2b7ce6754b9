import { createHmac, createVerify } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { openSimulatorFixture, pollUntil, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'
import {
  createWooviClient,
  readWooviNotifications,
  type WooviClient,
  wooviViolations,
} from './support/woovi-client.ts'

describe('woovi', () => {
  const settings = {
    ...SHOP,
    dialect: 'woovi' as const,
    balance: 10_000,
    notification_secret: 'a-key',
    keys: [...SHOP.keys],
  }
  let simulator: SimulatorFixture
  let woovi: WooviClient

  const openWooviClient = () =>
    createWooviClient(simulator.facts.providers.PROVIDER_A.base_url, { ca: simulator.ca, ...SHOP })
  beforeAll(async () => {
    simulator = await openSimulatorFixture()
    await simulator.control.putAccount('shop', settings)
    woovi = openWooviClient()
  })
  beforeEach(() => simulator.control.clearFaults())
  afterAll(async () => {
    await woovi.close()
    await simulator.close()
    expect(wooviViolations).toEqual([])
  })

  const paid = async (correlationID: string) => {
    const { body } = await woovi.createCharge(correlationID)
    return (await simulator.control.pay({ payload: body.brCode })).end_to_end
  }
  const waitForNotification = async (event: string, name = 'told') => {
    const all = await pollUntil(
      () => readWooviNotifications(simulator.control, name),
      messages => messages.some(({ notification }) => notification.event === event),
    )
    return all.find(({ notification }) => notification.event === event)!
  }

  test.each(['', 'Bearer x', Buffer.from('shop-id:wrong').toString('base64')])(
    'the AppID %p is refused',
    async appId => {
      const refusal = await woovi.call('GET', '/account', undefined, appId)
      expect([refusal.status, refusal.body]).toEqual([
        401,
        { data: null, errors: [{ message: 'appID inválido' }] },
      ])
    },
  )

  test('an account of one provider API cannot use the other', async () => {
    const efi = await simulator.createShop({ client_id: 'another-id', keys: ['outra@trilho.test'] })
    await simulator.control.putAccount('shop', settings)
    expect((await efi.authorize(`${SHOP.client_id}:${SHOP.client_secret}`)).status).toBe(401)
  })

  test('a charge is created once, found under both its ids, and its payload can be paid', async () => {
    const { status, body } = await woovi.createCharge('0b8e-9c1d')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      correlationID: '0b8e-9c1d',
      brCode: body.charge.brCode,
      charge: { correlationID: '0b8e-9c1d', value: 1234, status: 'ACTIVE', type: 'DYNAMIC', expiresIn: 3600 },
    })
    expect((await woovi.createCharge('0b8e-9c1d')).body).toEqual({
      error: 'Já existe uma cobrança com este Correlação ID',
    })
    const repeat = await woovi.post('/charge?return_existing=true', { correlationID: '0b8e-9c1d', value: 1 })
    expect(repeat.body).toEqual(body)
    expect((await woovi.get(`/charge/${body.charge.transactionID}`)).body).toEqual({ charge: body.charge })

    const { end_to_end } = await simulator.control.pay({ payload: body.brCode })
    expect((await woovi.get('/charge/0b8e-9c1d')).body.charge.status).toBe('COMPLETED')
    const { body: list } = await woovi.get('/transaction?charge=0b8e-9c1d')
    expect(list).toMatchObject({
      pageInfo: { skip: 0, hasNextPage: false, totalCount: 1 },
      transactions: [
        { endToEndId: end_to_end, value: 1234, type: 'PAYMENT', charge: { status: 'COMPLETED' } },
      ],
    })
  })

  test('a charge expires by time, is deleted only while unpaid, and its id stays used', async () => {
    await woovi.post('/charge', { correlationID: 'short', value: 100, expiresIn: 300 })
    simulator.advanceClock(301)
    expect((await woovi.get('/charge/short')).body.charge.status).toBe('EXPIRED')
    expect((await woovi.delete('/charge/short')).body).toEqual({ status: 'OK', id: 'short' })
    for (const gone of [await woovi.get('/charge/short'), await woovi.delete('/charge/short')])
      expect([gone.status, gone.body]).toEqual([400, { error: 'Cobrança não encontrada' }])
    expect((await woovi.createCharge('short')).status).toBe(400)
    await paid('paid')
    expect((await woovi.delete('/charge/paid')).body.error).toMatch(/paga/)
  })

  test.each([
    ['no value', '/charge', { correlationID: 'x' }],
    ['a value of zero', '/charge', { correlationID: 'x', value: 0 }],
    ['half a centavo', '/payment', { correlationID: 'x', value: 0.5 }],
    ['an unknown event', '/webhook', { webhook: { name: 'x', event: 'X', url: 'https://x.test' } }],
    ['an address without TLS', '/webhook', { webhook: { name: 'x', url: 'http://trilho.example' } }],
  ])('%s is refused, field by field', async (_name, path, body) => {
    const refusal = await woovi.post(path, body)
    expect([refusal.status, typeof refusal.body.errors[0].message]).toEqual([400, 'string'])
  })

  test('a body that is not JSON is refused', async () => {
    expect((await woovi.call('POST', '/charge', '{')).status).toBe(400)
  })

  test('a charge is refunded in parts, each under its id', async () => {
    const endToEnd = await paid('toback')
    const first = await woovi.post('/charge/toback/refund', {
      correlationID: 'back1',
      value: 1000,
      comment: 'Pedido 1042',
    })
    expect(first.body.refund).toMatchObject({ status: 'IN_PROCESSING', value: 1000, correlationID: 'back1' })
    const rest = await woovi.post('/refund', {
      correlationID: 'back2',
      transactionEndToEndId: endToEnd,
      value: 235,
    })
    expect(rest.body.error).toMatch(/maior/)
    expect((await woovi.post('/charge/toback/refund', { correlationID: 'back3' })).body.refund.value).toBe(
      234,
    )
    expect((await woovi.post('/charge/toback/refund', { correlationID: 'back1' })).body.error).toMatch(
      /Já existe/,
    )
    const { body } = await pollUntil(
      () => woovi.get('/charge/toback/refund'),
      response => response.body.refunds.every((one: { status: string }) => one.status === 'CONFIRMED'),
    )
    expect(body.refunds.map((one: { value: number }) => one.value)).toEqual([1000, 234])
    const returnIdentification = body.refunds[0].endToEndId
    // The fields of the example of "Get one refund" (OpenAPI).
    expect((await woovi.get('/refund/back1')).body.pixTransactionRefund).toEqual({
      value: 1000,
      correlationID: 'back1',
      comment: 'Pedido 1042',
      returnIdentification,
      refundId: expect.any(String),
    })
    expect((await woovi.get(`/transaction/${returnIdentification}`)).body.transaction).toMatchObject({
      type: 'REFUND',
      status: 'CONFIRMED',
      endToEndId: returnIdentification,
      value: 1000,
    })
    expect((await woovi.get('/refund/nobody')).body.error).toBe('Reembolso não encontrado')
  })

  test('notifications are sent to each webhook of their event, signed with the key of the account', async () => {
    const url = `${simulator.facts.inbox_url}/told`
    const events = [
      ...['OPENPIX:TRANSACTION_RECEIVED', 'OPENPIX:CHARGE_COMPLETED', 'OPENPIX:MOVEMENT_FAILED'],
      ...['PIX_TRANSACTION_REFUND_SENT_CONFIRMED', 'PIX_TRANSACTION_REFUND_RECEIVED_CONFIRMED'],
    ]
    for (const event of events) await woovi.createWebhook(event, url, { authorization: 'let-me-in' })
    await woovi.createWebhook('OPENPIX:MOVEMENT_CONFIRMED', `${url}-not`, { isActive: false })
    expect((await woovi.get(`/webhook?url=${encodeURIComponent(url)}`)).body.webhooks).toHaveLength(5)

    const endToEnd = await paid('telling')
    const { headers, body, notification } = await waitForNotification('OPENPIX:TRANSACTION_RECEIVED')
    expect(headers['x-openpix-signature']).toBe(createHmac('sha1', 'a-key').update(body).digest('base64'))
    const published = await woovi.get('/webhook/public-keys')
    const [{ key }] = published.body.public_keys
    const signature = String(headers['x-webhook-signature'])
    expect(createVerify('sha256').update(body).verify(key, signature, 'base64')).toBe(true)
    expect(createVerify('sha256').update(`${body} `).verify(key, signature, 'base64')).toBe(false)
    expect(headers.authorization).toBe('let-me-in')
    expect(notification).toMatchObject({
      charge: { correlationID: 'telling', status: 'COMPLETED' },
      pix: {
        endToEndId: endToEnd,
        value: 1234,
        payer: { taxID: { type: 'BR:CPF' } },
        raw: { endToEndId: endToEnd, txid: notification.charge.transactionID, valor: '12.34' },
      },
    })
    expect((await waitForNotification('OPENPIX:CHARGE_COMPLETED')).notification.charge.status).toBe(
      'COMPLETED',
    )

    await woovi.post('/refund', { correlationID: 'tell1', transactionEndToEndId: endToEnd, value: 34 })
    expect((await waitForNotification('PIX_TRANSACTION_REFUND_SENT_CONFIRMED')).notification).toMatchObject({
      refundTransaction: { value: 34, endToEndId: expect.stringMatching(/^D/) },
      originalTransaction: { endToEndId: endToEnd },
    })
    await woovi.orderPayment('tell2', 'ac03-later@sim.trilho.test', { autoApprove: true })
    expect((await waitForNotification('OPENPIX:MOVEMENT_FAILED')).notification).toMatchObject({
      payment: { correlationID: 'tell2', status: 'FAILED' },
      transaction: { providerRejectedReason: expect.stringMatching(/^AC03 - /) },
      error: { code: 'PAY_PIX_KEY_ERROR' },
    })
    const { body: sentPayment } = await woovi.orderPayment('tell3', 'returned@sim.trilho.test', {
      autoApprove: true,
    })
    expect(
      (await waitForNotification('PIX_TRANSACTION_REFUND_RECEIVED_CONFIRMED')).notification,
    ).toMatchObject({
      refundTransaction: { value: 1000 },
      originalTransaction: { endToEndId: sentPayment.transaction.endToEndId },
    })

    const { webhooks } = (await woovi.get('/webhook')).body
    for (const { id } of webhooks)
      expect((await woovi.delete(`/webhook/${id}`)).body).toEqual({ status: 'OK' })
    expect((await woovi.delete('/webhook/none')).status).toBe(400)
    expect((await simulator.control.listInbox('told-not')).length).toBe(0)
  })

  test('the account belongs to the application, and its lists have pages', async () => {
    const { balance } = await simulator.control.findAccount('shop')
    const { body } = await woovi.get('/account/')
    expect(body.accounts).toMatchObject([
      { accountId: 'shop', isDefault: true, balance: { available: Math.round(balance * 100), blocked: 0 } },
    ])
    expect((await woovi.get('/account/shop')).body.account).toEqual(body.accounts[0])
    const { body: page } = await woovi.get('/transaction?skip=1&limit=2')
    expect(page.transactions).toHaveLength(2)
    expect(page.pageInfo).toMatchObject({ skip: 1, limit: 2, hasPreviousPage: true, hasNextPage: true })
    const none = await woovi.get('/charge?start=2020-01-01T00:00:00Z&end=2020-01-02T00:00:00Z')
    expect(none.body.charges).toEqual([])
    expect((await woovi.get('/payment?start=yesterday')).status).toBe(400)
  })

  test('waiting payments and registered webhooks survive a restart', async () => {
    await woovi.orderPayment('survivor')
    await woovi.createWebhook('OPENPIX:MOVEMENT_CONFIRMED', `${simulator.facts.inbox_url}/after`)
    await woovi.close()
    await simulator.stop()
    simulator = await openSimulatorFixture({ home: simulator.home })
    woovi = openWooviClient()
    await woovi.delete(`/webhook/${(await woovi.get('/webhook')).body.webhooks[0].id}`)
    await woovi.createWebhook('OPENPIX:MOVEMENT_CONFIRMED', `${simulator.facts.inbox_url}/after`)
    await woovi.approvePayment('survivor')
    expect(JSON.parse((await waitForNotification('OPENPIX:MOVEMENT_CONFIRMED', 'after')).body)).toMatchObject(
      {
        payment: { correlationID: 'survivor' },
      },
    )
  })

  test('an account option shows the status of a refund in its look-up', async () => {
    await simulator.control.putAccount('shop', { ...settings, options: { shows_refund_status: true } })
    expect((await woovi.get('/refund/back1')).body.pixTransactionRefund).toMatchObject({ status: 'REFUNDED' })
    await simulator.control.putAccount('shop', settings)
  })

  test('a company’s accounts are listed together, and the default one pays unless another is named', async () => {
    const member = (id: string) => ({
      ...settings,
      client_id: id,
      keys: [],
      balance: 100,
      options: { company: 'Two accounts' },
    })
    for (const id of ['first', 'second']) await simulator.control.putAccount(id, member(id))
    const { base_url } = simulator.facts.providers.PROVIDER_A
    const second = createWooviClient(base_url, { ca: simulator.ca, ...member('second') })
    const accounts = (await second.get('/account')).body.accounts
    expect(accounts).toMatchObject([
      { accountId: 'first', isDefault: true },
      { accountId: 'second', isDefault: false },
    ])
    expect((await second.get('/pix-keys')).body.account.accountId).toBe('second')
    const named = { autoApprove: true, sourceAccountId: 'second' }
    expect((await second.orderPayment('named', 'maria@example.com', named)).status).toBe(200)
    const payment = (await second.orderPayment('unnamed', 'maria@example.com', { autoApprove: true })).body
      .payment
    expect(payment.sourceAccountId).toBe('first')
    expect((await second.get('/payment/unnamed')).body.payment.sourceAccountId).toBe('first')
    const foreign = await second.orderPayment('foreign', 'maria@example.com', { sourceAccountId: 'shop' })
    expect([foreign.status, foreign.body]).toEqual([400, { error: 'Account ID is invalid' }])
    await second.close()
  })
})

describe('woovi transfers', () => {
  let simulator: SimulatorFixture
  let woovi: WooviClient
  beforeAll(async () => {
    simulator = await openSimulatorFixture()
    await simulator.control.putAccount('shop', {
      ...SHOP,
      keys: [...SHOP.keys],
      dialect: 'woovi',
      balance: 10_000,
    })
    woovi = createWooviClient(simulator.facts.providers.PROVIDER_A.base_url, { ca: simulator.ca, ...SHOP })
  })
  afterAll(async () => {
    await woovi.close()
    await simulator.close()
  })

  const waitForEnd = (id: string) =>
    pollUntil(
      () => woovi.get(`/payment/${id}`),
      response => response.body.payment?.status !== 'APPROVED',
    )
  test('a payment waits until it is approved, and moves nothing before', async () => {
    const accountBefore = await simulator.control.findAccount('shop')
    expect((await woovi.orderPayment('wait')).body.payment).toMatchObject({ status: 'CREATED', value: 1000 })
    expect((await woovi.get('/payment/wait')).body).toEqual({
      payment: expect.objectContaining({ status: 'CREATED' }),
    })
    expect((await woovi.orderPayment('wait')).body.error).toMatch(/^Já existe um pagamento/)
    expect(await simulator.control.findAccount('shop')).toEqual(accountBefore)

    const { body } = await woovi.approvePayment('wait')
    expect(body).toMatchObject({ payment: { status: 'APPROVED' }, transaction: { value: 1000 } })
    expect((await waitForEnd('wait')).body).toMatchObject({
      payment: { status: 'CONFIRMED' },
      destination: { name: 'Favorecido de Teste', taxID: '52998224725' },
    })
    expect((await woovi.approvePayment('wait')).body.error).toMatch(/aprovação/)
    expect((await woovi.approvePayment('nobody')).body.error).toBe('Pagamento não encontrado')
    expect((await woovi.orderPayment('wait')).status).toBe(400)
  })

  test('an approval without balance leaves it waiting; one that the rail refuses ends it', async () => {
    await woovi.orderPayment('poor', undefined, { value: 99_000_000 })
    expect((await woovi.approvePayment('poor')).body).toEqual({
      error: 'Você não possui saldo o suficiente para realizar esse pagamento',
    })
    await woovi.orderPayment('refused', 'ac03@sim.trilho.test')
    const failed = {
      payment: { status: 'FAILED' },
      transaction: { providerErrorCode: 'AC03', providerRejectedReason: expect.stringMatching(/^AC03 - /) },
    }
    expect((await woovi.approvePayment('refused')).body).toMatchObject(failed)
    expect((await woovi.get('/payment/refused')).body).toMatchObject(failed)
    expect((await woovi.get('/payment/poor')).body.payment.status).toBe('CREATED')
  })

  test('timeout-then-done@ does not answer the approval', async () => {
    await woovi.orderPayment('silent', 'timeout-then-done@sim.trilho.test')
    await expect(woovi.approvePayment('silent')).rejects.toThrow()
    expect((await waitForEnd('silent')).body.payment.status).toBe('CONFIRMED')
  })

  test('a key of another type than stated is refused', async () => {
    const refusal = await woovi.orderPayment('alias', '52998224725')
    expect(refusal.body).toEqual({ error: 'Chave Pix inválida' })
  })

  test('a payment to a key of the paying account itself fails', async () => {
    const [shopKey] = SHOP.keys
    const failed = { payment: { status: 'FAILED' }, error: { code: 'SAME_ACCOUNT_TRANSFER' } }
    expect((await woovi.orderPayment('own', shopKey, { autoApprove: true })).body).toMatchObject(failed)
    await woovi.orderPayment('own-later', shopKey)
    expect((await woovi.approvePayment('own-later')).body).toMatchObject(failed)
  })
})
