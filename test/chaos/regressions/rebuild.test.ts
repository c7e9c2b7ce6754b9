import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { defaultPayloadConverter } from '@temporalio/common'
import { endPause, startPause } from '../../../src/admin/pauses.ts'
import type { PauseReach } from '../../../src/db/entities/pause.ts'
import { MoneyOutNotPaused, rebuildWorkflows } from '../../../src/disaster-recovery/rebuild.ts'
import { isRebuilding } from '../../../src/disaster-recovery/rebuild-inputs.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { readWorkflowHistory } from '../../../src/temporal/workflow-history.ts'
import type { TemporalContext } from '../../../src/temporal/workflow-options.ts'
import type { ChargeInput } from '../../../src/workflows/contracts/charges.ts'
import type { RebuildInput } from '../../../src/workflows/contracts/rebuild.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** A scheduled transfer that comes due about when money out is paused after a restore, and the rebuild after that. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
const paused = (reach: PauseReach) =>
  startPause(fixture.orm.em.fork(), { target: 'all', reach, actor: 'ana', reason: 'restored' })
beforeAll(async () => {
  fixture = await openActivityFixture()
  await paused('money_out')
  await fixture.sql(`update pause set created_at = now() - interval '10 minutes'`)
})
afterAll(() => fixture?.close())

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)

/** A Temporal in which one transfer runs, or that remembers the end of a charge, with its calls recorded. */
function temporalOf(
  order: TransferInput,
  { ended, events = [], call }: { ended?: string; events?: object[]; call?: Call | undefined } = {},
) {
  const did: string[] = []
  const begins = () => ({ activityType: { name: 'sendTransfer' }, ...call })
  const pending = () => (events.length === 1 && call ? [begins()] : [])
  const starts: { args: [TransferInput] }[] = []
  const run = {
    workflowId: `${ended ? 'charge' : 'transfer'}/${order.uuid}`,
    runId: 'run',
    status: { name: ended ? 'COMPLETED' : 'RUNNING' },
    startTime: ago(60),
    typedSearchAttributes: { get: () => undefined },
  }
  const input = { payloads: [defaultPayloadConverter.toPayload(order)] }
  const history = () => ({ events: [{ workflowExecutionStartedEventAttributes: { input } }, ...events] })
  const workflow = {
    options: { namespace: 'none' },
    workflowService: { getWorkflowExecutionHistory: async () => ({ history: history() }) },
    async *list({ query }: { query: string }) {
      if (!query.includes('deliveryWorkflow')) yield run
    },
    getHandle: () => ({
      terminate: async () => did.push('ended'),
      result: async () => ended,
      describe: async () => ({ raw: { pendingActivities: pending() } }),
    }),
    signalWithStart: async () => did.push('woken'),
    async start(_type: string, options: { args: [TransferInput] }) {
      did.push('begun anew')
      starts.push(options)
    },
  }
  const temporal = {
    client: async () => ({ workflow }),
    taskQueue: 'none',
    timeScale: 1,
  } as unknown as TemporalContext
  return { did, starts, temporal }
}

/** The unanswered payout activity of a transfer, as Temporal describes it. */
type Call = { state: number; lastStartedTime?: { seconds: number } }
const CALL_NOT_STARTED: Call = { state: 1 }
const callStartedAgo = (minutes: number): Call => ({
  state: 2,
  lastStartedTime: { seconds: Math.floor(ago(minutes).getTime() / 1_000) },
})
const payloads = (value: unknown) => ({ payloads: [defaultPayloadConverter.toPayload(value)] })

/** The events that a history keeps of a payout activity; where nothing was answered, a worker has started it. */
function sent({ uuid, candidates: [connectionUuid] }: TransferInput, answer?: object) {
  const activityType = { name: 'sendTransfer' }
  const input = payloads({ uuid, connectionUuid, isResend: false })
  const scheduled = { eventId: 5, activityTaskScheduledEventAttributes: { activityType, input } }
  const completed = {
    activityTaskCompletedEventAttributes: { scheduledEventId: 5, result: payloads(answer) },
  }
  return answer ? [scheduled, completed] : [scheduled]
}

/** The result of a rebuild for a transfer that was due so many minutes ago. */
async function rebuilt(
  {
    dueMinutesAgo,
    history = () => [],
    call = callStartedAgo(12),
  }: { dueMinutesAgo: number; history?: (order: TransferInput) => object[]; call?: Call },
  inBackup: (order: TransferInput) => Promise<unknown> = fixture.records.storeTransfer,
) {
  const scheduledFor = ago(dueMinutesAgo).toISOString()
  const order = fixture.transferInput(await fixture.createMerchant(1_000), { scheduledFor })
  await inBackup(order)
  const { temporal, did } = temporalOf(order, { events: history(order), call })
  const outcomes: string[] = []
  const rebuilding = { since: ago(30), actor: 'ana', reason: 'restored' }
  for await (const { outcome } of rebuildWorkflows(temporal, fixture.orm.em.fork(), rebuilding))
    outcomes.push(outcome)
  return { outcomes, did }
}

type RebuildResult = { outcomes: string[]; did: string[] }
const UNCHANGED: RebuildResult = { outcomes: [], did: [] }
const REBUILT: RebuildResult = { outcomes: ['rebuilt'], did: ['ended', 'begun anew'] }

test.each([
  ['after money out was paused', 5],
  ['before money out was paused', 15],
])('a transfer that was due %s and that its workflow has not sent continues', async (_, dueMinutesAgo) => {
  expect(await rebuilt({ dueMinutesAgo })).toEqual(UNCHANGED)
})

const UNREACHABLE_ANSWER = { kind: 'unreachable', code: 'timeout' }
const UNKNOWN_ANSWER = { kind: 'unknown', code: 'timeout' }
const settled = { kind: 'settled', deliveries: [], returns: [] }

/** The row of the backup, with the attempt that it had then. */
const withAttempt = (answer: object) => async (order: TransferInput) => {
  await fixture.records.storeTransfer(order)
  const { uuid, candidates } = order
  fixture.scriptProvider({ sendTransfer: async () => ({ message: '', ...answer }) as never })
  await fixture.providers.sendTransfer({ uuid, connectionUuid: candidates[0]!, isResend: false })
}
const inBackup = {
  'no attempt': (order: TransferInput) => fixture.records.storeTransfer(order),
  'an attempt in doubt': withAttempt(UNKNOWN_ANSWER),
  'a refused attempt': withAttempt(UNREACHABLE_ANSWER),
}

test.each<[keyof typeof inBackup, string, object | undefined, RebuildResult]>([
  ['no attempt', 'a call that a worker has started', undefined, REBUILT],
  ['no attempt', 'an unreachable provider', UNREACHABLE_ANSWER, REBUILT],
  ['no attempt', 'an unknown outcome', UNKNOWN_ANSWER, REBUILT],
  ['no attempt', 'a settlement', settled, REBUILT],
  ['an attempt in doubt', 'a call that a worker has started', undefined, UNCHANGED],
  ['an attempt in doubt', 'an unknown outcome', UNKNOWN_ANSWER, UNCHANGED],
  ['an attempt in doubt', 'an unreachable provider', UNREACHABLE_ANSWER, REBUILT],
  ['an attempt in doubt', 'a settlement', settled, REBUILT],
  ['a refused attempt', 'an unreachable provider', UNREACHABLE_ANSWER, UNCHANGED],
  ['a refused attempt', 'an unknown outcome', UNKNOWN_ANSWER, REBUILT],
  ['a refused attempt', 'a settlement', settled, REBUILT],
])('a row with %s, of a running workflow that knows of %s', async (row, _, answer, came) => {
  await fixture.sql('delete from pause')
  const order = { dueMinutesAgo: 15, history: (order: TransferInput) => sent(order, answer) }
  const outcomes = rebuilt(order, async order => {
    await inBackup[row](order)
    await paused('money_out')
    await fixture.sql(`update pause set created_at = now() - interval '10 minutes'`)
  })
  expect(await outcomes).toEqual(came)
})

const aPauseOf10MinutesAgo = async () => {
  await fixture.sql('delete from pause')
  await paused('money_out')
  await fixture.sql(`update pause set created_at = now() - interval '10 minutes'`)
}

/** The database was restored, and then money out was paused, ten minutes ago. */
test.each<[what: string, call: Call, hasRow: boolean, came: RebuildResult]>([
  ['no worker has started', CALL_NOT_STARTED, true, UNCHANGED],
  ['a worker began on the restored rows', callStartedAgo(8), true, UNCHANGED],
  ['a worker may have started before the restore', callStartedAgo(12), true, REBUILT],
  ['no worker has started, and that has no row yet', CALL_NOT_STARTED, false, UNCHANGED],
  ['a worker began on the restored rows, and that has no row yet', callStartedAgo(8), false, UNCHANGED],
  ['a worker may have started before the restore, and that has no row', callStartedAgo(12), false, REBUILT],
])('a running workflow whose call %s', async (_, call, hasRow, came) => {
  await aPauseOf10MinutesAgo()
  const stored = (order: TransferInput) => (hasRow ? fixture.records.storeTransfer(order) : Promise.resolve())
  const order = { dueMinutesAgo: 15, call, history: (order: TransferInput) => sent(order) }
  expect(await rebuilt(order, stored)).toEqual(came)
})

test('the rebuild waits for a slow worker that started before the pause, and its rows are not behind', async () => {
  await fixture.sql('delete from pause')
  await paused('money_out')
  const order = fixture.transferInput(await fixture.createMerchant(1_000))
  await fixture.records.storeTransfer(order)
  const events = sent(order)
  const { temporal, did } = temporalOf(order, { events, call: callStartedAgo(0.1) })
  setTimeout(async () => {
    const [connectionUuid] = order.candidates
    const { uuid } = order
    // The pause keeps it from being sent.
    const answer = await fixture.providers.sendTransfer({
      uuid,
      connectionUuid: connectionUuid!,
      isResend: false,
    })
    events.push(sent(order, answer)[1]!)
  }, 1_000)
  const outcomes: string[] = []
  const rebuilding = { since: ago(30), actor: 'ana', reason: 'restored' }
  for await (const { outcome } of rebuildWorkflows(temporal, fixture.orm.em.fork(), rebuilding))
    outcomes.push(outcome)
  expect({ outcomes, did }).toEqual(UNCHANGED)
  await aPauseOf10MinutesAgo()
})

test('a run that the sweep started from a row is no rebuild, and one that goes on from rebuilt rows is', () => {
  const reopened = { reopen: randomUUID(), timeScale: 1, unfinished: { candidates: ['a'], orderedAt: '' } }
  const isRebuildingBy = (lastInput: object, hasRow: boolean, isRunning = true) =>
    isRebuilding({ isRunning, lastInput }, hasRow)
  expect(isRebuildingBy(reopened, true)).toBe(false)
  expect(isRebuildingBy({ ...reopened, isRebuilt: true }, true)).toBe(true)
  expect(isRebuildingBy({ ...reopened, isRebuilt: true }, false)).toBe(false)
  expect(isRebuildingBy({ rebuild: {} }, false)).toBe(true)
  expect(isRebuildingBy({ rebuild: {} }, false, false)).toBe(false)
})

test('an order is found in the run that rebuilt it, once its first run is deleted', async () => {
  const order = fixture.transferInput(await fixture.createMerchant(1_000), {})
  const orderedAt = ago(90).toISOString()
  const { temporal } = temporalOf({ rebuild: { noun: 'transfer', order, restored: { orderedAt } } } as never)
  const client = await temporal.client()
  const history = await readWorkflowHistory<TransferInput>(client, `transfer/${order.uuid}`, order.uuid)
  expect(history).toMatchObject({ input: order, startedAt: new Date(orderedAt) })
})

test.each<[PauseReach, PauseReach]>([
  ['money_out', 'money_out'],
  ['money_out', 'everything'],
  ['everything', 'money_out'],
])('a pause of %s that is started again as %s still counts from its beginning', async (first, again) => {
  await fixture.sql('update pause set reach = ?', [first])
  await paused(again)
  expect(await fixture.sql('select reach from pause')).toEqual([{ reach: again }])
  expect(await rebuilt({ dueMinutesAgo: 5 })).toEqual(UNCHANGED)
})

test('a pause contained in the backup does not count, even when started again, until it is resumed', async () => {
  await fixture.sql(`update pause set created_at = now() - interval '40 minutes'`)
  await paused('money_out')
  await expect(rebuilt({ dueMinutesAgo: 5 })).rejects.toThrow(MoneyOutNotPaused)
  await endPause(fixture.orm.em.fork(), { target: 'all', actor: 'ana', reason: 'of before the restore' })
  await paused('money_out')
  expect(await rebuilt({ dueMinutesAgo: 5, history: order => sent(order) })).toEqual(REBUILT)
})

test('a transfer whose first runs are deleted is looked up with its whole input, as of its request', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const candidates = [merchant.connectionUuid, await fixture.createConnection(merchant)]
  const order = fixture.transferInput(merchant, { candidates })
  const orderedAt = ago(60 * 24 * 90).toISOString()
  await fixture.records.storeTransfer(order)
  const goesOn = { orderedAt, candidates: order.candidates }
  const { temporal, starts } = temporalOf({
    ...order,
    candidates: order.candidates.slice(1),
    continuation: goesOn,
  })
  const rebuilding = { since: ago(30), actor: 'ana', reason: 'restored' }
  for await (const { outcome } of rebuildWorkflows(temporal, fixture.orm.em.fork(), rebuilding))
    expect(outcome).toBe('rebuilt')
  expect(starts.map(({ args }) => args)).toEqual([
    [{ rebuild: { noun: 'transfer', order, restored: { orderedAt } }, timeScale: 1 }],
  ])
})

test.each(['cancelled', 'expired'])(
  'a pending charge whose workflow had ended %s gets that state again, and its provider is not called',
  async ended => {
    const merchant = await fixture.createMerchant(0)
    const { accountUuid, connectionUuid } = merchant
    const charge: ChargeInput = {
      uuid: randomUUID(),
      accountUuid,
      candidates: [connectionUuid],
      valueCents: 500,
      details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
      expiresInSeconds: 60,
      requestId: 'r',
      timeScale: 1,
    }
    const txid = randomUUID().replaceAll('-', '')
    const receiver = toParty({ name: 'Loja' })
    const payload = { txid, payload: 'payload', pixKey: 'key', receiver, expiresAt: ago(-60).toISOString() }
    fixture.scriptProvider({
      issueCharge: async () => ({ kind: 'accepted', charge: payload }),
    })
    await fixture.providers.issueCharge(charge)
    const { temporal, did, starts } = temporalOf({ ...fixture.transferInput(merchant), ...charge }, { ended })
    const rebuilding = { since: ago(30), actor: 'ana', reason: 'restored' }
    for await (const { outcome } of rebuildWorkflows(temporal, fixture.orm.em.fork(), rebuilding))
      expect(outcome).toBe('restored')
    expect(did).toEqual(['begun anew'])
    const [anew] = starts.flatMap(({ args }) => args as unknown[])
    const restored = { orderedAt: expect.any(String), ended }
    expect(anew).toEqual({
      rebuild: { noun: 'charge', order: expect.objectContaining(charge), restored },
      timeScale: 1,
    })
    // Workers that ran before the rebuild have reopened it from its row: that run is not joined.
    expect(starts).toMatchObject([{ workflowIdConflictPolicy: 'TERMINATE_EXISTING' }])
    const { rebuild } = anew as RebuildInput
    expect(await fixture.providers.rebuildOperation(rebuild)).toMatchObject({ state: ended, isEnded: true })
  },
)
