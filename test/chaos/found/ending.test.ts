import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { MockActivityEnvironment } from '@temporalio/testing'
import { sweepDeliveries } from '../../../src/activities/delivery-sweep.ts'
import { pruneEvents } from '../../../src/activities/event-pruning.ts'
import { sweepMeds } from '../../../src/activities/med-reconciliation.ts'
import { sweepNotices } from '../../../src/activities/notices.ts'
import { reconcile } from '../../../src/activities/reconciliation.ts'
import type { Engine } from '../../../src/engine/start.ts'
import { openBooks } from '../support/books.ts'

/** What runs for longer than a worker that stops waits for: it ends when it is told to, and the next one goes on. */

let books: Awaited<ReturnType<typeof openBooks>>
let merchant: Awaited<ReturnType<typeof books.merchant>>
beforeAll(async () => {
  books = await openBooks()
  merchant = await books.merchant(0)
})
afterAll(() => books?.close())

let worker: MockActivityEnvironment
beforeEach(() => {
  worker = new MockActivityEnvironment()
})
const stops = () => worker.cancel('WORKER_SHUTDOWN')

const woken: string[] = []
const workflow = {
  signalWithStart: async (_: string, { workflowId }: { workflowId: string }) => woken.push(workflowId),
  getHandle: (workflowId: string) => ({ signal: async () => woken.push(workflowId) }),
}
const engine = { client: async () => ({ workflow }), taskQueue: 't', timeScale: 1 } as unknown as Engine

const events = (count: number, age: string) =>
  books.sql<{ uuid: string }>(
    `insert into event (uuid, account_uuid, type, subject_uuid, sequence, body, life_uuid, request_id, created_at)
     select gen_random_uuid(), ?, 'PAYMENT', gen_random_uuid(), 1, '{}', gen_random_uuid(), 'r', now() - ?::interval
     from generate_series(1, ?) returning uuid`,
    [merchant.accountUuid, age, count],
  )

test('pruning ends after the batch that it is at', async () => {
  await events(1_200, '40 days')
  stops()
  expect(await worker.run(pruneEvents(books.dependencies))).toEqual({ forgotten: 500 })
  expect(await pruneEvents(books.dependencies)()).toEqual({ forgotten: 700 })
})

test('a sweep of deliveries wakes no more of them', async () => {
  const [event] = await events(1, '1 minute')
  const webhook = randomUUID()
  await books.sql(
    `insert into webhook (uuid, account_uuid, url, sealed_token, masked_token, events, fingerprint, created_at)
     values (?, ?, 'https://shop.test', '', '', '{PAYMENT}', '', now())`,
    [webhook, merchant.accountUuid],
  )
  await books.sql(
    `insert into delivery (uuid, webhook_uuid, event_uuid, created_at, updated_at, wake_at)
     values (gen_random_uuid(), ?, ?, now(), now(), now())`,
    [webhook, event!.uuid],
  )
  const sweep = sweepDeliveries(books.dependencies, engine)
  stops()
  expect(await worker.run(sweep)).toMatchObject({ woken: 0 })
  expect(await sweep()).toMatchObject({ woken: 1 })
})

test('a sweep of notices hands over no more of them', async () => {
  await books.sql(
    `insert into notice (uuid, connection_uuid, digest, kind, end_to_end, body, request_id, received_at)
     values (gen_random_uuid(), ?, 'x', 'payment', 'E1', '{}', 'r', now() - interval '1 minute')`,
    [merchant.connectionUuid],
  )
  const sweep = sweepNotices(books.dependencies, engine)
  woken.length = 0
  stops()
  expect(await worker.run(sweep)).toEqual({ waiting: 1, handedOver: 0 })
  expect(woken).toEqual([])
  await sweep()
  expect(woken).toHaveLength(1)
})

test('a sweep of disputes asks no more of them', async () => {
  let asked = 0
  books.provider({
    async listMeds() {
      asked += 1
      return { kind: 'found', meds: [] }
    },
  })
  stops()
  await worker.run(sweepMeds(books.dependencies, engine))
  expect(asked).toBe(0)
})

test('a statement of many pages is left to whoever begins anew', async () => {
  const [{ uuid: providerAccountUuid }] = (await books.sql(
    'select provider_account_uuid as uuid from connection where uuid = ?',
    [merchant.connectionUuid],
  )) as [{ uuid: string }]
  books.provider({
    statement: () => {
      stops()
      return new Promise(() => {})
    },
  })
  const period = { from: new Date(0).toISOString(), to: new Date().toISOString() }
  const compared = worker.run(reconcile(books.dependencies, engine), { providerAccountUuid, ...period })
  await expect(compared).rejects.toThrow('WORKER_SHUTDOWN')
})

test.each(['issueCharge', 'seekTransfer'] as const)('%s asks no further candidate', async name => {
  let asked = 0
  const silent = async () => {
    asked += 1
    stops()
    return { kind: 'unreachable', code: 'timeout', message: 'no answer' } as never
  }
  books.provider({ issueCharge: silent, findTransfer: silent })
  const candidates = [merchant.connectionUuid, await books.connection(merchant)]
  const details = books.seal.seal({ splits: [], fingerprint: 'f' })
  const order = { ...books.transferOrder(merchant), details, candidates, expiresInSeconds: 60 }
  const ask = books.providers[name] as (order: object) => Promise<unknown>
  await expect(worker.run(ask, { ...order, asked: 0, lastLook: false })).rejects.toThrow('WORKER_SHUTDOWN')
  expect(asked).toBe(1)
})
