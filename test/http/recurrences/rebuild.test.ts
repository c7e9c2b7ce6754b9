import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { FindRecurrenceOutcome } from '../../../src/domain/providers/provider-recurrence.ts'
import type { RebuiltOperation } from '../../../src/workflows/contracts/rebuild.ts'
import { buildIssuedCharge } from '../../chaos/support/money-fixture.ts'
import { openRecurrenceFixture, type RecurrenceFixture } from './support/recurrence-fixture.ts'

/** Recurrences that a restored backup has lost: they are looked up by our id, and never created again. */

let fixture: RecurrenceFixture
beforeAll(async () => {
  fixture = await openRecurrenceFixture()
})
afterAll(() => fixture?.close())
beforeEach(() => {
  fixture.scriptProvider({
    createRecurrence: async () => {
      throw new Error('no recurrence is created')
    },
  })
})

const NOT_FOUND = { kind: 'not_found' } as const
const HOURS_AGO = new Date(Date.now() - 7_200_000).toISOString()

/** A recurrence whose row is missing, and its rebuild; its candidates answer in their order. */
async function lose(orderedAt = HOURS_AGO) {
  const { order, candidates } = await fixture.order()
  const lost = { ...order, uuid: randomUUID() }
  const operation: RebuiltOperation = { noun: 'recurrence', order: lost, restored: { orderedAt } }
  return {
    uuid: lost.uuid,
    candidates,
    rebuild(...answers: FindRecurrenceOutcome[]) {
      fixture.scriptProvider({ findRecurrence: async () => answers.shift()! })
      return fixture.providers.rebuildOperation(operation)
    },
  }
}
const found = (status: 'waiting' | 'active'): FindRecurrenceOutcome => ({
  kind: 'found',
  recurrence: fixture.report(status),
})

test('it is found at the provider that had created it, and goes on there', async () => {
  const { uuid, candidates, rebuild } = await lose()
  expect(await rebuild(NOT_FOUND, found('active'))).toMatchObject({
    kind: 'known',
    state: 'active',
    isEnded: false,
    connectionUuid: candidates[1],
  })
  expect(await fixture.readRow(uuid)).toMatchObject({ state: 'active', rail_id: expect.any(String) })
  const attempts = await fixture.sql(
    'select state, connection_uuid as at from attempt where subject_uuid = ?',
    [uuid],
  )
  expect(attempts).toEqual([{ state: 'accepted', at: candidates[1] }])
  // A repeat changes nothing, and calls no provider.
  expect(await rebuild()).toMatchObject({ kind: 'known', state: 'active' })
})

test('without an answer nothing is known', async () => {
  const { uuid, rebuild } = await lose()
  const noAnswer = { kind: 'no_answer', code: 'timeout', message: '' } as const
  expect(await rebuild(noAnswer, NOT_FOUND)).toEqual({ kind: 'unknown', code: 'timeout' })
  expect(await fixture.readRow(uuid)).toMatchObject({ state: 'creating' })
})

test('one that no provider has is FAILED, once a provider would list it', async () => {
  const recent = await lose(new Date().toISOString())
  expect(await recent.rebuild(NOT_FOUND, NOT_FOUND)).toEqual({ kind: 'unknown', code: 'not_found' })
  const { uuid, rebuild } = await lose()
  expect(await rebuild(NOT_FOUND, NOT_FOUND)).toMatchObject({ kind: 'known', state: 'failed', isEnded: true })
  const [row] = await fixture.sql(`select failure ->> 'code' as code from recurrence where uuid = ?`, [uuid])
  expect(row).toEqual({ code: 'not_found_after_restore' })
})

test('a debit waits for its recurrence', async () => {
  const { rebuild, uuid: lostUuid } = await lose()
  const active = await fixture.activate()
  const { uuid: _, debit, ...order } = await fixture.prepareCycle(active.uuid)
  const charge = { ...order, uuid: randomUUID(), debit: { ...debit!, recurrenceUuid: lostUuid } }
  const rebuildCharge = (of: object = {}) =>
    fixture.providers.rebuildOperation({
      noun: 'charge',
      order: { ...charge, ...of },
      restored: { orderedAt: HOURS_AGO },
    })
  expect(await rebuildCharge()).toEqual({ kind: 'unknown', code: 'not_found' })
  await rebuild(found('active'))
  const [row] = await fixture.sql<{ account: string; connection: string }>(
    'select account_uuid as account, connection_uuid as connection from recurrence where uuid = ?',
    [lostUuid],
  )
  const issued = { ...buildIssuedCharge(charge.uuid), payload: '' }
  fixture.scriptProvider({
    findCharge: async () => ({ kind: 'found', status: 'open', charge: issued, payments: [] }),
  })
  expect(await rebuildCharge({ accountUuid: row!.account, candidates: [row!.connection] })).toMatchObject({
    kind: 'known',
    state: 'pending',
  })
})

test('a row of before its creation learns of it by a poll', async () => {
  const { uuid } = await fixture.order()
  fixture.reports('waiting')
  expect(await fixture.providers.pollRecurrence(uuid)).toMatchObject({ kind: 'known', state: 'pending' })
})
