import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { defaultPayloadConverter, WorkflowNotFoundError } from '@temporalio/common'
import { sweepWorkflows } from '../../../src/activities/disaster-recovery/workflow-sweep.ts'
import { requestManualSettlement } from '../../../src/admin/manual-settlement.ts'
import { findContinuation } from '../../../src/disaster-recovery/continuation.ts'
import type { TemporalContext } from '../../../src/temporal/workflow-options.ts'
import type { ChargeInput } from '../../../src/workflows/contracts/charges.ts'
import type { RebuildInput } from '../../../src/workflows/contracts/rebuild.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** Rows in progress whose workflows Temporal has lost, and the hourly sweep that compares them. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

/** What Temporal remembers of a workflow that has ended. */
type RememberedWorkflow = { workflowId: string; order: TransferInput; events?: object[]; ended?: string }

const payloads = (value: unknown) => ({ payloads: [defaultPayloadConverter.toPayload(value)] })

/** A Temporal in which these workflows run, with its calls recorded. */
function temporalOf(running: string[], listed = running, past?: RememberedWorkflow) {
  const calls: string[] = []
  const did: unknown[] = []
  const workflow = {
    async *list({ query }: { query: string }) {
      calls.push('list')
      for (const workflowId of listed) if (query.includes(`'${workflowId}'`)) yield { workflowId }
      if (past && query === `WorkflowId = '${past.workflowId}'`)
        yield {
          workflowId: past.workflowId,
          runId: 'run',
          startTime: new Date(0),
          status: { name: past.ended ? 'COMPLETED' : 'TERMINATED' },
          typedSearchAttributes: { get: () => undefined },
        }
    },
    options: { namespace: 'none' },
    workflowService: {
      async getWorkflowExecutionHistory() {
        const begun = { workflowExecutionStartedEventAttributes: { input: payloads(past!.order) } }
        return { history: { events: [begun, ...(past!.events ?? [])] } }
      },
    },
    getHandle: (id: string) => ({
      result: async () => past?.ended,
      async describe() {
        calls.push('describe')
        if (past?.workflowId === id) return { status: { name: 'TERMINATED' }, raw: { pendingActivities: [] } }
        if (!running.includes(id)) throw new WorkflowNotFoundError('lost', id, undefined)
        return { status: { name: 'RUNNING' } }
      },
      signal: async () => did.push(`${id} signalled`),
    }),
    signalWithStart: async (_: string, { workflowId }: { workflowId: string }) => did.push(workflowId),
    start: async (_: string, { workflowId, args }: { workflowId: string; args: object[] }) =>
      did.push({ workflowId, ...args[0] }),
  }
  const temporal = {
    client: async () => ({ workflow }),
    taskQueue: 'none',
    timeScale: 1,
  } as unknown as TemporalContext
  return { temporal, calls, did }
}

async function createUnknownTransfer(minutesOld = 60) {
  const order = fixture.transferInput(await fixture.createMerchant(1_000))
  await fixture.records.storeTransfer(order)
  fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'unknown', code: 'timeout', message: '' }) })
  const [connectionUuid] = order.candidates as [string]
  await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
  for (const [table, column] of [
    ['transfer', 'uuid'],
    ['attempt', 'subject_uuid'],
  ])
    await fixture.sql(
      `update ${table} set created_at = created_at - make_interval(mins => ${minutesOld}) where ${column} = ?`,
      [order.uuid],
    )
  return { uuid: order.uuid, connectionUuid, id: `transfer/${order.uuid}` }
}

const lost = () => fixture.sql('select noun, state, is_reopened from lost_workflow')
const clearLostWorkflows = () => fixture.sql(`delete from lost_workflow`)
const away = (uuid: string) => fixture.sql(`update transfer set created_at = now() where uuid = ?`, [uuid])

test('a batch without a workflow is started again from its rows', async () => {
  const { accountUuid, candidates } = fixture.transferInput(await fixture.createMerchant(1_000))
  const uuid = randomUUID()
  await fixture.sql(
    `with ordered as (
       insert into transfer_batch (uuid, account_uuid, is_simulated, candidates, state, mode, on_short_balance, item_count, value_cents,
         request_id, fingerprint, created_at, updated_at)
       values (?, ?, true, array[?]::uuid[], 'processing', 'EACH', 'FAIL', 1, 100, 'r', 'f', now() - interval '1 hour', now())
       returning uuid
     ) insert into transfer_batch_item (batch_uuid, line, transfer_uuid, value_cents, external_ref, details)
     select uuid, 1, gen_random_uuid(), 100, 'a', '{"destination": {"kind": "key", "pixKey": "maria@example.com", "document": null}}' from ordered`,
    [uuid, accountUuid, candidates[0]],
  )
  const { temporal, did } = temporalOf([])
  await sweepWorkflows({ ...fixture.dependencies, temporal })()
  expect(did).toEqual([{ workflowId: `batch/${uuid}`, uuid, timeScale: 1 }])
  expect(await lost()).toEqual([{ noun: 'transfer_batch', state: 'processing', is_reopened: true }])
  await clearLostWorkflows()
  await fixture.sql(`update transfer_batch_item set state = 'cancelled' where batch_uuid = ?`, [uuid])
  await fixture.sql(`update transfer_batch set state = 'cancelled' where uuid = ?`, [uuid])
})

test('an unknown transfer without a workflow is reopened to poll, and leaves the list once the workflow runs', async () => {
  const { uuid, connectionUuid, id } = await createUnknownTransfer()
  const { temporal, did } = temporalOf([])
  expect(await sweepWorkflows({ ...fixture.dependencies, temporal })()).toEqual({
    checked: 1,
    reopened: 1,
    notReopened: 0,
    replaced: 0,
  })
  expect(did).toEqual([
    {
      workflowId: id,
      reopen: uuid,
      timeScale: 1,
      unfinished: { candidates: [connectionUuid], orderedAt: expect.any(String) },
    },
  ])
  expect(await lost()).toEqual([{ noun: 'transfer', state: 'sending', is_reopened: true }])
  await sweepWorkflows({ ...fixture.dependencies, temporal: temporalOf([id]).temporal })()
  expect(await lost()).toEqual([])
  await away(uuid)
})

test('a healthy system is left unchanged, with one Temporal list of all workflows and one per page of rows', async () => {
  const rows = await Promise.all([createUnknownTransfer(), createUnknownTransfer(), createUnknownTransfer()])
  const { temporal, calls, did } = temporalOf(rows.map(({ id }) => id))
  expect(await sweepWorkflows({ ...fixture.dependencies, temporal })()).toEqual({
    checked: 3,
    reopened: 0,
    notReopened: 0,
    replaced: 0,
  })
  expect([calls, did]).toEqual([['list', 'list'], []])
  for (const { uuid } of rows) await away(uuid)
})

test('a workflow that Temporal’s list does not show yet is looked up by its id', async () => {
  const { id, uuid } = await createUnknownTransfer()
  const { temporal, calls, did } = temporalOf([id], [])
  expect(await sweepWorkflows({ ...fixture.dependencies, temporal })()).toMatchObject({ reopened: 0 })
  expect([calls, did]).toEqual([['list', 'list', 'describe'], []])
  await away(uuid)
})

test('a young row is left to its request', async () => {
  const { uuid } = await createUnknownTransfer(1)
  expect(
    await sweepWorkflows({ ...fixture.dependencies, temporal: temporalOf([]).temporal })(),
  ).toMatchObject({ checked: 0 })
  await away(uuid)
})

const HOUR = 3_600_000
const sentThrough = ({ uuid, candidates: [connectionUuid] }: TransferInput) => ({
  eventId: 5,
  activityTaskScheduledEventAttributes: {
    activityType: { name: 'sendTransfer' },
    input: payloads({ uuid, connectionUuid }),
  },
})

/** What Temporal remembers of its workflow, besides its input. */
type Memory = ((order: TransferInput) => Partial<RememberedWorkflow>) | undefined

/** What replaces the workflow of a transfer whose history does not replay. */
const findReplacement = (temporal: TemporalContext, workflowId: string) =>
  findContinuation(
    temporal,
    { em: fixture.orm.em.fork(), sealer: fixture.seal },
    { workflowId, runId: 'run', type: 'transferWorkflow' },
  )

/** A transfer that is due in so many hours, was never started, and has no running workflow. */
async function scheduled(dueInHours: number, remembered: Memory) {
  const scheduledFor = new Date(Date.now() + dueInHours * HOUR).toISOString()
  const order = fixture.transferInput(await fixture.createMerchant(1_000), { scheduledFor })
  await fixture.records.storeTransfer(order)
  await fixture.sql(`update transfer set created_at = now() - interval '3 hours' where uuid = ?`, [
    order.uuid,
  ])
  const workflowId = `transfer/${order.uuid}`
  const past = remembered && { workflowId, order, ...remembered(order) }
  const { temporal, did } = temporalOf([], [], past)
  const replacement = await findReplacement(temporal, workflowId)
  const swept = await sweepWorkflows({ ...fixture.dependencies, temporal })()
  await clearLostWorkflows()
  await away(order.uuid)
  return { swept, did, order, workflowId, replacement }
}

const REOPENED = { checked: 1, reopened: 1, notReopened: 0, replaced: 0 }
test.each<[what: string, dueInHours: number, remembered: Memory]>([
  ['that is not due and unknown to Temporal', 1, undefined],
  ['that is not due, whose workflow was terminated', 1, () => ({})],
  ['that is due, and whose history starts no payout', -1, () => ({})],
])('a transfer %s continues as ordered', async (_, dueInHours, remembered) => {
  const { swept, did, order, workflowId } = await scheduled(dueInHours, remembered)
  expect(swept).toEqual(REOPENED)
  expect(did).toEqual([
    expect.objectContaining({
      workflowId,
      uuid: order.uuid,
      candidates: order.candidates,
      scheduledFor: order.scheduledFor,
      valueCents: order.valueCents,
    }),
  ])
  expect(did[0]).not.toHaveProperty('unfinished')
})

test.each<[what: string, dueInHours: number, remembered: Memory]>([
  ['unknown to Temporal', -1, undefined],
  ['whose history starts a payout', -1, order => ({ events: [sentThrough(order)] })],
  ['whose workflow had ended', -1, () => ({ ended: 'paid' })],
])('a transfer that is due, %s, is looked up and not sent', async (_, dueInHours, remembered) => {
  const { swept, did, order, workflowId } = await scheduled(dueInHours, remembered)
  expect(swept).toEqual(REOPENED)
  const unfinished = { candidates: order.candidates, orderedAt: expect.any(String) }
  expect(did).toEqual([{ workflowId, reopen: order.uuid, timeScale: 1, unfinished }])
})

const answeredThatItWaits = {
  eventId: 6,
  activityTaskCompletedEventAttributes: {
    scheduledEventId: 5,
    result: payloads({ kind: 'rejected', code: 'waits_for_approval' }),
  },
}

/** A transfer that waits for its approvals, and has no running workflow. */
async function held(remembered: Memory) {
  const merchant = await fixture.createMerchant(1_000)
  const { accountUuid, connectionUuid } = merchant
  const order = fixture.transferInput(merchant, { tokenNumber: await fixture.limitByApprovals(accountUuid) })
  await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false, order })
  await fixture.sql(`update transfer set created_at = now() - interval '3 hours' where uuid = ?`, [
    order.uuid,
  ])
  const workflowId = `transfer/${order.uuid}`
  const { temporal, did } = temporalOf([], [], remembered && { workflowId, order, ...remembered(order) })
  const swept = await sweepWorkflows({ ...fixture.dependencies, temporal })()
  await clearLostWorkflows()
  await away(order.uuid)
  return { swept, did, order, workflowId }
}

test('a transfer that waits for its approvals, and whose history made no call, goes on waiting', async () => {
  const { swept, did, order, workflowId } = await held(one => ({
    events: [sentThrough(one), answeredThatItWaits],
  }))
  expect(swept).toEqual(REOPENED)
  expect(did).toEqual([expect.objectContaining({ workflowId, uuid: order.uuid, details: order.details })])
  expect(did[0]).not.toHaveProperty('unfinished')
})

test.each<[what: string, remembered: Memory]>([
  ['is unknown to Temporal', undefined],
  ['may have made a call', order => ({ events: [sentThrough(order)] })],
  [
    'made a call after the approval',
    order => ({
      events: [sentThrough(order), answeredThatItWaits, { ...sentThrough(order), eventId: 9 }],
    }),
  ],
])('a transfer that waits for its approvals, and whose history %s, is looked up', async (_, remembered) => {
  const { did, order, workflowId } = await held(remembered)
  const unfinished = { candidates: order.candidates, orderedAt: expect.any(String) }
  expect(did).toEqual([{ workflowId, reopen: order.uuid, timeScale: 1, unfinished }])
})

test('a waiting transfer whose workflow had ended is reported and left to the rebuild', async () => {
  const { swept, did, replacement } = await scheduled(1, () => ({ ended: 'cancelled' }))
  // A run whose history does not replay is not terminated either.
  expect(replacement).toBeUndefined()
  expect(swept).toEqual({ checked: 1, reopened: 0, notReopened: 1, replaced: 0 })
  expect(did).toEqual([])
})

test.each<[what: string, isReplaced: boolean, Memory]>([
  ['starts no payout is started again', true, () => ({})],
  ['starts a payout is left to the rebuild', false, order => ({ events: [sentThrough(order)] })],
])('a transfer without a row whose history does not replay and %s', async (_, isReplaced, remembered) => {
  const order = fixture.transferInput(await fixture.createMerchant(1_000))
  const workflowId = `transfer/${order.uuid}`
  const { temporal } = temporalOf([], [], { workflowId, order, ...remembered!(order) })
  const replacement = await findReplacement(temporal, workflowId)
  expect(replacement !== undefined).toBe(isReplaced)
})

test('a charge that was being issued is looked up at its providers, and not issued again', async () => {
  const { accountUuid, connectionUuid } = await fixture.createMerchant(0)
  const order: ChargeInput = {
    uuid: randomUUID(),
    accountUuid,
    candidates: [connectionUuid],
    valueCents: 500,
    details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
    expiresInSeconds: 60,
    requestId: 'r',
    timeScale: 1,
  }
  let issued = 0
  fixture.scriptProvider({
    async issueCharge() {
      issued += 1
      throw new Error('the worker died here')
    },
  })
  await expect(fixture.providers.issueCharge(order)).rejects.toThrow('died here')
  await fixture.sql(`update charge set created_at = now() - interval '3 hours' where uuid = ?`, [order.uuid])
  const { temporal, did } = temporalOf([])
  expect(await sweepWorkflows({ ...fixture.dependencies, temporal })()).toEqual(REOPENED)
  const [{ workflowId, rebuild }] = did as [RebuildInput & { workflowId: string }]
  expect(workflowId).toBe(`charge/${order.uuid}`)
  expect(rebuild).toMatchObject({
    noun: 'charge',
    order: { candidates: [connectionUuid] },
    restored: { orderedAt: expect.any(String) },
  })

  fixture.scriptProvider({ findCharge: async () => ({ kind: 'not_found' }) })
  expect(await fixture.providers.rebuildOperation(rebuild)).toMatchObject({ state: 'failed' })
  expect(issued).toBe(1)
  await clearLostWorkflows()
})

test('trilho settle reopens the workflow of an attempt that has none', async () => {
  const { uuid, id } = await createUnknownTransfer()
  const [seen] = await fixture.sql<{ attempt: string; sending: number }>(
    'select uuid as attempt, sendings as sending from attempt where subject_uuid = ?',
    [uuid],
  )
  const { temporal, did } = temporalOf([])
  const word = { ...seen!, as: 'rejected' as const, reason: 'the bank says so' }
  await requestManualSettlement(temporal, fixture.orm.em.fork(), {
    noun: 'transfer',
    uuid,
    settlement: word,
    actor: 'ana',
  })
  expect(did).toEqual([expect.objectContaining({ workflowId: id, reopen: uuid }), `${id} signalled`])
})
