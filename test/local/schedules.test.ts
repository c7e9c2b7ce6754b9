import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { upsertMaintenanceSchedules } from '../../src/temporal/schedules.ts'
import { startTemporal } from '../support/temporal.ts'

/** How workers of several releases and configurations change the schedules of one namespace. */

const HOUR = 3_600_000

let temporal: Awaited<ReturnType<typeof startTemporal>>
let connection: Connection
let client: Client
beforeAll(async () => {
  temporal = await startTemporal()
  connection = await Connection.connect({ address: temporal.address })
  client = new Client({ connection, namespace: temporal.namespace })
})
afterAll(async () => {
  await connection?.close()
  await temporal?.stop()
})

const starts = (taskQueue: string, timeScale = 1) =>
  upsertMaintenanceSchedules(client, { client: async () => client, taskQueue, timeScale })
const described = (id: string) => client.schedule.getHandle(id).describe()

test('a schedule of an earlier release is updated to this release, and stays paused', async () => {
  await client.schedule.create({
    scheduleId: 'reconciliation',
    spec: { intervals: [{ every: 7 * HOUR }] },
    action: {
      type: 'startWorkflow',
      workflowType: 'forgottenWorkflow',
      workflowId: 'forgotten',
      taskQueue: 'forgotten',
      args: [{ hours: 1 }],
    },
    state: { paused: true, note: 'the bank asked for it' },
  })
  await starts('trilho')
  expect(await described('reconciliation')).toMatchObject({
    spec: { intervals: [{ every: HOUR }] },
    action: {
      workflowType: 'reconciliationWorkflow',
      workflowId: 'reconciliation',
      taskQueue: 'trilho',
      args: [{ hours: 48 }],
    },
    policies: { overlap: 'SKIP', catchupWindow: 60_000 },
    state: { paused: true, note: 'the bank asked for it' },
  })
})

test('a worker with another configuration updates the existing schedules', async () => {
  await starts('trilho')
  await starts('trilho', 2)
  expect(await described('delivery-sweep')).toMatchObject({
    spec: { intervals: [{ every: 150_000 }] },
    state: { paused: false },
  })
})

test('two installations in one namespace have their own schedules and runs', async () => {
  await starts('trilho')
  await starts('second')
  expect((await described('tally')).action).toMatchObject({ taskQueue: 'trilho', workflowId: 'tally' })
  expect((await described('tally/second')).action).toMatchObject({
    taskQueue: 'second',
    workflowId: 'tally/second',
  })
})
