import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { findProviderStatistics } from '../../../src/db/repositories/account-statistics.ts'
import { PREFLIGHT_CODES } from '../../../src/domain/payouts/unsent-code.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** Performance of the providers, as the overview shows it. */

let fixture: ApiFixture

beforeAll(async () => {
  fixture = await openApiFixture([])
})
afterAll(() => fixture.close())

type StoredAttempt = { state: string; code?: string; isRefusedBeforeCall?: boolean }

async function readStatistics(attempts: StoredAttempt[]) {
  const accountUuid = await fixture.insertAccount()
  const connection = await fixture.insertConnection(accountUuid)
  const em = fixture.orm.em.fork()
  for (const { state, code = null, isRefusedBeforeCall = false } of attempts)
    await em.execute(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state, code,
         is_refused_before_call, created_at, updated_at)
       select ?, 'transfer', ?, uuid, provider_account_uuid, 0, ?, ?, ?, now(), now() from connection where uuid = ?`,
      [randomUUID(), randomUUID(), state, code, isRefusedBeforeCall, connection],
    )
  const [statistics] = await findProviderStatistics(em, { accountUuid, isSimulated: true })
  return { calls: statistics!.calls, success: statistics!.success }
}

test('a transfer that the service refused before any call does not count against its provider', async () => {
  const refusals = PREFLIGHT_CODES.map(code => ({ state: 'unreachable', code }))
  const balance = { state: 'rejected', code: 'insufficient_balance', isRefusedBeforeCall: true }
  const refusedByService = [balance, balance, ...refusals]
  expect(await readStatistics(refusedByService)).toEqual({ calls: 0, success: null })
  expect(await readStatistics([{ state: 'settled' }, ...refusedByService])).toEqual({ calls: 1, success: 1 })
})

test('a refusal of the provider, and a provider that could not be reached, count', async () => {
  const refused = { state: 'rejected', code: 'insufficient_balance' }
  const unreachable = { state: 'unreachable', code: 'ECONNREFUSED' }
  const accepted = [{ state: 'accepted' }, { state: 'settled' }]
  expect(await readStatistics([...accepted, refused, unreachable])).toEqual({ calls: 4, success: 0.5 })
  expect(await readStatistics([{ state: 'unreachable' }])).toEqual({ calls: 1, success: 0 })
})

test('a call without a useful answer counts, one under way does not, and a duplicate was accepted', async () => {
  const attempts = [{ state: 'calling' }, { state: 'duplicate' }, { state: 'rejected', code: 'AC03' }]
  expect(await readStatistics(attempts)).toEqual({ calls: 3, success: 0.5 })
  const withoutAnswer = [{ state: 'unknown' }, { state: 'orphan', code: 'http_500' }, { state: 'closed' }]
  expect(await readStatistics(withoutAnswer)).toEqual({ calls: 3, success: 0 })
  expect(await readStatistics([...withoutAnswer, { state: 'settled' }])).toEqual({ calls: 4, success: 0.25 })
})
