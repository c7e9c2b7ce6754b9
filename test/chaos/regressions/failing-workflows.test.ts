import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Worker,
  type WorkflowBundleOption,
} from '@temporalio/worker'
import { sweepWorkflows } from '../../../src/activities/disaster-recovery/lost-workflows.ts'
import { waitUntil } from '../../../src/dev/os/wait-until.ts'
import type { TemporalContext } from '../../../src/temporal/workflow-options.ts'
import { providerNotificationSignal } from '../../../src/workflows/contracts/provider-notifications.ts'
import { SEARCH_ATTRIBUTES } from '../../../src/workflows/contracts/search-attributes.ts'
import { WORKFLOWS } from '../../../src/workflows/contracts/workflows.ts'
import { prepareReplay } from '../../support/history-replay.ts'
import { startTemporal } from '../../support/temporal.ts'
import { NOTIFICATION } from '../../support/workflow-story.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createPaidCharge, createUnmatchedPayment } from '../support/money-fixture.ts'

/** Workflows whose history does not replay, and the hourly sweep that replaces them. */

jest.setTimeout(300_000)
const TASK_QUEUE = 'trilho'
const REOPENED = { timeScale: 1 }

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
let server: Awaited<ReturnType<typeof startTemporal>>
let connection: Connection
let workerConnection: NativeConnection
let client: Client
let today: WorkflowBundleOption

beforeAll(async () => {
  today = await prepareReplay()
  fixture = await openActivityFixture()
  server = await startTemporal(Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => ({ name, type })))
  const { address } = server
  connection = await Connection.connect({ address })
  workerConnection = await NativeConnection.connect({ address })
  client = new Client({ connection })
})
afterAll(async () => {
  await workerConnection?.close()
  await connection?.close()
  await server?.stop()
  await fixture?.close()
})

/** Runs a worker of these workflows until something holds. */
async function runWorkerUntil(workflowBundle: WorkflowBundleOption, holds: () => Promise<boolean>) {
  const worker = await Worker.create({ connection: workerConnection, taskQueue: TASK_QUEUE, workflowBundle })
  await worker.runUntil(waitUntil(holds, { limitMs: 120_000, description: 'the workflow tasks' }))
}

/** Rows by the id of their workflow, with its input and that of the workflow that continues it; null: none does. */
async function createRows(): Promise<
  [workflowId: string, type: string, input: object, continuedWith: object | null][]
> {
  const merchant = await fixture.createMerchant(5_000)
  const { connectionUuid } = merchant
  const paid = await createPaidCharge(fixture, merchant)
  const order = fixture.transferInput(merchant)
  fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'unknown', code: 'timeout', message: '' }) })
  await fixture.records.storeTransfer(order)
  await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
  const unmatched = await createUnmatchedPayment(fixture, merchant)
  await fixture.sql(`update movement set created_at = now() - interval '1 hour' where uuid = ?`, [unmatched])
  const deposit = `${connectionUuid}/E${'1'.repeat(31)}`
  const { charge, transfer, deposit: deposits, auth_code, return: returns } = WORKFLOWS
  const unfinished = { candidates: [connectionUuid], orderedAt: expect.any(String) }
  return [
    [charge.idOf(paid), charge.type, REOPENED, { reopen: paid }],
    [transfer.idOf(order.uuid), transfer.type, order, { reopen: order.uuid, unfinished }],
    // An operator returns or keeps it.
    [returns.idOf(unmatched), returns.type, REOPENED, null],
    [deposits.idOf(deposit), deposits.type, REOPENED, { connectionUuid, endToEnd: `E${'1'.repeat(31)}` }],
    [auth_code.idOf(randomUUID()), auth_code.type, REOPENED, null],
  ]
}

test('workflows whose history does not replay are replaced from their rows, and the operator sees it', async () => {
  const rows = await createRows()
  const workflowsPath = join(import.meta.dirname, '../../support/earlier-workflows.ts')
  for (const [workflowId, type, input] of rows)
    await client.workflow.start(type, { workflowId, taskQueue: TASK_QUEUE, args: [input] })
  const describe = (workflowId: string) => client.workflow.getHandle(workflowId).describe()
  const everyTask = (holds: (attempt: number) => boolean) => async () => {
    const described = await Promise.all(rows.map(([workflowId]) => describe(workflowId)))
    return described.every(({ raw }) => holds(raw.pendingWorkflowTask?.attempt ?? 0))
  }
  await runWorkerUntil(
    await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') }),
    everyTask(attempt => attempt === 0),
  )
  for (const [workflowId] of rows)
    await client.workflow.getHandle(workflowId).signal(providerNotificationSignal, NOTIFICATION)
  await runWorkerUntil(
    today,
    everyTask(attempt => attempt > 1),
  )
  const isListed = async () => {
    const { count } = await client.workflow.count(
      `ExecutionStatus = 'Running' AND TaskQueue = '${TASK_QUEUE}'`,
    )
    return count === rows.length
  }
  await waitUntil(isListed, { limitMs: 60_000, description: 'the list of workflows' })

  const scaled: TemporalContext = { client: async () => client, taskQueue: TASK_QUEUE, timeScale: 100_000 }
  const sweep = sweepWorkflows({ ...fixture.dependencies, temporal: scaled })
  const replacedIds = rows.filter(([, , , continuedWith]) => continuedWith).map(([workflowId]) => workflowId)
  expect(await sweep()).toMatchObject({ replaced: replacedIds.length })

  for (const [workflowId, , input, continuedWith] of rows) {
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory()
    const [started] = events!
    const startedWith = JSON.parse(
      Buffer.from(started!.workflowExecutionStartedEventAttributes!.input!.payloads![0]!.data!).toString(),
    )
    expect(startedWith).toMatchObject(continuedWith ?? input)
  }
  const acts = await fixture.sql<{ subject: string }>(
    `select subject from operator_action where actor = 'trilho' and action = 'replace_workflow'`,
  )
  expect(acts.map(({ subject }) => subject).sort()).toEqual(replacedIds.sort())
  const left = await fixture.sql('select noun from lost_workflow where not is_reopened')
  expect(left).toEqual([{ noun: 'return' }])
  expect(await sweep()).toMatchObject({ replaced: 0 })
})
