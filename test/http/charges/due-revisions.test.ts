import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { findCharge } from '../../../src/api/operations/charges.ts'
import { showCharge, showCreatedCharge } from '../../../src/contract/charges/charge.ts'
import { findDueExpiry } from '../../../src/domain/charges/due-payment.ts'
import type { DueTerms, PaidParts } from '../../../src/domain/charges/due-terms.ts'
import type { ProviderRevision, ReviseChargeOutcome } from '../../../src/domain/providers/provider.ts'
import type { ChargeRevisionDetails } from '../../../src/workflows/contracts/charges.ts'
import { DUE_TERMS, type DueChargeFixture, openDueChargeFixture } from './support/due-charge.ts'

/** Revisions of charges with a due date: stored before their provider is called, and decided by it. */

let fixture: DueChargeFixture
beforeAll(async () => {
  fixture = await openDueChargeFixture()
})
afterAll(() => fixture?.close())

const LATER: DueTerms = { ...DUE_TERMS, payableDaysAfter: 60 }
const NO_ANSWER = { kind: 'no_answer', code: 'timeout', message: 'no answer in time' } as const
const NOT_CALLED = async () => {
  throw new Error('the provider is not called')
}
const NO_PARTS = { fineCents: 0, interestCents: 0, discountCents: 0, abatementCents: 0 }
const partsOf = (originalCents: number): PaidParts => ({ originalCents, ...NO_PARTS })

type Charge = Awaited<ReturnType<DueChargeFixture['issue']>>

/** A charge, and calls of the activity that revises it. */
async function issue(order: Parameters<DueChargeFixture['issue']>[0] = {}) {
  const charge = await fixture.issue(order)
  return { ...charge, revise: createReviser(charge) }
}

function createReviser({ uuid: chargeUuid }: Charge) {
  return (
    changes: Partial<ChargeRevisionDetails>,
    { revisionUuid = randomUUID(), isStored = false }: { revisionUuid?: string; isStored?: boolean } = {},
  ) =>
    fixture.providers.reviseCharge({
      chargeUuid,
      revisionUuid,
      ...(!isStored && {
        order: {
          uuid: revisionUuid,
          requestId: 'r',
          details: fixture.seal.seal({ fingerprint: 'f', ...changes }),
        },
      }),
      isPayloadExpired: false,
    })
}

/** The provider answers so, and records what it was asked. */
function scriptRevisions(...answers: (ReviseChargeOutcome | (() => Promise<ReviseChargeOutcome>))[]) {
  const asked: ProviderRevision[] = []
  fixture.scriptProvider({
    reviseCharge: async revision => {
      asked.push(revision)
      const answer = answers.shift()!
      return typeof answer === 'function' ? answer() : answer
    },
  })
  return asked
}

const listRevisions = ({ uuid }: Charge) =>
  fixture.sql<object>(
    'select number, status, total_cents::int as cents from charge_revision where charge_uuid = ? order by created_at',
    [uuid],
  )

async function show({ uuid }: Charge) {
  const charge = (await findCharge(fixture.orm.em.fork(), uuid))!
  return { current: showCharge(charge, charge.refunds), created: showCreatedCharge(charge) }
}

test('a revision changes what the charge asks, and only that is sent', async () => {
  const charge = await issue({ fee: 50, message: 'Dezembro' })
  const asked = scriptRevisions(
    { kind: 'revised', charge: charge.issued },
    { kind: 'revised', charge: charge.issued },
  )
  const before = await show(charge)
  const result = await charge.revise({ valueCents: 20_000, due: LATER })
  expect(result).toMatchObject({
    kind: 'known',
    state: 'pending',
    expiresAt: findDueExpiry(LATER).toISOString(),
  })
  await charge.revise({ message: 'Janeiro' })
  const reference = charge.uuid.replaceAll('-', '')
  expect(asked).toEqual([
    { reference, totalCents: 20_050, due: LATER },
    { reference, message: 'Janeiro' },
  ])
  const { current, created } = await show(charge)
  expect(current).toMatchObject({
    value: 20_000,
    fees: 50,
    total_value: 20_050,
    message: 'Janeiro',
    revision: 2,
    payment: { due: { payable_days_after: 60 }, amount_due: { value: 20_050 } },
  })
  expect(current.payment.expires_at).toEqual(findDueExpiry(LATER))
  // The response of its POST stays what it was.
  expect(created).toEqual(before.created)
  expect(await listRevisions(charge)).toEqual([
    { number: 1, status: 'revised', cents: 20_050 },
    { number: 2, status: 'revised', cents: 20_050 },
  ])
})

describe('once the table of fees has changed', () => {
  const setFee = ({ accountUuid }: Charge, cents: number) =>
    fixture.sql(
      `update connection set fees = jsonb_set(fees, '{charge,fixedCents}', to_jsonb(?::int)) where account_uuid = ?`,
      [cents, accountUuid],
    )

  test('the fee is that of the table where the value changes, and else stays', async () => {
    const charge = await issue({ fee: 50 })
    await setFee(charge, 70)
    const asked = scriptRevisions(
      { kind: 'revised', charge: charge.issued },
      { kind: 'revised', charge: charge.issued },
    )
    await charge.revise({ due: LATER })
    await charge.revise({ valueCents: 20_000 })
    const reference = charge.uuid.replaceAll('-', '')
    expect(asked).toEqual([
      { reference, due: LATER },
      { reference, totalCents: 20_070 },
    ])
  })

  test('a restored charge that has lost a revision asks what it did before, until it is revised again', async () => {
    const charge = await issue({ fee: 50 })
    // Its provider asks 200.60: the revision of that was after the backup.
    await charge.poll([{ cents: 20_060, parts: partsOf(20_060) }])
    expect(await charge.readState()).toBe('pending')
    expect(await charge.listUnmatched()).toEqual([{ reason: 'wrong_amount', disposition: 'held' }])
    await setFee(charge, 80)
    const asked = scriptRevisions({ kind: 'revised', charge: charge.issued })
    await charge.revise({ valueCents: 20_000 })
    expect(asked).toEqual([{ reference: charge.uuid.replaceAll('-', ''), totalCents: 20_080 }])
    expect((await show(charge)).current).toMatchObject({ value: 20_000, fees: 80, total_value: 20_080 })
    await charge.poll([{ cents: 20_080, parts: partsOf(20_080) }])
    expect(await charge.readState()).toBe('paid')
  })
})

test('the number of a revision is stored before its provider is called', async () => {
  const charge = await issue()
  let stored: object[] = []
  scriptRevisions(async () => {
    stored = await listRevisions(charge)
    return { kind: 'revised', charge: charge.issued }
  })
  await charge.revise({ valueCents: 9_000 })
  expect(stored).toEqual([{ number: 1, status: 'requested', cents: 9_000 }])
})

describe('after a lost answer', () => {
  async function loseAnswer(changes: Partial<ChargeRevisionDetails> = { valueCents: 9_000 }) {
    const charge = await issue()
    const revisionUuid = randomUUID()
    scriptRevisions(NO_ANSWER)
    expect(await charge.revise(changes, { revisionUuid })).toMatchObject({
      kind: 'no_answer',
      state: 'pending',
    })
    return { ...charge, repeat: () => charge.revise({}, { revisionUuid, isStored: true }) }
  }

  test('the charge asks what it did, and the same is sent again after a look-up', async () => {
    const charge = await loseAnswer()
    expect((await show(charge)).current).toMatchObject({ value: 10_000, revision: 0 })
    let lookUps = 0
    fixture.scriptProvider({
      findCharge: async () => {
        lookUps += 1
        return charge.found([], 'open')
      },
    })
    const asked = scriptRevisions({ kind: 'revised', charge: charge.issued })
    await charge.repeat()
    expect([lookUps, asked]).toEqual([1, [{ reference: charge.uuid.replaceAll('-', ''), totalCents: 9_000 }]])
    expect((await show(charge)).current).toMatchObject({ value: 9_000, revision: 1 })
  })

  test('nothing is sent again while the look-up has no answer', async () => {
    const charge = await loseAnswer()
    fixture.scriptProvider({ findCharge: async () => NO_ANSWER, reviseCharge: NOT_CALLED })
    expect(await charge.repeat()).toMatchObject({ kind: 'no_answer', code: 'timeout' })
  })

  test.each([
    ['by the terms of the revision', { cents: 9_000, parts: partsOf(9_000) }, 9_000, 1, 'revised'],
    ['by the terms before it', { cents: 10_000, parts: partsOf(10_000) }, 10_000, 0, 'refused'],
    ['without parts, by the value of the revision', { cents: 9_001 }, 9_000, 1, 'revised'],
    ['without parts, by the value before it', { cents: 9_999 }, 10_000, 0, 'refused'],
  ] as const)('a payment %s wins', async (_, payment, value, revision, status) => {
    const charge = await loseAnswer()
    fixture.scriptProvider({
      findCharge: async () => charge.found([payment]),
      reviseCharge: NOT_CALLED,
    })
    expect(await charge.repeat()).toMatchObject({ kind: 'known', state: 'paid' })
    expect((await show(charge)).current).toMatchObject({
      status: 'PAID',
      value,
      revision,
      payment: { paid: { value: payment.cents } },
    })
    expect(await listRevisions(charge)).toEqual([{ number: 1, status, cents: 9_000 }])
  })

  test('a payment of neither value is unmatched, and the revision goes on', async () => {
    const charge = await loseAnswer()
    fixture.scriptProvider({ findCharge: async () => charge.found([{ cents: 9_500 }], 'open') })
    scriptRevisions({ kind: 'revised', charge: charge.issued })
    await charge.repeat()
    expect(await charge.listUnmatched()).toEqual([{ reason: 'wrong_amount', disposition: 'held' }])
    expect((await show(charge)).current).toMatchObject({ status: 'PENDING', value: 9_000 })
  })

  test('an end of the charge ends the revision', async () => {
    const charge = await loseAnswer()
    fixture.scriptProvider({ cancelCharge: async () => ({ kind: 'cancelled' }) })
    await fixture.providers.cancelCharge({ chargeUuid: charge.uuid })
    expect(await listRevisions(charge)).toEqual([{ number: 1, status: 'refused', cents: 9_000 }])
  })

  test('another revision is not stored beside it, and a reopened workflow finds it', async () => {
    const charge = await loseAnswer()
    scriptRevisions()
    fixture.scriptProvider({ reviseCharge: NOT_CALLED })
    expect(await charge.revise({ valueCents: 8_000 })).toMatchObject({ kind: 'known', state: 'pending' })
    expect(await listRevisions(charge)).toHaveLength(1)
    const [row] = await fixture.sql<{ uuid: string }>(
      'select uuid from charge_revision where charge_uuid = ?',
      [charge.uuid],
    )
    expect(await fixture.records.getCharge(charge.uuid)).toMatchObject({ openRevision: row!.uuid })
  })

  test('its number is free again once it is refused', async () => {
    const charge = await loseAnswer()
    fixture.scriptProvider({ findCharge: async () => charge.found([], 'open') })
    scriptRevisions(
      { kind: 'refused', code: 'locked', message: 'cannot be revised' },
      { kind: 'revised', charge: charge.issued },
    )
    expect(await charge.repeat()).toMatchObject({ kind: 'known', state: 'pending' })
    await charge.revise({ valueCents: 7_000 })
    expect(await listRevisions(charge)).toEqual([
      { number: 1, status: 'refused', cents: 9_000 },
      { number: 1, status: 'revised', cents: 7_000 },
    ])
  })

  test('the same order that is stored by the crashed call is sent again', async () => {
    const charge = await issue()
    const revisionUuid = randomUUID()
    scriptRevisions(async () => {
      throw new Error('the worker ends here')
    })
    await expect(charge.revise({ valueCents: 9_000 }, { revisionUuid })).rejects.toThrow('ends here')
    fixture.scriptProvider({ findCharge: async () => charge.found([], 'open') })
    const asked = scriptRevisions({ kind: 'revised', charge: charge.issued })
    await charge.revise({ valueCents: 9_000 }, { revisionUuid })
    expect(asked).toHaveLength(1)
    expect(await listRevisions(charge)).toEqual([{ number: 1, status: 'revised', cents: 9_000 }])
  })
})

describe('a payment that starts while the provider is asked', () => {
  test('wins, and decides about the revision once it settles', async () => {
    const charge = await issue()
    const endToEnd = `E${randomUUID().replaceAll('-', '').slice(1)}`
    scriptRevisions(async () => {
      await charge.poll([{ endToEnd, status: 'in_process' }])
      return { kind: 'revised', charge: charge.issued }
    })
    expect(await charge.revise({ valueCents: 9_000 })).toMatchObject({ kind: 'known', state: 'paying' })
    expect(await listRevisions(charge)).toEqual([{ number: 1, status: 'requested', cents: 9_000 }])
    await charge.poll([{ endToEnd, parts: partsOf(10_000) }])
    expect((await show(charge)).current).toMatchObject({ status: 'PAID', value: 10_000, revision: 0 })
    expect(await listRevisions(charge)).toEqual([{ number: 1, status: 'refused', cents: 9_000 }])
  })

  test('leaves the revision open where it fails', async () => {
    const charge = await issue()
    const endToEnd = `E${randomUUID().replaceAll('-', '').slice(1)}`
    const revisionUuid = randomUUID()
    scriptRevisions(async () => {
      await charge.poll([{ endToEnd, status: 'in_process' }])
      return { kind: 'revised', charge: charge.issued }
    })
    await charge.revise({ valueCents: 9_000 }, { revisionUuid })
    await charge.poll([{ endToEnd, status: 'failed' }], { status: 'open' })
    scriptRevisions({ kind: 'revised', charge: charge.issued })
    await charge.revise({}, { revisionUuid, isStored: true })
    expect((await show(charge)).current).toMatchObject({ status: 'PENDING', value: 9_000, revision: 1 })
  })
})

test('a paid charge is not revised, and its provider is not called', async () => {
  const charge = await issue()
  await charge.poll([{}])
  fixture.scriptProvider({ reviseCharge: NOT_CALLED })
  expect(await charge.revise({ valueCents: 9_000 })).toMatchObject({ kind: 'known', state: 'paid' })
  expect(await listRevisions(charge)).toEqual([])
})

describe('PostgreSQL refuses', () => {
  test.each([
    ['two revisions under way', 'insert', 'charge_revision_open'],
    [
      'a revision that changes',
      `update charge_revision set value_cents = 1, total_cents = 1`,
      'charge_revision_fixed',
    ],
    ['a value that is not that of the last revision', 'value', 'asks something else than its last revision'],
  ])('%s', async (_, change, constraint) => {
    const charge = await issue()
    scriptRevisions(NO_ANSWER)
    await charge.revise({ valueCents: 9_000 })
    const statements: Record<string, string> = {
      insert: `insert into charge_revision select (jsonb_populate_record(r, jsonb_build_object('uuid', gen_random_uuid()))).*
        from charge_revision r where charge_uuid = '${charge.uuid}'`,
      value: `update charge_revision set status = 'revised' where charge_uuid = '${charge.uuid}';
        update charge set revision = 1, issued_as = '{}', value_cents = 5, total_cents = 5 where uuid = '${charge.uuid}'`,
    }
    await expect(fixture.sql(statements[change] ?? change)).rejects.toThrow(constraint)
  })
})
