import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Charge } from '../../../src/db/entities/charge.ts'
import type { IssueChargeOutcome } from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
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
    ...{ payload, txid: payload, pixKey: 'k', receiver: toParty({}) },
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  },
})

/** A charge with two candidates, of which the first answers when the test says so. */
async function chargeWithSlowCandidate(second: IssueChargeOutcome) {
  const merchant = await fixture.createMerchant(0)
  const slow = Promise.withResolvers<IssueChargeOutcome>()
  const called = Promise.withResolvers<void>()
  let calls = 0
  fixture.scriptProvider({
    issueCharge: async () => {
      calls += 1
      if (calls === 1) return slow.promise
      called.resolve()
      return second
    },
  })
  const uuid = randomUUID()
  const issuing = fixture.providers.issueCharge({
    ...{ uuid, accountUuid: merchant.accountUuid, valueCents: 1_000, expiresInSeconds: 60 },
    candidates: [merchant.connectionUuid, await fixture.createConnection(merchant)],
    details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
    ...{ requestId: 'r', timeScale: 1 },
  })
  return {
    issuing,
    secondIsCalled: called.promise,
    answerSlow: slow.resolve,
    attempts: () =>
      fixture.sql<{ uuid: string; state: string }>(
        'select uuid, state from attempt where subject_uuid = ? order by position',
        [uuid],
      ),
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
  await new Promise(resolve => setTimeout(resolve, 200))
  expect(await charge.stored()).toEqual({ state: 'pending', payload: 'second' })
  expect((await charge.attempts()).map(one => one.state)).toEqual(['orphan', 'accepted'])
})

test('a slow candidate that issues after the next one has refused still provides the payload', async () => {
  const refusal = { code: 'provider_denied', message: 'no', finality: 'other_may_help' } as const
  const charge = await chargeWithSlowCandidate({ kind: 'rejected', ...refusal })
  await charge.secondIsCalled
  charge.answerSlow(issued('first'))
  expect(await charge.issuing).toMatchObject({ state: 'pending', orphans: [] })
  expect(await charge.stored()).toEqual({ state: 'pending', payload: 'first' })
  expect((await charge.attempts()).map(one => one.state)).toEqual(['accepted', 'rejected'])
})
