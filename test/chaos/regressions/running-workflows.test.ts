import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { findRunningWorkflows, isWorkflowRunning } from '../../../src/temporal/workflow-history.ts'
import { startTemporal } from '../../support/temporal.ts'

/** Temporal's own list of the workflows of a page of rows. */

let server: Awaited<ReturnType<typeof startTemporal>>
let connection: Connection
let client: Client
beforeAll(async () => {
  server = await startTemporal()
  connection = await Connection.connect({ address: server.address })
  client = new Client({ connection, namespace: server.namespace })
})
afterAll(async () => {
  await connection?.close()
  await server?.stop()
})

const startTransferWorkflow = async () => {
  const workflowId = `transfer/${randomUUID()}`
  await client.workflow.start('transferWorkflow', { workflowId, taskQueue: 'nobody', args: [] })
  return workflowId
}

test('the list holds workflows that run, and none that was terminated, deleted or never started', async () => {
  const [running, again, terminated, deleted] = [
    await startTransferWorkflow(),
    await startTransferWorkflow(),
    await startTransferWorkflow(),
    await startTransferWorkflow(),
  ]
  await client.workflow.getHandle(terminated).terminate('lost')
  const execution = { workflowId: deleted }
  await client.workflowService.deleteWorkflowExecution({
    namespace: server.namespace,
    workflowExecution: execution,
  })
  await client.workflow.getHandle(again).terminate('begun anew')
  await client.workflow.start('transferWorkflow', { workflowId: again, taskQueue: 'nobody', args: [] })
  const never = Array.from({ length: 96 }, () => `transfer/${randomUUID()}`)
  const asked = [running, again, terminated, deleted, ...never]
  // Temporal's list is late: a workflow that has ended stays in it for a while.
  const expected = [running, again].sort()
  const isListed = async () =>
    [...(await findRunningWorkflows(client, asked))].sort().join() === expected.join()
  for (const until = Date.now() + 120_000; Date.now() < until && !(await isListed()); )
    await new Promise(resume => setTimeout(resume, 100))
  expect([...(await findRunningWorkflows(client, asked))].sort()).toEqual(expected)
})

test('a workflow that has just been terminated is described as ended immediately', async () => {
  const [running, terminated] = [await startTransferWorkflow(), await startTransferWorkflow()]
  await client.workflow.getHandle(terminated).terminate('lost')
  expect(await isWorkflowRunning(client, terminated)).toBe(false)
  expect(await isWorkflowRunning(client, running)).toBe(true)
  expect(await isWorkflowRunning(client, `transfer/${randomUUID()}`)).toBe(false)
})
