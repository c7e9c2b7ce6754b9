import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { isDocument } from '../../../src/domain/pix/document.ts'
import type { PixKeyType } from '../../../src/domain/pix-keys/pix-key.ts'
import type { DeleteKeyOutcome } from '../../../src/domain/providers/provider.ts'
import { openEfiFixture } from '../../providers/support/efi-fixture.ts'
import type { ScriptedReply } from '../../providers/support/scripted-provider.ts'
import { openWooviFixture, pageOf } from '../../providers/support/woovi-fixture.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

describe('pix key removal', () => {
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
})

describe('pix key creation', () => {
  /** An answer to a creation is compared with the order and with the bank's list before its key is active. */

  let fixture: Awaited<ReturnType<typeof openActivityFixture>>
  beforeAll(async () => {
    fixture = await openActivityFixture()
  })
  afterAll(() => fixture?.close())

  const OLD_KEY = randomUUID()
  const OTHER_KEY = randomUUID()
  const [CNPJ, OTHER_CNPJ] = ['11222333000181', '11444777000161'] as const

  const reply = (json: unknown, status = 200): ScriptedReply => ({ status, json })
  const wooviKey = (key: string, type = 'EVP') => ({ key, type, isDefault: false })
  const BANKS = {
    efi: {
      open: openEfiFixture,
      path: '/v2/gn/evp',
      answer: (key: string) => reply({ chave: key }, 201),
      list: (keys: string[]) => reply({ chaves: keys }),
    },
    woovi: {
      open: openWooviFixture,
      path: '/api/v1/pix-keys',
      answer: (key: string, type?: string) => reply(wooviKey(key, type), 201),
      list: (keys: string[]) =>
        reply(
          pageOf(
            'pixKeys',
            keys.map(key => wooviKey(key, isDocument(key) ? 'CNPJ' : 'EVP')),
          ),
        ),
    },
  }

  /** A stored order of a key at a bank with the adapter of its API. */
  async function orderKey(api: keyof typeof BANKS, type: PixKeyType = 'RANDOM', key: string | null = null) {
    const { open, path } = BANKS[api]
    const bank = await open()
    const { createKey, listKeys } = bank.provider
    fixture.scriptProvider({ createKey, listKeys })
    const merchant = await fixture.createMerchant(0)
    const uuid = randomUUID()
    await fixture.sql(
      `insert into pix_key (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, key, state,
       request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, is_simulated, ?, ?, 'creating', 'r', 'f', now(), now()
     from connection where uuid = ?`,
      [uuid, type, key, merchant.connectionUuid],
    )
    return {
      script: (answer: ScriptedReply, ...lists: ScriptedReply[]) => {
        bank.scripted.scriptReplies(`POST ${path}`, answer)
        bank.scripted.scriptReplies(`GET ${path}`, ...lists)
      },
      create: () => fixture.providers.createKey({ uuid }),
      poll: (pollCount = 1) => fixture.providers.pollPixKey({ uuid, pollCount }),
      read: async () => (await fixture.sql('select state, key from pix_key where uuid = ?', [uuid]))[0],
      [Symbol.asyncDispose]: () => bank[Symbol.asyncDispose](),
    }
  }

  describe.each(['efi', 'woovi'] as const)('a random key at %s', api => {
    const { answer, list } = BANKS[api]

    test('is active once the list has the key of the answer', async () => {
      await using order = await orderKey(api)
      const key = randomUUID()
      order.script(answer(key.toUpperCase()), list([OLD_KEY]), list([OLD_KEY, key]))
      expect(await order.create()).toEqual({ kind: 'closed', state: 'active' })
      expect(await order.read()).toEqual({ state: 'active', key })
    })

    test.each([
      ['that the list does not have', OTHER_KEY],
      ['that existed before the request', OLD_KEY],
      ['that is no random key', 'loja@example.com'],
    ])('is unknown after an answer with a key %s, and the list names it', async (_name, named) => {
      await using order = await orderKey(api)
      const key = randomUUID()
      order.script(answer(named), list([OLD_KEY]), list([OLD_KEY, key]))
      expect(await order.create()).toEqual({ kind: 'unknown', code: 'key_not_listed' })
      expect(await order.read()).toEqual({ state: 'creating', key: null })
      expect(await order.poll(0)).toEqual({ kind: 'unknown', code: 'key_not_listed' })
      expect(await order.poll()).toEqual({ kind: 'closed', state: 'active' })
      expect(await order.read()).toEqual({ state: 'active', key })
    })

    test('is what a later list and the answer name, after lists that named another', async () => {
      await using order = await orderKey(api)
      const key = randomUUID()
      const odd = list([OLD_KEY, OTHER_KEY])
      order.script(answer(key), list([OLD_KEY]), odd, odd, list([OLD_KEY, key]))
      expect(await order.create()).toEqual({ kind: 'unknown', code: 'key_not_listed' })
      expect(await order.poll(0)).toEqual({ kind: 'unknown', code: 'key_not_listed' })
      expect(await order.poll()).toEqual({ kind: 'closed', state: 'active' })
      expect(await order.read()).toEqual({ state: 'active', key })
    })

    test('is no listed text of another form, after a lost answer', async () => {
      await using order = await orderKey(api)
      order.script({ status: 500 }, list([OLD_KEY]), list([OLD_KEY, 'x'.repeat(36)]))
      expect(await order.create()).toMatchObject({ kind: 'unknown' })
      expect(await order.poll()).toMatchObject({ kind: 'not_found' })
    })

    test('is unknown while the list cannot be read after the answer', async () => {
      await using order = await orderKey(api)
      order.script(answer(randomUUID()), list([OLD_KEY]), { status: 503 })
      expect(await order.create()).toEqual({ kind: 'unknown', code: 'http_503' })
      expect(await order.read()).toEqual({ state: 'creating', key: null })
    })
  })

  test.each([
    ['key', CNPJ, { key: OTHER_CNPJ, type: 'CNPJ' }],
    ['type', OTHER_CNPJ, { key: OTHER_CNPJ, type: 'EVP' }],
  ])(
    'an ordered key is unknown after an answer with another %s, and the list names it',
    async (_name, key, named) => {
      const { answer, list } = BANKS.woovi
      await using order = await orderKey('woovi', 'DOCUMENT', key)
      order.script(answer(named.key, named.type), list([OLD_KEY, key]))
      expect(await order.create()).toEqual({ kind: 'unknown', code: 'unreadable_answer' })
      expect(await order.read()).toEqual({ state: 'creating', key })
      expect(await order.poll()).toEqual({ kind: 'closed', state: 'active' })
    },
  )
})
