import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { findCharge } from '../../../src/api/operations/charges.ts'
import { listChargesPastExpiry } from '../../../src/db/repositories/charge-expiries.ts'
import { addDays, findBusinessDay } from '../../../src/domain/charges/business-days.ts'
import {
  PROVIDER_CAPABILITIES,
  type ProviderCapabilities,
} from '../../../src/domain/providers/capabilities.ts'
import type { ProviderRevision } from '../../../src/domain/providers/provider.ts'
import type { ChargeTry } from '../../../src/domain/recurrences/charge-try.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { fakeDate } from '../../support/fake-date.ts'
import { openRecurrenceFixture, type RecurrenceFixture, TERMS } from './support/recurrence-fixture.ts'

/** Debits of a recurrence: charges that are made at its provider alone, tried on their day, and end by its word. */

let fixture: RecurrenceFixture
beforeAll(async () => {
  fixture = await openRecurrenceFixture()
})
afterAll(() => fixture?.close())
afterEach(() => {
  jest.useRealTimers()
})

const UNKNOWN = { kind: 'unknown', code: 'timeout', message: 'no answer in time' } as const
const REJECTED = { kind: 'rejected', finality: 'final', code: 'x', message: 'refused' } as const
const DEBIT_DAY = findBusinessDay(TERMS.startsOn)
const tried = (change: Partial<ChargeTry> = {}): ChargeTry => ({
  on: DEBIT_DAY,
  kind: 'FIRST',
  status: 'SCHEDULED',
  code: null,
  endToEnd: null,
  ...change,
})

/** Noon of a day in Brasília is now. */
const setDay = (day: string) => fakeDate(new Date(`${day}T15:00:00Z`))

async function debit(order: Parameters<RecurrenceFixture['activate']>[0] = {}) {
  const recurrence = await fixture.activate(order)
  const cycleOrder = await fixture.prepareCycle(recurrence.uuid)
  return { recurrence, order: cycleOrder, ...(await fixture.debit(cycleOrder)) }
}

describe('the making', () => {
  test('a debit is made at the provider of its recurrence, for value and fee, and waits for its day', async () => {
    const { uuid, result, requested, recurrence } = await debit({ fee: 50 })
    expect(requested()).toMatchObject([
      { reference: uuid.replaceAll('-', ''), totalCents: 10_050, debit: { dueOn: TERMS.startsOn } },
    ])
    const beginOfDay = new Date(`${DEBIT_DAY}T03:00:00Z`).toISOString()
    expect(result).toMatchObject({ kind: 'closed', state: 'pending', expiresAt: beginOfDay, orphans: [] })
    expect(await fixture.readCharge(uuid)).toMatchObject({ cycle: 1, payload: '' })
    expect(await fixture.readRow(recurrence.uuid)).toMatchObject({ next_cycle: 2 })
  })

  test('a lost answer is looked up, and requested again by the same id until it is known', async () => {
    const recurrence = await fixture.activate()
    const order = await fixture.prepareCycle(recurrence.uuid)
    fixture.scriptProvider({
      issueCharge: async () => UNKNOWN,
      findCharge: async () => ({ kind: 'not_found' }),
    })
    expect(await fixture.providers.issueDebit({ order })).toEqual({ kind: 'again', code: 'timeout' })
    expect(await fixture.providers.issueDebit({ order })).toEqual({ kind: 'again', code: 'timeout' })
    const { requested, result } = await fixture.debit(order)
    expect(requested()).toHaveLength(1)
    expect(result).toMatchObject({ state: 'pending' })
    const attempts = await fixture.sql('select state from attempt where subject_uuid = ?', [order.uuid])
    expect(attempts).toEqual([{ state: 'accepted' }])
  })

  test('a lost answer is found', async () => {
    const recurrence = await fixture.activate()
    const order = await fixture.prepareCycle(recurrence.uuid)
    fixture.scriptProvider({ issueCharge: async () => UNKNOWN })
    await fixture.providers.issueDebit({ order })
    const issued = { txid: 't', payload: '', expiresAt: null, pixKey: 'key', receiver: toParty({}) }
    fixture.scriptProvider({
      findCharge: async () => ({ kind: 'found', status: 'open', charge: issued, payments: [] }),
    })
    expect(await fixture.providers.issueDebit({ order })).toMatchObject({ kind: 'closed', state: 'pending' })
  })

  test('a refusal of a repeated request fails the debit only once it is proved absent', async () => {
    const recurrence = await fixture.activate()
    const order = await fixture.prepareCycle(recurrence.uuid)
    fixture.scriptProvider({
      issueCharge: async () => UNKNOWN,
      findCharge: async () => ({ kind: 'not_found' }),
    })
    await fixture.providers.issueDebit({ order })
    fixture.scriptProvider({ issueCharge: async () => REJECTED })
    expect(await fixture.providers.issueDebit({ order })).toMatchObject({ kind: 'not_found' })
    expect(await fixture.readCharge(order.uuid)).toMatchObject({ state: 'issuing' })
    expect(await fixture.providers.issueDebit({ order, isAbsenceProved: true })).toMatchObject({
      kind: 'closed',
      state: 'failed',
    })
  })

  test('a first refusal fails it, and its cycle is free', async () => {
    const recurrence = await fixture.activate()
    const order = await fixture.prepareCycle(recurrence.uuid)
    fixture.scriptProvider({ issueCharge: async () => REJECTED })
    expect(await fixture.providers.issueDebit({ order })).toMatchObject({ kind: 'closed', state: 'failed' })
    const { result } = await fixture.debit({ ...order, uuid: randomUUID() })
    expect(result).toMatchObject({ state: 'pending' })
  })

  test('one that its provider makes itself is adopted, also after its day, and is found by the id of that provider', async () => {
    const capabilities = PROVIDER_CAPABILITIES.efi as ProviderCapabilities
    capabilities.ownDebits = { daysBefore: 4, needsAddress: false }
    try {
      const { uuid: recurrenceUuid } = await fixture.activate({ termsChange: { daysBefore: 4 } })
      setDay(addDays(TERMS.startsOn, 3))
      const order = await fixture.prepareCycle(recurrenceUuid)
      const asked: unknown[] = []
      const issued = {
        txid: 't',
        payload: '',
        expiresAt: null,
        pixKey: '',
        receiver: toParty({}),
        ref: 'UGF5/1=',
      }
      fixture.scriptProvider({
        issueCharge: async ({ debit }) => {
          asked.push(debit)
          return { kind: 'unknown', code: 'debit_not_made', message: '' }
        },
        findCharge: async (_, kind) => {
          asked.push(kind?.debit)
          return { kind: 'found', status: 'open', charge: issued, payments: [] }
        },
      })
      expect(await fixture.providers.issueDebit({ order })).toEqual({ kind: 'again', code: 'debit_not_made' })
      expect(await fixture.providers.issueDebit({ order })).toMatchObject({ state: 'pending' })
      await fixture.providers.pollCharge({ chargeUuid: order.uuid, isPayloadExpired: false })
      const { railId, dueOn } = order.debit!
      const debit = { railId, dueOn, recurrenceReference: recurrenceUuid.replaceAll('-', '') }
      expect(asked).toEqual([debit, debit, debit])
      const [attempt] = await fixture.sql('select provider_ref from attempt where subject_uuid = ?', [
        order.uuid,
      ])
      expect(attempt).toEqual({ provider_ref: 'UGF5/1=' })
    } finally {
      delete capabilities.ownDebits
    }
  })

  test('of two orders of a cycle one is charged', async () => {
    const { order } = await debit()
    fixture.scriptProvider({
      issueCharge: async () => {
        throw new Error('the provider is not called')
      },
    })
    const second = { ...order, uuid: randomUUID() }
    expect(await fixture.providers.issueDebit({ order: second })).toMatchObject({ state: 'failed' })
    expect(await fixture.readCharge(second.uuid)).toMatchObject({ code: 'cycle_already_charged' })
  })

  test('a recurrence that is over is not charged', async () => {
    const { uuid } = await fixture.activate()
    const order = await fixture.prepareCycle(uuid)
    fixture.reports('cancelled')
    await fixture.providers.pollRecurrence(uuid)
    expect(await fixture.providers.issueDebit({ order })).toMatchObject({ state: 'failed' })
    expect(await fixture.readCharge(order.uuid)).toMatchObject({ code: 'recurrence_not_active' })
  })

  test('a debit that could not be requested in time fails without a call', async () => {
    const { uuid } = await fixture.activate()
    const order = await fixture.prepareCycle(uuid)
    setDay(addDays(TERMS.startsOn, -1))
    expect(await fixture.providers.issueDebit({ order })).toMatchObject({ state: 'failed' })
    expect(await fixture.readCharge(order.uuid)).toMatchObject({ code: 'too_late' })
  })
})

describe('its day', () => {
  test('a debit is PROCESSING from its day on, and its tries are stored', async () => {
    const charge = await debit()
    expect(await charge.poll('open', { tries: [tried()] })).toMatchObject({ state: 'pending' })
    setDay(DEBIT_DAY)
    const endOfDay = new Date(`${addDays(DEBIT_DAY, 1)}T03:00:00Z`).toISOString()
    expect(await charge.poll('open', { tries: [tried()] })).toMatchObject({
      kind: 'known',
      state: 'debiting',
      expiresAt: endOfDay,
    })
    const stored = (await findCharge(fixture.orm.em.fork(), charge.uuid))!
    expect(stored.tries).toEqual([tried()])
    expect(stored.history.map(({ status }) => status)).toEqual(['PENDING', 'PROCESSING'])
  })

  test('a paid debit posts value, fee and shares as any charge', async () => {
    const charge = await debit({ fee: 50 })
    setDay(DEBIT_DAY)
    const paid = [tried({ status: 'PAID', endToEnd: 'E1' })]
    expect(await charge.poll('completed', { tries: paid, paid: [{}] })).toMatchObject({ state: 'paid' })
    expect(await fixture.readBalances(charge.recurrence.accountUuid)).toMatchObject({
      available: 10_000,
      fee: 50,
      outside: -10_050,
    })
  })

  test.each([
    ['failed', 'failed'],
    ['expired', 'expired'],
    ['removed', 'cancelled'],
  ] as const)('%s at its provider makes it %s', async (status, state) => {
    const charge = await debit()
    const tries = [tried({ status: 'REJECTED', code: 'AM02' })]
    expect(await charge.poll(status, { tries })).toMatchObject({ kind: 'known', state })
    expect((await fixture.readCharge(charge.uuid)).code).toBe(state === 'failed' ? 'AM02' : null)
  })

  test('one that is open at its provider does not end, whatever its tries say', async () => {
    const charge = await debit()
    setDay(addDays(DEBIT_DAY, 20))
    const tries = [tried({ status: 'REJECTED', code: 'RC09' })]
    expect(await charge.poll('open', { tries })).toMatchObject({ state: 'debiting' })
  })

  test('a completed one waits for its payment to be listed', async () => {
    const charge = await debit()
    expect(await charge.poll('completed')).toMatchObject({ kind: 'no_answer', code: 'payment_not_listed' })
  })

  test('one that its provider does not end is listed a day after its last try, and an operator may end it', async () => {
    const charge = await debit()
    setDay(DEBIT_DAY)
    expect(await charge.poll('open', { tries: [tried()] })).toMatchObject({ state: 'debiting' })
    await fixture.sql(`update charge set expires_at = now() - interval '2 days' where uuid = ?`, [
      charge.uuid,
    ])
    expect(await listChargesPastExpiry(fixture.orm.em.fork())).toContainEqual(
      expect.objectContaining({ charge: charge.uuid }),
    )
    await fixture.sql(
      `insert into charge_expiry (charge_uuid, confirmed_by, reason, confirmed_at)
       values (?, 'ana', 'seen in the panel', now() - interval '2 hours')`,
      [charge.uuid],
    )
    expect(await charge.poll('completed')).toMatchObject({ kind: 'known', state: 'expired' })
  })

  test('another value is an unmatched payment', async () => {
    const charge = await debit()
    expect(await charge.poll('open', { paid: [{ cents: 9_999 }] })).toMatchObject({ state: 'pending' })
    const unmatched = await fixture.sql('select reason from movement where account_uuid = ?', [
      charge.recurrence.accountUuid,
    ])
    expect(unmatched).toEqual([{ reason: 'wrong_amount' }])
  })
})

describe('a retry', () => {
  const DUE_DAY = TERMS.startsOn
  const retryDay = addDays(DUE_DAY, 3)

  async function failedDebit(order: Parameters<RecurrenceFixture['activate']>[0] = {}) {
    const charge = await debit(order)
    setDay(addDays(DEBIT_DAY, 1))
    await charge.poll('open', { tries: [tried({ status: 'REJECTED', code: 'AM02' })] })
    const retry = (retryOn: string, revisionUuid = randomUUID()) =>
      fixture.providers.reviseCharge({
        chargeUuid: charge.uuid,
        revisionUuid,
        order: {
          uuid: revisionUuid,
          requestId: 'r',
          details: fixture.seal.seal({ retryOn, fingerprint: 'f' }),
        },
        isPayloadExpired: false,
      })
    const listRetries = () =>
      fixture.sql<object>('select number, status, retry_on from charge_revision where charge_uuid = ?', [
        charge.uuid,
      ])
    return { ...charge, retry, listRetries }
  }

  test('a retry is stored before its provider is called, and is a try', async () => {
    const charge = await failedDebit()
    const asked: ProviderRevision[] = []
    let stored: object[] = []
    fixture.scriptProvider({
      reviseCharge: async revision => {
        asked.push(revision)
        stored = await charge.listRetries()
        return { kind: 'revised', charge: charge.issued }
      },
    })
    expect(await charge.retry(retryDay)).toMatchObject({ kind: 'known', state: 'debiting' })
    expect(asked).toEqual([{ reference: charge.uuid.replaceAll('-', ''), retryOn: retryDay }])
    expect(stored).toEqual([{ number: 1, status: 'requested', retry_on: retryDay }])
    expect(await charge.listRetries()).toEqual([{ number: 1, status: 'revised', retry_on: retryDay }])
    const { tries } = (await findCharge(fixture.orm.em.fork(), charge.uuid))!
    expect(tries.at(-1)).toMatchObject({ on: retryDay, kind: 'RETRY', status: 'REQUESTED' })
  })

  test('a lost answer is asked for by the same revision', async () => {
    const charge = await failedDebit()
    const revisionUuid = randomUUID()
    fixture.scriptProvider({
      reviseCharge: async () => ({ kind: 'no_answer', code: 'timeout', message: '' }),
    })
    expect(await charge.retry(retryDay, revisionUuid)).toMatchObject({ kind: 'no_answer' })
    fixture.scriptProvider({ reviseCharge: async () => ({ kind: 'revised', charge: charge.issued }) })
    expect(await charge.retry(retryDay, revisionUuid)).toMatchObject({ kind: 'known' })
    expect(await charge.listRetries()).toHaveLength(1)
  })

  test.each([
    ['in the past', {}, addDays(DUE_DAY, 0)],
    ['after seven days', {}, addDays(DUE_DAY, 8)],
    ['without the consent', { termsChange: { retryPolicy: 'NOT_ALLOWED' as const } }, retryDay],
  ])('one %s is not stored', async (_, order, on) => {
    const charge = await failedDebit(order)
    await charge.retry(on)
    expect(await charge.listRetries()).toEqual([])
  })
})

describe('what PostgreSQL refuses', () => {
  const twin = (change: string) => `
    insert into charge select (jsonb_populate_record(c, jsonb_build_object('uuid', gen_random_uuid()) || '${change}')).*
    from charge c where uuid = ?`
  test.each([
    ['a second charge of a cycle', 'charge_cycle_once', twin('{}')],
    ['another value', 'charge_debit_authorized', twin('{"cycle": 2, "value_cents": 5, "total_cents": 5}')],
    ['another payer', 'charge_debit_authorized', twin('{"cycle": 2, "debtor_document": "11222333000181"}')],
    ['a day before the first', 'charge_debit_authorized', twin('{"cycle": 2, "debit_on": "2020-01-01"}')],
    ['a code to show', 'charge_debit', twin('{"cycle": 2, "payload": "code"}')],
    ['a cycle without a recurrence', 'charge_debit', twin('{"recurrence_uuid": null}')],
    ['no cycle', 'charge_debit', twin('{"cycle": 0}')],
    ['another cycle', 'charge_debit_fixed', 'update charge set cycle = 2 where uuid = ?'],
    ['another day', 'charge_debit_fixed', `update charge set debit_on = '2030-01-01' where uuid = ?`],
    [
      'a retry outside of the seven days',
      'charge_retry_allowed',
      `insert into charge_revision (uuid, charge_uuid, number, status, value_cents, fee_cents, total_cents, retry_on, request_id,
         fingerprint, created_at, updated_at)
       select gen_random_uuid(), uuid, 1, 'requested', value_cents, fee_cents, total_cents, '2035-01-01', 'r', 'f', now(), now()
       from charge where uuid = ?`,
    ],
  ])('%s: %s', async (_, constraint, statement) => {
    const { uuid } = await debit()
    await expect(fixture.sql(statement, [uuid])).rejects.toMatchObject({ constraint })
  })

  test('a charge without a recurrence that is being debited', async () => {
    const { uuid } = await debit()
    const other = twin('{"recurrence_uuid": null, "cycle": null, "debit_on": null, "state": "debiting"}')
    await expect(fixture.sql(other, [uuid])).rejects.toMatchObject({ code: '23514' })
  })
})
