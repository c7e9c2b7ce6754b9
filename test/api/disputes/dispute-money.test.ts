import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { encodeForm, FILES } from '../../support/files.ts'
import { runConcurrentTests } from '../support/concurrent-tests.ts'
import { openMoneySuite } from '../support/money-suite.ts'
import { type ApiResource, randomPixKey, statusesOf } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import type { Merchant } from '../support/test-stack.ts'

/** SPEC §5 over the real stack: what a dispute blocks, keeps and releases, and that the payer is never paid back twice. */

const { stage, payouts, createMerchant } = await openMoneySuite()

const endToEndOf = (charge: ApiResource): string => charge.payment.pix.transaction.end_to_end

/** Has the payer's bank dispute a PIX; the amount and the deadline where the test gives them. */
async function disputes(endToEnd: string, order: { value?: number; due_at?: string } = {}): Promise<string> {
  const { id } = await stage.simulator.openDispute({ end_to_end: endToEnd, type: 'SCAM', ...order })
  // Its provider's list is read in the next round, even for the account that has waited longest.
  await stage.sql(
    `update provider_account set disputes_polled_at = null
     where uuid in (select provider_account_uuid from movement where end_to_end = ?)`,
    [endToEnd],
  )
  return id
}

/** The dispute of a PIX, once the API shows the expected state. */
async function shows(
  { api }: Pick<Merchant, 'api'>,
  endToEnd: string,
  wanted: (med: ApiResource) => boolean = () => true,
): Promise<ApiResource> {
  const all = await pollUntil(
    async () => (await api.get('/api/v1/meds?per_page=100')).body.data as ApiResource[],
    meds => meds.some(med => med.pix_in_transaction.end_to_end === endToEnd && wanted(med)),
    { everyMs: 250 },
  )
  return all.find(med => med.pix_in_transaction.end_to_end === endToEnd)
}

async function providersIdOf(uuid: string): Promise<string> {
  const [row] = await stage.sql<{ id: string }>(
    'select provider_dispute_id as id from dispute where uuid = ?',
    [uuid],
  )
  return row!.id
}

const balances = ({ uuid, connection }: Merchant) => stage.readBalances(uuid, connection.providerAccountUuid)
const decide = (id: string, decision: 'agreed' | 'disagreed' | 'cancelled') =>
  stage.simulator.decideDispute(id, decision)
const is = (status: string, resolved: boolean) => (med: ApiResource) =>
  med.status === status && med.resolved === resolved

describe('a dispute', () => {
  runConcurrentTests({
    async 'blocks the disputed amount, refuses refunds, and releases the amount when it is rejected'() {
      const merchant = await createMerchant()
      const charge = await payouts.createPaidCharge(merchant, { value: 30 })
      const id = await disputes(endToEndOf(charge), { value: 12.34 })
      const med = await shows(merchant, endToEndOf(charge))
      expect(med).toMatchObject({
        med_type: 'RECEIVED_MED',
        dispute_type: 'SCAM',
        status: 'PENDING',
        resolved: false,
        value: 12.34,
        blocked_value: 12.34,
        charge_uuid: charge.uuid,
        attachments: [],
        provider: { uuid: merchant.connection.uuid, provider: 'PROVIDER_A' },
      })
      expect(med.pix_in_transaction).toMatchObject({ value: '30.00', movement_type: 'IN', status: 'SETTLED' })
      expect(await balances(merchant)).toEqual({ available: 1766, blocked: 1234, outside: -3000 })
      expect(await payouts.requestRefund(merchant, charge, { value: 1 })).toMatchObject({
        status: 409,
        body: { code: 'refund_med_open' },
      })

      await decide(id, 'disagreed')
      await shows(merchant, endToEndOf(charge), is('REJECTED', true))
      expect(await balances(merchant)).toEqual({ available: 3000, outside: -3000 })
      const events = await payouts.listEvents(med, 'MED')
      expect(events.map(({ status, blocked_value }) => [status, blocked_value])).toEqual([
        ['PENDING', 12.34],
        ['REJECTED', 0],
      ])
      expect(events[0]).toEqual({ ...med, sequence: 1 })
      expect(await payouts.requestRefund(merchant, charge, { value: 1 })).toMatchObject({ status: 200 })
      await pollUntil(
        () => merchant.api.readCharge(charge.uuid),
        ({ status }) => status === 'PARTIALLY_REFUNDED',
      )
    },

    async 'that is accepted is returned by the provider, and recorded as a refund that no request created'() {
      const merchant = await createMerchant()
      const charge = await payouts.createPaidCharge(merchant, { value: 30 })
      const id = await disputes(endToEndOf(charge))
      const { uuid } = await shows(merchant, endToEndOf(charge))
      expect(await balances(merchant)).toEqual({ blocked: 3000, outside: -3000 })
      await decide(id, 'agreed')
      await shows(merchant, endToEndOf(charge), is('ACCEPTED', true))
      expect(await balances(merchant)).toEqual({})
      const { status, history } = await merchant.api.readCharge(charge.uuid)
      expect([status, statusesOf({ history }).slice(-2)]).toEqual(['REFUNDED', ['PROCESSING', 'REFUNDED']])
      const [{ refund }] = (await merchant.api.get(`/api/v1/payments/${charge.uuid}/refunds`)).body.data
      expect(refund).toMatchObject({ status: 'COMPLETED', value: 30, fees: 0 })
      expect(await payouts.listAttempts({ uuid: refund.uuid })).toEqual([])
      expect(await payouts.listPaidOut(merchant)).toMatchObject([
        { kind: 'refund', value: 30, end_to_end: refund.pix_refund.end_to_end },
      ])
      expect((await payouts.listEvents({ uuid: refund.uuid }, 'REFUND')).length).toBe(1)
      const events = await payouts.listEvents({ uuid }, 'MED')
      expect(events.map(med => [med.status, med.resolved]).at(0)).toEqual(['PENDING', false])
      expect(events.map(med => [med.status, med.resolved]).at(-1)).toEqual(['ACCEPTED', true])
      expect(await payouts.requestRefund(merchant, charge)).toMatchObject({
        body: { code: 'charge_not_refundable' },
      })

      const form = await encodeForm([['analysis', 'It was delivered.']], [{ bytes: FILES.pdf }])
      const contested = await merchant.api.call('POST', `/api/v1/meds/${uuid}/contest`, form)
      expect(contested).toMatchObject({
        status: 200,
        body: { data: { status: 'ACCEPTED', contest: { status: 'PENDING' }, attachments: [{}] } },
      })
      const told = await pollUntil(
        () => payouts.listEvents({ uuid }, 'MED'),
        meds => meds.at(-1)?.contest !== undefined,
      )
      expect(told.at(-1)).toMatchObject({ status: 'ACCEPTED', contest: { analysis: 'It was delivered.' } })
      expect(await balances(merchant)).toEqual({})
      expect(await merchant.api.call('POST', `/api/v1/meds/${uuid}/contest`, form)).toMatchObject({
        status: 409,
        body: { code: 'med_not_contestable' },
      })
    },

    async 'takes back the share of each split, and no later refund asks recipients for it again'() {
      const merchant = await createMerchant()
      const recipient = await stage.createRecipient(merchant)
      const splits = [{ type: 'PERCENTAGE', value: 10, recipient_account_uuid: recipient.uuid }]
      const charge = await payouts.createPaidCharge(merchant, { value: 100, splits })
      const id = await disputes(endToEndOf(charge), { value: 40 })
      await shows(merchant, endToEndOf(charge))
      expect(await balances(merchant)).toEqual({ available: 5400, blocked: 4000, outside: -10_000 })
      await decide(id, 'agreed')
      await shows(merchant, endToEndOf(charge), is('ACCEPTED', true))
      const theirs = () => stage.readBalances(recipient.uuid, merchant.connection.providerAccountUuid)
      expect(await theirs()).toEqual({ available: 600 })
      expect((await merchant.api.readCharge(charge.uuid)).status).toBe('PARTIALLY_REFUNDED')
      expect(await payouts.requestRefund(merchant, charge, { value: 50 })).toMatchObject({ status: 200 })
      await pollUntil(
        () => merchant.api.get(`/api/v1/payments/${charge.uuid}/refunds`),
        ({ body }) =>
          body.data.length === 2 && body.data.every((one: ApiResource) => one.refund.status === 'COMPLETED'),
      )
      // Nine tenths of the recipient's tenth, of which the dispute took four.
      expect(await theirs()).toEqual({ available: 100 })
      expect(await balances(merchant)).toEqual({ available: 900, outside: -1000 })
    },

    async 'with too little cover blocks incoming money until it is covered'() {
      const merchant = await createMerchant()
      const charge = await payouts.createPaidCharge(merchant, { value: 50 })
      await payouts.sendAndSettle(merchant, { value: 30, pix_key: randomPixKey() })
      const id = await disputes(endToEndOf(charge))
      expect(await shows(merchant, endToEndOf(charge))).toMatchObject({ value: 50, blocked_value: 20 })
      await payouts.createPaidCharge(merchant, { value: 10 })
      expect(await balances(merchant)).toEqual({ blocked: 2000, retained: 1000, outside: -3000 })
      await payouts.createPaidCharge(merchant, { value: 25 })
      expect(await balances(merchant)).toEqual({
        available: 500,
        blocked: 2000,
        retained: 3000,
        outside: -5500,
      })
      await decide(id, 'cancelled')
      await shows(merchant, endToEndOf(charge), is('CANCELLED', true))
      expect(await balances(merchant)).toEqual({ available: 5500, outside: -5500 })
    },

    async 'opened while a refund is in progress blocks the rest, and the whole amount if the refund fails'() {
      const merchant = await createMerchant()
      const charge = await payouts.createPaidCharge(merchant, { value: 20 })
      // The provider does not answer at first and has nothing; when it must carry the refund out, it refuses.
      await payouts.injectFault(merchant.connection, 'refund', 'timeout_then_absent')
      await payouts.injectFault(merchant.connection, 'findRefund', 'http_500', { times: 4 })
      await payouts.injectFault(merchant.connection, 'refund', 'refused')
      const refunded = payouts.requestRefund(merchant, charge, { value: 15 })
      await pollUntil(
        () => merchant.api.readCharge(charge.uuid),
        ({ status }) => status === 'PROCESSING',
      )
      await disputes(endToEndOf(charge))
      expect(await shows(merchant, endToEndOf(charge))).toMatchObject({ value: 20, blocked_value: 5 })
      expect(await balances(merchant)).toEqual({ blocked: 500, provisioned: 1500, outside: -2000 })
      await refunded
      await shows(merchant, endToEndOf(charge), ({ blocked_value }) => blocked_value === 20)
      expect(await balances(merchant)).toEqual({ blocked: 2000, outside: -2000 })
      expect((await merchant.api.readCharge(charge.uuid)).status).toBe('PAID')
      expect(await payouts.listPaidOut(merchant)).toEqual([])
    },

    async 'that is returned while a refund’s outcome is unknown leaves nothing for the refund'() {
      const merchant = await createMerchant()
      const charge = await payouts.createPaidCharge(merchant, { value: 20 })
      await payouts.injectFault(merchant.connection, 'refund', 'timeout_then_absent')
      // Sent again only after ten seconds, when the dispute is over.
      await payouts.injectFault(merchant.connection, 'findRefund', 'http_500', { times: 4 })
      const refunded = payouts.requestRefund(merchant, charge, { value: 15 })
      await pollUntil(
        () => merchant.api.readCharge(charge.uuid),
        ({ status }) => status === 'PROCESSING',
      )
      const id = await disputes(endToEndOf(charge))
      await shows(merchant, endToEndOf(charge))
      await decide(id, 'agreed')
      await shows(merchant, endToEndOf(charge), is('ACCEPTED', true))
      await refunded
      await pollUntil(
        () => merchant.api.readCharge(charge.uuid),
        ({ status }) => status === 'REFUNDED',
      )
      expect(await payouts.listPaidOut(merchant)).toMatchObject([{ kind: 'refund', value: 20 }])
      expect(await balances(merchant)).toEqual({})
    },

    async 'about a deposit blocks and returns it, and refunds no charge'() {
      const merchant = await createMerchant()
      const { account } = merchant.connection
      const { end_to_end } = await stage.simulator.deposit({ account, value: 12 })
      await pollUntil(
        () => balances(merchant),
        ({ available }) => available === 1200,
      )
      const id = await disputes(end_to_end, { value: 7 })
      const med = await shows(merchant, end_to_end)
      expect([med.charge_uuid, med.blocked_value]).toEqual([undefined, 7])
      await decide(id, 'agreed')
      await shows(merchant, end_to_end, is('ACCEPTED', true))
      expect(await balances(merchant)).toEqual({ available: 500, outside: -500 })
    },

    async 'about a transfer blocks nothing, and its return belongs to the transfer'() {
      const merchant = await createMerchant({ providers: [{ balance: 40 }] })
      const transfer = await payouts.sendAndSettle(merchant, { value: 25 })
      const endToEnd = transfer.transfer.end_to_end
      const id = await disputes(endToEnd)
      const med = await shows(merchant, endToEnd)
      expect(med).toMatchObject({
        med_type: 'REQUESTED_MED',
        status: 'PENDING',
        blocked_value: 0,
        transfer_uuid: transfer.uuid,
      })
      await decide(id, 'agreed')
      await shows(merchant, endToEnd, is('ACCEPTED', true))
      await payouts.waitForStatus(merchant, transfer.uuid, 'REFUNDED')
      expect(await balances(merchant)).toEqual({ available: 4000, outside: -4000 })
    },

    async 'that the account requests brings back what other banks return, and a second request is refused'() {
      const merchant = await createMerchant({
        providers: [{ provider: 'PROVIDER_B', dialect: 'woovi', balance: 40 }],
      })
      const transfer = await payouts.sendAndSettle(merchant, { value: 25 })
      const body = { transfer_uuid: transfer.uuid, dispute_type: 'SCAM', details: 'Loja falsa.' }
      const { status, body: answer } = await merchant.api.post('/api/v1/meds', body)
      expect([status, answer.data.med_type, answer.data.status]).toEqual([201, 'REQUESTED_MED', 'PENDING'])
      expect(await merchant.api.post('/api/v1/meds', body)).toMatchObject({
        status: 409,
        body: { code: 'med_already_asked' },
      })
      const { uuid } = answer.data
      // The request is stored before its provider is called, whose answer may be late.
      const id = await pollUntil(
        () => providersIdOf(uuid),
        found => found !== null,
      )
      await stage.simulator.decideDispute(id, 'agreed', undefined, [10, 5])
      const endToEnd = transfer.transfer.end_to_end
      const med = await shows(merchant, endToEnd, is('ACCEPTED', true))
      expect(med).toMatchObject({ uuid, recovered_value: 15, recovery: { stage: 'COMPLETED' } })
      await payouts.waitForStatus(merchant, transfer.uuid, 'PARTIALLY_REFUNDED')
      expect(await balances(merchant)).toEqual({ available: 3000, outside: -3000 })
      expect(await merchant.api.post(`/api/v1/meds/${uuid}/cancel`, {})).toMatchObject({
        status: 409,
        body: { code: 'med_not_cancellable' },
      })
    },

    async 'of a provider with dispute notifications is updated by them: opening, decision and return'() {
      const merchant = await createMerchant({ providers: [{ provider: 'PROVIDER_B', dialect: 'woovi' }] })
      const charge = await payouts.createPaidCharge(merchant, { value: 30 })
      const id = await disputes(endToEndOf(charge), { value: 20 })
      const { uuid } = await shows(merchant, endToEndOf(charge))
      expect(await balances(merchant)).toEqual({ available: 1000, blocked: 2000, outside: -3000 })
      await decide(id, 'agreed')
      await shows(merchant, endToEndOf(charge), is('ACCEPTED', true))
      expect((await merchant.api.readCharge(charge.uuid)).status).toBe('PARTIALLY_REFUNDED')
      expect(await balances(merchant)).toEqual({ available: 1000, outside: -1000 })
      const notifications = await stage.sql(
        `select uuid from provider_notification where connection_uuid = ? and kind = 'dispute' and reference = ? and outcome = 'routed'`,
        [merchant.connection.uuid, await providersIdOf(uuid)],
      )
      expect(notifications.length).toBeGreaterThan(0)
    },

    async 'without a reply is warned of before its deadline, and then awaits the provider'() {
      const merchant = await createMerchant()
      const charge = await payouts.createPaidCharge(merchant, { value: 5 })
      const id = await disputes(endToEndOf(charge))
      const med = await shows(merchant, endToEndOf(charge))
      const handle = (await stage.connectTemporal()).workflow.getHandle(`med/${med.uuid}`)
      const isDueIn = async (seconds: number) => {
        await stage.sql(`update dispute set due_at = now() + ? * interval '1 second' where uuid = ?`, [
          seconds,
          med.uuid,
        ])
        await handle.signal('providerNotification', {
          notificationUuid: 'x',
          connectionUuid: merchant.connection.uuid,
        })
      }
      // Six hours at this stack's time scale are 432 seconds: the 24 hour warning is due immediately, the last one in a
      // moment.
      await isDueIn(434)
      await pollUntil(
        () =>
          stage.sql<{ warned: number }>('select warned_hours as warned from dispute where uuid = ?', [
            med.uuid,
          ]),
        ([row]) => row?.warned === 6,
      )
      const events = await payouts.listEvents(med, 'MED')
      expect(events.length).toBeGreaterThan(1)
      for (const { status, resolved } of events) expect([status, resolved]).toEqual(['PENDING', false])
      await isDueIn(1)
      await shows(merchant, endToEndOf(charge), is('PROCESSING', false))
      expect(await balances(merchant)).toEqual({ blocked: 500, outside: -500 })
      await decide(id, 'disagreed')
      await shows(merchant, endToEndOf(charge), is('REJECTED', true))
    },
  })
})

test('a refund that settles late under a dispute counts for its charge once the dispute is closed', async () => {
  const merchant = await createMerchant({ providers: [{ balance: 100 }] })
  const charge = await payouts.createPaidCharge(merchant, { value: 30 })
  await payouts.injectFault(merchant.connection, 'refund', 'refused')
  const failed = (await payouts.requestRefund(merchant, charge, { value: 8 })).body.data
  const id = await disputes(endToEndOf(charge))
  await shows(merchant, endToEndOf(charge))
  const refundId = failed.refund.uuid.replaceAll('-', '')
  await stage.callEfi(merchant.connection, `/v2/pix/${endToEndOf(charge)}/devolucao/${refundId}`, {
    valor: '8.00',
  })
  const settled = async () =>
    (await payouts.listEvents({ uuid: failed.refund.uuid }, 'REFUND')).at(-1)!.refund.status
  await pollUntil(settled, status => status === 'COMPLETED')
  expect(await merchant.api.readCharge(charge.uuid)).toMatchObject({ status: 'PAID' })
  await decide(id, 'disagreed')
  await shows(merchant, endToEndOf(charge), ({ resolved }) => resolved)
  expect(await merchant.api.readCharge(charge.uuid)).toMatchObject({ status: 'PARTIALLY_REFUNDED' })
  expect((await payouts.requestRefund(merchant, charge, { value: 22.01 })).status).toBe(422)
  expect((await payouts.requestRefund(merchant, charge, { value: 22 })).status).toBe(200)
})

test('concurrent refunds and disputes of one charge pay the payer back once', async () => {
  const merchant = await createMerchant()
  const charges = await Promise.all(
    Array.from({ length: 6 }, () => payouts.createPaidCharge(merchant, { value: 9.99 })),
  )
  const refunds = charges.flatMap(charge =>
    [undefined, { value: 5 }, { value: 9.99 }].map(body =>
      payouts.requestRefund(merchant, charge, body, { key: randomUUID() }),
    ),
  )
  const opened = charges.map(async (charge, index) => {
    const id = await disputes(endToEndOf(charge))
    if (index % 2 === 0) await decide(id, 'agreed')
    else await shows(merchant, endToEndOf(charge))
    if (index % 2 === 1) await decide(id, index % 4 === 1 ? 'agreed' : 'disagreed')
  })
  const [answers] = await Promise.all([Promise.all(refunds), Promise.all(opened)])
  for (const { status, body } of answers)
    if (status !== 200)
      expect([
        'refund_in_progress',
        'refund_med_open',
        'charge_not_refundable',
        'validation_failed',
        'insufficient_balance',
        'provider_rejected',
        'not_confirmed',
      ]).toContain(body.code)
  await Promise.all(charges.map(charge => shows(merchant, endToEndOf(charge), ({ resolved }) => resolved)))
  for (const charge of charges) {
    const shown = await pollUntil(
      () => merchant.api.readCharge(charge.uuid),
      ({ status }) => status !== 'PROCESSING',
    )
    const lines = (await payouts.listPaidOut(merchant)).filter(
      line => line.original_end_to_end === endToEndOf(charge),
    )
    const back = lines.reduce((sum, { value }) => sum + Math.round(value * 100), 0)
    expect(back).toBeLessThanOrEqual(999)
    expect(shown.status).toBe(back === 0 ? 'PAID' : back === 999 ? 'REFUNDED' : 'PARTIALLY_REFUNDED')
    const [row] = await stage.sql<ApiResource>(
      'select refunding_cents::int, refunded_cents::int, disputed_cents::int from charge where uuid = ?',
      [charge.uuid],
    )
    expect(row).toEqual({ refunding_cents: 0, refunded_cents: back, disputed_cents: 0 })
  }
  const left = await balances(merchant)
  expect([left.blocked, left.retained, left.provisioned, left.shortfall]).toEqual([])
})

test('the database limits what disputes claim, hold and keep', async () => {
  const merchant = await createMerchant()
  const charge = await payouts.createPaidCharge(merchant, { value: 10 })
  const id = await disputes(endToEndOf(charge), { value: 6 })
  const { uuid } = await shows(merchant, endToEndOf(charge))
  const set = (change: string) => stage.sql(`update dispute set ${change} where uuid = ?`, [uuid])
  await expect(set('claimed_cents = 601')).rejects.toThrow(/dispute_claimed_cents_check/)
  await expect(set('held_cents = 601')).rejects.toThrow(/dispute_held_limit/)
  await expect(set('retained_cents = 1')).rejects.toThrow(/dispute_held_limit/)
  await expect(set('held_cents = -1')).rejects.toThrow(/dispute_held_cents_check/)
  await expect(set(`state = 'rejected'`)).rejects.toThrow(/dispute_ended/)
  await expect(set('claimed_cents = 600, held_cents = 500')).resolves.toBeDefined()
  await set('held_cents = 600')
  await expect(set('claimed_cents = 599, held_cents = 500')).rejects.toThrow(
    /does not keep what its disputes/,
  )
  await expect(
    stage.sql('update charge set disputed_cents = 0 where uuid = ?', [charge.uuid]),
  ).rejects.toThrow(/does not keep what its disputes/)
  await expect(
    stage.sql('update charge set refunded_cents = 401 where uuid = ?', [charge.uuid]),
  ).rejects.toThrow(/charge_remainder/)
  await decide(id, 'disagreed')
  await shows(merchant, endToEndOf(charge), is('REJECTED', true))
})
