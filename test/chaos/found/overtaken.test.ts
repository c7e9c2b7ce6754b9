import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { IssueOutcome } from '../../../src/domain/provider.ts'
import { party } from '../../../src/providers/party.ts'
import { openBooks } from '../support/books.ts'

/** A candidate that is slow to issue is overtaken by the next one; the charge has one payload, whichever comes first. */

let books: Awaited<ReturnType<typeof openBooks>>
beforeAll(async () => {
  books = await openBooks()
})
afterAll(() => books?.close())

const issued = (payload: string): IssueOutcome => ({
  kind: 'accepted',
  charge: {
    ...{ payload, txid: payload, pixKey: 'k', receiver: party({}) },
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  },
})

/** A charge with two candidates, of which the first answers when the test says so. */
async function chargeWithSlowCandidate(second: IssueOutcome) {
  const merchant = await books.merchant(0)
  const slow = Promise.withResolvers<IssueOutcome>()
  const called = Promise.withResolvers<void>()
  let calls = 0
  books.provider({
    issueCharge: async () => {
      calls += 1
      if (calls === 1) return slow.promise
      called.resolve()
      return second
    },
  })
  const uuid = randomUUID()
  const issuing = books.providers.issueCharge({
    ...{ uuid, accountUuid: merchant.accountUuid, valueCents: 1_000, expiresInSeconds: 60 },
    candidates: [merchant.connectionUuid, await books.connection(merchant)],
    details: books.seal.seal({ splits: [], fingerprint: 'f' }),
    ...{ requestId: 'r', timeScale: 1 },
  })
  return {
    issuing,
    secondIsCalled: called.promise,
    answerSlow: slow.resolve,
    attempts: () =>
      books.sql<{ uuid: string; state: string }>(
        'select uuid, state from attempt where subject_uuid = ? order by position',
        [uuid],
      ),
    stored: async () => (await books.sql('select state, payload from charge where uuid = ?', [uuid]))[0],
  }
}

test('the next candidate issues while the slow one has not answered, whose attempt is an orphan', async () => {
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

test('a slow candidate that issues after the next one has refused still gives the payload', async () => {
  const refusal = { code: 'provider_denied', message: 'no', finality: 'other_may_help' } as const
  const charge = await chargeWithSlowCandidate({ kind: 'rejected', ...refusal })
  await charge.secondIsCalled
  charge.answerSlow(issued('first'))
  expect(await charge.issuing).toMatchObject({ state: 'pending', orphans: [] })
  expect(await charge.stored()).toEqual({ state: 'pending', payload: 'first' })
  expect((await charge.attempts()).map(one => one.state)).toEqual(['accepted', 'rejected'])
})
