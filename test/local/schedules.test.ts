import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Client, Connection, ScheduleNotFoundError } from '@temporalio/client'
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

test('an earlier release’s schedule without a queue in its id is removed, and its pause is kept', async () => {
  const left = (id: string, taskQueue: string, paused: boolean) =>
    client.schedule.create({
      scheduleId: id,
      spec: { intervals: [{ every: HOUR }] },
      action: { type: 'startWorkflow', workflowType: 'listCountersWorkflow', workflowId: id, taskQueue },
      state: { paused },
    })
  for (const id of ['tally', 'med-sweep', 'event-pruning']) await client.schedule.getHandle(id).delete()
  await left('tally', 'third', false)
  await left('med-sweep', 'third', true)
  await left('event-pruning', 'somebody-elses', false)

  await Promise.all([starts('third'), starts('third')])
  for (const id of ['tally', 'med-sweep'])
    await expect(described(id)).rejects.toBeInstanceOf(ScheduleNotFoundError)
  expect((await described('event-pruning')).action).toMatchObject({ taskQueue: 'somebody-elses' })
  expect((await described('med-sweep/third')).state).toMatchObject({ paused: true })
  for (const id of ['tally', 'event-pruning'])
    expect((await described(`${id}/third`)).state).toMatchObject({ paused: false })
})
