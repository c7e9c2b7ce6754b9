import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import { startMoneyWorkflow } from '../../src/temporal/start.ts'
import type { TemporalContext } from '../../src/temporal/workflow-options.ts'
import { openSharedTestStack, type TestStack } from './support/test-stack.ts'

/** The order in which workers get the workflow tasks of a backlog, asked for as a worker does, without one. */

let stack: TestStack
let client: Client
beforeAll(async () => {
  stack = await openSharedTestStack()
  client = await stack.connectTemporal()
})
afterAll(() => stack.close())

const EARLIER_ORDERS = 5
const UNANSWERED = { waitMs: 2_000 }

const createOrder = () => ({
  uuid: randomUUID(),
  accountUuid: randomUUID(),
  valueCents: 100,
  timeScale: 1,
  requestId: 'task-priority',
  fingerprint: 'f',
})
const createTransfer = () => ({ ...createOrder(), candidates: [randomUUID()], details: 'sealed' })
const createEarlier = <Order>(create: () => Order) => Array.from({ length: EARLIER_ORDERS }, create)

test('a refund comes before the new charges that have waited longer', async () => {
  const charges = createEarlier(() => ({
    ...createOrder(),
    candidates: [randomUUID()],
    expiresInSeconds: 60,
    details: 'sealed',
  }))
  const refund = { ...createOrder(), chargeUuid: randomUUID(), connectionUuid: randomUUID() }
  const { first, all, expected } = await pollInOrder(
    `refund/${refund.uuid}`,
    charges.map(({ uuid }) => `charge/${uuid}`),
    async temporal => {
      await Promise.all(
        charges.map(charge =>
          expect(startMoneyWorkflow(temporal, 'charge', charge, UNANSWERED)).rejects.toThrow(),
        ),
      )
      await expect(startMoneyWorkflow(temporal, 'refund', refund, UNANSWERED)).rejects.toThrow()
    },
  )
  expect([first, all]).toEqual([`refund/${refund.uuid}`, expected])
})

test('a single transfer comes before the items of a batch that have waited longer', async () => {
  const items = createEarlier(() => ({ ...createTransfer(), batchUuid: randomUUID() }))
  const single = createTransfer()
  const { first, all, expected } = await pollInOrder(
    `transfer/${single.uuid}`,
    items.map(({ uuid }) => `transfer/${uuid}`),
    async temporal => {
      await Promise.all(
        items.map(item =>
          expect(startMoneyWorkflow(temporal, 'transfer', item, UNANSWERED)).rejects.toThrow(),
        ),
      )
      await expect(startMoneyWorkflow(temporal, 'transfer', single, UNANSWERED)).rejects.toThrow()
    },
  )
  expect([first, all]).toEqual([`transfer/${single.uuid}`, expected])
})

/** Starts workflows on a task queue without a worker, and polls their tasks until each was handed out. */
async function pollInOrder(
  last: string,
  earlier: string[],
  start: (temporal: TemporalContext) => Promise<void>,
) {
  const taskQueue = `task-priority-${randomUUID()}`
  const ids = new Set([...earlier, last])
  try {
    await start({ client: async () => client, taskQueue, timeScale: 1 })
    // A task that is not completed within ten seconds is handed out again.
    const polled: string[] = []
    while (new Set(polled).size < ids.size) {
      const task = await client.withDeadline(Date.now() + 120_000, () =>
        client.workflowService.pollWorkflowTaskQueue({
          namespace: 'default',
          taskQueue: { name: taskQueue },
          identity: 'task-priority.test.ts',
        }),
      )
      if (task.workflowExecution?.workflowId) polled.push(task.workflowExecution.workflowId)
    }
    return { first: polled[0], all: new Set(polled), expected: ids }
  } finally {
    for (const id of ids) await client.workflow.getHandle(id).terminate().catch(ignoreMissing)
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof WorkflowNotFoundError)) throw error
}
