import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { addDays } from '../../../src/domain/charges/business-days.ts'
import type { ProviderRecurrenceRequest } from '../../../src/domain/providers/provider-recurrence.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { buildIssuedCharge, newEndToEndId } from '../../chaos/support/money-fixture.ts'
import { accepted, BODY, openRecurrenceRequests, TODAY } from './support/recurrence-requests.ts'

/** Recurrences with a first charge: one request makes both, and each ends by itself. */

const FIRST_CHARGE = { value: 15, type: 'PIX' }
const WITH_PAYMENT = { ...BODY, journey: 'QR_WITH_PAYMENT', first_charge: FIRST_CHARGE }
const THEN_OFFER = {
  ...BODY,
  journey: 'PAYMENT_THEN_OFFER',
  first_charge: { ...FIRST_CHARGE, due: { on: BODY.starts_on } },
}
const REJECTED = { kind: 'rejected', finality: 'final', code: 'x', message: 'refused' } as const

let fixture: Awaited<ReturnType<typeof openRecurrenceRequests>>
beforeAll(async () => {
  fixture = await openRecurrenceRequests()
})
afterAll(() => fixture?.close())

let requested: ProviderRecurrenceRequest[] = []
beforeEach(() => {
  requested = []
  fixture.scriptProvider({
    issueCharge: async ({ reference }) => ({ kind: 'accepted', charge: issued(reference) }),
    cancelCharge: async () => ({ kind: 'cancelled' }),
    createRecurrence: async request => {
      requested.push(request)
      return accepted('waiting')
    },
  })
})

const issued = (reference: string) => ({ ...buildIssuedCharge(reference), receiver: toParty({}) })
const referenceOf = (uuid: string) => uuid.replaceAll('-', '')

/** A recurrence and its first charge, as their request answers. */
async function create(body: object = WITH_PAYMENT) {
  const merchant = await fixture.createMerchant()
  const answer = await merchant.call('POST', '/recurrences', body)
  const { uuid, first_charge: first } = answer.body.data
  return { ...merchant, answer, uuid: uuid as string, chargeUuid: first.uuid as string }
}

test.each([
  ['QR_WITH_PAYMENT', WITH_PAYMENT],
  ['PAYMENT_THEN_OFFER', THEN_OFFER],
])('%s makes both, once', async (_, body) => {
  const { accountUuid, call } = await fixture.createMerchant()
  const key = randomUUID()
  const answer = await call('POST', '/recurrences', body, key)
  expect([answer.status, answer.body.data]).toMatchObject([201, { status: 'PENDING', payload: 'payload' }])
  const { uuid } = answer.body.data.first_charge
  expect(requested).toMatchObject([{ journey: body.journey, firstChargeReference: referenceOf(uuid) }])
  const charge = await call('GET', `/payments/${uuid}`)
  expect(charge.body.data).toMatchObject({
    status: 'PENDING',
    value: 15,
    debtor: BODY.debtor,
    payment: { type: 'QR_DYNAMIC', payload: 'payload' },
  })
  expect((await call('POST', '/recurrences', body, key)).body).toEqual(answer.body)
  const charges = await fixture.orm.em.execute('select uuid from charge where account_uuid = ?', [
    accountUuid,
  ])
  expect(charges).toEqual([{ uuid }])
})

test('a charge that is not issued leaves no recurrence, with its refusal', async () => {
  fixture.scriptProvider({ issueCharge: async () => REJECTED })
  const { answer } = await create()
  expect([answer.status, answer.body.code, answer.body.data]).toMatchObject([
    ...[400, 'provider_rejected', { status: 'FAILED', rail_id: null, error: { code: 'x' } }],
  ])
  expect(requested).toEqual([])
})

test('a recurrence that is refused cancels its charge', async () => {
  fixture.scriptProvider({ createRecurrence: async () => REJECTED })
  const { answer, chargeUuid, call } = await create()
  expect([answer.status, answer.body.data.status]).toEqual([400, 'FAILED'])
  expect((await call('GET', `/payments/${chargeUuid}`)).body.data.status).toBe('CANCELLED')
})

test.each<[string, object, Record<string, string[]>]>([
  [
    'no charge',
    { ...WITH_PAYMENT, first_charge: undefined },
    { first_charge: ['is needed by the journey QR_WITH_PAYMENT'] },
  ],
  [
    'a charge of another journey',
    { ...WITH_PAYMENT, journey: 'QR' },
    { first_charge: ['must not be sent with the journey QR'] },
  ],
  [
    'no due date',
    { ...THEN_OFFER, first_charge: FIRST_CHARGE },
    { 'first_charge.due': ['is needed by the journey PAYMENT_THEN_OFFER'] },
  ],
  [
    'a due date of another journey',
    { ...THEN_OFFER, journey: 'QR_WITH_PAYMENT' },
    { 'first_charge.due': ['must not be sent with the journey QR_WITH_PAYMENT'] },
  ],
  [
    'a due date that has passed',
    { ...THEN_OFFER, first_charge: { ...FIRST_CHARGE, due: { on: addDays(TODAY, -1) } } },
    { 'first_charge.due.on': ['must not be before today in Brasília'] },
  ],
  [
    'an open amount',
    { ...WITH_PAYMENT, first_charge: { ...FIRST_CHARGE, value: 0 } },
    {
      'first_charge.value': [
        'must be an amount in reais from 0.01 to 9999999999.99 with at most two decimals',
      ],
    },
  ],
  [
    'a share for an unknown account',
    {
      ...WITH_PAYMENT,
      first_charge: {
        ...FIRST_CHARGE,
        splits: [{ type: 'FIXED', value: 1, recipient_account_uuid: randomUUID() }],
      },
    },
    { 'first_charge.splits.0.recipient_account_uuid': ['must be an existing account'] },
  ],
])('refuses %s', async (_, body, errors) => {
  const { call } = await fixture.createMerchant()
  const answer = await call('POST', '/recurrences', body)
  expect([answer.status, answer.body.errors]).toEqual([422, errors])
})

test('a charge that is paid while the consent fails is PAID, and both are told', async () => {
  const { accountUuid, call, uuid, chargeUuid } = await create()
  const charge = issued(chargeUuid)
  fixture.scriptProvider({
    findCharge: async () => ({
      kind: 'found',
      status: 'completed',
      charge,
      payments: [
        {
          endToEnd: newEndToEndId(),
          txid: charge.txid,
          reference: charge.txid,
          cents: 1_500,
          status: 'settled',
          at: new Date().toISOString(),
          payer: null,
          pixKey: 'key',
        },
      ],
    }),
    findRecurrence: async ({ firstChargeReference }) => {
      expect(firstChargeReference).toBe(referenceOf(chargeUuid))
      return {
        kind: 'found',
        recurrence: { ...accepted('waiting').recurrence, status: 'rejected', code: 'AP13' },
      }
    },
  })
  await fixture.activities.pollCharge({ chargeUuid, isPayloadExpired: false })
  await fixture.activities.pollRecurrence(uuid)
  expect((await call('GET', `/payments/${chargeUuid}`)).body.data.status).toBe('PAID')
  expect((await call('GET', `/recurrences/${uuid}`)).body.data).toMatchObject({
    status: 'REJECTED',
    reason: { code: 'AP13' },
    first_charge: { uuid: chargeUuid },
  })
  const events = await fixture.orm.em.execute(
    `select type, body ->> 'status' as status from event where account_uuid = ? and type in ('PAYMENT', 'RECURRENCE')
     order by type`,
    [accountUuid],
  )
  expect(events).toEqual([
    { type: 'PAYMENT', status: 'PAID' },
    { type: 'RECURRENCE', status: 'REJECTED' },
  ])
})

test('a recurrence whose charge has ended unpaid is to be cancelled', async () => {
  const { uuid, chargeUuid } = await create()
  fixture.scriptProvider({
    findRecurrence: async () => ({ kind: 'found', recurrence: accepted('waiting').recurrence }),
  })
  const { pollRecurrence, cancelCharge } = fixture.activities
  expect(await pollRecurrence(uuid)).toMatchObject({ state: 'pending', cancelRequested: false })
  await cancelCharge({ chargeUuid })
  expect(await pollRecurrence(uuid)).toMatchObject({ state: 'pending', cancelRequested: true })
})

describe('what PostgreSQL refuses', () => {
  const copy = (change: string) => `
    insert into recurrence select (jsonb_populate_record(r, jsonb_build_object('uuid', gen_random_uuid(),
      'rail_id', 'RR' || gen_random_uuid()) || ${change})).* from recurrence r where uuid = ?`
  test.each([
    ['a second recurrence of a charge', 'recurrence_first_charge_once', copy(`'{}'`)],
    ['no charge', 'recurrence_first_charge', copy(`'{"first_charge_uuid": null}'`)],
    ['a charge of another journey', 'recurrence_first_charge', copy(`'{"journey": "QR"}'`)],
    ['no due date', 'recurrence_first_charge_issued', copy(`'{"journey": "PAYMENT_THEN_OFFER"}'`)],
    [
      'a charge that no provider has issued',
      'recurrence_first_charge_issued',
      copy(`jsonb_build_object('first_charge_uuid', gen_random_uuid())`),
    ],
    [
      'another charge',
      'recurrence_terms_fixed',
      'update recurrence set first_charge_uuid = gen_random_uuid() where uuid = ?',
    ],
  ])('%s: %s', async (_, constraint, statement) => {
    const { uuid } = await create()
    await expect(fixture.orm.em.execute(statement, [uuid])).rejects.toMatchObject({ constraint })
  })
})
