import { randomInt, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { recordProviderProbes } from '../../../src/db/repositories/provider-reach.ts'
import type {
  CreateKeyOutcome,
  IncomingPix,
  IssueChargeOutcome,
  ListKeysOutcome,
  ProviderKey,
  ProviderPayout,
  SendPayoutOutcome,
} from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { createProviderWatch } from '../../../src/startup/provider-watch.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** A worker that reaches no provider, while another worker does: what it could not send is left to other workers. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
  const { orm, dependencies } = fixture
  dependencies.isReachedByOthersOnly = createProviderWatch({
    orm,
    worker: 'this worker',
    canConnect: async () => false,
    log: dependencies.log,
  }).isReachedByOthersOnly
})
beforeEach(() => fixture.sql('delete from provider_reach'))
afterAll(() => fixture?.close())

const PROVIDER = ['https://far.test']
const otherWorkerReachesProvider = () =>
  recordProviderProbes(fixture.orm.em.fork(), { worker: 'another', origins: PROVIDER, reached: PROVIDER })

const UNREACHABLE = {
  kind: 'unreachable',
  code: 'tls_failed',
  message: 'the host could not be reached',
} as const
/** A look-up that could not connect. */
const UNASKED = { kind: 'no_answer', code: 'dns_failed', message: 'no name', isUnprocessed: true } as const
const ISSUED: IssueChargeOutcome = {
  kind: 'accepted',
  charge: {
    payload: 'payload',
    txid: randomUUID(),
    pixKey: 'k',
    receiver: toParty({}),
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  },
}

async function chargeOrder() {
  const merchant = await fixture.createMerchant(0)
  const { accountUuid, connectionUuid } = merchant
  const uuid = randomUUID()
  const order = {
    uuid,
    accountUuid,
    valueCents: 1_000,
    expiresInSeconds: 60,
    candidates: [connectionUuid],
    details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
    requestId: 'r',
    timeScale: 1,
  }
  return { uuid, order }
}

test('a charge whose request was never sent is issued again while another worker reaches its provider', async () => {
  const { uuid, order } = await chargeOrder()
  await otherWorkerReachesProvider()

  fixture.scriptProvider({ issueCharge: async () => UNREACHABLE })
  await expect(fixture.providers.issueCharge(order)).rejects.toThrow('another run makes the call')
  expect(await fixture.sql('select state from charge where uuid = ?', [uuid])).toEqual([{ state: 'issuing' }])
  expect(await fixture.sql('select state from attempt where subject_uuid = ?', [uuid])).toEqual([])

  fixture.scriptProvider({ issueCharge: async () => ISSUED })
  expect(await fixture.providers.issueCharge(order)).toMatchObject({ state: 'pending', orphans: [] })
})

test('of two runs at once that reach no provider, none fails the charge', async () => {
  const { uuid, order } = await chargeOrder()
  await otherWorkerReachesProvider()
  const answer = Promise.withResolvers<typeof UNREACHABLE>()
  fixture.scriptProvider({ issueCharge: () => answer.promise })
  const runs = [fixture.providers.issueCharge(order), fixture.providers.issueCharge(order)]
  setTimeout(() => answer.resolve(UNREACHABLE), 200)
  for (const { status } of await Promise.allSettled(runs)) expect(status).toBe('rejected')
  expect(await fixture.sql('select state from charge where uuid = ?', [uuid])).toEqual([{ state: 'issuing' }])
})

test('a charge whose request was never sent is issued by a worker that takes over before it has failed', async () => {
  const { uuid, order } = await chargeOrder()
  fixture.scriptProvider({ issueCharge: async () => UNREACHABLE })
  const { isReachedByOthersOnly } = fixture.dependencies
  fixture.dependencies.isReachedByOthersOnly = async () => {
    throw new Error('the worker ends')
  }
  await expect(fixture.providers.issueCharge(order)).rejects.toThrow('the worker ends')
  fixture.dependencies.isReachedByOthersOnly = isReachedByOthersOnly!
  expect(await attemptsAt(uuid)).toMatchObject([{ state: 'unreachable' }])

  fixture.scriptProvider({ issueCharge: async () => ISSUED })
  await expect(fixture.providers.issueCharge(order)).rejects.toThrow('another run makes the call')
  expect(await fixture.providers.issueCharge(order)).toMatchObject({ state: 'pending', orphans: [] })
})

test('a charge fails where no worker reaches its provider', async () => {
  const { order } = await chargeOrder()
  fixture.scriptProvider({ issueCharge: async () => UNREACHABLE })
  expect(await fixture.providers.issueCharge(order)).toMatchObject({ state: 'failed' })
})

const IN_PROCESS: SendPayoutOutcome = {
  kind: 'accepted',
  payout: { status: 'in_process', cents: 500, endToEnd: '', at: null },
}
const settled = (): ProviderPayout => ({
  status: 'settled',
  cents: 500,
  endToEnd: `E${randomUUID().replaceAll('-', '').slice(1)}`,
  at: new Date().toISOString(),
})

/** Scripts the outcomes of the next sendings, in order; returns the ids that they were sent by. */
function scriptSendings(...outcomes: SendPayoutOutcome[]): string[] {
  const ids: string[] = []
  const send = async ({ id }: { id: string }) => {
    ids.push(id)
    return outcomes.shift() ?? UNREACHABLE
  }
  fixture.scriptProvider({ sendTransfer: send, refund: send })
  return ids
}

const attemptsAt = (uuid: string) =>
  fixture.sql('select state, code, sendings from attempt where subject_uuid = ?', [uuid])

async function transferOrder() {
  const merchant = await fixture.createMerchant(1_000)
  const order = fixture.transferInput(merchant)
  const { accountUuid, connectionUuid } = merchant
  const send = (isResend = false) =>
    fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend, order })
  const poll = () => fixture.providers.pollTransfer({ uuid: order.uuid, connectionUuid, pollCount: 0 })
  return { uuid: order.uuid, accountUuid, connectionUuid, send, poll }
}

test('a transfer that could not be sent keeps its hold, is sent again by the same id, and settles once', async () => {
  const { uuid, accountUuid, send, poll } = await transferOrder()
  await otherWorkerReachesProvider()
  const ids = scriptSendings(UNREACHABLE, UNREACHABLE, { kind: 'accepted', payout: settled() })
  expect(await send()).toEqual({ kind: 'not_connected' })
  expect(await attemptsAt(uuid)).toEqual([{ state: 'calling', code: 'not_connected', sendings: 1 }])
  expect(await fixture.readBalances(accountUuid)).toMatchObject({ available: 500, provisioned: 500 })
  expect(await poll()).toEqual({ kind: 'not_started' })
  expect(await send()).toEqual({ kind: 'not_connected' })
  expect(await send()).toMatchObject({ kind: 'settled' })
  expect(new Set(ids).size).toBe(1)
  expect(await attemptsAt(uuid)).toEqual([{ state: 'settled', code: null, sendings: 3 }])
  expect(await fixture.sql("select status from movement where movement_type = 'OUT'")).toEqual([
    { status: 'SETTLED' },
  ])
  expect(await fixture.readBalances(accountUuid)).toMatchObject({ available: 500 })
})

test('a transfer that could not be sent is sent with the credentials that were installed since', async () => {
  const { uuid, connectionUuid, send } = await transferOrder()
  await otherWorkerReachesProvider()
  scriptSendings(UNREACHABLE, { kind: 'accepted', payout: settled() })
  expect(await send()).toEqual({ kind: 'not_connected' })
  await fixture.sql('update connection set credentials_epoch = 2 where uuid = ?', [connectionUuid])
  expect(await send()).toMatchObject({ kind: 'settled' })
  const epochs = await fixture.sql('select credentials_epoch as epoch from attempt where subject_uuid = ?', [
    uuid,
  ])
  expect(epochs).toEqual([{ epoch: 2 }])
})

test('a transfer is unreachable where no other worker reaches its provider', async () => {
  const { uuid, send } = await transferOrder()
  scriptSendings(UNREACHABLE)
  expect(await send()).toMatchObject({ kind: 'unreachable', code: 'tls_failed' })
  expect(await attemptsAt(uuid)).toEqual([{ state: 'unreachable', code: 'tls_failed', sendings: 1 }])
})

test('a transfer is unreachable once it could not be sent fifteen times', async () => {
  const { uuid, send } = await transferOrder()
  await otherWorkerReachesProvider()
  scriptSendings()
  for (let sending = 1; sending <= 14; sending++) expect(await send()).toEqual({ kind: 'not_connected' })
  expect(await send()).toMatchObject({ kind: 'unreachable' })
  expect(await attemptsAt(uuid)).toEqual([{ state: 'unreachable', code: 'tls_failed', sendings: 15 }])
})

test('a repeat whose worker ends during its call is not sent again without proof', async () => {
  const { uuid, send, poll } = await transferOrder()
  await otherWorkerReachesProvider()
  scriptSendings(UNREACHABLE)
  expect(await send()).toEqual({ kind: 'not_connected' })
  fixture.scriptProvider({
    sendTransfer: () => Promise.reject(new Error('the worker ends')),
    findTransfer: async () => ({ kind: 'not_found' }),
  })
  await expect(send()).rejects.toThrow('the worker ends')
  expect(await attemptsAt(uuid)).toEqual([{ state: 'calling', code: null, sendings: 2 }])
  const ids = scriptSendings(IN_PROCESS)
  expect(await send()).toEqual({ kind: 'unknown', code: 'interrupted' })
  expect(await poll()).toMatchObject({ kind: 'not_found' })
  expect(ids).toEqual([])
})

test('the late result of a call that could not be made leaves the outcome to its repeat', async () => {
  const { uuid, send } = await transferOrder()
  await otherWorkerReachesProvider()
  const answer = Promise.withResolvers<SendPayoutOutcome>()
  const asked = Promise.withResolvers<void>()
  fixture.scriptProvider({
    sendTransfer() {
      asked.resolve()
      return answer.promise
    },
  })
  const late = send()
  await asked.promise
  scriptSendings(IN_PROCESS)
  expect(await send(true)).toEqual({ kind: 'in_process' })
  answer.resolve(UNREACHABLE)
  expect(await late).toEqual({ kind: 'in_process' })
  expect(await attemptsAt(uuid)).toEqual([{ state: 'accepted', code: null, sendings: 2 }])
})

test('a return that could not be sent holds its money once, and is sent again by the same id', async () => {
  const { accountUuid, connectionUuid } = await fixture.createMerchant(1_000)
  const payment = {
    endToEnd: settled().endToEnd,
    txid: '',
    cents: 500,
    status: 'settled',
    at: new Date().toISOString(),
  } as IncomingPix
  const { uuid } = await runInTransaction(fixture.orm, async em => {
    const connection = await em.findOneOrFail(Connection, connectionUuid)
    return recordUnmatchedPayment(em, { connection, payment, reason: 'second_payment', requestId: 'r' })
  })
  const send = () => fixture.providers.sendReturn({ uuid, connectionUuid, isResend: false })
  await otherWorkerReachesProvider()
  const ids = scriptSendings(UNREACHABLE, { kind: 'accepted', payout: settled() })
  expect(await send()).toEqual({ kind: 'not_connected' })
  const held = await fixture.readBalances(accountUuid)
  expect(await send()).toMatchObject({ kind: 'settled' })
  expect(new Set(ids).size).toBe(1)
  expect(held).not.toEqual(await fixture.readBalances(accountUuid))
  const outs = await fixture.sql('select status from movement where original_uuid = ?', [uuid])
  expect(outs).toEqual([{ status: 'SETTLED' }])
})

test('a poll that could not be made fails, so that Temporal repeats it on any worker', async () => {
  const { send, poll } = await transferOrder()
  scriptSendings(IN_PROCESS)
  await send()
  fixture.scriptProvider({ findTransfer: async () => UNASKED })
  expect(await poll()).toEqual({ kind: 'unknown', code: 'dns_failed' })
  await otherWorkerReachesProvider()
  await expect(poll()).rejects.toThrow('another run makes the call')
})

test('a charge whose cancellation could not be sent is cancelled by another worker', async () => {
  const { uuid, order } = await chargeOrder()
  fixture.scriptProvider({ issueCharge: async () => ISSUED, cancelCharge: async () => UNASKED })
  await fixture.providers.issueCharge(order)
  await otherWorkerReachesProvider()
  const cancel = () => fixture.providers.cancelCharge({ chargeUuid: uuid })
  await expect(cancel()).rejects.toThrow('another run makes the call')
  fixture.scriptProvider({ cancelCharge: async () => ({ kind: 'cancelled' }) })
  expect(await cancel()).toMatchObject({ kind: 'known', state: 'cancelled' })
})

test('an orphan, a deposit and a dispute whose look-ups could not be sent are left to another worker', async () => {
  const { order } = await chargeOrder()
  fixture.scriptProvider({
    issueCharge: async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }),
    cancelCharge: async () => UNASKED,
    findPayment: async () => UNASKED,
    findDispute: async () => UNASKED,
  })
  const { orphans } = await fixture.providers.issueCharge(order)
  await otherWorkerReachesProvider()
  const { providers } = fixture
  const [connectionUuid] = order.candidates
  const dispute = {
    uuid: randomUUID(),
    connectionUuid: connectionUuid!,
    providerDisputeId: 'd',
    endToEnd: 'E1',
  }
  const lookUps = [
    () => providers.closeOrphan({ attemptUuid: orphans[0]!, isFinalPoll: false }),
    () =>
      providers.recordDeposit({
        connectionUuid: connectionUuid!,
        endToEnd: 'E1',
        requestId: 'r',
        timeScale: 1,
      }),
    () => providers.pollDispute({ ...dispute, requestId: 'r', timeScale: 1 }),
  ]
  for (const lookUp of lookUps) await expect(lookUp()).rejects.toThrow('another run makes the call')
})

/** A PIX key in this state, with calls to create and to remove it, and what is stored of it. */
async function insertKey(state: 'creating' | 'active', type = 'DOCUMENT') {
  const { connectionUuid } = await fixture.createMerchant(0)
  const [uuid, key] = [randomUUID(), String(randomInt(1e13, 1e14))]
  await fixture.sql(
    `insert into pix_key (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, key, state,
       request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, is_simulated, ?, ?, ?, 'r', 'f', now(), now()
     from connection where uuid = ?`,
    [uuid, type, type === 'RANDOM' ? null : key, state, connectionUuid],
  )
  const { createKey, deleteKey, pollPixKey, pollPixKeyRemoval } = fixture.providers
  return {
    create: () => createKey({ uuid }),
    remove: () => deleteKey({ uuid }),
    pollCreation: () => pollPixKey({ uuid, pollCount: 0 }),
    pollRemoval: () => pollPixKeyRemoval({ uuid, pollCount: 0 }),
    deleteAttempt: () => fixture.sql('delete from attempt where subject_uuid = ?', [uuid]),
    listed: async (): Promise<ListKeysOutcome> => ({ kind: 'found', keys: [{ type: 'DOCUMENT', key }] }),
    failure: async () => (await fixture.sql('select failure from pix_key where uuid = ?', [uuid]))[0],
  }
}

test('a PIX key whose request could not be sent is created by another worker', async () => {
  const key = await insertKey('creating')
  await otherWorkerReachesProvider()
  fixture.scriptProvider({ createKey: async () => UNREACHABLE, listKeys: async () => UNASKED })
  expect(await key.create()).toEqual({ kind: 'not_started' })
  await expect(key.pollCreation()).rejects.toThrow('another run makes the call')

  fixture.scriptProvider({ listKeys: async () => ({ kind: 'found', keys: [] }) })
  expect(await key.pollCreation()).toEqual({ kind: 'not_started' })
  fixture.scriptProvider({ createKey: async () => ({ kind: 'created', key: '11222333000181' }) })
  expect(await key.create()).toEqual({ kind: 'closed', state: 'active' })
})

test('the late result of a PIX key request that could not be sent leaves the attempt of the next one', async () => {
  const key = await insertKey('creating')
  await otherWorkerReachesProvider()
  const answers: (() => Promise<CreateKeyOutcome>)[] = [
    async () => {
      // The deletion was committed, and is executed again after the next request.
      await key.deleteAttempt()
      expect(await key.create()).toMatchObject({ kind: 'unknown' })
      return UNREACHABLE
    },
    async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }),
  ]
  fixture.scriptProvider({ createKey: () => answers.shift()!() })
  expect(await key.create()).toEqual({ kind: 'not_started' })
  expect(await key.create()).toEqual({ kind: 'unknown', code: 'interrupted' })
})

test('a random PIX key whose list could not be read is not requested, and created by another worker', async () => {
  const key = await insertKey('creating', 'RANDOM')
  await otherWorkerReachesProvider()
  fixture.scriptProvider({
    createKey: () => Promise.reject(new Error('it is not called')),
    listKeys: async () => UNASKED,
  })
  await expect(key.create()).rejects.toThrow('another run makes the call')
  const listed: ProviderKey[] = []
  fixture.scriptProvider({
    createKey: async () => {
      const created = { key: randomUUID(), type: 'RANDOM' as const }
      listed.push(created)
      return { kind: 'created', key: created.key }
    },
    listKeys: async () => ({ kind: 'found', keys: [...listed] }),
  })
  expect(await key.pollCreation()).toEqual({ kind: 'not_started' })
  expect(await key.create()).toEqual({ kind: 'closed', state: 'active' })
})

test('a PIX key is refused where no worker reaches its provider', async () => {
  const key = await insertKey('creating')
  fixture.scriptProvider({ createKey: async () => UNREACHABLE })
  expect(await key.create()).toEqual({ kind: 'closed', state: 'refused' })
})

test('a PIX key whose removal could not be sent is removed by another worker, whose refusal is final', async () => {
  const [removed, kept] = [await insertKey('active'), await insertKey('active')]
  await otherWorkerReachesProvider()
  for (const key of [removed, kept]) {
    fixture.scriptProvider({ deleteKey: async () => UNREACHABLE, listKeys: key.listed })
    expect(await key.remove()).toEqual({ kind: 'not_started' })
    expect(await key.pollRemoval()).toEqual({ kind: 'still_there' })
  }
  fixture.scriptProvider({ deleteKey: async () => ({ kind: 'deleted' }) })
  expect(await removed.remove()).toEqual({ kind: 'closed', state: 'removed' })
  fixture.scriptProvider({
    deleteKey: async () => ({ kind: 'rejected', finality: 'final', code: 'busy', message: 'not now' }),
  })
  expect(await kept.remove()).toEqual({ kind: 'closed', state: 'active' })
  expect(await kept.failure()).toMatchObject({ failure: { code: 'busy' } })
})
