import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { DeleteKeyOutcome } from '../../../src/domain/providers/provider.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** The outcomes of a key's removal: a merchant must never be answered that a key stays which may still be removed. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const LOST: DeleteKeyOutcome = { kind: 'unknown', code: 'timeout', message: 'no answer' }
const REFUSED: DeleteKeyOutcome = { kind: 'rejected', finality: 'final', code: 'busy', message: 'not now' }

/** A random key whose removal was requested once, without an answer, and which its provider still lists. */
async function createKeyBeingDeleted() {
  const { connectionUuid } = await fixture.createMerchant(0)
  const [uuid, key] = [randomUUID(), randomUUID()]
  await fixture.sql(
    `insert into pix_key (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, key, state,
       request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, is_simulated, 'RANDOM', ?, 'active', 'r', 'f', now(), now()
     from connection where uuid = ?`,
    [uuid, key, connectionUuid],
  )
  const has = (...keys: string[]) =>
    fixture.scriptProvider({
      listKeys: async () => ({ kind: 'found', keys: keys.map(one => ({ type: 'RANDOM', key: one })) }),
    })
  const removed = (outcome: DeleteKeyOutcome) => {
    fixture.scriptProvider({ deleteKey: async () => outcome })
    return fixture.providers.deleteKey({ uuid })
  }
  has(key)
  expect(await removed(LOST)).toMatchObject({ kind: 'unknown' })
  expect(await fixture.providers.pollPixKeyRemoval({ uuid, pollCount: 0 })).toEqual({ kind: 'still_there' })
  return { uuid, has, removed, ask: () => fixture.providers.pollPixKeyRemoval({ uuid, pollCount: 1 }) }
}

const shown = async (uuid: string) =>
  (await fixture.sql('select state from pix_key where uuid = ?', [uuid]))[0]

test('a key whose removal is refused on a repeat may still be removed by the earlier call', async () => {
  const key = await createKeyBeingDeleted()
  expect(await key.removed(REFUSED)).toMatchObject({ kind: 'unknown' })
  expect(await shown(key.uuid)).toEqual({ state: 'removing' })
  key.has()
  expect(await key.ask()).toEqual({ kind: 'closed', state: 'removed' })
})

/** The calls so far were made so long ago that none of them can arrive any more. */
const longAgo = (uuid: string) =>
  fixture.sql(
    `update attempt set unknown_since = unknown_since - interval '10 minutes',
       called_at = called_at - interval '10 minutes' where subject_uuid = ?`,
    [uuid],
  )

test('a key may still be removed by a later lost call, however long ago the first one was', async () => {
  const key = await createKeyBeingDeleted()
  await longAgo(key.uuid)
  expect(await key.removed(LOST)).toMatchObject({ kind: 'unknown' })
  for (const _ of ['at once', 'and again'])
    expect(await key.removed(REFUSED)).toMatchObject({ kind: 'unknown' })
  await longAgo(key.uuid)
  expect(await key.removed(REFUSED)).toEqual({ kind: 'closed', state: 'active' })
})

test('a key may still be removed by a call that broke off', async () => {
  const key = await createKeyBeingDeleted()
  await longAgo(key.uuid)
  fixture.scriptProvider({ deleteKey: () => Promise.reject(new Error('killed')) })
  await expect(fixture.providers.deleteKey({ uuid: key.uuid })).rejects.toThrow('killed')
  expect(await key.removed(REFUSED)).toMatchObject({ kind: 'unknown' })
})

test('a repeat that was refused is not a call that may still arrive', async () => {
  const key = await createKeyBeingDeleted()
  expect(await key.removed(REFUSED)).toMatchObject({ kind: 'unknown' })
  const [attempt] = await fixture.sql<{ earlier: boolean }>(
    'select called_at <= unknown_since as earlier from attempt where subject_uuid = ?',
    [key.uuid],
  )
  expect(attempt).toEqual({ earlier: true })
})

test('a refused key that is still listed when no call can arrive any more stays', async () => {
  const key = await createKeyBeingDeleted()
  await longAgo(key.uuid)
  expect(await key.removed(REFUSED)).toEqual({ kind: 'closed', state: 'active' })
  expect((await fixture.sql('select failure from pix_key where uuid = ?', [key.uuid]))[0]).toMatchObject({
    failure: { code: 'busy' },
  })
})

test.each([
  [
    'is not ACTIVE any more',
    `update connection set status = 'PENDING' where uuid = ?`,
    'no_provider_available',
  ],
  [
    'was paused',
    `insert into pause (uuid, connection_uuid, reach, actor, reason, created_at)
     values (gen_random_uuid(), ?, 'everything', 'an operator', 'a test', now())`,
    'paused',
  ],
])('no key is created through a connection that %s since its request', async (_, change, code) => {
  const { connectionUuid } = await fixture.createMerchant(0)
  const uuid = randomUUID()
  await fixture.sql(
    `insert into pix_key (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, state,
       request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, is_simulated, 'RANDOM', 'creating', 'r', 'f', now(), now()
     from connection where uuid = ?`,
    [uuid, connectionUuid],
  )
  await fixture.sql(change, [connectionUuid])
  let calls = 0
  fixture.scriptProvider({
    listKeys: async () => ({ kind: 'found', keys: [] }),
    createKey: async () => {
      calls += 1
      return LOST
    },
  })
  expect(await fixture.providers.createKey({ uuid })).toEqual({ kind: 'closed', state: 'refused' })
  expect(calls).toBe(0)
  const [row] = await fixture.sql('select failure from pix_key where uuid = ?', [uuid])
  expect(row).toMatchObject({ failure: { code } })
})
