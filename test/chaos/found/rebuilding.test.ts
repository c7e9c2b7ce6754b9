import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { defaultPayloadConverter } from '@temporalio/common'
import { beginPause } from '../../../src/db/pauses.ts'
import { rebuildLives } from '../../../src/engine/rebuild.ts'
import type { Engine } from '../../../src/engine/start.ts'
import type { TransferOrder } from '../../../src/workflows/messages.ts'
import { openBooks } from '../support/books.ts'

/** A scheduled transfer whose time comes about when money out is paused after a restore, and the rebuilding after that. */

let books: Awaited<ReturnType<typeof openBooks>>
beforeAll(async () => {
  books = await openBooks()
  await beginPause(books.orm.em.fork(), { target: 'all', reach: 'money_out', who: 'ana', reason: 'restored' })
  await books.sql(`update pause set created_at = now() - interval '10 minutes'`)
})
afterAll(() => books?.close())

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)

/** A Temporal in which one transfer runs, and what is done to it there. */
function temporalOf(order: TransferOrder) {
  const did: string[] = []
  const begun: { args: [TransferOrder] }[] = []
  const run = {
    ...{ workflowId: `transfer/${order.uuid}`, runId: 'run', status: { name: 'RUNNING' } },
    ...{ startTime: ago(60), typedSearchAttributes: { get: () => undefined } },
  }
  const input = { payloads: [defaultPayloadConverter.toPayload(order)] }
  const history = { events: [{ workflowExecutionStartedEventAttributes: { input } }] }
  const workflow = {
    options: { namespace: 'none' },
    workflowService: { getWorkflowExecutionHistory: async () => ({ history }) },
    async *list({ query }: { query: string }) {
      if (!query.includes('deliveryWorkflow')) yield run
    },
    getHandle: () => ({ terminate: async () => did.push('ended') }),
    async start(_type: string, options: { args: [TransferOrder] }) {
      did.push('begun anew')
      begun.push(options)
    },
  }
  const engine = { client: async () => ({ workflow }), taskQueue: 'none', timeScale: 1 } as unknown as Engine
  return { did, begun, engine }
}

test.each([
  ['after money out was paused, goes on: nobody can have been called for it', 5, [], []],
  ['before money out was paused, is looked for', 15, ['rebuilt'], ['ended', 'begun anew']],
])('one that was due %s', async (_, minutes, outcomes, done) => {
  const order = books.transferOrder(await books.merchant(1_000), { scheduledFor: ago(minutes).toISOString() })
  await books.records.storeTransfer(order)
  const { engine, did } = temporalOf(order)
  const told: string[] = []
  const rebuilding = { since: ago(30), who: 'ana', reason: 'restored' }
  for await (const { outcome } of rebuildLives(engine, books.orm.em.fork(), rebuilding)) told.push(outcome)
  expect(told).toEqual(outcomes)
  expect(did).toEqual(done)
})

test('one whose first runs are forgotten is looked for by all of its order, as of when it was ordered', async () => {
  const order = books.transferOrder(await books.merchant(1_000))
  const orderedAt = ago(60 * 24 * 90).toISOString()
  const goesOn = { connectionUuid: order.candidates[0]!, orderedAt }
  await books.records.storeTransfer(order)
  const { engine, begun } = temporalOf({ ...order, goesOn })
  const rebuilding = { since: ago(30), who: 'ana', reason: 'restored' }
  for await (const { outcome } of rebuildLives(engine, books.orm.em.fork(), rebuilding))
    expect(outcome).toBe('rebuilt')
  expect(begun.map(({ args }) => args)).toEqual([[{ ...order, restored: { orderedAt } }]])
})
