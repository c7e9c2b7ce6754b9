import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { openSimulatorFixture, pollUntil, type SimulatorFixture } from './support/simulator-fixture.ts'
import { createStarkClient, putStarkShop, type StarkClient } from './support/stark-client.ts'

/** The simulator's faults at Stark Bank's API, and transfers that wait for a person in its web banking. */

let simulator: SimulatorFixture
let stark: StarkClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  await putStarkShop(simulator.control)
  stark = createStarkClient(simulator.facts.providers.PROVIDER_A.base_url, simulator.ca)
})
afterEach(async () => void (await simulator.control.clearFaults()))
afterAll(async () => {
  await stark.close()
  await simulator.close()
})

type Fault = Parameters<SimulatorFixture['control']['addFault']>[0]
const fault = (kind: Fault['fault'], operation: NonNullable<Fault['operation']>, more: Partial<Fault> = {}) =>
  simulator.control.addFault({ provider: 'PROVIDER_A', fault: kind, operation, ...more })

const statusOf = async (id: string) => (await stark.get(`/verified-account/${id}`)).body.account.status
const verify = async () => {
  const { id } = await stark.verifyKey()
  await pollUntil(
    () => statusOf(id),
    status => status === 'active',
  )
  return id as string
}
let count = 0
const send = async (more: object = {}) => {
  const externalId = `fault-${++count}`
  const response = await stark.send(await verify(), { externalId, tags: [externalId], ...more })
  const find = async () => (await stark.get(`/transfer?tags=${externalId}`)).body.transfers
  return { externalId, response, find, id: response.body?.transfers?.[0]?.id as string }
}
const waitForStatus = (id: string, status: string) =>
  pollUntil(
    () => stark.get(`/transfer/${id}`),
    ({ body }) => body.transfer.status === status,
  )
const payCode = async (cents: number) => {
  const brcode = await stark.createBrcode(cents)
  await simulator.control.pay({ payload: brcode.id })
  return brcode
}

describe('preparing a transfer', () => {
  test('a verified account is slow: it stays processing, and a look-up leaves the fault for it', async () => {
    await fault('accepted_then_silent', 'prepareTransfer', { delay_ms: 300 })
    expect((await stark.get('/dict-key/maria@example.com')).status).toBe(200)
    const id = await simulator.whileClockIsStopped(async () => {
      const { id } = await stark.verifyKey()
      simulator.advanceClock(0.29)
      expect(await statusOf(id)).toBe('processing')
      expect((await stark.send(id)).body.errors[0].code).toBe('invalidAccountId')
      return id
    })
    expect(
      await pollUntil(
        () => statusOf(id),
        status => status !== 'processing',
      ),
    ).toBe('active')
  })

  test('a verified account fails after it was accepted', async () => {
    await fault('accepted_then_rejected', 'prepareTransfer')
    const { id } = await stark.verifyKey()
    expect(
      await pollUntil(
        () => statusOf(id),
        status => status !== 'processing',
      ),
    ).toBe('failed')
  })

  test.each([
    ['refused', 400],
    ['http_429', 429],
    ['http_500', 500],
    ['unknown_route', 404],
  ] as const)('%s applies to the look-up of a key as well', async (kind, status) => {
    await fault(kind, 'prepareTransfer')
    const { status: answered, body } = await stark.get('/dict-key/maria@example.com')
    expect([answered, typeof body.errors[0].code]).toEqual([status, 'string'])
    expect((await stark.get('/dict-key/maria@example.com')).status).toBe(200)
  })
})

describe('sending a transfer', () => {
  test('timeout_then_done, and timeout_then_absent', async () => {
    await fault('timeout_then_done', 'sendTransfer', { delay_ms: 10 })
    const done = await verify()
    await expect(stark.send(done, { externalId: 'lost', tags: ['lost'] })).rejects.toThrow()
    const [transfer] = (await stark.get('/transfer?tags=lost')).body.transfers
    await waitForStatus(transfer.id, 'success')
    expect((await stark.send(done, { externalId: 'lost' })).body.errors[0].code).toBe('duplicatedExternalId')

    await fault('timeout_then_absent', 'sendTransfer', { delay_ms: 10 })
    await expect(stark.send(done, { externalId: 'absent', tags: ['absent'] })).rejects.toThrow()
    expect((await stark.get('/transfer?tags=absent')).body.transfers).toEqual([])
  })

  test('a magic recipient withholds the answer of the first order only', async () => {
    const { id } = await stark.verifyKey('timeout-then-done@sim.trilho.test')
    await pollUntil(
      () => statusOf(id),
      status => status === 'active',
    )
    const order = { externalId: 'magic', tags: ['magic'] }
    await expect(stark.send(id, order)).rejects.toThrow()
    expect((await stark.get('/transfer?tags=magic')).body.transfers).toHaveLength(1)
    expect((await stark.send(id, order)).status).toBe(400)
  })

  test('accepted_then_silent settles later; accepted_then_rejected fails', async () => {
    await fault('accepted_then_silent', 'sendTransfer', { delay_ms: 300 })
    const accountId = await verify()
    const order = { externalId: 'silent', tags: ['silent'] }
    const id = await simulator.whileClockIsStopped(async () => {
      const { transfers } = (await stark.send(accountId, order)).body
      expect((await stark.get('/transfer?tags=silent')).body.transfers).toMatchObject([
        { id: transfers[0].id, status: 'processing' },
      ])
      return transfers[0].id as string
    })
    await fault('accepted_then_rejected', 'sendTransfer')
    const rejected = await send()
    await waitForStatus(rejected.id, 'failed')
    await waitForStatus(id, 'success')
  })

  test('done_then_unlisted_refusal carries it out; unlisted_refusal and broken_body do what they say', async () => {
    await fault('done_then_unlisted_refusal', 'sendTransfer')
    const done = await send()
    expect(done.response.status).toBeGreaterThanOrEqual(400)
    expect(await done.find()).toHaveLength(1)
    await fault('unlisted_refusal', 'sendTransfer')
    expect(await (await send()).find()).toEqual([])
    await fault('broken_body', 'sendTransfer')
    const accountId = await verify()
    await expect(stark.send(accountId, { externalId: 'broken', tags: ['broken'] })).rejects.toThrow(/JSON/)
    expect((await stark.get('/transfer?tags=broken')).body.transfers).toHaveLength(1)
  })

  test('every unlisted refusal is a 4xx of its own', async () => {
    await fault('unlisted_refusal', 'balances', { times: 10 })
    const answers = []
    for (let i = 0; i < 10; i++) answers.push(await stark.get('/balance'))
    expect(answers.every(({ status }) => status >= 400 && status < 500)).toBe(true)
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(10)
  })

  test('a transfer waits for a person, who approves it', async () => {
    await fault('order_left', 'sendTransfer')
    const { externalId, find, id } = await send()
    expect(await find()).toMatchObject([{ id, status: 'created', transactionIds: [] }])
    expect(await simulator.control.listOrders()).toMatchObject([
      { id: externalId, account: 'shop', value: 10 },
    ])
    await simulator.control.approveOrder(externalId)
    await waitForStatus(id, 'success')
    await expect(simulator.control.approveOrder(externalId)).rejects.toMatchObject({ status: 404 })
  })

  test('a transfer waits and is canceled: in the web banking, by the API, and by a fault', async () => {
    const url = `${simulator.facts.inbox_url}/canceled`
    const webhook = (await stark.post('/webhook', { url, subscriptions: ['transfer'] })).body.webhook
    await fault('order_left', 'sendTransfer', { times: 2 })
    const [first, second] = [await send(), await send()]
    await simulator.control.removeOrder(first.externalId)
    expect((await stark.delete(`/transfer/${second.id}`)).body.transfer.status).toBe('canceled')
    await fault('order_removed', 'sendTransfer', { delay_ms: 30 })
    const third = await send()
    for (const { id } of [first, second, third]) await waitForStatus(id, 'canceled')
    expect((await stark.send(await verify(), { externalId: first.externalId })).body.errors[0].code).toBe(
      'duplicatedExternalId',
    )
    const messages = await pollUntil(
      () => simulator.control.listInbox('canceled'),
      all => all.length === 3,
    )
    for (const { body } of messages)
      expect(JSON.parse(body).event).toMatchObject({
        subscription: 'transfer',
        log: { type: 'canceled', transfer: { status: 'canceled' } },
      })
    await stark.delete(`/webhook/${webhook.id}`)
  })

  test('accepted_then_reported_removed notifies a cancellation of a transfer that settles', async () => {
    const url = `${simulator.facts.inbox_url}/reported`
    const webhook = (await stark.post('/webhook', { url, subscriptions: ['transfer'] })).body.webhook
    await fault('accepted_then_reported_removed', 'sendTransfer', { delay_ms: 50 })
    const { id } = await send()
    await waitForStatus(id, 'success')
    const [message] = await pollUntil(
      () => simulator.control.listInbox('reported'),
      all => all.length > 0,
    )
    expect(JSON.parse(message!.body).event.log).toMatchObject({ type: 'canceled', transfer: { id } })
    await stark.delete(`/webhook/${webhook.id}`)
  })
})

describe('refunds', () => {
  test('a reversal that is rejected gives its amount back to the deposit, by a debit and its chargeback', async () => {
    const brcode = await payCode(1000)
    const { id } = await stark.findDeposit(brcode)
    await fault('accepted_then_rejected', 'refund')
    expect((await stark.patch(`/deposit/${id}`, { amount: 300 })).body.deposit.amount).toBe(300)
    const deposit = await pollUntil(
      () => stark.findDeposit(brcode),
      ({ amount }) => amount === 1000,
    )
    const { transactions } = (await stark.get(`/transaction?ids=${deposit.transactionIds.join()}`)).body
    expect(transactions.map(({ amount, source }: Record<string, unknown>) => [amount, source])).toEqual([
      [700, `deposit/${id}/chargeback`],
      [-700, `deposit/${id}/reversal`],
      [1000, `deposit/${id}`],
    ])
    expect(transactions[0].balance).toBe(transactions[2].balance)
    expect((await stark.get('/balance')).body.balances[0].amount).toBe(transactions[0].balance)
    expect((await stark.patch(`/deposit/${id}`, { amount: 300 })).status).toBe(200)
    await pollUntil(
      () => stark.findDeposit(brcode),
      ({ transactionIds }) => transactionIds.length === 4,
    )
    const { logs } = (await stark.get(`/deposit/log?depositIds=${id}&types=failed`)).body
    expect(logs).toMatchObject([{ errors: ['AB03'], deposit: { amount: 1000 } }])
  })

  test('a fault of refund applies to the reversal of a paid invoice, and not to canceling another', async () => {
    const [paid, open] = [await stark.createInvoice(500), await stark.createInvoice(500)]
    await simulator.control.pay({ payload: paid.brcode })
    await fault('http_500', 'refund')
    expect((await stark.patch(`/invoice/${open.id}`, { status: 'canceled' })).status).toBe(200)
    expect((await stark.patch(`/invoice/${paid.id}`, { amount: 100 })).status).toBe(500)
    expect((await stark.patch(`/invoice/${paid.id}`, { amount: 100 })).status).toBe(200)
  })

  test.each(['prepareRefund', 'findPayment', 'findRefund'] as const)(
    'the look-up of a deposit has the faults of %s',
    async operation => {
      const { id } = await stark.findDeposit(await payCode(100))
      await fault('http_500', operation)
      expect((await stark.get(`/deposit/${id}`)).body.errors[0].code).toBe('internalServerError')
      expect((await stark.get(`/deposit/${id}`)).status).toBe(200)
    },
  )

  test('books_lag: a look-up shows the amount before the reversal, and a repeat reverses nothing more', async () => {
    const brcode = await payCode(900)
    const { id } = await stark.findDeposit(brcode)
    await fault('books_lag', 'refund', { delay_ms: 200 })
    await simulator.whileClockIsStopped(async () => {
      await stark.patch(`/deposit/${id}`, { amount: 500 })
      expect((await stark.findDeposit(brcode)).amount).toBe(900)
      expect((await stark.patch(`/deposit/${id}`, { amount: 500 })).body.errors[0].code).toBe('invalidAmount')
    })
    await pollUntil(
      () => stark.findDeposit(brcode),
      ({ amount }) => amount === 500,
    )
  })
})

describe('lists and notifications', () => {
  test('books_lag of a payment', async () => {
    await fault('books_lag', 'findPayment', { delay_ms: 200 })
    const brcode = await simulator.whileClockIsStopped(async () => {
      const unlisted = await payCode(700)
      expect(await stark.findDeposit(unlisted)).toBeUndefined()
      return unlisted
    })
    expect(await pollUntil(() => stark.findDeposit(brcode), Boolean)).toMatchObject({ amount: 700 })
  })

  test('page_cap and odd_item', async () => {
    for (let i = 0; i < 3; i++) await payCode(10)
    await fault('page_cap', 'statement', { page_size: 2 })
    const { deposits, cursor } = (await stark.get('/deposit')).body
    expect([deposits.length, typeof cursor]).toEqual([2, 'string'])
    await fault('odd_item', 'statement')
    const { transactions } = (await stark.get('/transaction?limit=2')).body
    expect(transactions).toHaveLength(3)
    expect(await simulator.control.listServedFaults()).toContainEqual(
      expect.objectContaining({ fault: 'odd_item', operation: 'statement', item_id: transactions[2].id }),
    )
  })

  test('an unlisted status of a transfer, and an unlisted origin of a movement', async () => {
    const { id } = await send()
    await waitForStatus(id, 'success')
    await fault('unlisted_status', 'findTransfer')
    expect((await stark.get(`/transfer/${id}`)).body.transfer.status).toBe('SOB_REVISAO_INTERNA')
    await fault('unlisted_type', 'statement')
    const { transactions } = (await stark.get('/transaction?limit=1')).body
    expect(transactions[0].source).toBe('INTERNAL_DEBIT/1')
  })

  test('the list by tags has the faults of the look-up; the whole list those of the statement', async () => {
    await fault('http_500', 'statement')
    expect((await stark.get('/transfer?tags=x')).status).toBe(200)
    expect((await stark.get('/transfer')).status).toBe(500)
    await fault('http_500', 'findTransfer')
    expect((await stark.get('/transfer')).status).toBe(200)
    expect((await stark.get('/transfer?tags=x')).status).toBe(500)
  })

  test('an event is lost, duplicated and silent', async () => {
    const url = `${simulator.facts.inbox_url}/events`
    await stark.post('/webhook', { url, subscriptions: ['deposit'] })
    await fault('notification_lost', 'issueCharge')
    await payCode(11)
    await fault('notification_duplicated', 'issueCharge')
    await payCode(12)
    await fault('accepted_then_silent', 'issueCharge')
    await payCode(13)
    await payCode(14)
    const messages = await pollUntil(
      () => simulator.control.listInbox('events'),
      all => all.length === 3,
    )
    const amounts = messages.map(({ body }) => JSON.parse(body).event.log.deposit.amount)
    expect(amounts.toSorted()).toEqual([12, 12, 14])
  })

  test('a charge is removed by the bank after it was issued', async () => {
    await fault('accepted_then_rejected', 'issueCharge')
    const invoice = await stark.createInvoice(100)
    expect(invoice.status).toBe('created')
    expect((await stark.get(`/invoice/${invoice.id}`)).body.invoice.status).toBe('canceled')
    expect((await simulator.control.listCharges()).at(-1)).toMatchObject({
      reference: 'invoice1',
      status: 'removed_by_provider',
    })
  })
})

test('the bank’s key and a transfer’s externalId outlive a restart', async () => {
  const before = (await stark.get('/public-key')).body
  expect(before.publicKeys[0].content).toContain('BEGIN PUBLIC KEY')
  const { externalId } = await send()
  await simulator.stop()
  simulator = await openSimulatorFixture({ home: simulator.home })
  await stark.close()
  stark = createStarkClient(simulator.facts.providers.PROVIDER_A.base_url, simulator.ca)
  expect((await stark.get('/public-key')).body).toEqual(before)
  expect((await stark.send(await verify(), { externalId })).body.errors[0].code).toBe('duplicatedExternalId')
})
