import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { WithStartWorkflowOperation } from '@temporalio/client'
import { createTransfer } from '../../../src/api/operations/transfers.ts'
import {
  type CircuitOrder,
  orderByCircuitState,
  recordCircuitResult,
} from '../../../src/db/repositories/circuit-breaker.ts'
import { createSealer } from '../../../src/security/sealing.ts'
import type { TemporalContext } from '../../../src/temporal/workflow-options.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** SPEC §6: a connection whose circuit is open is tried last, except by its probe. */

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([])
})
afterAll(async () => {
  await Promise.all(unansweredRequests)
  await fixture?.close()
})

let account: string
let a: string
let b: string
let c: string
beforeEach(async () => {
  account = await fixture.insertAccount()
  const connections = await Promise.all([1, 2, 3].map(() => fixture.insertConnection(account, {})))
  ;[a, b, c] = connections as [string, string, string]
})

const ordered = (...uuids: string[]) => orderByCircuitState(fixture.orm.em.fork(), uuids)
const opened = (uuid: string, secondsAgo: number) =>
  fixture.orm.em.fork().execute(
    `insert into circuit_breaker (connection_uuid, failures, opened_at)
       values (?, array[now()], now() - ? * interval '1 second')`,
    [uuid, secondsAgo],
  )

test('connections with a closed circuit are candidates in their order', async () => {
  expect(await ordered(c, a, b)).toEqual([c, a, b])
})

test('a connection whose circuit has just opened is tried last, and none is left out', async () => {
  await opened(a, 0)
  expect(await ordered(a, b, c)).toEqual([b, c, a])
  await opened(b, 0)
  expect(await ordered(a, b, c)).toEqual([c, a, b])
})

test('after ten seconds one request probes an open connection in its place, and the next ones do not', async () => {
  await opened(a, 11)
  const orders = await Promise.all([1, 2, 3].map(() => ordered(a, b)))
  expect(orders.filter(([first]) => first === a)).toHaveLength(1)
  expect(await ordered(a, b)).toEqual([b, a])
})

test('a connection without an alternative uses up no other request’s probe', async () => {
  await opened(a, 11)
  expect(await ordered(a)).toEqual([a])
  expect(await ordered(a, b)).toEqual([a, b])
})

type Result = { kind: string; code?: string; order?: CircuitOrder; worker?: string }

/** Records results of calls, one after the other. */
async function recordResult(uuid: string, ...results: Result[]) {
  const em = fixture.orm.em.fork()
  for (const { order, worker, ...outcome } of results)
    await recordCircuitResult(
      em,
      { uuid, isDistrusted: true },
      { outcome, ...(order && { order }), ...(worker && { worker }) },
    )
}

/** Five results of the same outcome. */
const recordResults = (uuid: string, result: Result) => recordResult(uuid, ...Array(5).fill(result))

/** The failures recorded so far happened before the window in which calls of any kind are counted. */
const leaveWindow = (uuid: string) =>
  fixture.orm.em
    .fork()
    .execute(
      `update circuit_breaker set failures = '{}', opened_at = opened_at - interval '16 minutes' where connection_uuid = ?`,
      [uuid],
    )

test('five calls without an answer open the circuit, and an answer that a charge is paid closes it', async () => {
  await recordResults(a, { kind: 'no_answer', code: 'payment_not_listed' })
  expect(await ordered(a, b)).toEqual([a, b])
  await recordResults(a, { kind: 'no_answer', code: 'timeout' })
  expect(await ordered(a, b)).toEqual([b, a])
  await recordResults(a, { kind: 'no_answer', code: 'payment_not_listed' })
  expect(await ordered(a, b)).toEqual([a, b])
})

test.each<Result>([
  { kind: 'unreachable', code: 'paced', order: 'payout' },
  { kind: 'unreachable', code: 'paced', order: 'charge' },
  { kind: 'no_answer', code: 'paced' },
  { kind: 'no_answer', code: 'http_429' },
  { kind: 'no_answer', code: 'rate_limited' },
])('what the pace of a provider keeps back neither opens nor closes a circuit: %j', async paced => {
  await recordResults(a, paced)
  expect(await ordered(a, b)).toEqual([a, b])
  await recordResults(a, { kind: 'no_answer', code: 'timeout' })
  await recordResults(a, paced)
  expect(await ordered(a, b)).toEqual([b, a])
})

test('a provider that answers each order with 429 is tried last', async () => {
  await recordResults(a, { kind: 'unknown', code: 'http_429', order: 'payout' })
  expect(await ordered(a, b)).toEqual([b, a])
})

const answeredLookUp: Result = { kind: 'not_found' }

test.each(['charge', 'payout'] as const)(
  'a provider whose answers to each %s are of no use is tried last, though it answers look-ups',
  async order => {
    const failed: Result = { kind: 'unknown', code: 'http_500', order }
    for (let call = 1; call <= 5; call++) {
      expect(await ordered(a, b)).toEqual([a, b])
      await leaveWindow(a)
      await recordResult(a, failed, answeredLookUp)
    }
    expect(await ordered(a, b)).toEqual([b, a])
    await recordResult(a, { kind: 'rejected', order })
    expect(await ordered(a, b)).toEqual([a, b])
  },
)

test('an accepted payout does not close a circuit that charges opened, nor a look-up before a quarter of an hour', async () => {
  await recordResults(a, { kind: 'orphan', order: 'charge' })
  expect(await ordered(a, b)).toEqual([b, a])
  await recordResult(a, { kind: 'accepted', order: 'payout' }, answeredLookUp)
  expect(await ordered(a, b)).toEqual([b, a])
  await leaveWindow(a)
  await recordResult(a, answeredLookUp)
  expect(await ordered(a, b)).toEqual([a, b])
})

test('an order with a useful answer between others begins their count anew', async () => {
  const failed: Result = { kind: 'unknown', code: 'http_500', order: 'charge' }
  await recordResult(a, failed, failed, failed, failed, { kind: 'accepted', order: 'charge' }, failed)
  expect(await ordered(a, b)).toEqual([a, b])
})

test('failures of one worker to connect open no circuit while another worker has answers', async () => {
  const cutOff = { kind: 'unreachable', code: 'tls_failed' }
  const fail = (outcome: Result) => recordResults(a, { ...outcome, worker: 'broken' })
  await fail(cutOff)
  expect(await ordered(a, b)).toEqual([b, a])
  await recordResult(a, { kind: 'accepted', worker: 'healthy' })
  await fail(cutOff)
  expect(await ordered(a, b)).toEqual([a, b])
  await fail({ kind: 'no_answer', code: 'timeout' })
  expect(await ordered(a, b)).toEqual([b, a])
  await recordResult(a, { kind: 'accepted', worker: 'broken' })
  await fail(cutOff)
  expect(await ordered(a, b)).toEqual([b, a])
})

test('another worker’s answer older than half a minute does not count', async () => {
  const em = fixture.orm.em.fork()
  await recordResults(a, { kind: 'accepted' })
  await recordResult(a, { kind: 'unreachable', code: 'dns_failed', worker: 'broken' })
  await em.execute(
    `update circuit_breaker set answered_at = now() - interval '31 seconds', answered_by = 'healthy' where connection_uuid = ?`,
    [a],
  )
  const cutOff = { kind: 'unreachable', code: 'dns_failed' }
  await recordResults(a, { ...cutOff, worker: 'broken' })
  expect(await ordered(a, b)).toEqual([b, a])
})

/** Requests whose workflow input is known, and which still wait for Temporal. */
const unansweredRequests: Promise<unknown>[] = []

/** The input of a transfer's workflow; Temporal itself is not reached. */
async function orderOf(fields: { scheduled_for?: Date } = {}): Promise<TransferInput> {
  const input = Promise.withResolvers<TransferInput>()
  type Asked = {
    startWorkflowOperation: WithStartWorkflowOperation<(order: TransferInput) => Promise<unknown>>
  }
  const workflow = {
    async executeUpdateWithStart(_update: unknown, { startWorkflowOperation }: Asked) {
      input.resolve(startWorkflowOperation.options.args[0] as TransferInput)
      throw new Error('out of reach')
    },
  }
  const client = { workflow, withDeadline: (_at: number, ask: () => Promise<unknown>) => ask() }
  const temporal = {
    client: async () => client,
    taskQueue: 'none',
    timeScale: 1,
  } as unknown as TemporalContext
  const request = {
    body: { value: 100, pix_key: 'maria@example.com', ...fields },
    token: { uuid: randomUUID(), accountUuid: account, connectionUuid: null, mode: 'test' as const },
    em: fixture.orm.em.fork(),
    idempotencyKey: null,
    requestId: 'request',
  }
  const seal = createSealer(`a:${Buffer.alloc(32, 7).toString('base64')}`)
  unansweredRequests.push(createTransfer({ temporal, sealer: seal }, request).catch(input.reject))
  return input.promise
}

test('a transfer’s candidates are ordered by circuit state, and its row is created by its first attempt', async () => {
  await fixture.replaceDefaultProviders(account, [a, b])
  await opened(a, 0)
  expect(await orderOf()).toMatchObject({ candidates: [b, a] })
})

test('a scheduled transfer keeps the priority order, uses no probe, and is stored immediately', async () => {
  await fixture.replaceDefaultProviders(account, [a, b])
  await opened(a, 11)
  const order = await orderOf({ scheduled_for: new Date(Date.now() + 3_600_000) })
  expect(order.candidates).toEqual([a, b])
  expect(await ordered(a, b)).toEqual([a, b])
  await fixture.orm.em
    .fork()
    .execute('update circuit_breaker set opened_at = now() where connection_uuid = ?', [a])
  expect((await orderOf({ scheduled_for: new Date(Date.now() + 3_600_000) })).candidates).toEqual([a, b])
})
