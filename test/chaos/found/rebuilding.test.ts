import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { defaultPayloadConverter } from '@temporalio/common'
import type { PauseReach } from '../../../src/db/entities/pause.ts'
import { beginPause, endPause } from '../../../src/db/pauses.ts'
import { MoneyOutNotPaused, rebuildLives } from '../../../src/engine/rebuild.ts'
import type { Engine } from '../../../src/engine/start.ts'
import { party } from '../../../src/providers/party.ts'
import type { ChargeOrder, TransferOrder } from '../../../src/workflows/messages.ts'
import { openBooks } from '../support/books.ts'

/** A scheduled transfer whose time comes about when money out is paused after a restore, and the rebuilding after that. */

let books: Awaited<ReturnType<typeof openBooks>>
const paused = (reach: PauseReach) =>
  beginPause(books.orm.em.fork(), { target: 'all', reach, who: 'ana', reason: 'restored' })
beforeAll(async () => {
  books = await openBooks()
  await paused('money_out')
  await books.sql(`update pause set created_at = now() - interval '10 minutes'`)
})
afterAll(() => books?.close())

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)

/** A Temporal in which one transfer runs, or that remembers what a charge came to, and what is done to it there. */
function temporalOf(
  order: TransferOrder,
  { ended, events = [], call }: { ended?: string; events?: object[]; call?: Call | undefined } = {},
) {
  const did: string[] = []
  const begins = () => ({ activityType: { name: 'sendTransfer' }, ...call })
  const pending = () => (events.length === 1 && call ? [begins()] : [])
  const begun: { args: [TransferOrder] }[] = []
  const run = {
    ...{ workflowId: `${ended ? 'charge' : 'transfer'}/${order.uuid}`, runId: 'run' },
    status: { name: ended ? 'COMPLETED' : 'RUNNING' },
    ...{ startTime: ago(60), typedSearchAttributes: { get: () => undefined } },
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
    async start(_type: string, options: { args: [TransferOrder] }) {
      did.push('begun anew')
      begun.push(options)
    },
  }
  const engine = { client: async () => ({ workflow }), taskQueue: 'none', timeScale: 1 } as unknown as Engine
  return { did, begun, engine }
}

/** The sending of one that has not answered, as Temporal describes it. */
type Call = { state: number; lastStartedTime?: { seconds: number } }
const NOT_BEGUN: Call = { state: 1 }
const begunAgo = (minutes: number): Call => ({
  state: 2,
  lastStartedTime: { seconds: Math.floor(ago(minutes).getTime() / 1_000) },
})
const payloads = (value: unknown) => ({ payloads: [defaultPayloadConverter.toPayload(value)] })

/** What a history keeps of a sending; where nothing was answered, a worker has taken it. */
function sent({ uuid, candidates: [connectionUuid] }: TransferOrder, answer?: object) {
  const activityType = { name: 'sendTransfer' }
  const input = payloads({ uuid, connectionUuid, again: false })
  const scheduled = { eventId: 5, activityTaskScheduledEventAttributes: { activityType, input } }
  const completed = {
    activityTaskCompletedEventAttributes: { scheduledEventId: 5, result: payloads(answer) },
  }
  return answer ? [scheduled, completed] : [scheduled]
}

/** What a rebuilding makes of one that was due so many minutes ago. */
async function rebuilt(
  {
    dueMinutesAgo,
    history = () => [],
    call = begunAgo(12),
  }: { dueMinutesAgo: number; history?: (order: TransferOrder) => object[]; call?: Call },
  inBackup: (order: TransferOrder) => Promise<unknown> = books.records.storeTransfer,
) {
  const scheduledFor = ago(dueMinutesAgo).toISOString()
  const order = books.transferOrder(await books.merchant(1_000), { scheduledFor })
  await inBackup(order)
  const { engine, did } = temporalOf(order, { events: history(order), call })
  const told: string[] = []
  const rebuilding = { since: ago(30), who: 'ana', reason: 'restored' }
  for await (const { outcome } of rebuildLives(engine, books.orm.em.fork(), rebuilding)) told.push(outcome)
  return { told, did }
}

type Came = { told: string[]; did: string[] }
const asItWas: Came = { told: [], did: [] }
const lookedFor: Came = { told: ['rebuilt'], did: ['ended', 'begun anew'] }

test.each([
  ['after money out was paused', 5],
  ['before money out was paused', 15],
])('one that was due %s and that its workflow has not sent goes on', async (_, dueMinutesAgo) => {
  expect(await rebuilt({ dueMinutesAgo })).toEqual(asItWas)
})

const unreached = { kind: 'unreachable', code: 'timeout' }
const doubted = { kind: 'unknown', code: 'timeout' }
const settled = { kind: 'settled', deliveries: [], returns: [] }

/** The row as the backup has it, with the attempt that it had then. */
const withAttempt = (answer: object) => async (order: TransferOrder) => {
  await books.records.storeTransfer(order)
  const { uuid, candidates } = order
  books.provider({ sendTransfer: async () => ({ message: '', ...answer }) as never })
  await books.providers.sendTransfer({ uuid, connectionUuid: candidates[0]!, again: false })
}
const inBackup = {
  'no attempt': (order: TransferOrder) => books.records.storeTransfer(order),
  'an attempt in doubt': withAttempt(doubted),
  'a refused attempt': withAttempt(unreached),
}

test.each<[keyof typeof inBackup, string, object | undefined, Came]>([
  ['no attempt', 'a call that a worker has taken', undefined, lookedFor],
  ['no attempt', 'an unreachable provider', unreached, lookedFor],
  ['no attempt', 'an unknown outcome', doubted, lookedFor],
  ['no attempt', 'a settlement', settled, lookedFor],
  ['an attempt in doubt', 'a call that a worker has taken', undefined, asItWas],
  ['an attempt in doubt', 'an unknown outcome', doubted, asItWas],
  ['an attempt in doubt', 'an unreachable provider', unreached, lookedFor],
  ['an attempt in doubt', 'a settlement', settled, lookedFor],
  ['a refused attempt', 'an unreachable provider', unreached, asItWas],
  ['a refused attempt', 'an unknown outcome', doubted, lookedFor],
  ['a refused attempt', 'a settlement', settled, lookedFor],
])('a row with %s, of a running workflow that knows of %s', async (row, _, answer, came) => {
  await books.sql('delete from pause')
  const order = { dueMinutesAgo: 15, history: (order: TransferOrder) => sent(order, answer) }
  const told = rebuilt(order, async order => {
    await inBackup[row](order)
    await paused('money_out')
    await books.sql(`update pause set created_at = now() - interval '10 minutes'`)
  })
  expect(await told).toEqual(came)
})

const aPauseOf10MinutesAgo = async () => {
  await books.sql('delete from pause')
  await paused('money_out')
  await books.sql(`update pause set created_at = now() - interval '10 minutes'`)
}

/** The database was restored, and then money out was paused, ten minutes ago. */
test.each<[what: string, call: Call, hasRow: boolean, came: Came]>([
  ['no worker has begun', NOT_BEGUN, true, asItWas],
  ['a worker began on the restored rows', begunAgo(8), true, asItWas],
  ['a worker may have begun before the restore', begunAgo(12), true, lookedFor],
  ['no worker has begun, and that has no row yet', NOT_BEGUN, false, asItWas],
  ['a worker began on the restored rows, and that has no row yet', begunAgo(8), false, asItWas],
  ['a worker may have begun before the restore, and that has no row', begunAgo(12), false, lookedFor],
])('a running workflow whose call %s', async (_, call, hasRow, came) => {
  await aPauseOf10MinutesAgo()
  const stored = (order: TransferOrder) => (hasRow ? books.records.storeTransfer(order) : Promise.resolve())
  const order = { dueMinutesAgo: 15, call, history: (order: TransferOrder) => sent(order) }
  expect(await rebuilt(order, stored)).toEqual(came)
})

test('a slow worker that began before the pause is waited for, and what it has written is not behind', async () => {
  await books.sql('delete from pause')
  await paused('money_out')
  const order = books.transferOrder(await books.merchant(1_000))
  await books.records.storeTransfer(order)
  const events = sent(order)
  const { engine, did } = temporalOf(order, { events, call: begunAgo(0.1) })
  setTimeout(async () => {
    const [connectionUuid] = order.candidates
    const { uuid } = order
    // The pause keeps it from leaving.
    const answer = await books.providers.sendTransfer({ uuid, connectionUuid: connectionUuid!, again: false })
    events.push(sent(order, answer)[1]!)
  }, 1_000)
  const told: string[] = []
  const rebuilding = { since: ago(30), who: 'ana', reason: 'restored' }
  for await (const { outcome } of rebuildLives(engine, books.orm.em.fork(), rebuilding)) told.push(outcome)
  expect({ told, did }).toEqual(asItWas)
  await aPauseOf10MinutesAgo()
})

test.each<[PauseReach, PauseReach]>([
  ['money_out', 'money_out'],
  ['money_out', 'everything'],
  ['everything', 'money_out'],
])('a pause of %s that is given again as %s still counts from its beginning', async (first, again) => {
  await books.sql('update pause set reach = ?', [first])
  await paused(again)
  expect(await books.sql('select reach from pause')).toEqual([{ reach: again }])
  expect(await rebuilt({ dueMinutesAgo: 5 })).toEqual(asItWas)
})

test('a pause that the backup contained does not count, given again neither, until it is resumed', async () => {
  await books.sql(`update pause set created_at = now() - interval '40 minutes'`)
  await paused('money_out')
  await expect(rebuilt({ dueMinutesAgo: 5 })).rejects.toThrow(MoneyOutNotPaused)
  await endPause(books.orm.em.fork(), { target: 'all', who: 'ana', reason: 'of before the restore' })
  await paused('money_out')
  expect(await rebuilt({ dueMinutesAgo: 5, history: order => sent(order) })).toEqual(lookedFor)
})

test('one whose first runs are forgotten is looked for by all of its order, as of when it was ordered', async () => {
  const merchant = await books.merchant(1_000)
  const candidates = [merchant.connectionUuid, await books.connection(merchant)]
  const order = books.transferOrder(merchant, { candidates })
  const orderedAt = ago(60 * 24 * 90).toISOString()
  await books.records.storeTransfer(order)
  const goesOn = { orderedAt, candidates: order.candidates }
  const { engine, begun } = temporalOf({ ...order, candidates: order.candidates.slice(1), goesOn })
  const rebuilding = { since: ago(30), who: 'ana', reason: 'restored' }
  for await (const { outcome } of rebuildLives(engine, books.orm.em.fork(), rebuilding))
    expect(outcome).toBe('rebuilt')
  expect(begun.map(({ args }) => args)).toEqual([[{ ...order, restored: { orderedAt } }]])
})

test.each(['cancelled', 'expired'])(
  'a pending charge whose workflow had ended %s is so again, and its provider is not asked',
  async ended => {
    const merchant = await books.merchant(0)
    const { accountUuid, connectionUuid } = merchant
    const charge: ChargeOrder = {
      ...{ uuid: randomUUID(), accountUuid, candidates: [connectionUuid], valueCents: 500 },
      ...{ details: books.seal.seal({ splits: [], fingerprint: 'f' }), expiresInSeconds: 60 },
      ...{ requestId: 'r', timeScale: 1 },
    }
    const txid = randomUUID().replaceAll('-', '')
    const receiver = party({ name: 'Loja' })
    const payload = { txid, payload: 'payload', pixKey: 'key', receiver, expiresAt: ago(-60).toISOString() }
    books.provider({
      issueCharge: async () => ({ kind: 'accepted', charge: payload }),
    })
    await books.providers.issueCharge(charge)
    const { engine, did, begun } = temporalOf({ ...books.transferOrder(merchant), ...charge }, { ended })
    const rebuilding = { since: ago(30), who: 'ana', reason: 'restored' }
    for await (const { outcome } of rebuildLives(engine, books.orm.em.fork(), rebuilding))
      expect(outcome).toBe('restored')
    expect(did).toEqual(['begun anew'])
    const [anew] = begun.flatMap(({ args }) => args as unknown[])
    expect(anew).toEqual({ resume: charge.uuid, timeScale: 1, restored: { ended } })
    expect(await books.records.restoreCharge({ uuid: charge.uuid, ended })).toMatchObject({ state: ended })
  },
)
