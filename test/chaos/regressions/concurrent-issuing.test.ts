import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Charge } from '../../../src/db/entities/charge.ts'
import type { IssueChargeOutcome } from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { pollUntil } from '../../api/support/poll-until.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** The next candidate issues while the first one is slow; the charge has one payload, whichever comes first. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const issued = (payload: string): IssueChargeOutcome => ({
  kind: 'accepted',
  charge: {
    payload,
    txid: payload,
    pixKey: 'k',
    receiver: toParty({}),
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  },
})

/** A charge with two candidates, of which the first answers when the test says so. */
async function chargeWithSlowCandidate(second: IssueChargeOutcome) {
  const merchant = await fixture.createMerchant(0)
  const slow = Promise.withResolvers<IssueChargeOutcome>()
  let calls = 0
  fixture.scriptProvider({
    issueCharge: async () => {
      calls += 1
      return calls === 1 ? slow.promise : second
    },
  })
  const uuid = randomUUID()
  const issuing = fixture.providers.issueCharge({
    uuid,
    accountUuid: merchant.accountUuid,
    valueCents: 1_000,
    expiresInSeconds: 60,
    candidates: [merchant.connectionUuid, await fixture.createConnection(merchant)],
    details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
    requestId: 'r',
    timeScale: 1,
  })
  return {
    issuing,
    answerSlow: slow.resolve,
    attempts: () =>
      fixture.sql<{ uuid: string; state: string }>(
        'select uuid, state from attempt where subject_uuid = ? order by position',
        [uuid],
      ),
    /** Orders in a row without a useful answer of each connection that has some. */
    failedInARow: () =>
      fixture.sql<{ connection_uuid: string; failed_charges: number }>(
        `select connection_uuid, failed_charges from circuit_breaker where connection_uuid in
           (select connection_uuid from attempt where subject_uuid = ?)`,
        [uuid],
      ),
    slowConnectionUuid: merchant.connectionUuid,
    async stored() {
      const { state, payload } = await fixture.orm.em.fork().findOneOrFail(Charge, uuid)
      return { state, payload }
    },
  }
}

test('the next candidate issues while the slow one has not answered, whose attempt becomes an orphan', async () => {
  const charge = await chargeWithSlowCandidate(issued('second'))
  const { state, orphans } = await charge.issuing // The slow call is still running.
  const [slow, second] = await charge.attempts()
  expect(state).toBe('pending')
  expect(orphans).toEqual([slow!.uuid])
  expect([slow!.state, second!.state]).toEqual(['orphan', 'accepted'])

  charge.answerSlow(issued('first'))
  const failed = await pollUntil(charge.failedInARow, rows => rows.length > 0)
  expect(failed).toEqual([{ connection_uuid: charge.slowConnectionUuid, failed_charges: 1 }])
  expect(await charge.stored()).toEqual({ state: 'pending', payload: 'second' })
  expect((await charge.attempts()).map(one => one.state)).toEqual(['orphan', 'accepted'])
})

test('a slow candidate that issues after the next one has refused still provides the payload', async () => {
  const refusal = { code: 'provider_denied', message: 'no', finality: 'other_may_help' } as const
  const charge = await chargeWithSlowCandidate({ kind: 'rejected', ...refusal })
  await pollUntil(charge.attempts, ([, second]) => second?.state === 'rejected')
  charge.answerSlow(issued('first'))
  expect(await charge.issuing).toMatchObject({ state: 'pending', orphans: [] })
  expect(await charge.stored()).toEqual({ state: 'pending', payload: 'first' })
  expect((await charge.attempts()).map(one => one.state)).toEqual(['accepted', 'rejected'])
})
