import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import { startMoneyWorkflow } from '../../src/temporal/start.ts'
import { openSharedTestStack, type TestStack } from './support/test-stack.ts'

/** The order in which workers get the workflow tasks of a backlog, asked for as a worker does, without one. */

let stack: TestStack
let client: Client
beforeAll(async () => {
  stack = await openSharedTestStack()
  client = await stack.connectTemporal()
})
afterAll(() => stack.close())

const TASK_QUEUE = `task-priority-${randomUUID()}`
const NEW_CHARGES = 5

test('a refund comes before the new charges that have waited longer', async () => {
  const temporal = { client: async () => client, taskQueue: TASK_QUEUE, timeScale: 1 }
  const order = () => ({
    uuid: randomUUID(),
    accountUuid: randomUUID(),
    valueCents: 100,
    timeScale: 1,
    requestId: 'task-priority',
    fingerprint: 'f',
  })
  const unanswered = { waitMs: 2_000 }
  const charges = Array.from({ length: NEW_CHARGES }, () => ({
    ...order(),
    candidates: [randomUUID()],
    expiresInSeconds: 60,
    details: 'sealed',
  }))
  const refund = { ...order(), chargeUuid: randomUUID(), connectionUuid: randomUUID() }
  const ids = [...charges.map(({ uuid }) => `charge/${uuid}`), `refund/${refund.uuid}`]
  try {
    await Promise.all(
      charges.map(charge =>
        expect(startMoneyWorkflow(temporal, 'charge', charge, unanswered)).rejects.toThrow(),
      ),
    )
    await expect(startMoneyWorkflow(temporal, 'refund', refund, unanswered)).rejects.toThrow()

    // A task that is not completed within ten seconds is handed out again.
    const polled: string[] = []
    while (new Set(polled).size < ids.length) {
      const task = await client.withDeadline(Date.now() + 120_000, () =>
        client.workflowService.pollWorkflowTaskQueue({
          namespace: 'default',
          taskQueue: { name: TASK_QUEUE },
          identity: 'task-priority.test.ts',
        }),
      )
      if (task.workflowExecution?.workflowId) polled.push(task.workflowExecution.workflowId)
    }
    expect(polled[0]).toBe(`refund/${refund.uuid}`)
    expect(new Set(polled)).toEqual(new Set(ids))
  } finally {
    for (const id of ids) await client.workflow.getHandle(id).terminate().catch(ignoreMissing)
  }
})

function ignoreMissing(error: unknown): void {
  if (!(error instanceof WorkflowNotFoundError)) throw error
}
