import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { postOpeningBalance } from '../../../src/admin/connections.ts'
import { replaceCredentials } from '../../../src/admin/credentials.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import type {
  AccountIdentity,
  FindPayoutOutcome,
  IssueChargeOutcome,
  NoAnswerResult,
} from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import type { Provider } from '../../../src/providers/port.ts'
import type { ProviderRegistry } from '../../../src/providers/registry.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** Credentials that may be another account's: a payout sent with the previous ones is not proved absent by them. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const silent: NoAnswerResult = { kind: 'no_answer', code: 'timeout', message: 'no answer' }
const unknown = { kind: 'unknown', code: 'timeout', message: 'no answer' } as const
const NOT_FOUND = { kind: 'not_found' } as const
const foundIdentity = (id: string): AccountIdentity => ({ kind: 'found', id })
const keys = (...list: string[]): AccountIdentity => ({ kind: 'found', keys: list })

let merchant: { accountUuid: string; connectionUuid: string }
beforeEach(async () => {
  merchant = await fixture.createMerchant(1_000)
  fixture.scriptProvider({
    preconnect: () => {},
    findCharge: async () => NOT_FOUND,
    findTransfer: async () => NOT_FOUND,
  })
})

type Answers = Partial<Pick<Provider, 'findCharge' | 'findTransfer'>> & {
  identity: AccountIdentity | NoAnswerResult
}

/** Replaces the connection's credentials; `before` and `after` are what either account reports of itself. */
async function replaced(before: AccountIdentity | NoAnswerResult, { identity, ...answers }: Answers) {
  const side = (identity: AccountIdentity | NoAnswerResult): Partial<Provider> => ({
    identity: async () => identity,
    findCharge: async () => NOT_FOUND,
    findTransfer: async () => NOT_FOUND,
  })
  const { connectionUuid } = merchant
  const providers = {
    providerFor: ({ uuid }: { uuid: string }) =>
      uuid === connectionUuid ? side(before) : { ...side(identity), ...answers },
  } as unknown as ProviderRegistry
  const order = { connectionUuid, credentials: { fresh: randomUUID() }, actor: 'ana', reason: 'rotation' }
  const { isProved } = await replaceCredentials(
    fixture.orm.em.fork(),
    { providers, sealer: fixture.seal },
    order,
  )
  return { isProved, ...(await stored()) }
}

async function stored() {
  const populate = ['sealedCredentials', 'providerIdentity'] as const
  const one = await fixture.orm.em.fork().findOneOrFail(Connection, merchant.connectionUuid, { populate })
  return { epoch: one.credentialsEpoch, sealed: one.sealedCredentials, identity: one.providerIdentity }
}

/** A transfer whose provider gave no answer. */
async function unknownTransfer() {
  const order = fixture.transferInput(merchant)
  await fixture.records.storeTransfer(order)
  fixture.scriptProvider({ sendTransfer: async () => unknown })
  const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
  expect(await fixture.providers.sendTransfer({ ...key, isResend: false })).toMatchObject({ kind: 'unknown' })
  return key
}

const attemptOf = async (uuid: string) =>
  (
    await fixture.sql<{ state: string; sendings: number; epoch: number }>(
      'select state, sendings, credentials_epoch as epoch from attempt where subject_uuid = ?',
      [uuid],
    )
  )[0]

/** As a race leaves it: the attempt started beside a replacement that found no unknown outcome. */
const anotherEpoch = () =>
  fixture.sql('update connection set credentials_epoch = credentials_epoch + 1 where uuid = ?', [
    merchant.connectionUuid,
  ])

describe('credentials are installed', () => {
  test.each([
    ['whose provider reports the same id', foundIdentity('a'), { identity: foundIdentity('a') }],
    ['that have a random key in common', keys('k1', 'k2'), { identity: keys('k2', 'k3') }],
  ])('in the same epoch, although an outcome is unknown: %s', async (_, before, after) => {
    await unknownTransfer()
    expect(await replaced(before, after)).toMatchObject({ isProved: true, epoch: 1 })
  })

  test.each<[what: string, found: FindPayoutOutcome]>([
    ['find', { kind: 'found', payout: { status: 'in_process', cents: 500, endToEnd: '', at: null } }],
    ['have to approve', { kind: 'awaiting_approval', code: 'awaiting_approval', message: 'approve it' }],
  ])('in the same epoch where they %s an operation of the connection', async (_, found) => {
    const { uuid } = await unknownTransfer()
    await fixture.sql(`update attempt set state = 'accepted' where subject_uuid = ?`, [uuid])
    await unknownTransfer()
    const answers = { findTransfer: async () => found }
    expect(await replaced(silent, { identity: silent, ...answers })).toMatchObject({
      isProved: true,
      epoch: 1,
    })
  })

  test('in another epoch where nothing proves the account and no outcome is unknown', async () => {
    expect(await replaced(silent, { identity: silent })).toMatchObject({ isProved: false, epoch: 2 })
    await fixture.sql('update connection set collection_key = null where uuid = ?', [merchant.connectionUuid])
    expect(await replaced(keys(), { identity: keys('k') })).toMatchObject({ isProved: false, epoch: 3 })
  })

  test('with a hash of what identifies the account', async () => {
    const { identity } = await replaced(silent, { identity: foundIdentity('11222333000181') })
    expect(identity).toEqual([expect.stringMatching(/^id:[\w-]{43}$/)])
    await expect(replaced(silent, { identity: foundIdentity('another') })).rejects.toThrow(/another account/)
  })
})

describe('credentials are refused, and change nothing,', () => {
  test.each([
    [
      'of an account with another id',
      foundIdentity('a'),
      foundIdentity('b'),
      /belong to another account at PROVIDER_A/,
    ],
    [
      'that the provider does not take',
      foundIdentity('a'),
      { ...silent, code: 'no_token', message: 'no token (HTTP status 401)' },
      /does not accept these credentials/,
    ],
  ])('%s', async (_, before, identity, why) => {
    const currentState = await stored()
    await expect(replaced(before, { identity })).rejects.toThrow(why)
    expect(await stored()).toEqual(currentState)
    expect(
      await fixture.sql('select * from operator_action where subject like ?', [
        `%${merchant.connectionUuid}`,
      ]),
    ).toEqual([])
  })

  test('that do not find the operations of the connection', async () => {
    const { uuid } = await unknownTransfer()
    await fixture.sql(`update attempt set state = 'accepted' where subject_uuid = ?`, [uuid])
    await expect(replaced(silent, { identity: silent })).rejects.toThrow(/belong to another account/)
  })

  test('of an account that lists random keys but not the one that receives', async () => {
    await expect(replaced(silent, { identity: keys(randomUUID()) })).rejects.toThrow(/another account/)
    expect(await replaced(silent, { identity: keys() })).toMatchObject({ isProved: false })
  })

  test.each(['calling', 'unknown'])('when neither account is proved while an attempt is %s', async state => {
    const { uuid } = await unknownTransfer()
    await fixture.sql('update attempt set state = ? where subject_uuid = ?', [state, uuid])
    const currentState = await stored()
    await expect(replaced(silent, { identity: silent })).rejects.toThrow(
      /1 attempts .* have an unknown outcome/,
    )
    expect(await stored()).toEqual(currentState)
  })

  test('when other credentials were installed since the account was looked up', async () => {
    const slow = async (): Promise<NoAnswerResult> => {
      await replaced(silent, { identity: silent })
      return silent
    }
    const providers = { providerFor: () => ({ identity: slow }) } as unknown as ProviderRegistry
    const order = {
      connectionUuid: merchant.connectionUuid,
      credentials: {},
      actor: 'ana',
      reason: 'rotation',
    }
    await expect(
      replaceCredentials(fixture.orm.em.fork(), { providers, sealer: fixture.seal }, order),
    ).rejects.toThrow(/were changed at the same time/)
    expect(await stored()).toMatchObject({ epoch: 3 }) // By the two that were installed meanwhile.
  })
})

describe('"not found" in another epoch', () => {
  test('proves no absence of a payout: it is neither sent again nor refused', async () => {
    const key = await unknownTransfer()
    expect(await fixture.providers.pollTransfer({ ...key, pollCount: 1 })).toMatchObject({
      kind: 'not_found',
    })
    await anotherEpoch()
    expect(await fixture.providers.pollTransfer({ ...key, pollCount: 1 })).toEqual({
      kind: 'unknown',
      code: 'credentials_changed',
    })
    fixture.scriptProvider({ sendTransfer: async () => Promise.reject(new Error('sent again')) })
    expect(await fixture.providers.sendTransfer({ ...key, isResend: true })).toEqual({
      kind: 'unknown',
      code: 'credentials_changed',
    })
    expect(await attemptOf(key.uuid)).toEqual({ state: 'unknown', sendings: 1, epoch: 1 })
    expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({
      available: 500,
      provisioned: 500,
    })
  })

  test('proves no absence of an operation whose attempt a restore has lost', async () => {
    const restored = { orderedAt: new Date(Date.now() - 60_000).toISOString() }
    await anotherEpoch()
    const order = fixture.transferInput(merchant)
    await fixture.providers.rebuildOperation({ noun: 'transfer', order, restored })
    const look = { uuid: order.uuid, candidates: order.candidates, ...restored, isFinalPoll: true }
    for (const pollCount of [0, 1])
      expect(await fixture.providers.lookUpTransfer({ ...look, pollCount })).toMatchObject({
        kind: 'unknown',
      })
    const since = new Date(Date.now() + 1_000).toISOString()
    expect(await fixture.providers.lookUpTransfer({ ...look, orderedAt: since, pollCount: 2 })).toMatchObject(
      {
        kind: 'rejected',
      },
    )
  })

  test('proves absence again where no money moved and the attempt starts anew', async () => {
    const key = await unknownTransfer()
    await fixture.sql(`update attempt set state = 'unreachable' where subject_uuid = ?`, [key.uuid])
    await anotherEpoch()
    expect(await fixture.providers.sendTransfer({ ...key, isResend: false })).toMatchObject({
      kind: 'unknown',
    })
    expect(await attemptOf(key.uuid)).toMatchObject({ sendings: 2, epoch: 2 })
    expect(await fixture.providers.pollTransfer({ ...key, pollCount: 1 })).toMatchObject({
      kind: 'not_found',
    })
  })

  /** A charge of R$ 10.00; its provider gives this state of its payload. */
  async function charge(outcome: IssueChargeOutcome) {
    const order = {
      uuid: randomUUID(),
      accountUuid: merchant.accountUuid,
      candidates: [merchant.connectionUuid],
      valueCents: 1_000,
      expiresInSeconds: 60,
      requestId: 'r',
      timeScale: 1,
      details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
    }
    fixture.scriptProvider({ issueCharge: async () => outcome })
    return { order, ...(await fixture.providers.issueCharge(order)) }
  }
  const payload = {
    txid: 't',
    payload: 'p',
    pixKey: 'k',
    receiver: toParty({}),
    expiresAt: new Date().toISOString(),
  }

  test('closes no orphan payload', async () => {
    const { orphans } = await charge(unknown)
    const close = () => fixture.providers.closeOrphan({ attemptUuid: orphans[0]!, isFinalPoll: true })
    fixture.scriptProvider({ cancelCharge: async () => NOT_FOUND })
    await anotherEpoch()
    expect(await close()).toEqual({ kind: 'no_answer', code: 'credentials_changed' })
  })

  test('cancels no charge, however often it is requested', async () => {
    const { order, state } = await charge({ kind: 'accepted', charge: payload })
    expect(state).toBe('pending')
    fixture.scriptProvider({ cancelCharge: async () => silent })
    const cancel = () => fixture.providers.cancelCharge({ chargeUuid: order.uuid })
    expect(await cancel()).toMatchObject({ kind: 'no_answer', code: 'timeout' })
    await anotherEpoch()
    fixture.scriptProvider({ cancelCharge: async () => NOT_FOUND })
    for (const _ of [1, 2])
      expect(await cancel()).toMatchObject({
        kind: 'no_answer',
        state: 'pending',
        code: 'credentials_changed',
      })
  })

  test('fails no charge whose row a restore has lost', async () => {
    const restored = { orderedAt: new Date(Date.now() - 60_000).toISOString() }
    await anotherEpoch()
    const order = {
      uuid: randomUUID(),
      accountUuid: merchant.accountUuid,
      candidates: [merchant.connectionUuid],
      valueCents: 1_000,
      expiresInSeconds: 60,
      requestId: 'r',
      timeScale: 1,
      details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
    }
    expect(await fixture.providers.rebuildOperation({ noun: 'charge', order, restored })).toEqual({
      kind: 'unknown',
      code: 'credentials_changed',
    })
  })

  /** A random key that is being created or removed. */
  async function keyIn(state: 'creating' | 'removing', operation: string) {
    const [uuid, key] = [randomUUID(), state === 'creating' ? null : randomUUID()]
    await fixture.sql(
      `insert into pix_key (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, key, state,
         request_id, fingerprint, created_at, updated_at)
       select ?, account_uuid, uuid, provider_account_uuid, is_simulated, 'RANDOM', ?, ?, 'r', 'f', now(), now()
       from connection where uuid = ?`,
      [uuid, key, state, merchant.connectionUuid],
    )
    await fixture.sql(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position,
         state, unknown_since, created_at, updated_at)
       select gen_random_uuid(), ?, ?, uuid, provider_account_uuid, 0, 'unknown', now(), now(), now()
       from connection where uuid = ?`,
      [operation, uuid, merchant.connectionUuid],
    )
    return {
      uuid,
      currentState: async () => (await fixture.sql('select state from pix_key where uuid = ?', [uuid]))[0],
    }
  }
  const changed = { kind: 'unknown', code: 'credentials_changed' }

  test('assigns no new key of another account to a pending key', async () => {
    const { uuid, currentState } = await keyIn('creating', 'create_key')
    await anotherEpoch()
    fixture.scriptProvider({
      listKeys: async () => ({ kind: 'found', keys: [{ type: 'RANDOM', key: randomUUID() }] }),
    })
    expect(await fixture.providers.pollPixKey({ uuid, pollCount: 1 })).toEqual(changed)
    expect(await currentState()).toEqual({ state: 'creating' })
  })

  test('removes no key that another account does not have', async () => {
    const { uuid, currentState } = await keyIn('removing', 'delete_key')
    await anotherEpoch()
    fixture.scriptProvider({
      listKeys: async () => ({ kind: 'found', keys: [] }),
      deleteKey: async () => NOT_FOUND,
    })
    expect(await fixture.providers.pollPixKeyRemoval({ uuid, pollCount: 1 })).toEqual(changed)
    expect(await fixture.providers.deleteKey({ uuid })).toEqual(changed)
    expect(await currentState()).toEqual({ state: 'removing' })
  })

  test('cannot be bypassed: the database holds the epochs of a connection and of its live attempts', async () => {
    const { uuid } = await unknownTransfer()
    await anotherEpoch()
    for (const [table, where, value] of [
      ['attempt', 'subject_uuid', uuid],
      ['connection', 'uuid', merchant.connectionUuid],
    ])
      await expect(
        fixture.sql(`update ${table} set credentials_epoch = 3 - credentials_epoch where ${where} = ?`, [
          value,
        ]),
      ).rejects.toThrow(/_epoch_/)
  })
})

test('the balance of an account is unchanged when its credentials are replaced', async () => {
  const connection = await fixture.orm.em.fork().findOneOrFail(Connection, merchant.connectionUuid)
  await postOpeningBalance(fixture.orm.em.fork(), connection, 100)
  await replaced(silent, { identity: silent })
  expect(await fixture.readBalances(merchant.accountUuid)).toEqual({ available: 1_100, outside: -1_100 })
})
