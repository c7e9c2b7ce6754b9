import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import type { FaultBody } from '../../../packages/simulator/control/schemas.ts'
import { expectOneOriginal } from '../../support/one-original.ts'
import { runConcurrentTests } from '../support/concurrent-tests.ts'
import { openMoneySuite } from '../support/money-suite.ts'
import { type ApiResource, SHOWN_MS, statusesOf } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, VIRTUAL_ACCOUNT } from '../support/test-stack.ts'

/** SPEC §3: money back to the payer, whole or in parts, never more than was received, each centavo from the party that owes it. */

const { stage, payouts, createMerchant } = await openMoneySuite()

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const replayed = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed')
const balances = (merchant: Merchant, { uuid }: { uuid: string } = merchant) =>
  stage.readBalances(uuid, merchant.connection.providerAccountUuid)
const refundsOf = async ({ api }: Merchant, { uuid }: ApiResource): Promise<ApiResource[]> =>
  (await api.get(`/api/v1/payments/${uuid}/refunds?per_page=100`)).body.data

/** Waits until a charge shows a status, and answers it. */
const shows = (merchant: Merchant, { uuid }: ApiResource, status: string): Promise<ApiResource> =>
  pollUntil(
    () => merchant.api.readCharge(uuid),
    charge => charge.status === status,
  )

/** Refunds a part and waits until the provider has returned it. */
async function refunded(merchant: Merchant, charge: ApiResource, value?: number): Promise<ApiResource> {
  const answer = await payouts.requestRefund(merchant, charge, value === undefined ? undefined : { value })
  expect([answer.status, answer.body.errors ?? answer.body.code]).toEqual([200, undefined])
  const { uuid } = answer.body.data.refund
  const path = `/api/v1/payments/${charge.uuid}/refunds/${uuid}`
  const { body } = await pollUntil(
    () => merchant.api.get(path),
    said => said.body.data.refund.status !== 'PROCESSING',
  )
  expect(body.data.refund.status).toBe('COMPLETED')
  return body.data
}

test('a refund is accepted, settled, reported and posted in the shapes of the contract', async () => {
  const merchant = await createMerchant({
    providers: [
      {
        balance: 1,
        charge: { fixedCents: 25, hundredthsOfPercent: 0 },
        refund: { fixedCents: 10, hundredthsOfPercent: 0 },
      },
    ],
  })
  const { api, connection } = merchant
  const inbox = `refund-${merchant.uuid}`
  const payer = { name: 'Carlos Lima', document: '52998224725' }
  const charge = await payouts.createPaidCharge(merchant, { value: 20 }, { payer })
  const hook = (await api.post('/api/v1/webhooks', { url: `${stage.local.inbox_url}/${inbox}` })).body.data
  await payouts.injectFault(connection, 'refund', 'accepted_then_silent', { delay_ms: SHOWN_MS })

  const answer = await payouts.requestRefund(merchant, charge, { description: ' Pedido 1042 cancelado ' })
  const { message, data, ...rest } = answer.body
  expect([answer.status, rest]).toEqual([200, {}])
  expectOneOriginal([answer])
  expect(message).toEqual(expect.any(String))
  const paidFrom = {
    ...VIRTUAL_ACCOUNT,
    name: payer.name,
    document: payer.document,
    account_number: '',
    account_agency: '',
    bank: { code: '', name: '', ispb: expect.any(String) },
    account_type: expect.any(String),
  }
  const { transaction } = charge.payment.pix
  const provider = { uuid: connection.uuid, provider: 'PROVIDER_A' }
  const original = {
    uuid: transaction.uuid,
    initiation: {
      sender: paidFrom,
      receiver: VIRTUAL_ACCOUNT,
      txid: charge.uuid.replaceAll('-', ''),
      value: 20.25,
      type: 'QR_DYNAMIC',
      pix_key: connection.collectionKey,
      status: 'COMPLETED',
      expires_at: null,
      created_at: INSTANT,
      updated_at: INSTANT,
    },
    value: 20.25,
    movement_type: 'IN',
    type: 'EXTERNAL_TRANSFER',
    status: 'SETTLED',
    end_to_end: transaction.end_to_end,
    charge_uuid: charge.uuid,
    provider,
    settled_at: transaction.settled_at,
    created_at: INSTANT,
    updated_at: INSTANT,
  }
  // The whole is what the payer paid, the charge's fee included; a refund has no pix_key.
  const back = {
    uuid: UUID,
    initiation: {
      sender: VIRTUAL_ACCOUNT,
      receiver: paidFrom,
      txid: null,
      value: 20.25,
      type: 'REFUND',
      status: 'PENDING',
      expires_at: null,
      created_at: INSTANT,
      updated_at: INSTANT,
    },
    value: 20.25,
    movement_type: 'OUT',
    type: 'EXTERNAL_REFUND',
    status: 'PENDING',
    end_to_end: '',
    charge_uuid: charge.uuid,
    original_uuid: transaction.uuid,
    provider,
    settled_at: null,
    created_at: INSTANT,
    updated_at: INSTANT,
  }
  const refund = {
    uuid: UUID,
    status: 'PROCESSING',
    value: 20.25,
    fees: 0.1,
    description: 'Pedido 1042 cancelado',
    pix_original: original,
    pix_refund: back,
    created_at: INSTANT,
    updated_at: INSTANT,
  }
  const history = ['PENDING', 'PROCESSING', 'PAID', 'PROCESSING'].map(status => ({
    status,
    created_at: INSTANT,
  }))
  const result = {
    uuid: charge.uuid,
    status: 'PROCESSING',
    value: 20,
    fees: 0.25,
    refund,
    history,
    provider,
    created_at: charge.created_at,
    updated_at: INSTANT,
  }
  expect(data).toEqual(result)
  expect((await api.readCharge(charge.uuid)).status).toBe('PROCESSING')
  // 1.00 + 20.25 came in, 0.25 was the charge's fee; 20.25 and the refund's 0.10 are held.
  expect(await balances(merchant)).toEqual({ available: 65, fee: 25, provisioned: 2_035, outside: -2_125 })
  expect(await payouts.readBalances(merchant, connection)).toEqual({
    available_balance: 0.65,
    provisioned_balance: 20.35,
  })

  const read = await shows(merchant, charge, 'REFUNDED')
  expect(statusesOf(read)).toEqual(['PENDING', 'PROCESSING', 'PAID', 'PROCESSING', 'REFUNDED'])
  const path = `/api/v1/payments/${charge.uuid}/refunds`
  const done = (await api.get(`${path}/${data.refund.uuid}`)).body
  expect(done).toEqual({
    data: {
      ...result,
      status: 'REFUNDED',
      history: read.history,
      refund: {
        ...refund,
        uuid: data.refund.uuid,
        status: 'COMPLETED',
        pix_refund: {
          ...back,
          uuid: data.refund.pix_refund.uuid,
          status: 'SETTLED',
          end_to_end: expect.stringMatching(/^D\w{31}$/),
          settled_at: INSTANT,
          initiation: { ...back.initiation, status: 'COMPLETED' },
        },
      },
    },
  })
  const list = (await api.get(path)).body
  expect(list.data).toEqual([done.data])
  expect(list.meta).toEqual({
    current_page: 1,
    from: 1,
    last_page: 1,
    per_page: 15,
    to: 1,
    total: 1,
    next_cursor: null,
  })
  expect((await api.get('/api/v1/refunds')).body.data).toEqual([
    {
      ...done.data.refund,
      charge_uuid: charge.uuid,
      provider: { uuid: connection.uuid, provider: 'PROVIDER_A' },
    },
  ])
  // The payer paid 20.25; the charge's fee is 0.25, the refund's 0.10.
  expect(read).toMatchObject({
    refunded_value: 20.25,
    net_value: -0.35,
    refund_uuids: [data.refund.uuid],
  })
  expect(await balances(merchant)).toEqual({ available: 65, fee: 35, outside: -100 })

  const deliveredEvents = await pollUntil(
    () => stage.listEvents(inbox),
    events => events.length === 3,
  )
  const events = deliveredEvents.map(
    ({ body, headers }) =>
      new Webhook(hook.token).verify(body, headers as Record<string, string>) as ApiResource,
  )
  const ofType = (type: string) => events.find(event => event.type === type)?.data
  expect(ofType('REFUND')).toEqual({ ...done.data, sequence: 1 })
  expect(ofType('PAYMENT')).toEqual({ ...read, sequence: 2 })
  expect(ofType('PIX_TRANSACTION')).toEqual({ ...done.data.refund.pix_refund, sequence: 1 })
})

describe('partial refunds', () => {
  test('down to exactly zero, each with its event; then nothing is left', async () => {
    const merchant = await createMerchant()
    const charge = await payouts.createPaidCharge(merchant)
    for (const [value, available, status] of [
      [3.33, 667, 'PARTIALLY_REFUNDED'],
      [0.01, 666, 'PARTIALLY_REFUNDED'],
      [undefined, 0, 'REFUNDED'],
    ] as const) {
      const done = await refunded(merchant, charge, value)
      expect(done.status).toBe(status)
      expect((await balances(merchant)).available ?? 0).toBe(available)
    }
    const [third, second, first] = await refundsOf(merchant, charge)
    expect([first, second, third].map(({ refund }) => refund.value)).toEqual([3.33, 0.01, 6.66])
    expect(new Set([first, second, third].map(({ refund }) => refund.pix_refund.end_to_end)).size).toBe(3)
    expect((await payouts.listEvents(charge, 'PAYMENT')).map(event => event.status)).toEqual([
      'PAID',
      'PARTIALLY_REFUNDED',
      'PARTIALLY_REFUNDED',
      'REFUNDED',
    ])
    expect(await payouts.listEvents({ uuid: second.refund.uuid }, 'REFUND')).toMatchObject([
      { refund: { status: 'COMPLETED', value: 0.01 }, sequence: 1 },
    ])
    const more = await payouts.requestRefund(merchant, charge, { value: 0.01 })
    expect([more.status, more.body.code]).toEqual([409, 'charge_not_refundable'])
    expect(await balances(merchant)).toEqual({})
  })

  test('above the remainder: 422 on value, nothing stored', async () => {
    const merchant = await createMerchant()
    const charge = await payouts.createPaidCharge(merchant)
    await refunded(merchant, charge, 4)
    const before = await balances(merchant)
    for (const value of [6.01, 10, 9_999_999_999.99]) {
      const { status, body } = await payouts.requestRefund(merchant, charge, { value })
      expect([value, status, Object.keys(body.errors)]).toEqual([value, 422, ['value']])
    }
    expect(await balances(merchant)).toEqual(before)
    expect(await refundsOf(merchant, charge)).toHaveLength(1)
    await refunded(merchant, charge, 6)
  })
})

describe('a charge that cannot be refunded', () => {
  test('in the wrong state: 409', async () => {
    const merchant = await createMerchant()
    const pending = await merchant.api.createCharge()
    const cancelled = await merchant.api.createCharge()
    await merchant.api.carryOut('POST', `/api/v1/payments/${cancelled.uuid}/cancel`)
    for (const charge of [pending, cancelled]) {
      const { status, body } = await payouts.requestRefund(merchant, charge)
      expect([status, body.code]).toEqual([409, 'charge_not_refundable'])
    }
  })

  test('of another account: 404', async () => {
    const merchant = await createMerchant({ providers: [{}, { provider: 'PROVIDER_C' }] })
    const charge = await payouts.createPaidCharge(merchant, { provider_uuid: merchant.connections[0]!.uuid })
    const scoped = { ...merchant, api: merchant.api.withToken(merchant.connections[1]!.token) }
    const other = await createMerchant()
    const one = await refunded(merchant, charge, 1)
    for (const stranger of [scoped, other]) {
      expect((await payouts.requestRefund(stranger, charge)).status).toBe(404)
      expect((await stranger.api.get(`/api/v1/payments/${charge.uuid}/refunds`)).status).toBe(404)
      expect(
        (await stranger.api.get(`/api/v1/payments/${charge.uuid}/refunds/${one.refund.uuid}`)).status,
      ).toBe(404)
    }
    const another = await payouts.createPaidCharge(merchant)
    const path = `/api/v1/payments/${another.uuid}/refunds`
    for (const uuid of [one.refund.uuid, randomUUID(), 'x'])
      expect((await merchant.api.get(`${path}/${uuid}`)).status).toBe(404)
    expect((await payouts.requestRefund(merchant, { uuid: randomUUID() })).status).toBe(404)
    expect((await merchant.api.get(path)).body.data).toEqual([])
    expect((await merchant.api.get(`${path}?status=x`)).status).toBe(422)
  })

  test('with a running refund: 409 refund_in_progress, and the key stays free', async () => {
    const merchant = await createMerchant()
    const charge = await payouts.createPaidCharge(merchant)
    await payouts.injectFault(merchant.connection, 'refund', 'accepted_then_silent')
    expect((await payouts.requestRefund(merchant, charge, { value: 1 })).status).toBe(200)
    const key = randomUUID()
    const second = await payouts.requestRefund(merchant, charge, { value: 2 }, { key })
    expect([second.status, second.body.code]).toEqual([409, 'refund_in_progress'])
    await shows(merchant, charge, 'PARTIALLY_REFUNDED')
    const again = await payouts.requestRefund(merchant, charge, { value: 2 }, { key })
    expect([again.status, replayed(again)]).toEqual([200, null])
    await pollUntil(
      () => refundsOf(merchant, charge),
      all => all.every(({ refund }) => refund.status === 'COMPLETED'),
    )
  })

  test('90 days after its settlement: 409', async () => {
    const merchant = await createMerchant()
    const charge = await payouts.createPaidCharge(merchant)
    const paidAgo = (interval: string) =>
      stage.sql(`update charge set paid_at = now() - interval '${interval}' where uuid = ?`, [charge.uuid])
    await paidAgo('90 days 1 minute')
    const { status, body } = await payouts.requestRefund(merchant, charge)
    expect([status, body.code]).toEqual([409, 'refund_period_over'])
    await paidAgo('89 days 23 hours')
    await refunded(merchant, charge, 1)
  })

  test('with too little balance of the owner: 409, and the provider is not called', async () => {
    const merchant = await createMerchant()
    const charge = await payouts.createPaidCharge(merchant)
    await payouts.sendAndSettle(merchant, { value: 9.5 })
    const key = randomUUID()
    const short = await payouts.requestRefund(merchant, charge, { value: 0.51 }, { key })
    expect([short.status, short.body.code]).toEqual([409, 'insufficient_balance'])
    expect((await merchant.api.readCharge(charge.uuid)).status).toBe('PAID')
    expect(await balances(merchant)).toEqual({ available: 50, outside: -50 })
    await refunded(merchant, charge, 0.5)
  })

  test('a provider that is no longer active still refunds what it received', async () => {
    const merchant = await createMerchant()
    const charge = await payouts.createPaidCharge(merchant)
    await stage.sql(`update connection set status = 'BLOCKED' where uuid = ?`, [merchant.connection.uuid])
    await refunded(merchant, charge, 1)
  })
})

describe('the provider’s answer', () => {
  test.each([['refused', 'provider_denied', 'AcessoNegado']] as const)(
    '%s: 400, and the charge is PAID again, or PARTIALLY_REFUNDED',
    async (kind, code, providerCode) => {
      const merchant = await createMerchant()
      const charge = await payouts.createPaidCharge(merchant)
      for (const status of ['PAID', 'PARTIALLY_REFUNDED']) {
        const before = await balances(merchant)
        await payouts.injectFault(merchant.connection, 'refund', kind)
        const key = randomUUID()
        const answer = await payouts.requestRefund(merchant, charge, { value: 2 }, { key })
        expect([answer.status, answer.body.code]).toEqual([400, 'provider_rejected'])
        const { data } = answer.body
        expect(data).toMatchObject({
          status,
          refund: { status: 'FAILED', value: 2, pix_refund: { status: 'FAILED' } },
        })
        expect(data.refund.error).toEqual({
          code,
          message: expect.any(String),
          provider_code: providerCode,
        })
        expect((await merchant.api.readCharge(charge.uuid)).status).toBe(status)
        expect(await balances(merchant)).toEqual(before)
        expect(await payouts.listEvents({ uuid: data.refund.uuid }, 'REFUND')).toEqual([
          { ...data, sequence: 1 },
        ])
        const again = await payouts.requestRefund(merchant, charge, { value: 2 }, { key })
        expect([again.status, replayed(again), again.headers.has('retry-after')]).toEqual([
          400,
          'true',
          false,
        ])
        expect(again.body.data.refund).toEqual(data.refund)
        if (status === 'PAID') await refunded(merchant, charge, 1)
      }
      expect(await refundsOf(merchant, charge)).toHaveLength(3)
    },
  )

  test('unreachable: 503, the refund FAILED, the charge PAID again', async () => {
    const merchant = await createMerchant()
    const charge = await payouts.createPaidCharge(merchant)
    const reachable = await payouts.makeUnreachable(merchant.connection)
    const answer = await payouts.requestRefund(merchant, charge)
    expect([answer.status, answer.body.code, answer.headers.has('retry-after')]).toEqual([
      503,
      'no_provider_available',
      true,
    ])
    const { data } = answer.body
    expect(data).toMatchObject({ status: 'PAID', refund: { status: 'FAILED' } })
    // The merchant is not shown the provider's host or its internal error.
    const error = {
      code: 'no_provider_available',
      message: 'No provider could be reached; send a new request after Retry-After.',
    }
    expect(data.refund.error).toEqual(error)
    expect((await refundsOf(merchant, charge))[0].refund.error).toEqual(error)
    expect(await payouts.listEvents({ uuid: data.refund.uuid }, 'REFUND')).toEqual([{ ...data, sequence: 1 }])
    await reachable()
    await refunded(merchant, charge)
  })

  test('accepted, then rejected by notification: 200, then FAILED, the charge restored and its key still answered with accepted', async () => {
    const merchant = await createMerchant()
    const charge = await payouts.createPaidCharge(merchant)
    await payouts.injectFault(merchant.connection, 'refund', 'accepted_then_rejected')
    const key = randomUUID()
    const answer = await payouts.requestRefund(merchant, charge, undefined, { key })
    expect([answer.status, answer.body.data.refund.status]).toEqual([200, 'PROCESSING'])
    await shows(merchant, charge, 'PAID')
    const [failed] = await refundsOf(merchant, charge)
    expect(failed.refund).toMatchObject({
      status: 'FAILED',
      pix_refund: { status: 'FAILED', settled_at: null },
    })
    expect(
      (await payouts.listEvents({ uuid: failed.refund.uuid }, 'REFUND')).map(event => event.refund.status),
    ).toEqual(['FAILED'])
    expect(await balances(merchant)).toEqual({ available: 1_000, outside: -1_000 })
    const again = await payouts.requestRefund(merchant, charge, undefined, { key })
    expect([again.status, replayed(again), again.bytes.toString()]).toEqual([
      200,
      'true',
      answer.bytes.toString(),
    ])
    await refunded(merchant, charge)
  })

  const UNKNOWN: FaultBody['fault'][] = [
    'timeout_then_done',
    'timeout_then_absent',
    'http_500',
    'broken_body',
    'accepted_then_silent',
    'notification_lost',
    'notification_duplicated',
    'slow',
  ]
  runConcurrentTests({
    ...Object.fromEntries(
      UNKNOWN.map(kind => [`${kind}: asked until known, returned once`, () => returnedOnce(kind)]),
    ),
    'a repeat during an unknown outcome waits with the first request and receives the same response':
      async () => {
        const { merchant, charge, key } = await refusedWhenSentAgain()
        const posted = payouts.requestRefund(merchant, charge, undefined, { key })
        await shows(merchant, charge, 'PROCESSING')
        const again = await payouts.requestRefund(merchant, charge, undefined, { key })
        const first = await posted
        expect([again.status, replayed(again)]).toEqual([first.status, 'true'])
        expect(again.body.data).toEqual(first.body.data)
        await shows(merchant, charge, 'PAID')
      },
    'a request answered PROCESSING by its deadline gets that response for its key even after the refund is refused':
      async () => {
        const { merchant, charge, key } = await refusedWhenSentAgain()
        await payouts.injectFault(merchant.connection, 'findRefund', 'http_500', { times: 4 })
        const first = await payouts.requestRefund(merchant, charge, undefined, { key })
        expect([first.status, first.body.data.refund.status]).toEqual([200, 'PROCESSING'])
        const answers = [await payouts.requestRefund(merchant, charge, undefined, { key })]
        await shows(merchant, charge, 'PAID')
        answers.push(await payouts.requestRefund(merchant, charge, undefined, { key }))
        for (const again of answers)
          expect([again.status, again.bytes.toString()]).toEqual([200, first.bytes.toString()])
        expect(await payouts.listPaidOut(merchant)).toEqual([])
      },
  })

  /** Nothing of its refund arrives, which must be proved before it is sent again, and then it is refused. */
  async function refusedWhenSentAgain() {
    const merchant = await createMerchant()
    const charge = await payouts.createPaidCharge(merchant)
    await payouts.injectFault(merchant.connection, 'refund', 'timeout_then_absent')
    await payouts.injectFault(merchant.connection, 'refund', 'refused')
    return { merchant, charge, key: randomUUID() }
  }

  async function returnedOnce(kind: FaultBody['fault']) {
    const merchant = await createMerchant()
    const charge = await payouts.createPaidCharge(merchant)
    await payouts.injectFault(merchant.connection, 'refund', kind)
    const answer = await payouts.requestRefund(merchant, charge, { value: 2.5 })
    expect([kind, answer.status, answer.body.data.refund.status]).toEqual([kind, 200, 'PROCESSING'])
    const read = await shows(merchant, charge, 'PARTIALLY_REFUNDED')
    expect(statusesOf(read)).toEqual(['PENDING', 'PROCESSING', 'PAID', 'PROCESSING', 'PARTIALLY_REFUNDED'])
    expect(await payouts.listPaidOut(merchant)).toMatchObject([{ kind: 'refund', value: 2.5 }])
    expect(await payouts.listAttempts({ uuid: answer.body.data.refund.uuid })).toHaveLength(1)
    expect(await balances(merchant)).toEqual({ available: 750, outside: -750 })
  }
})

describe('splits are taken back', () => {
  const fixed = (value: number, { uuid }: { uuid: string }) => ({
    type: 'FIXED',
    value,
    recipient_account_uuid: uuid,
  })
  const percentage = (value: number, to: { uuid: string }) => ({ ...fixed(value, to), type: 'PERCENTAGE' })

  test('in proportion, by partial refunds down to exactly nothing', async () => {
    const merchant = await createMerchant({ providers: [{ balance: 1 }] })
    const [maria, joao] = [await stage.createRecipient(merchant), await stage.createRecipient(merchant)]
    const charge = await payouts.createPaidCharge(merchant, {
      value: 10,
      splits: [percentage(33.33, maria), fixed(0.07, joao)],
    })
    // ⌊share × refunded so far / 1000⌋ is what each recipient has paid back; the owner pays the rest, for a moment a
    // centavo too much.
    let so = 0
    for (const value of [0.01, 1.99, 3.5, 0.03, 4.46, undefined]) {
      await refunded(merchant, charge, value)
      so = value === undefined ? 1_000 : so + Math.round(value * 100)
      const [hers, his] = [333 - Math.floor((333 * so) / 1_000), 7 - Math.floor((7 * so) / 1_000)]
      const left = async (who: { uuid: string }) =>
        (await stage.readBalances(who.uuid, merchant.connection.providerAccountUuid)).available ?? 0
      expect([so, await left(maria), await left(joao)]).toEqual([so, hers, his])
      expect([so, (await balances(merchant)).available]).toEqual([so, 100 + 1_000 - so - hers - his])
    }
    expect((await merchant.api.readCharge(charge.uuid)).status).toBe('REFUNDED')
  })

  test('returning to the owner an advanced centavo where nothing else is left to him', async () => {
    const merchant = await createMerchant({ providers: [{ balance: 1 }] })
    const [maria, joao] = [await stage.createRecipient(merchant), await stage.createRecipient(merchant)]
    const charge = await payouts.createPaidCharge(merchant, {
      value: 10,
      splits: [fixed(5, maria), fixed(5, joao)],
    })
    const all = async () => [
      (await balances(merchant)).available,
      (await balances(merchant, maria)).available ?? 0,
      (await balances(merchant, joao)).available ?? 0,
    ]
    expect(await all()).toEqual([100, 500, 500])
    await refunded(merchant, charge, 0.01)
    expect(await all()).toEqual([99, 500, 500])
    // After the refusal nothing stays moved.
    await payouts.injectFault(merchant.connection, 'refund', 'refused')
    await payouts.requestRefund(merchant, charge, { value: 0.01 })
    await pollUntil(
      () => refundsOf(merchant, charge),
      refunds => refunds.some(({ refund }) => refund.status === 'FAILED'),
    )
    expect(await all()).toEqual([99, 500, 500])
    await refunded(merchant, charge, 0.01)
    expect(await all()).toEqual([100, 499, 499])
    await refunded(merchant, charge)
    expect(await all()).toEqual([100, 0, 0])
  })

  test('from a recipient as far as his balance goes, and the rest from the owner for good', async () => {
    const merchant = await createMerchant({ providers: [{ balance: 5 }] })
    const maria = await stage.createRecipient(merchant)
    const charge = await payouts.createPaidCharge(merchant, { value: 10, splits: [fixed(4, maria)] })
    await stage.sql(
      `insert into default_provider (account_uuid, payment_type, position, connection_uuid)
       select account_uuid, 'PIX', 1, uuid from connection where account_uuid = ?`,
      [maria.uuid],
    )
    await payouts.sendAndSettle(maria, { value: 3.5 })
    // Half of it: 2.00 requested from her, 0.50 available.
    await refunded(merchant, charge, 5)
    expect((await balances(merchant, maria)).available ?? 0).toBe(0)
    expect((await balances(merchant)).available).toBe(500 + 600 - 450)
    // Later income is hers: only the other half is requested, the missing 1.50 never again.
    const later = await payouts.createPaidCharge(merchant, { value: 10, splits: [fixed(10, maria)] })
    expect((await balances(merchant, maria)).available).toBe(1_000)
    await refunded(merchant, charge)
    expect((await balances(merchant, maria)).available).toBe(800)
    expect((await balances(merchant)).available).toBe(650 - 300)
    await refunded(merchant, later, 8)
    expect((await balances(merchant, maria)).available ?? 0).toBe(0)
  })

  test('except one that was never credited', async () => {
    const merchant = await createMerchant()
    const maria = await stage.createRecipient(merchant)
    const { uuid, payment } = await merchant.api.createCharge({ splits: [percentage(50, maria)] })
    await stage.sql(`update account set status = 'BLOCKED' where uuid = ?`, [maria.uuid])
    await stage.simulator.pay({ payload: payment.payload })
    const charge = await pollUntil(
      () => merchant.api.readCharge(uuid),
      ({ status }) => status === 'PAID',
    )
    expect(charge.splits[0].status).toBe('FAILED')
    await refunded(merchant, charge)
    expect(await balances(merchant)).toEqual({})
  })
})

describe('one key, one refund', () => {
  test('fifty concurrent requests refund once and receive the same response, also after it has settled', async () => {
    const merchant = await createMerchant()
    const charge = await payouts.createPaidCharge(merchant)
    const key = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => payouts.requestRefund(merchant, charge, { value: 3 }, { key })),
    )
    for (const answer of answers) {
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual(answers[0]!.body)
    }
    expectOneOriginal(answers)
    await shows(merchant, charge, 'PARTIALLY_REFUNDED')
    await refunded(merchant, charge, 1)
    const again = await payouts.requestRefund(merchant, charge, { value: 3 }, { key })
    expect(again.bytes.toString()).toBe(answers[0]!.bytes.toString())
    expect(await refundsOf(merchant, charge)).toHaveLength(2)
    expect((await payouts.listPaidOut(merchant)).map(({ value }) => value)).toEqual([3, 1])
  })

  test('another value or another provider-scoped token: 422; another charge is another operation', async () => {
    const merchant = await createMerchant()
    const [charge, other] = [
      await payouts.createPaidCharge(merchant),
      await payouts.createPaidCharge(merchant),
    ]
    const key = randomUUID()
    await payouts.requestRefund(merchant, charge, { value: 3 }, { key })
    const scoped = { api: merchant.api.withToken(merchant.connection.token) }
    for (const answer of [
      await payouts.requestRefund(merchant, charge, { value: 3.01 }, { key }),
      await payouts.requestRefund(merchant, charge, undefined, { key }),
      await payouts.requestRefund(scoped, charge, { value: 3 }, { key }),
    ])
      expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_key_reused'])
    const theirs = await payouts.requestRefund(merchant, other, { value: 3 }, { key })
    expect([theirs.status, replayed(theirs)]).toEqual([200, null])
    for (const each of [charge, other]) await shows(merchant, each, 'PARTIALLY_REFUNDED')
  })
})

test('a refund that settles although it had failed is posted and shown', async () => {
  const merchant = await createMerchant({ providers: [{ balance: 100 }] })
  const charge = await payouts.createPaidCharge(merchant)
  await payouts.injectFault(merchant.connection, 'refund', 'refused')
  const failed = (await payouts.requestRefund(merchant, charge, { value: 4 })).body.data
  const { end_to_end } = charge.payment.pix.transaction
  const id = failed.refund.uuid.replaceAll('-', '')
  await stage.callEfi(merchant.connection, `/v2/pix/${end_to_end}/devolucao/${id}`, { valor: '4.00' })
  const read = await shows(merchant, charge, 'PARTIALLY_REFUNDED')
  expect((await refundsOf(merchant, read))[0].refund).toMatchObject({
    status: 'COMPLETED',
    pix_refund: { status: 'SETTLED', end_to_end: expect.stringMatching(/^D\w{31}$/) },
  })
  expect(
    (await payouts.listEvents({ uuid: failed.refund.uuid }, 'REFUND')).map(event => event.refund.status),
  ).toEqual(['FAILED', 'COMPLETED'])
  expect((await balances(merchant)).available).toBe(10_000 + 600)
  await refunded(merchant, charge)
})
