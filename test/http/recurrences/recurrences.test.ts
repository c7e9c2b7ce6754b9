import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addDays } from '../../../src/domain/charges/business-days.ts'
import { openRecurrenceFixture, type RecurrenceFixture, TERMS, TODAY } from './support/recurrence-fixture.ts'

/** Recurrences in PostgreSQL: what their activities store before and after each call of a provider. */

let fixture: RecurrenceFixture
beforeAll(async () => {
  fixture = await openRecurrenceFixture()
})
afterAll(() => fixture?.close())

const UNKNOWN = { kind: 'unknown', code: 'timeout', message: 'no answer in time' } as const
const REJECTED = { kind: 'rejected', finality: 'final', code: 'AP13', message: 'refused' } as const
const NOT_CALLED = async () => {
  throw new Error('the provider is not called')
}
const attemptsOf = (uuid: string) =>
  fixture.sql<{ state: string; connection: string }>(
    'select state, connection_uuid as connection from attempt where subject_uuid = ? order by position',
    [uuid],
  )

describe('the creation', () => {
  test('a created recurrence has what its provider reports, and what is sent has value and fee', async () => {
    const { uuid, requested } = await fixture.activate({ fee: 50 })
    expect(requested()).toMatchObject({
      reference: uuid.replaceAll('-', ''),
      valueCents: 10_050,
      frequency: 'WEEKLY',
      startsOn: TERMS.startsOn,
      debtor: { document: '52998224725' },
    })
    expect(await fixture.readRow(uuid)).toMatchObject({
      state: 'active',
      rail_id: expect.stringMatching(/^RR/),
    })
    const [row] = await fixture.sql<{ history: { status: string }[] }>(
      'select history from recurrence where uuid = ?',
      [uuid],
    )
    expect(row!.history.map(({ status }) => status)).toEqual(['PENDING', 'ACTIVE'])
  })

  test('one without an answer is not called again before it is proved absent, and nowhere else', async () => {
    const { uuid, candidates } = await fixture.order()
    const [first, second] = candidates as [string, string]
    fixture.scriptProvider({
      createRecurrence: async () => UNKNOWN,
      findRecurrence: async () => ({ kind: 'not_found' }),
    })
    expect(await fixture.providers.createRecurrence({ uuid, connectionUuid: first })).toMatchObject({
      kind: 'unknown',
    })
    fixture.scriptProvider({ createRecurrence: NOT_CALLED })
    expect(await fixture.providers.createRecurrence({ uuid, connectionUuid: first })).toMatchObject({
      kind: 'unknown',
      code: 'interrupted',
    })
    // PostgreSQL refuses an attempt at another provider, whatever the code does.
    await expect(fixture.providers.createRecurrence({ uuid, connectionUuid: second })).rejects.toMatchObject({
      constraint: 'attempt_one_active',
    })
    expect(await fixture.providers.lookUpRecurrence({ uuid, connectionUuid: first })).toEqual({
      kind: 'not_found',
    })
    fixture.scriptProvider({
      createRecurrence: async () => ({ kind: 'accepted', recurrence: fixture.report('waiting') }),
    })
    expect(
      await fixture.providers.createRecurrence({ uuid, connectionUuid: first, isAbsenceProved: true }),
    ).toMatchObject({ kind: 'known', state: 'pending' })
    expect(await attemptsOf(uuid)).toEqual([{ state: 'accepted', connection: first }])
  })

  test('a lost answer is found by our id', async () => {
    const { uuid, candidates } = await fixture.order()
    const connectionUuid = candidates[0]!
    fixture.scriptProvider({ createRecurrence: async () => UNKNOWN })
    await fixture.providers.createRecurrence({ uuid, connectionUuid })
    fixture.reports('received')
    expect(await fixture.providers.lookUpRecurrence({ uuid, connectionUuid })).toMatchObject({
      kind: 'known',
      state: 'processing',
    })
  })

  test('a refusal leaves it to the next provider, and the last one fails it', async () => {
    const { uuid, candidates } = await fixture.order()
    fixture.scriptProvider({ createRecurrence: async () => REJECTED })
    for (const connectionUuid of candidates)
      expect(await fixture.providers.createRecurrence({ uuid, connectionUuid })).toEqual({ kind: 'refused' })
    expect(await fixture.records.failRecurrence(uuid)).toMatchObject({ state: 'failed' })
    const [row] = await fixture.sql<{ failure: object }>('select failure from recurrence where uuid = ?', [
      uuid,
    ])
    expect(row!.failure).toMatchObject({ code: 'AP13' })
  })
})

describe('what its provider reports', () => {
  test.each([
    ['waiting', 'pending'],
    ['received', 'processing'],
    ['active', 'active'],
    ['rejected', 'rejected'],
    ['expired', 'expired'],
    ['cancelled', 'cancelled'],
  ] as const)('%s makes a pending one %s', async (status, state) => {
    const { uuid, candidates } = await fixture.order()
    fixture.scriptProvider({
      createRecurrence: async () => ({ kind: 'accepted', recurrence: fixture.report('waiting') }),
    })
    await fixture.providers.createRecurrence({ uuid, connectionUuid: candidates[0]! })
    fixture.reports(status)
    expect(await fixture.providers.pollRecurrence(uuid)).toMatchObject({ kind: 'known', state })
  })

  test('an active one that is reported as expired has ended', async () => {
    const { uuid } = await fixture.activate()
    fixture.reports('expired')
    expect(await fixture.providers.pollRecurrence(uuid)).toMatchObject({ state: 'ended' })
  })

  test('an active one that is reported as rejected was cancelled by its payer', async () => {
    const { uuid } = await fixture.activate()
    fixture.reports('rejected')
    expect(await fixture.providers.pollRecurrence(uuid)).toMatchObject({ state: 'cancelled' })
    const [row] = await fixture.sql<object>('select cancelled_by from recurrence where uuid = ?', [uuid])
    expect(row).toEqual({ cancelled_by: 'payer' })
  })

  test('"not found" changes nothing', async () => {
    const { uuid } = await fixture.activate()
    fixture.scriptProvider({ findRecurrence: async () => ({ kind: 'not_found' }) })
    expect(await fixture.providers.pollRecurrence(uuid)).toEqual({ kind: 'no_answer', code: 'not_found' })
  })

  test('a cancelled one says who has cancelled it, and why', async () => {
    const { uuid } = await fixture.activate()
    fixture.reports('cancelled', { code: 'ACCL', cancelledBy: 'payer' })
    await fixture.providers.pollRecurrence(uuid)
    const [row] = await fixture.sql<object>(
      'select reason_code, cancelled_by from recurrence where uuid = ?',
      [uuid],
    )
    expect(row).toEqual({ reason_code: 'ACCL', cancelled_by: 'payer' })
  })
})

describe('the cancellation', () => {
  test('a recurrence is cancelled by the answer of its provider', async () => {
    const { uuid } = await fixture.activate()
    fixture.scriptProvider({
      cancelRecurrence: async () => ({ kind: 'no_answer', code: 'timeout', message: '' }),
    })
    expect(await fixture.providers.cancelRecurrence(uuid)).toMatchObject({ kind: 'no_answer' })
    expect(await fixture.records.getRecurrence(uuid)).toMatchObject({
      state: 'active',
      cancelRequested: true,
    })
    fixture.scriptProvider({ cancelRecurrence: async () => ({ kind: 'cancelled' }) })
    expect(await fixture.providers.cancelRecurrence(uuid)).toMatchObject({ state: 'cancelled' })
  })

  test('its debits that are open are signalled, and no others', async () => {
    const { uuid } = await fixture.activate()
    const { order, ...open } = await debitOf(uuid)
    const failed = {
      ...order,
      uuid: randomUUID(),
      debit: { ...order.debit!, cycle: 2, dueOn: addDays(TODAY, 13) },
    }
    fixture.scriptProvider({ issueCharge: async () => REJECTED })
    await fixture.providers.issueDebit({ order: failed })
    expect(await fixture.records.getRecurrence(uuid)).toMatchObject({ hasOpenDebits: false })
    fixture.reports('cancelled')
    expect(await fixture.providers.pollRecurrence(uuid)).toMatchObject({ hasOpenDebits: true })
    fixture.signalledWorkflowIds.length = 0
    await fixture.providers.signalOpenDebits(uuid)
    expect(fixture.signalledWorkflowIds).toEqual([`charge/${open.uuid}`])
    await open.poll('removed')
    expect(await fixture.records.getRecurrence(uuid)).toMatchObject({ hasOpenDebits: false })
  })

  async function debitOf(uuid: string) {
    const order = await fixture.prepareCycle(uuid)
    return { order, ...(await fixture.debit(order)) }
  }

  test('a refusal asks what it is, and ends the request', async () => {
    const { uuid } = await fixture.activate()
    fixture.scriptProvider({ cancelRecurrence: async () => ({ kind: 'refused', code: 'x', message: '' }) })
    fixture.reports('active')
    expect(await fixture.providers.cancelRecurrence(uuid)).toMatchObject({
      state: 'active',
      cancelRequested: false,
    })
  })
})

describe('the request for consent', () => {
  const REQUEST = {
    termsChange: { journey: 'REQUEST' as const },
    payerAccount: { ispb: '18236120', account: '12345' },
    requestExpiresAt: new Date(Date.now() + 86_400_000).toISOString(),
  }
  async function create(order = REQUEST) {
    const { uuid, candidates } = await fixture.order(order)
    fixture.scriptProvider({
      createRecurrence: async ({ consentRequest }) => {
        // For a provider that sends the request with the creation.
        const { payerAccount, requestExpiresAt: expiresAt } = order
        expect(consentRequest).toEqual({ payerAccount, expiresAt })
        return { kind: 'accepted', recurrence: fixture.report('waiting', { payload: null }) }
      },
    })
    const created = await fixture.providers.createRecurrence({ uuid, connectionUuid: candidates[0]! })
    expect(created).toMatchObject({ isRequestDue: true })
    return uuid
  }

  test('the account of the payer is stored sealed, and sent', async () => {
    const uuid = await create()
    const [row] = await fixture.sql<{ account: string }>(
      'select sealed_payer_account as account from recurrence where uuid = ?',
      [uuid],
    )
    expect(row!.account).toMatch(/^sealed\./)
    fixture.scriptProvider({
      requestConsent: async request => {
        expect(request).toMatchObject({ payerAccount: REQUEST.payerAccount, debtorDocument: '52998224725' })
        return { kind: 'requested' }
      },
    })
    expect(await fixture.providers.requestConsent(uuid)).toMatchObject({ kind: 'known', isRequestDue: false })
  })

  test.each([
    ['waiting', 13, 'expired'],
    ['received', 13, 'expired'],
    ['received', 11, 'processing'],
    ['active', 13, 'active'],
  ] as const)('one that is reported as %s %d hours after its end is %s', async (status, hours, state) => {
    const uuid = await create()
    fixture.scriptProvider({ requestConsent: async () => ({ kind: 'requested' }) })
    await fixture.providers.requestConsent(uuid)
    await fixture.sql(
      `update recurrence set request_expires_at = now() - make_interval(hours => ?) where uuid = ?`,
      [hours, uuid],
    )
    fixture.reports(status)
    expect(await fixture.providers.pollRecurrence(uuid)).toMatchObject({ kind: 'known', state })
  })

  test('one that is refused leads to the cancellation', async () => {
    const uuid = await create()
    fixture.scriptProvider({ requestConsent: async () => REJECTED })
    expect(await fixture.providers.requestConsent(uuid)).toMatchObject({
      state: 'pending',
      cancelRequested: true,
    })
  })
})

describe('the cycles', () => {
  test('the charge of a cycle has one uuid, however often it is prepared', async () => {
    const { uuid } = await fixture.activate()
    const first = await fixture.prepareCycle(uuid)
    const again = await fixture.prepareCycle(uuid)
    expect(again.uuid).toBe(first.uuid)
    expect(first.debit).toMatchObject({ cycle: 1, dueOn: TERMS.startsOn, recurrenceUuid: uuid })
    await fixture.records.recordCycle({ uuid, cycle: 1 })
    expect((await fixture.records.prepareCycle(uuid)).charge).toBeUndefined()
    expect(await fixture.readRow(uuid)).toMatchObject({ next_cycle: 2 })
  })

  test('cycles that can have no charge any more are skipped, and recorded', async () => {
    const { uuid } = await fixture.activate({ termsChange: { startsOn: addDays(TODAY, 1) } })
    expect((await fixture.prepareCycle(uuid)).debit).toMatchObject({ cycle: 2, dueOn: addDays(TODAY, 8) })
    expect((await fixture.readRow(uuid)).skipped).toMatchObject([{ cycle: 1, dueOn: addDays(TODAY, 1) }])
  })

  test('a recurrence that is not active has none', async () => {
    const { uuid } = await fixture.activate()
    fixture.reports('cancelled')
    await fixture.providers.pollRecurrence(uuid)
    expect((await fixture.records.prepareCycle(uuid)).charge).toBeUndefined()
  })
})

describe('what PostgreSQL refuses', () => {
  const change = (set: string) => `update recurrence set ${set} where uuid = ?`
  test.each([
    ['another value', 'recurrence_terms_fixed', change('value_cents = 5')],
    ['another due day', 'recurrence_terms_fixed', change(`starts_on = '2020-01-01'`)],
    ['another payer', 'recurrence_terms_fixed', change(`debtor_document = '11222333000181'`)],
    ['another id of the rail', 'recurrence_provider_fixed', change(`rail_id = 'RR2'`)],
    ['another fee', 'recurrence_provider_fixed', change('fee_cents = 5')],
    ['a cycle again', 'recurrence_cycle_forward', change('next_cycle = 1')],
    ['a step back', 'recurrence_transition', change(`state = 'pending'`)],
    ['a failure after it was made', 'recurrence_transition', change(`state = 'failed'`)],
    ['an end before its beginning', 'recurrence_terms_fixed', change(`ends_on = '2020-01-01'`)],
    ['a minimum of a fixed value', 'recurrence_terms_fixed', change('minimum_cents = 5')],
  ])('%s: %s', async (_, constraint, statement) => {
    const { uuid } = await fixture.activate()
    await fixture.records.recordCycle({ uuid, cycle: 1 })
    await expect(fixture.sql(statement, [uuid])).rejects.toMatchObject({ constraint })
  })
})
