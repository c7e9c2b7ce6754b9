import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { runInTransaction } from '../../../src/db/client/orm.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { recordProviderProbes } from '../../../src/db/repositories/provider-reach.ts'
import type {
  IncomingPix,
  IssueChargeOutcome,
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
    ...{ orm, worker: 'this worker', canConnect: async () => false, log: dependencies.log },
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
  return { uuid, order }
}

test('a charge whose request was never sent is issued again while another worker reaches its provider', async () => {
  const { uuid, order } = await chargeOrder()
  await otherWorkerReachesProvider()

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

const IN_PROCESS: SendPayoutOutcome = {
  kind: 'accepted',
  payout: { status: 'in_process', endToEnd: '', at: null },
}
const settled = (): ProviderPayout => ({
  ...{ status: 'settled', endToEnd: `E${randomUUID().replaceAll('-', '').slice(1)}` },
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

test('a transfer is unreachable where no other worker reaches its provider', async () => {
  const { uuid, send } = await transferOrder()
  scriptSendings(UNREACHABLE)
  expect(await send()).toMatchObject({ kind: 'unreachable', code: 'tls_failed' })
  expect(await attemptsAt(uuid)).toEqual([{ state: 'unreachable', code: 'tls_failed', sendings: 1 }])
})

test('a transfer is unreachable once it could not be sent nine times', async () => {
  const { uuid, send } = await transferOrder()
  await otherWorkerReachesProvider()
  scriptSendings()
  for (let sending = 1; sending <= 8; sending++) expect(await send()).toEqual({ kind: 'not_connected' })
  expect(await send()).toMatchObject({ kind: 'unreachable' })
  expect(await attemptsAt(uuid)).toEqual([{ state: 'unreachable', code: 'tls_failed', sendings: 9 }])
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
    ...{ endToEnd: settled().endToEnd, txid: '', cents: 1_000, status: 'settled' },
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
  const noAnswer = { kind: 'no_answer', code: 'dns_failed', message: 'no name', isUnprocessed: true } as const
  fixture.scriptProvider({ findTransfer: async () => noAnswer })
  expect(await poll()).toEqual({ kind: 'unknown', code: 'dns_failed' })
  await otherWorkerReachesProvider()
  await expect(poll()).rejects.toThrow('another worker does')
})
