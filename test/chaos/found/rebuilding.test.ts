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
function temporalOf(order: TransferOrder, ended?: string) {
  const did: string[] = []
  const begun: { args: [TransferOrder] }[] = []
  const run = {
    ...{ workflowId: `${ended ? 'charge' : 'transfer'}/${order.uuid}`, runId: 'run' },
    status: { name: ended ? 'COMPLETED' : 'RUNNING' },
    ...{ startTime: ago(60), typedSearchAttributes: { get: () => undefined } },
  }
  const input = { payloads: [defaultPayloadConverter.toPayload(order)] }
  const history = { events: [{ workflowExecutionStartedEventAttributes: { input } }] }
  const workflow = {
    options: { namespace: 'none' },
    workflowService: { getWorkflowExecutionHistory: async () => ({ history }) },
    async *list({ query }: { query: string }) {
      if (!query.includes('deliveryWorkflow')) yield run
    },
    getHandle: () => ({ terminate: async () => did.push('ended'), result: async () => ended }),
    signalWithStart: async () => did.push('woken'),
    async start(_type: string, options: { args: [TransferOrder] }) {
      did.push('begun anew')
      begun.push(options)
    },
  }
  const engine = { client: async () => ({ workflow }), taskQueue: 'none', timeScale: 1 } as unknown as Engine
  return { did, begun, engine }
}

/** What a rebuilding makes of one that was due so many minutes ago. */
async function rebuilt({ dueMinutesAgo }: { dueMinutesAgo: number }) {
  const scheduledFor = ago(dueMinutesAgo).toISOString()
  const order = books.transferOrder(await books.merchant(1_000), { scheduledFor })
  await books.records.storeTransfer(order)
  const { engine, did } = temporalOf(order)
  const told: string[] = []
  const rebuilding = { since: ago(30), who: 'ana', reason: 'restored' }
  for await (const { outcome } of rebuildLives(engine, books.orm.em.fork(), rebuilding)) told.push(outcome)
  return { told, did }
}

const asItWas = { told: [], did: [] }
const lookedFor = { told: ['rebuilt'], did: ['ended', 'begun anew'] }

test.each([
  ['after money out was paused, goes on: nobody can have been called for it', 5, asItWas],
  ['before money out was paused, is looked for', 15, lookedFor],
])('one that was due %s', async (_, dueMinutesAgo, came) => {
  expect(await rebuilt({ dueMinutesAgo })).toEqual(came)
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
  expect(await rebuilt({ dueMinutesAgo: 5 })).toEqual(lookedFor)
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

test.each([
  ['cancelled', 'cancelled'],
  ['expired', 'pending'],
])('a charge whose life had ended %s is %s when its provider has forgotten it', async (ended, state) => {
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
    cancelCharge: async () => ({ kind: 'not_found' }),
  })
  await books.providers.issueCharge(charge)
  const { engine, did } = temporalOf({ ...books.transferOrder(merchant), ...charge }, ended)
  const rebuilding = { since: ago(30), who: 'ana', reason: 'restored' }
  for await (const { outcome } of rebuildLives(engine, books.orm.em.fork(), rebuilding))
    expect(outcome).toBe('asked')
  expect(did).toEqual(['woken'])
  await books.providers.cancelCharge({ chargeUuid: charge.uuid })
  expect(await books.records.chargeNow(charge.uuid)).toMatchObject({ state })
})
