import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ProviderDispute } from '../../../src/domain/disputes/provider-dispute.ts'
import { bookingSql } from '../../http/support/row-inserters.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** The money of a transfer that its account asks back: one request for ever, and no more comes back than was sent. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const endToEndId = (letter: 'E' | 'D') => `${letter}${randomUUID().replaceAll('-', '').slice(1)}`

type Merchant = Awaited<ReturnType<typeof fixture.createMerchant>>

/** A settled transfer of R$ 10.00, and the order that asks its money back. */
async function transferred(cents = 1_000) {
  const merchant = await fixture.createMerchant(cents)
  const { connectionUuid } = merchant
  const transfer = fixture.transferInput(merchant, { valueCents: cents })
  const endToEnd = endToEndId('E')
  await fixture.records.storeTransfer(transfer)
  const payout = { status: 'settled', cents, endToEnd, at: new Date().toISOString() } as const
  fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout }) })
  await fixture.providers.sendTransfer({ uuid: transfer.uuid, connectionUuid, isResend: false })
  return { merchant, endToEnd, order: orderOf(merchant, transfer.uuid, endToEnd) }
}

function orderOf({ accountUuid, connectionUuid }: Merchant, transferUuid: string, endToEnd: string) {
  const details = fixture.seal.seal({ disputeType: 'SCAM', details: 'Loja falsa.', fingerprint: 'f' })
  const request = { accountUuid, transferUuid, details, tokenNumber: 7 }
  const ids = { uuid: randomUUID(), connectionUuid, providerDisputeId: null, endToEnd }
  return { ...ids, request, requestId: 'r', timeScale: 1 }
}

const reported = (endToEnd: string, changes: Partial<ProviderDispute> = {}): ProviderDispute => ({
  id: randomUUID(),
  kind: 'REQUESTED_MED',
  endToEnd,
  disputeType: 'SCAM',
  cents: null,
  status: 'open',
  openedAt: new Date().toISOString(),
  dueAt: null,
  details: 'SCAM',
  analysis: '',
  returns: [],
  isClosed: false,
  recovery: { stage: 'CREATED', events: [] },
  ...changes,
})
const returnOf = (cents: number, endToEnd = endToEndId('D')) => ({
  id: endToEnd,
  endToEnd,
  cents,
  at: new Date().toISOString(),
})
const NO_ANSWER = { kind: 'unknown', code: 'timeout', message: 'no answer in time' } as const

/** Stores the request and sends it; returns what the provider reports from then on. */
async function requested(cents = 1_000) {
  const sent = await transferred(cents)
  const { order, endToEnd } = sent
  await fixture.records.openRequestedDispute(order)
  const dispute = reported(endToEnd)
  fixture.scriptProvider({ requestDispute: async () => ({ kind: 'accepted', dispute }) })
  expect(await fixture.providers.requestDispute(order)).toMatchObject({ kind: 'known', state: 'open' })
  const report = (changes: Partial<ProviderDispute>) => {
    const facts = { ...dispute, ...changes }
    fixture.scriptProvider({ findDispute: async () => ({ kind: 'found', dispute: facts }) })
    return fixture.providers.pollDispute(order)
  }
  return { ...sent, report }
}

async function readRow(uuid: string) {
  const [row] = await fixture.sql<Record<string, unknown>>(
    `select state, details, failure, recovery, provider_dispute_id as id, returned_cents::int as returned, token_number as token,
       cancel_requested_at is not null as cancelled from dispute where uuid = ?`,
    [uuid],
  )
  return row
}

test('a request keeps the text of its account and the author, and the events tell how far it has come', async () => {
  const { order, report } = await requested()
  await report({ status: 'analysing', recovery: { stage: 'TRACKED', events: [] } })
  await report({ status: 'analysing', recovery: { stage: 'AWAITING_ANALYSIS', events: [] } })
  await report({ status: 'analysing', recovery: { stage: 'AWAITING_ANALYSIS', events: [] } })
  expect(await readRow(order.uuid)).toMatchObject({
    state: 'analysing',
    details: 'Loja falsa.',
    token: 7,
    recovery: { stage: 'AWAITING_ANALYSIS' },
  })
  const events = await fixture.sql<{ stage: string }>(
    `select body -> 'recovery' ->> 'stage' as stage from event where subject_uuid = ? order by sequence`,
    [order.uuid],
  )
  expect(events.map(({ stage }) => stage)).toEqual(['CREATED', 'TRACKED', 'AWAITING_ANALYSIS'])
})

test('what other banks return is credited once, tied to the dispute, and counts as returned', async () => {
  const { merchant, order, report } = await requested()
  const [first, second] = [returnOf(300), returnOf(250)]
  await report({ status: 'agreed', returns: [first] })
  expect(await report({ status: 'agreed', returns: [first, second] })).toMatchObject({ state: 'accepted' })
  expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 550 })
  expect(await readRow(order.uuid)).toMatchObject({ returned: 550 })
  const tied = await fixture.sql('select 1 from movement where dispute_uuid = ?', [order.uuid])
  expect(tied).toHaveLength(2)
  expect(await report({ status: 'agreed', returns: [first, second], isClosed: true })).toMatchObject({
    state: 'resolved',
  })
  const [transfer] = await fixture.sql(
    'select state, returned_cents::int as cents from transfer where uuid = ?',
    [order.request.transferUuid],
  )
  expect(transfer).toEqual({ state: 'partially_refunded', cents: 550 })
})

test('more than was sent is never credited', async () => {
  const { merchant, order, report } = await requested()
  const returns = [returnOf(600), returnOf(600)]
  await report({ status: 'agreed', returns })
  expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 600 })
  expect(await readRow(order.uuid)).toMatchObject({ returned: 600 })
})

test('a deposit of another bank that the dispute names counts as returned, and is not credited twice', async () => {
  const { merchant, order, report } = await requested()
  const endToEnd = endToEndId('E')
  const at = new Date().toISOString()
  const ids = { endToEnd, txid: null, reference: null }
  const payment = { ...ids, cents: 400, status: 'settled', at, payer: null, pixKey: 'key' } as const
  fixture.scriptProvider({ findPayment: async () => ({ kind: 'found', payment }) })
  const { connectionUuid } = merchant
  await fixture.providers.recordDeposit({ connectionUuid, endToEnd, requestId: 'r', timeScale: 1 })
  await report({ status: 'agreed', returns: [returnOf(400, endToEnd)] })
  expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 400 })
  expect(await readRow(order.uuid)).toMatchObject({ returned: 400 })
})

test('a request without an answer is looked up before it is repeated, and never made twice', async () => {
  const { order, endToEnd } = await transferred()
  await fixture.records.openRequestedDispute(order)
  const calls: string[] = []
  let dispute: ProviderDispute | undefined
  fixture.scriptProvider({
    requestDispute: async () => {
      calls.push('request')
      return NO_ANSWER
    },
    findDispute: async reference => {
      calls.push(`find ${reference.isRequested} ${reference.endToEnd === endToEnd}`)
      return dispute ? { kind: 'found', dispute } : { kind: 'not_found' }
    },
  })
  for (let turn = 0; turn < 20; turn++)
    expect(await fixture.providers.requestDispute(order)).toEqual({ kind: 'no_answer', code: 'timeout' })
  expect(calls.slice(0, 4)).toEqual(['request', 'find true true', 'request', 'find true true'])
  calls.length = 0
  dispute = reported(endToEnd, { status: 'analysing' })
  expect(await fixture.providers.requestDispute(order)).toMatchObject({ kind: 'known', state: 'analysing' })
  expect(calls).toEqual(['find true true'])
  expect(await readRow(order.uuid)).toMatchObject({ id: dispute.id })
})

test('a refused request can be made again, and one that was accepted never, also after its cancellation', async () => {
  const { merchant, order, endToEnd } = await transferred()
  await fixture.records.openRequestedDispute(order)
  const refusal = { kind: 'rejected', finality: 'final', code: 'dispute_refused', message: 'No.' } as const
  fixture.scriptProvider({ requestDispute: async () => refusal })
  expect(await fixture.providers.requestDispute(order)).toMatchObject({ kind: 'known', state: 'refused' })
  expect(await readRow(order.uuid)).toMatchObject({ failure: { code: 'dispute_refused', message: 'No.' } })

  const again = orderOf(merchant, order.request.transferUuid, endToEnd)
  await fixture.records.openRequestedDispute(again)
  const dispute = reported(endToEnd, { status: 'withdrawn' })
  fixture.scriptProvider({ requestDispute: async () => ({ kind: 'accepted', dispute }) })
  expect(await fixture.providers.requestDispute(again)).toMatchObject({ state: 'cancelled' })

  const third = orderOf(merchant, order.request.transferUuid, endToEnd)
  expect(await fixture.records.openRequestedDispute(third)).toMatchObject({ state: 'refused' })
  expect(await readRow(third.uuid)).toMatchObject({ failure: { code: 'med_already_asked' } })
})

test('a rate limit is no refusal', async () => {
  const { order } = await transferred()
  await fixture.records.openRequestedDispute(order)
  const limited = { kind: 'rejected', finality: 'other_may_help', code: 'rate_limited', message: '' } as const
  fixture.scriptProvider({ requestDispute: async () => limited })
  expect(await fixture.providers.requestDispute(order)).toEqual({ kind: 'no_answer', code: 'rate_limited' })
})

test('the provider’s list of the same dispute under another id opens no second one', async () => {
  const { order, endToEnd } = await requested()
  const listed = { ...order, uuid: randomUUID(), providerDisputeId: 'another', request: undefined }
  fixture.scriptProvider({
    findDispute: async () => ({ kind: 'found', dispute: reported(endToEnd, { id: 'another' }) }),
  })
  expect(await fixture.providers.pollDispute(listed as never)).toEqual({ kind: 'foreign' })
  expect(await fixture.sql('select 1 from dispute where end_to_end = ?', [endToEnd])).toHaveLength(1)
})

test('a cancellation is stored before its call, repeated without an answer, and ends with the provider’s word', async () => {
  const { order, endToEnd } = await requested()
  const silent = { kind: 'no_answer', code: 'timeout', message: '' } as const
  fixture.scriptProvider({ cancelDispute: async () => silent })
  expect(await fixture.providers.cancelDispute(order)).toEqual({ kind: 'no_answer', code: 'timeout' })
  expect(await readRow(order.uuid)).toMatchObject({ state: 'open', cancelled: true })

  const goesOn = reported(endToEnd, { status: 'analysing' })
  fixture.scriptProvider({ cancelDispute: async () => ({ kind: 'found', dispute: goesOn }) })
  expect(await fixture.providers.cancelDispute(order)).toMatchObject({
    state: 'analysing',
    isCancelRequested: false,
  })
  const withdrawn = reported(endToEnd, { status: 'withdrawn' })
  fixture.scriptProvider({ cancelDispute: async () => ({ kind: 'found', dispute: withdrawn }) })
  expect(await fixture.providers.cancelDispute(order)).toMatchObject({ state: 'cancelled' })
})

test.each([
  ['a second dispute about one PIX', 'dispute_requested_once', {}],
  ['a request without its digest', 'dispute_request', { state: 'requesting', fingerprint: null }],
  ['an accepted one without an id', 'dispute_request', { provider_dispute_id: null }],
  [
    'a cancellation of a request',
    'dispute_cancellation',
    { state: 'requesting', cancel_requested_at: '2026-11-30T12:00:00Z' },
  ],
])('the database refuses %s', async (_, constraint, changes) => {
  const { order } = await requested()
  const copy = { uuid: randomUUID(), provider_dispute_id: randomUUID(), ...changes }
  const insertion = fixture.sql(
    'insert into dispute select (jsonb_populate_record(d, ?::jsonb)).* from dispute d where d.uuid = ?',
    [JSON.stringify(copy), order.uuid],
  )
  await expect(insertion).rejects.toThrow(constraint)
})

test('the database refuses more back than was sent, and recovered money of another transfer', async () => {
  const { merchant, order, report } = await requested()
  await report({ status: 'agreed', returns: [returnOf(900)] })
  const insert = (cents: number, transferUuid: string | null) =>
    fixture.sql(
      `with made as (
         insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents, status,
           end_to_end, transfer_uuid, dispute_uuid, settled_at, created_at, updated_at)
         select gen_random_uuid(), account_uuid, provider_account_uuid, uuid, 'EXTERNAL_REFUND', 'IN', ?, 'SETTLED', ?, ?, ?, now(), now(),
           now() from connection where uuid = ? returning *
       ) ${bookingSql()}`,
      [cents, endToEndId('D'), transferUuid, order.uuid, merchant.connectionUuid],
    )
  const { transferUuid } = order.request
  await expect(insert(101, transferUuid)).rejects.toThrow('more comes back of transfer')
  await expect(insert(1, null)).rejects.toThrow('is not recovered by dispute')
  await insert(100, transferUuid)
})
