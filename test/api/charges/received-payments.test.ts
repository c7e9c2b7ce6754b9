import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { deriveOperationUuid } from '../../../src/api/operations/idempotency.ts'
import { readEventBodies } from '../../support/event-bodies.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openSharedTestStack, type TestStack } from '../support/test-stack.ts'

/** Incoming money: on time, late, twice, of a wrong amount, unexpected, and notified correctly, wrongly or not at all. */

let stack: TestStack
let expiring: Expiring
beforeAll(async () => {
  stack = await openSharedTestStack()
  expiring = await chargesThatExpire()
})
afterAll(() => stack.close())

type Shown = { status: string; history: { status: string }[]; [field: string]: unknown }
const isPaid = (charge: Shown) => charge.status === 'PAID'
const steps = (charge: Shown) => charge.history.map(entry => entry.status)

/** A notification as the provider of a connection would send it. */
function sendNotification(
  { connection }: Pick<Merchant, 'connection'>,
  items: { endToEndId?: string; txid?: string; devolucoes?: { id: string }[] }[],
  secret: string = connection.credentials.notification_secret,
) {
  const path = `/provider-notifications/${connection.uuid}/${secret}/pix`
  return stack.api.withToken(undefined).post(path, { pix: items })
}

function referenceOf({ uuid }: { uuid: string }): string {
  return uuid.replaceAll('-', '')
}

type Row = {
  end_to_end: string
  movement_type: string
  type: string
  status: string
  reason: string | null
  disposition: string | null
  cents: string
}
function movements({ uuid }: { uuid: string }): Promise<Row[]> {
  return stack.sql<Row>(
    `select end_to_end, movement_type, type, status, reason, disposition, value_cents as cents from movement
     where account_uuid = ? order by created_at, type`,
    [uuid],
  )
}

/** The PIX events of an account, as they were delivered. */
const pixEvents = ({ uuid }: { uuid: string }) =>
  readEventBodies(stack.sql, `account_uuid = ? and type = 'PIX_TRANSACTION'`, [uuid])

const paymentEvents = (charge: { uuid: string }) =>
  readEventBodies<Shown>(stack.sql, `subject_uuid = ? and type = 'PAYMENT'`, [charge.uuid])

/** Waits until an unmatched payment was returned to its payer once, and answers the rail's record of it. */
async function returned(merchant: Merchant, endToEnd: string) {
  await pollUntil(
    () => movements(merchant),
    rows => rows.some(row => row.end_to_end === endToEnd && row.disposition === 'returned'),
  )
  const lines = await stack.simulator.listStatement(merchant.connection.provider)
  const back = lines.filter(line => line.original_end_to_end === endToEnd)
  expect(back).toMatchObject([{ kind: 'refund', account: merchant.connection.account }])
  return back[0]!
}

test('a second payment is set aside, reported and returned once; the charge does not change', async () => {
  const merchant = await stack.createMerchant()
  const charge = await merchant.api.createCharge()
  await stack.simulator.pay({ payload: charge.payment.payload })
  const paid = await pollUntil(() => merchant.api.readCharge(charge.uuid), isPaid)

  const payer = { name: 'Carlos Lima', document: '52998224725' }
  const second = await stack.simulator.pay({ payload: charge.payment.payload, payer, force: true })
  const back = await returned(merchant, second.end_to_end)
  expect(back.value).toBe(10)
  expect(await merchant.api.readCharge(charge.uuid)).toEqual(paid)

  const [, aside, out] = await pixEvents(merchant)
  expect(aside).toMatchObject({
    reason: 'second_payment',
    movement_type: 'IN',
    type: 'EXTERNAL_TRANSFER',
    status: 'SETTLED',
    end_to_end: second.end_to_end,
    charge_uuid: charge.uuid,
    initiation: { sender: payer },
    sequence: 1,
  })
  expect(out).toMatchObject({
    movement_type: 'OUT',
    type: 'EXTERNAL_REFUND',
    status: 'SETTLED',
    end_to_end: back.end_to_end,
    original_uuid: aside!.uuid,
    initiation: { type: 'REFUND', receiver: payer },
  })
  expect(await paymentEvents(charge)).toHaveLength(1)
  expect(await stack.readBalances(merchant.uuid, merchant.connection.providerAccountUuid)).toEqual({
    available: 1_000,
    outside: -1_000,
  })
  await stack.waitUntilLedgerAgrees(merchant)
})

test.each([0.01, 9.99, 10.01])(
  'a payment of %d for a charge of 10 is returned, and the right amount still pays',
  async value => {
    const merchant = await stack.createMerchant()
    const { uuid, payment } = await merchant.api.createCharge()
    const wrong = await stack.simulator.pay({ payload: payment.payload, value })
    await returned(merchant, wrong.end_to_end)
    expect((await pixEvents(merchant))[0]).toMatchObject({ reason: 'wrong_amount', value })
    expect(await merchant.api.readCharge(uuid)).toMatchObject({
      status: 'PENDING',
      payment: { pix: { transaction: null } },
    })

    const { end_to_end } = await stack.simulator.pay({ payload: payment.payload })
    const charge = await pollUntil(() => merchant.api.readCharge(uuid), isPaid)
    expect(charge.payment.pix.transaction.end_to_end).toBe(end_to_end)
    expect(steps(charge)).toEqual(['PENDING', 'PROCESSING', 'PAID'])
    await stack.waitUntilLedgerAgrees(merchant)
  },
)

test('an account that keeps unmatched payments is credited with them', async () => {
  const merchant = await stack.createMerchant({ unmatchedPolicy: 'keep' })
  const { payment } = await merchant.api.createCharge()
  await stack.simulator.pay({ payload: payment.payload, value: 3 })
  await pollUntil(
    () => movements(merchant),
    rows => rows.length > 0,
  )
  expect(await movements(merchant)).toMatchObject([
    { reason: 'wrong_amount', disposition: 'kept', cents: '300' },
  ])
  expect(await stack.readBalances(merchant.uuid, merchant.connection.providerAccountUuid)).toEqual({
    available: 300,
    outside: -300,
  })
  await stack.waitUntilLedgerAgrees(merchant)
})

test('a PIX without a charge is a deposit and is never returned', async () => {
  const merchant = await stack.createMerchant()
  const { account } = merchant.connection
  const plain = await stack.simulator.deposit({ account, value: 12.34 })
  const named = await stack.simulator.deposit({ account, value: 5, txid: 'mesa7' })
  const events = await pollUntil(
    () => pixEvents(merchant),
    all => all.length === 2,
  )
  expect(events.map(event => [event.reason, event.end_to_end]).sort()).toEqual(
    [
      ['deposit', plain.end_to_end],
      ['deposit', named.end_to_end],
    ].sort(),
  )
  expect(await movements(merchant)).toMatchObject([{ disposition: null }, { disposition: null }])
  expect(await stack.readBalances(merchant.uuid, merchant.connection.providerAccountUuid)).toEqual({
    available: 1_734,
    outside: -1_734,
  })
  await stack.waitUntilLedgerAgrees(merchant)
})

test('a payment whose notification names no charge pays the charge that the provider’s lookup names', async () => {
  const merchant = await stack.createMerchant({ providers: [{ sendsNotifications: false }] })
  const charge = await merchant.api.createCharge()
  const { end_to_end } = await stack.simulator.pay({ payload: charge.payment.payload })
  await sendNotification(merchant, [{ endToEndId: end_to_end }])
  await pollUntil(() => merchant.api.readCharge(charge.uuid), isPaid)
  expect(await movements(merchant)).toMatchObject([{ end_to_end, reason: null }])
  await stack.waitUntilLedgerAgrees(merchant)
})

test('a PIX that names an unknown charge becomes a deposit after a while', async () => {
  const merchant = await stack.createMerchant()
  const { account } = merchant.connection
  await stack.simulator.deposit({ account, value: 7, txid: referenceOf({ uuid: randomUUID() }) })
  await pollUntil(
    () => pixEvents(merchant),
    all => all.length === 1,
  )
  expect(await movements(merchant)).toMatchObject([{ reason: 'deposit', cents: '700' }])
  await stack.waitUntilLedgerAgrees(merchant)
})

test('a PIX that names another account’s charge is a deposit where it arrived, and does not pay the charge', async () => {
  const [theirs, ours] = [await stack.createMerchant(), await stack.createMerchant()]
  const charge = await theirs.api.createCharge()
  await stack.simulator.deposit({ account: ours.connection.account, value: 10, txid: referenceOf(charge) })
  await pollUntil(
    () => movements(ours),
    rows => rows.length === 1,
  )
  expect(await movements(ours)).toMatchObject([{ reason: 'deposit', cents: '1000' }])
  expect((await theirs.api.readCharge(charge.uuid)).status).toBe('PENDING')
  await stack.waitUntilLedgerAgrees(theirs)
  await stack.waitUntilLedgerAgrees(ours)
})

test('a cancelled charge whose payload is paid nevertheless becomes PAID and late', async () => {
  const merchant = await stack.createMerchant()
  const charge = await merchant.api.createCharge()
  await merchant.api.carryOut('POST', `/api/v1/payments/${charge.uuid}/cancel`)
  await stack.simulator.pay({ payload: charge.payment.payload, force: true })
  const paid = await pollUntil(() => merchant.api.readCharge(charge.uuid), isPaid)
  expect(steps(paid)).toEqual(['PENDING', 'CANCELLED', 'PROCESSING', 'PAID'])
  expect(await paymentEvents(charge)).toMatchObject([
    { status: 'CANCELLED', sequence: 1 },
    { status: 'PAID', sequence: 2, late: true },
  ])
  await stack.waitUntilLedgerAgrees(merchant)
})

test('ten concurrent copies of a notification credit the payment once', async () => {
  const merchant = await stack.createMerchant({ providers: [{ sendsNotifications: false }] })
  const charge = await merchant.api.createCharge()
  const { end_to_end } = await stack.simulator.pay({ payload: charge.payment.payload })
  const item = { endToEndId: end_to_end, txid: referenceOf(charge) }
  const all = Array.from({ length: 10 }, (_, index) =>
    sendNotification(merchant, [{ ...item, ...(index % 2 && { n: index }) }]),
  )
  for (const answer of await Promise.all(all)) expect(answer.status).toBe(200)
  const paid = await pollUntil(() => merchant.api.readCharge(charge.uuid), isPaid)
  await sendNotification(merchant, [item, item])
  await sendNotification(merchant, [{ ...item, devolucoes: [{ id: 'unknown' }] }])
  expect(await movements(merchant)).toHaveLength(1)
  expect(await merchant.api.readCharge(charge.uuid)).toEqual(paid)
  await stack.waitUntilLedgerAgrees(merchant)
})

test('notifications out of order change nothing: the provider’s lookup decides which payment was first', async () => {
  const merchant = await stack.createMerchant({ providers: [{ sendsNotifications: false }] })
  const charge = await merchant.api.createCharge()
  const first = await stack.simulator.pay({ payload: charge.payment.payload })
  const second = await stack.simulator.pay({ payload: charge.payment.payload, force: true })
  for (const { end_to_end } of [second, first])
    expect(
      (await sendNotification(merchant, [{ endToEndId: end_to_end, txid: referenceOf(charge) }])).status,
    ).toBe(200)
  const paid = await pollUntil(() => merchant.api.readCharge(charge.uuid), isPaid)
  expect(paid.payment.pix.transaction.end_to_end).toBe(first.end_to_end)
  await returned(merchant, second.end_to_end)
  await stack.waitUntilLedgerAgrees(merchant)
})

test('a notification only triggers a lookup: forged, invented and foreign ones change nothing', async () => {
  const [merchant, other] = [await stack.createMerchant(), await stack.createMerchant()]
  const charge = await merchant.api.createCharge()
  const endToEndId = `E99999004${'2026010112'}00${'x'.repeat(11)}`
  const item = { endToEndId, txid: referenceOf(charge) }

  expect((await sendNotification(merchant, [item], 'invalid')).status).toBe(401)
  expect(
    (await sendNotification(merchant, [item], `${merchant.connection.credentials.notification_secret}x`))
      .status,
  ).toBe(401)
  const unknownMerchant = { connection: { ...merchant.connection, uuid: randomUUID() } }
  expect((await sendNotification(unknownMerchant, [item])).status).toBe(404)
  const anonymous = stack.api.withToken(undefined)
  expect(
    (await anonymous.post(`/provider-notifications/${merchant.connection.uuid}`, { pix: [item] })).status,
  ).toBe(401)
  const path = `/provider-notifications/${merchant.connection.uuid}/${merchant.connection.credentials.notification_secret}`
  expect((await anonymous.post(path, undefined, { raw: '{"pix": 1}' })).status).toBe(400)
  expect((await anonymous.post(path, { evento: 'teste_webhook' })).status).toBe(200)
  // As its provider tests the address when it is registered.
  for (const probed of [path, `${path}/pix`]) {
    expect((await anonymous.post(probed, undefined, { raw: '' })).status).toBe(200)
    expect((await anonymous.get(probed)).status).toBe(200)
  }
  expect((await anonymous.get(`/provider-notifications/${merchant.connection.uuid}/wrong`)).status).toBe(401)

  // Correctly signed and false: the provider has no such payment.
  expect((await sendNotification(merchant, [item])).status).toBe(200)
  expect((await sendNotification(merchant, [{ endToEndId: endToEndId.replace('x', 'y') }])).status).toBe(200)
  expect((await sendNotification(other, [item])).status).toBe(200)
  // All of them are polled before the charge's own payment is.
  const { end_to_end } = await stack.simulator.pay({ payload: charge.payment.payload })
  const paid = await pollUntil(() => merchant.api.readCharge(charge.uuid), isPaid)
  expect(paid.payment.pix.transaction.end_to_end).toBe(end_to_end)
  expect(await movements(merchant)).toHaveLength(1)
  expect(await movements(other)).toEqual([])
  await stack.waitUntilLedgerAgrees(merchant)
  await stack.waitUntilLedgerAgrees(other)
})

test('a notification that precedes its charge is kept until the charge exists', async () => {
  const merchant = await stack.createMerchant({ providers: [{ sendsNotifications: false }] })
  const key = randomUUID()
  const by = { accountUuid: merchant.uuid, mode: 'test' } as const
  const uuid = deriveOperationUuid({ owner: by, method: 'POST', path: '/api/v1/payments', key })
  expect((await sendNotification(merchant, [{ txid: referenceOf({ uuid }) }])).status).toBe(200)
  const outcomes = () =>
    stack.sql<{ outcome: string | null }>(
      'select outcome from provider_notification where connection_uuid = ?',
      [merchant.connection.uuid],
    )
  expect(await outcomes()).toEqual([{ outcome: null }])
  const charge = await merchant.api.createCharge({}, { key })
  expect(charge.uuid).toBe(uuid)
  await pollUntil(outcomes, ([row]) => row?.outcome === 'routed')
  const { end_to_end } = await stack.simulator.pay({ payload: charge.payment.payload })
  await sendNotification(merchant, [{ endToEndId: end_to_end, txid: referenceOf({ uuid }) }])
  await pollUntil(() => merchant.api.readCharge(uuid), isPaid)
  await stack.waitUntilLedgerAgrees(merchant)
})

test('under many concurrent payments and repeated notifications every centavo is posted once', async () => {
  const merchant = await stack.createMerchant()
  const recipient = await stack.createRecipient(merchant)
  const splits = [{ type: 'PERCENTAGE', value: 12.34, recipient_account_uuid: recipient.uuid }]
  const charges = await Promise.all(
    Array.from({ length: 20 }, () => merchant.api.createCharge({ value: 9.99, splits })),
  )
  await Promise.all(
    charges.flatMap(charge => [
      stack.simulator.pay({ payload: charge.payment.payload, force: true }),
      stack.simulator.deposit({ account: merchant.connection.account, value: 0.01 }),
      sendNotification(merchant, [{ txid: referenceOf(charge) }]),
      ...(charge === charges[0]
        ? [stack.simulator.pay({ payload: charge.payment.payload, force: true })]
        : []),
    ]),
  )
  for (const charge of charges) await pollUntil(() => merchant.api.readCharge(charge.uuid), isPaid)
  await stack.waitUntilLedgerAgrees(merchant)
  await pollUntil(
    () => movements(merchant),
    rows => rows.some(row => row.disposition === 'returned'),
  )
  await stack.waitUntilLedgerAgrees(merchant)
  const at = merchant.connection.providerAccountUuid
  // 12.34 % of 9.99 is 1.232766.
  expect(await stack.readBalances(recipient.uuid, at)).toEqual({ available: 20 * 123 })
  expect(await stack.readBalances(merchant.uuid, at)).toEqual({
    available: 20 * (999 - 123) + 20,
    outside: -(20 * 999 + 20),
  })
})

type Expiring = Awaited<ReturnType<typeof chargesThatExpire>>

/**
 * No charge expires in less than a minute: these start before all other tests and end after them. Meanwhile one of
 * their providers is unreachable.
 */
async function chargesThatExpire() {
  const silent = await stack.createMerchant({ providers: [{ sendsNotifications: false }] })
  const merchant = await stack.createMerchant()
  const [unpaid, paidInSilence] = await Promise.all([
    merchant.api.createCharge({ expires_in: 60 }),
    silent.api.createCharge({ expires_in: 60 }),
  ])
  await stack.simulator.pay({ payload: paidInSilence.payment.payload })
  const { uuid } = merchant.connection
  const [connection] = await stack.sql<{ base_url: string }>(
    'select base_url from connection where uuid = ?',
    [uuid],
  )
  const reachAt = (url: string) => stack.sql('update connection set base_url = ? where uuid = ?', [url, uuid])
  await reachAt('https://localhost:1')
  const isBack = () => reachAt(connection!.base_url)
  return { merchant, silent, unpaid, paidInSilence, isBack }
}

test('a payload expires only when its provider says so; paid nevertheless, the charge is PAID and late', async () => {
  const { merchant, silent, unpaid, paidInSilence, isBack } = expiring
  const { uuid } = merchant.connection

  // Its notification was lost: polled at expiry or by a reconciliation, the provider answers that it was paid.
  const paid = await pollUntil(() => silent.api.readCharge(paidInSilence.uuid), isPaid)
  expect(steps(paid)).toEqual(['PENDING', 'PROCESSING', 'PAID'])
  expect((await paymentEvents(paid))[0]).not.toHaveProperty('late')
  await stack.waitUntilLedgerAgrees(silent)

  // The next poll may be an hour away by now; each new notification starts one.
  const causePoll = async () => {
    const item = { endToEndId: `E${randomUUID()}`, txid: referenceOf(unpaid) }
    expect((await sendNotification(merchant, [item])).status).toBe(200)
  }
  // Its time is over as well, but whether it was paid is unknown.
  await pollUntil(
    async () => {
      await causePoll()
      return stack.sql<{ n: string }>(
        'select cardinality(failures) as n from circuit_breaker where connection_uuid = ?',
        [uuid],
      )
    },
    ([row]) => Number(row?.n) >= 2,
    { everyMs: 500 },
  )
  expect((await merchant.api.readCharge(unpaid.uuid)).status).toBe('PENDING')

  await isBack()
  const expired = await pollUntil(
    async () => {
      await causePoll()
      return merchant.api.readCharge(unpaid.uuid)
    },
    charge => charge.status === 'EXPIRED',
    { everyMs: 500 },
  )
  expect(expired.payment).toMatchObject({ status: 'EXPIRED', pix: { status: 'EXPIRED', transaction: null } })
  expect((await merchant.api.post(`/api/v1/payments/${unpaid.uuid}/cancel`)).status).toBe(409)

  await stack.simulator.pay({ payload: unpaid.payment.payload, force: true })
  const late = await pollUntil(() => merchant.api.readCharge(unpaid.uuid), isPaid)
  expect(steps(late)).toEqual(['PENDING', 'EXPIRED', 'PROCESSING', 'PAID'])
  expect(await paymentEvents(unpaid)).toMatchObject([
    { status: 'EXPIRED', sequence: 1 },
    { status: 'PAID', sequence: 2, late: true },
  ])
  await stack.waitUntilLedgerAgrees(merchant)
})
