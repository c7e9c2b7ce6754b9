import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { NO_FEES } from '../../../src/domain/ledger/money.ts'
import type { PixKeyType } from '../../../src/domain/pix-keys/pix-key.ts'
import type { IncomingPix, ProviderKey } from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import type { ChargeInput } from '../../../src/workflows/contracts/charges.ts'
import type { PixKeyInput } from '../../../src/workflows/contracts/pix-keys.ts'
import type { PreRestoreState } from '../../../src/workflows/contracts/rebuild.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/**
 * Every state of a restored row, against every end that its workflow reached since: one that ended without money gets
 * that end again, with nothing held, and without a poll.
 */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const ORDERED_AT = '2026-11-01T00:00:00.000Z'
const restored = (ended?: string, more: Partial<PreRestoreState> = {}): PreRestoreState => ({
  orderedAt: ORDERED_AT,
  ...(ended !== undefined && { ended }),
  ...more,
})
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

const rebuildTransfer = (order: TransferInput, restored: PreRestoreState) =>
  fixture.providers.rebuildOperation({ noun: 'transfer', order, restored })
const rebuildCharge = (order: ChargeInput, restored: PreRestoreState) =>
  fixture.providers.rebuildOperation({ noun: 'charge', order, restored })

describe('a transfer', () => {
  const IN_BACKUP = ['missing', 'created', 'put off', 'sending', 'in doubt', 'settling'] as const

  /** The row of the backup. */
  async function inBackup(state: (typeof IN_BACKUP)[number]): Promise<TransferInput> {
    const merchant = await fixture.createMerchant(1_000)
    const scheduled = state === 'created' || state === 'put off'
    const order = fixture.transferInput(merchant, { ...(scheduled && { scheduledFor: inHours(1) }) })
    if (state === 'missing') return order
    await fixture.records.storeTransfer(order)
    if (state === 'created') return order
    const { uuid } = order
    const [connectionUuid] = order.candidates as [string]
    fixture.scriptProvider({
      sendTransfer: async () => {
        if (state === 'settling')
          return {
            kind: 'accepted',
            payout: { status: 'in_process', cents: 500, endToEnd: 'E1', at: ORDERED_AT },
          }
        const kind = state === 'put off' ? 'unreachable' : 'unknown'
        return { kind, code: 'timeout', message: 'no answer' }
      },
    })
    await fixture.providers.sendTransfer({ uuid, connectionUuid, isResend: false })
    if (state === 'sending')
      await fixture.sql(`update attempt set state = 'calling', unknown_since = null where subject_uuid = ?`, [
        uuid,
      ])
    return order
  }

  const ENDS = [
    ...IN_BACKUP.filter(state => state !== 'settling').flatMap(state => [
      { state, ended: 'cancelled' },
      { state, ended: 'expired' },
    ]),
    ...IN_BACKUP.map(state => ({ state, ended: 'failed' })),
  ]
  test.each(ENDS)('$state in the backup, $ended since, is $ended again', async ({ state, ended }) => {
    const order = await inBackup(state)
    fixture.scriptProvider({
      findTransfer: async () => {
        throw new Error('no provider is polled')
      },
    })
    const before = restored(ended, ended === 'failed' ? { failure: 'invalid_key' } : {})
    expect(await rebuildTransfer(order, before)).toMatchObject({
      state: ended,
    })
    expect(await fixture.readBalances(order.accountUuid)).toEqual({ available: 1_000, outside: -1_000 })
    expect(
      await fixture.sql(
        `select state from attempt where subject_uuid = ? and state not in ('rejected', 'unreachable')`,
        [order.uuid],
      ),
    ).toEqual([])
    // Who had refused an attempt is lost; how long its outcome was unknown is not.
    const attempts = await fixture.sql(
      `select refused_by, unknown_since, was_unknown_from is not null as was_unknown from attempt
       where subject_uuid = ? and state = 'rejected'`,
      [order.uuid],
    )
    const ofRestore = { refused_by: null, unknown_since: null, was_unknown: state === 'in doubt' }
    expect(attempts).toEqual(attempts.map(() => ofRestore))
    const [row] = await fixture.sql<{ code: string | null; shown: string }>(
      `select failure ->> 'code' as code, history -> -1 ->> 'status' as shown from transfer where uuid = ?`,
      [order.uuid],
    )
    expect(row).toEqual({ code: ended === 'failed' ? 'invalid_key' : null, shown: ended.toUpperCase() })
    // Repeated, it stays.
    expect(await rebuildTransfer(order, before)).toMatchObject({
      state: ended,
    })
  })

  test.each(IN_BACKUP)('%s in the backup, paid since, is polled', async state => {
    const order = await inBackup(state)
    const rebuilt = await rebuildTransfer(order, restored('paid'))
    expect(rebuilt).toMatchObject({ isEnded: false })
    expect(['created', 'sending', 'settling']).toContain(rebuilt.kind === 'known' && rebuilt.state)
  })
})

describe('a charge', () => {
  const receiver = toParty({ name: 'Loja' })
  const payloadOf = () => ({
    txid: randomUUID().replaceAll('-', ''),
    payload: 'payload',
    pixKey: 'key',
    receiver,
    expiresAt: inHours(1),
  })
  const IN_BACKUP = ['missing', 'issuing'] as const
  const ENDS = ['cancelled', 'expired', 'failed']
  const KNOWN = ['forgotten', 'open there'] as const

  async function inBackup(state: (typeof IN_BACKUP)[number]): Promise<ChargeInput> {
    const { accountUuid, connectionUuid } = await fixture.createMerchant(0)
    const order: ChargeInput = {
      uuid: randomUUID(),
      accountUuid,
      candidates: [connectionUuid],
      valueCents: 500,
      details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
      expiresInSeconds: 3_600,
      requestId: 'r',
      timeScale: 1,
    }
    if (state === 'missing') return order
    fixture.scriptProvider({
      issueCharge: async () => {
        throw new Error('the worker dies')
      },
    })
    await fixture.providers.issueCharge(order).catch(() => undefined)
    return order
  }

  test.each(IN_BACKUP.flatMap(state => ENDS.flatMap(ended => KNOWN.map(known => ({ state, ended, known })))))(
    '$state in the backup, $ended since, $known, is $ended again',
    async ({ state, ended, known }) => {
      const order = await inBackup(state)
      fixture.scriptProvider({
        findCharge: async () =>
          known === 'forgotten'
            ? { kind: 'not_found' }
            : { kind: 'found', status: 'open', payments: [], charge: payloadOf() },
      })
      const result = await rebuildCharge(order, restored(ended))
      expect(result).toMatchObject({ kind: 'known', state: ended })
      const orphans = await fixture.sql(`select from attempt where subject_uuid = ? and state = 'orphan'`, [
        order.uuid,
      ])
      // A payload that was not shown is closed at its provider.
      if (ended === 'failed' && known === 'open there') expect(orphans).toHaveLength(1)
    },
  )

  test('that was reported paid and is not found now is polled again, and never FAILED', async () => {
    const order = await inBackup('missing')
    fixture.scriptProvider({ findCharge: async () => ({ kind: 'not_found' }) })
    expect(await rebuildCharge(order, restored('paid'))).toEqual({
      kind: 'unknown',
      code: 'not_found',
    })
  })

  test.each([
    ['the amount of its payload, and is paid by it, whatever the fee table says now', 530, 30],
    ['the fee of the table where its provider reports no amount', undefined, 10],
    ['the fee of the table where its provider reports less than the value', 400, 10],
  ])('has %s', async (_, totalCents, feeCents) => {
    const order = await inBackup('missing')
    const fee = { fixedCents: 10, hundredthsOfPercent: 0 }
    await fixture.sql('update connection set fees = ?::jsonb where uuid = ?', [
      JSON.stringify({ ...NO_FEES, charge: fee }),
      order.candidates[0],
    ])
    const charge = { ...payloadOf(), ...(totalCents !== undefined && { totalCents }) }
    const payment: IncomingPix = {
      endToEnd: `E${charge.txid.slice(1)}`,
      txid: charge.txid,
      reference: null,
      payer: null,
      pixKey: 'key',
      cents: 500 + feeCents,
      status: 'settled',
      at: new Date().toISOString(),
    }
    fixture.scriptProvider({
      findCharge: async () => ({ kind: 'found', status: 'completed', charge, payments: [payment] }),
    })
    await rebuildCharge(order, restored('paid'))
    await fixture.providers.pollCharge({ chargeUuid: order.uuid, isPayloadExpired: false })
    expect(
      await fixture.sql('select state, fee_cents, total_cents from charge where uuid = ?', [order.uuid]),
    ).toEqual([{ state: 'paid', fee_cents: String(feeCents), total_cents: String(500 + feeCents) }])
  })

  test.each(['cancelled', 'expired'])(
    'pending in the backup, %s since, gets that state again without a call to its provider',
    async ended => {
      const order = await inBackup('missing')
      const charge = payloadOf()
      fixture.scriptProvider({ issueCharge: async () => ({ kind: 'accepted', charge }) })
      await fixture.providers.issueCharge(order)
      for (let run = 0; run < 2; run++)
        expect(await rebuildCharge(order, restored(ended))).toMatchObject({ state: ended })
    },
  )
})

describe('a key', () => {
  type State = 'missing' | 'creating' | 'being requested'
  type BackupRow = { state: State; type: PixKeyType; since: 'running' | 'active' }
  const rows: BackupRow[] = (['running', 'active'] as const).flatMap(since => [
    { state: 'missing', type: 'DOCUMENT', since },
    { state: 'creating', type: 'DOCUMENT', since },
    { state: 'being requested', type: 'DOCUMENT', since },
    // A random key is rebuilt only where the backup has its attempt.
    { state: 'being requested', type: 'RANDOM', since },
  ])

  /** Stores the row of the backup; returns the order, and the key that its provider has. */
  async function storeBackupRow({ state, type }: BackupRow): Promise<{ order: PixKeyInput; key: string }> {
    const uuid = randomUUID()
    const key = type === 'RANDOM' ? randomUUID() : String(Math.random()).slice(2).padEnd(14, '0').slice(0, 14)
    const order: PixKeyInput = {
      ...(await fixture.createMerchant(0)),
      uuid,
      type,
      details: fixture.seal.seal({ key: type === 'RANDOM' ? null : key, fingerprint: 'f' }),
      requestId: 'r',
      timeScale: 1,
    }
    if (state !== 'missing') await fixture.records.openPixKey(order)
    fixture.scriptProvider({
      listKeys: async () => ({ kind: 'found', keys: [] }),
      createKey: async () => {
        throw new Error('the worker dies')
      },
    })
    if (state === 'being requested')
      await expect(fixture.providers.createKey({ uuid })).rejects.toThrow('the worker dies')
    return { order, key }
  }

  test.each(rows)(
    'of type $type that is $state in the backup, $since since, is looked up and never created twice',
    async row => {
      const { order, key } = await storeBackupRow(row)
      const { uuid } = order
      let listedKeys: ProviderKey[] = []
      const requests: object[] = []
      fixture.scriptProvider({
        listKeys: async () => ({ kind: 'found', keys: listedKeys }),
        createKey: async request => {
          requests.push(request)
          return { kind: 'created', key }
        },
      })
      // Its workflow starts the creation as for any order, and the rebuild may be repeated after that.
      for (let run = 0; run < 2; run++) {
        expect(
          await fixture.providers.rebuildOperation({
            noun: 'pix_key',
            order,
            restored: restored(row.since === 'active' ? 'active' : undefined),
          }),
        ).toEqual({ kind: 'known', state: 'creating', isEnded: false })
        expect(await fixture.records.openPixKey(order)).toBe('creating')
        expect(await fixture.providers.createKey({ uuid })).toEqual({ kind: 'unknown', code: 'interrupted' })
      }
      expect(await fixture.providers.pollPixKey({ uuid, pollCount: 1 })).toMatchObject({ kind: 'not_found' })
      listedKeys = [{ key, type: row.type }]
      expect(await fixture.providers.pollPixKey({ uuid, pollCount: 2 })).toEqual({
        kind: 'closed',
        state: 'active',
      })
      expect(await fixture.sql('select state, key from pix_key where uuid = ?', [uuid])).toEqual([
        { state: 'active', key },
      ])
      expect(requests).toEqual([])
    },
  )
})
