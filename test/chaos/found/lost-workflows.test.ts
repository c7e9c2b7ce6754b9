import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { WorkflowNotFoundError } from '@temporalio/common'
import { sweepWorkflows } from '../../../src/activities/workflow-sweep.ts'
import { settleUnknown } from '../../../src/engine/settle.ts'
import type { Engine } from '../../../src/engine/start.ts'
import { openBooks } from '../support/books.ts'

/** Rows that move while Temporal has lost their workflows, and the hourly sweep that compares them. */

let books: Awaited<ReturnType<typeof openBooks>>
beforeAll(async () => {
  books = await openBooks()
})
afterAll(() => books?.close())

/** A Temporal in which these workflows run, what it is asked and what is done to it. */
function temporalOf(running: string[], listed = running) {
  const calls: string[] = []
  const did: unknown[] = []
  const workflow = {
    async *list({ query }: { query: string }) {
      calls.push('list')
      for (const workflowId of listed) if (query.includes(`'${workflowId}'`)) yield { workflowId }
    },
    getHandle: (id: string) => ({
      async describe() {
        calls.push('describe')
        if (!running.includes(id)) throw new WorkflowNotFoundError('lost', id, undefined)
        return { status: { name: 'RUNNING' } }
      },
      signal: async () => did.push(`${id} signalled`),
    }),
    signalWithStart: async (_: string, { workflowId }: { workflowId: string }) => did.push(workflowId),
    start: async (_: string, { workflowId, args }: { workflowId: string; args: object[] }) =>
      did.push({ workflowId, ...args[0] }),
  }
  const engine = { client: async () => ({ workflow }), taskQueue: 'none', timeScale: 1 } as unknown as Engine
  return { engine, calls, did }
}

async function transferInDoubt(minutesOld = 60) {
  const order = books.transferOrder(await books.merchant(1_000))
  await books.records.storeTransfer(order)
  books.provider({ sendTransfer: async () => ({ kind: 'unknown', code: 'timeout', message: '' }) })
  const [connectionUuid] = order.candidates as [string]
  await books.providers.sendTransfer({ uuid: order.uuid, connectionUuid, again: false })
  for (const [table, column] of [
    ['transfer', 'uuid'],
    ['attempt', 'subject_uuid'],
  ])
    await books.sql(
      `update ${table} set created_at = created_at - make_interval(mins => ${minutesOld}) where ${column} = ?`,
      [order.uuid],
    )
  return { uuid: order.uuid, connectionUuid, id: `transfer/${order.uuid}` }
}

const lost = () => books.sql('select noun, state, is_reopened from lost_workflow')
const over = () => books.sql(`delete from lost_workflow`)
const away = (uuid: string) => books.sql(`update transfer set created_at = now() where uuid = ?`, [uuid])

test('a transfer in doubt whose workflow is lost is reopened to ask, and is forgotten once it runs', async () => {
  const { uuid, connectionUuid, id } = await transferInDoubt()
  const { engine, did } = temporalOf([])
  expect(await sweepWorkflows(books.dependencies, engine)()).toEqual({ lookedAt: 1, reopened: 1, shown: 0 })
  expect(did).toEqual([
    {
      ...{ workflowId: id, resume: uuid, timeScale: 1 },
      unfinished: { candidates: [connectionUuid], orderedAt: expect.any(String) },
    },
  ])
  expect(await lost()).toEqual([{ noun: 'transfer', state: 'sending', is_reopened: true }])
  await sweepWorkflows(books.dependencies, temporalOf([id]).engine)()
  expect(await lost()).toEqual([])
  await away(uuid)
})

test('of a healthy system nothing is touched, by one list for a page of rows', async () => {
  const rows = await Promise.all([transferInDoubt(), transferInDoubt(), transferInDoubt()])
  const { engine, calls, did } = temporalOf(rows.map(({ id }) => id))
  expect(await sweepWorkflows(books.dependencies, engine)()).toEqual({ lookedAt: 3, reopened: 0, shown: 0 })
  expect([calls, did]).toEqual([['list'], []])
  for (const { uuid } of rows) await away(uuid)
})

test('what Temporal does not list yet is asked about by its id', async () => {
  const { id, uuid } = await transferInDoubt()
  const { engine, calls, did } = temporalOf([id], [])
  expect(await sweepWorkflows(books.dependencies, engine)()).toMatchObject({ reopened: 0 })
  expect([calls, did]).toEqual([['list', 'describe'], []])
  await away(uuid)
})

test('a young row is in the hands of its request', async () => {
  const { uuid } = await transferInDoubt(1)
  expect(await sweepWorkflows(books.dependencies, temporalOf([]).engine)()).toMatchObject({ lookedAt: 0 })
  await away(uuid)
})

test('a transfer that waits for its time cannot be reopened, and is shown', async () => {
  const scheduledFor = new Date(Date.now() + 3_600_000).toISOString()
  const order = books.transferOrder(await books.merchant(1_000), { scheduledFor })
  await books.records.storeTransfer(order)
  await books.sql(`update transfer set created_at = now() - interval '1 hour' where uuid = ?`, [order.uuid])
  const { engine, did } = temporalOf([])
  expect(await sweepWorkflows(books.dependencies, engine)()).toEqual({ lookedAt: 1, reopened: 0, shown: 1 })
  expect(did).toEqual([])
  expect(await lost()).toEqual([{ noun: 'transfer', state: 'created', is_reopened: false }])
  expect(await books.sql(`select lost from workflow_sweep where noun = 'transfer'`)).toEqual([{ lost: 1 }])
  await over()
  await away(order.uuid)
})

test('trilho settle reopens the workflow of an attempt that has none', async () => {
  const { uuid, id } = await transferInDoubt()
  const [seen] = await books.sql<{ attempt: string; sending: number }>(
    'select uuid as attempt, sendings as sending from attempt where subject_uuid = ?',
    [uuid],
  )
  const { engine, did } = temporalOf([])
  const word = { ...seen!, as: 'rejected' as const, reason: 'the bank says so' }
  await settleUnknown(engine, books.orm.em.fork(), { noun: 'transfer', uuid, word, who: 'ana' })
  expect(did).toEqual([expect.objectContaining({ workflowId: id, resume: uuid }), `${id} signalled`])
})
