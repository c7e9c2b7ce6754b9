import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { providerActivities } from '../../../src/activities/index.ts'
import { postOpeningBalance } from '../../../src/admin/connections.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import type { FindPayoutOutcome, SendPayoutOutcome } from '../../../src/domain/providers/provider.ts'
import type { Provider } from '../../../src/providers/port.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** A transfer whose row or workflow was lost, looked up at two providers of which neither has moved it. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const NOT_FOUND: FindPayoutOutcome = { kind: 'not_found' }
const NO_ANSWER: FindPayoutOutcome = { kind: 'no_answer', code: 'timeout', message: 'no answer in time' }
const AWAITING_APPROVAL: FindPayoutOutcome = {
  kind: 'awaiting_approval',
  code: 'awaiting_approval',
  message: 'approve it in the panel',
}
const ACCEPTED: SendPayoutOutcome = {
  kind: 'accepted',
  payout: { status: 'in_process', cents: 500, endToEnd: '', at: '2026-11-01T00:00:00.000Z' },
}
const UNREACHABLE: SendPayoutOutcome = { kind: 'unreachable', code: 'dns_failed', message: 'gone' }
const UNKNOWN: SendPayoutOutcome = { kind: 'unknown', code: 'timeout', message: 'no answer in time' }

/** A transfer with candidates A and B, in this order, each of which answers as it is told. */
async function createTransfer() {
  const merchant = await fixture.createMerchant(1_000)
  const a = merchant.connectionUuid
  const b = await fixture.createConnection(merchant)
  const em = fixture.orm.em.fork()
  await postOpeningBalance(em, await em.findOneOrFail(Connection, b), 1_000)
  const order = fixture.transferInput(merchant, { candidates: [a, b] })
  const { uuid } = order
  const send: Record<string, SendPayoutOutcome> = {}
  const found: Record<string, FindPayoutOutcome> = {}
  const providerFor = (connection: { uuid: string }) =>
    ({
      preconnect: () => {},
      sendTransfer: async () => send[connection.uuid]!,
      findTransfer: async () => found[connection.uuid]!,
    }) as unknown as Provider
  const activities = providerActivities({
    ...fixture.dependencies,
    providers: { ...fixture.dependencies.providers, providerFor },
  })
  return {
    a,
    b,
    uuid,
    async send(connectionUuid: string, outcome: SendPayoutOutcome) {
      send[connectionUuid] = outcome
      return activities.sendTransfer({ uuid, connectionUuid, isResend: false, order })
    },
    restore(atA: FindPayoutOutcome, atB: FindPayoutOutcome, isFinalPoll = false) {
      Object.assign(found, { [a]: atA, [b]: atB })
      const orderedAt = new Date().toISOString()
      return activities.lookUpTransfer({
        uuid,
        candidates: order.candidates,
        orderedAt,
        pollCount: 0,
        isFinalPoll,
      })
    },
    rebuild: (acceptedByUuid: string) =>
      activities.rebuildOperation({
        noun: 'transfer',
        order,
        restored: { orderedAt: new Date().toISOString(), acceptedByUuid },
      }),
    storeUnsent: () => fixture.records.storeTransfer(order),
    /** States of the attempts by their connection. */
    async readAttempts() {
      const rows = await fixture.sql<{ at: string; state: string; code: string }>(
        `select connection_uuid as at, state, code from attempt where subject_uuid = ?`,
        [uuid],
      )
      return Object.fromEntries(rows.map(({ at, state, code }) => [at === a ? 'a' : 'b', `${state} ${code}`]))
    },
  }
}

test.each<[what: string, other: FindPayoutOutcome]>([
  ['does not find it', NOT_FOUND],
  ['does not answer', NO_ANSWER],
])('an order that awaits approval is live at its provider where another one %s', async (_, other) => {
  const { a, uuid, restore, storeUnsent, readAttempts } = await createTransfer()
  await storeUnsent()
  const unknown = { kind: 'unknown', code: 'awaiting_approval', connectionUuid: a }
  expect(await restore(AWAITING_APPROVAL, other)).toEqual(unknown)
  // An order can appear again, or be approved, also when its absence seemed to be proved.
  expect(await restore(AWAITING_APPROVAL, other, true)).toEqual(unknown)
  expect(await readAttempts()).toEqual({ a: 'unknown awaiting_approval' })
  expect(
    await fixture.sql(
      `select kind, occurrences from attempt_answer join attempt on attempt.uuid = attempt_uuid where subject_uuid = ?`,
      [uuid],
    ),
  ).toEqual([{ kind: 'awaiting_approval', occurrences: 2 }])
})

test('an order that awaits approval stays live although a later candidate has rejected the transfer', async () => {
  const { a, send, restore, readAttempts } = await createTransfer()
  await send(a, UNKNOWN)
  const rejected = {
    kind: 'found',
    payout: { status: 'rejected', cents: 500, endToEnd: '', at: null },
  } as const
  expect(await restore(AWAITING_APPROVAL, rejected)).toMatchObject({ kind: 'unknown', connectionUuid: a })
  expect(await readAttempts()).toEqual({ a: 'unknown awaiting_approval' })
})

test.each<[what: string, atA: FindPayoutOutcome, atB: FindPayoutOutcome]>([
  ['does not find it, while an earlier candidate does not answer', NO_ANSWER, NOT_FOUND],
  ['does not find it, while an earlier candidate awaits approval', AWAITING_APPROVAL, NOT_FOUND],
  ['does not answer, while an earlier candidate awaits approval', AWAITING_APPROVAL, NO_ANSWER],
])('a transfer stays accepted where its provider %s', async (_, atA, atB) => {
  const { a, b, send, restore, readAttempts } = await createTransfer()
  await send(a, UNREACHABLE)
  await send(b, ACCEPTED)
  expect(await restore(atA, atB)).toMatchObject({ kind: 'unknown', connectionUuid: b })
  // Absent at both: what was accepted once is not closed by that.
  expect(await restore(NOT_FOUND, NOT_FOUND, true)).toMatchObject({ kind: 'unknown', connectionUuid: b })
  expect(await readAttempts()).toEqual({ a: 'unreachable dns_failed', b: 'accepted null' })
})

test('a rebuilt transfer that a provider had accepted is not closed by "not found", and its money is held there', async () => {
  const { b, uuid, rebuild, restore, readAttempts } = await createTransfer()
  for (let run = 0; run < 2; run++)
    expect(await rebuild(b)).toMatchObject({ kind: 'known', state: 'sending', isEnded: false })
  expect(await restore(NOT_FOUND, NOT_FOUND, true)).toMatchObject({ kind: 'unknown', connectionUuid: b })
  expect(await readAttempts()).toEqual({ b: 'accepted null' })
  expect(
    await fixture.sql('select connection_uuid as at, held_cents::int as held from transfer where uuid = ?', [
      uuid,
    ]),
  ).toEqual([{ at: b, held: 500 }])
})

test('a rebuilt transfer is found at another provider than the one that had accepted it', async () => {
  const { a, b, rebuild, restore, readAttempts } = await createTransfer()
  await rebuild(b)
  const settled = {
    kind: 'found',
    payout: { status: 'settled', cents: 500, endToEnd: `E${'8'.repeat(31)}`, at: null },
  } as const
  expect(await restore(settled, NOT_FOUND)).toEqual({ kind: 'found', connectionUuid: a })
  expect(await readAttempts()).toEqual({ a: 'unknown interrupted', b: 'unreachable interrupted' })
})
