import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { recordCircuitResult } from '../../../src/db/repositories/circuit-breaker.ts'
import type { IssueChargeOutcome } from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** A worker that reaches no provider, while another worker does: its charges are issued again and not FAILED. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const UNREACHABLE: IssueChargeOutcome = {
  kind: 'unreachable',
  code: 'tls_failed',
  message: 'the host could not be reached',
}
const ISSUED: IssueChargeOutcome = {
  kind: 'accepted',
  charge: {
    ...{ payload: 'payload', txid: randomUUID(), pixKey: 'k', receiver: toParty({}) },
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  },
}

async function chargeOrder() {
  const merchant = await fixture.createMerchant(0)
  const { accountUuid, connectionUuid } = merchant
  const uuid = randomUUID()
  const order = {
    ...{ uuid, accountUuid, valueCents: 1_000, expiresInSeconds: 60, candidates: [connectionUuid] },
    details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
    ...{ requestId: 'r', timeScale: 1 },
  }
  return { uuid, connectionUuid, order }
}

test('a charge whose request was never sent is issued again while another worker has answers of its provider', async () => {
  const { uuid, connectionUuid, order } = await chargeOrder()
  const connection = { uuid: connectionUuid, isDistrusted: true }
  const em = fixture.orm.em.fork()
  await recordCircuitResult(em, connection, UNREACHABLE)
  await recordCircuitResult(em, connection, ISSUED, 'another worker')

  fixture.scriptProvider({ issueCharge: async () => UNREACHABLE })
  await expect(fixture.providers.issueCharge(order)).rejects.toThrow('another worker does')
  expect(await fixture.sql('select state from charge where uuid = ?', [uuid])).toEqual([{ state: 'issuing' }])
  expect(await fixture.sql('select state from attempt where subject_uuid = ?', [uuid])).toEqual([])

  fixture.scriptProvider({ issueCharge: async () => ISSUED })
  expect(await fixture.providers.issueCharge(order)).toMatchObject({ state: 'pending', orphans: [] })
})

test('a charge fails where no worker reaches its provider', async () => {
  const { order } = await chargeOrder()
  fixture.scriptProvider({ issueCharge: async () => UNREACHABLE })
  expect(await fixture.providers.issueCharge(order)).toMatchObject({ state: 'failed' })
})
