import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { createApp } from '../../src/api/app.ts'
import { chargeRoutes } from '../../src/api/charges/routes.ts'
import { pixKeyRoutes } from '../../src/api/pix-keys/routes.ts'
import { transferRoutes } from '../../src/api/transfers/routes.ts'
import { type Orm, openOrm } from '../../src/db/client/orm.ts'
import { runInTransaction } from '../../src/db/client/transaction.ts'
import { STATEMENT_TIMEOUT_MS } from '../../src/http/limits.ts'
import { type RunningServer, startServer } from '../../src/http/server.ts'
import { type ApiFixture, createCaller, openApiFixture } from '../http/support/api-fixture.ts'
import { type FreezableProxy, startFreezableProxy } from '../http/support/freezable-proxy.ts'
import { openAllConnections } from '../support/pool-connections.ts'
import { measureRunningTime, RESPONSE_LIMIT_MS } from '../support/running-time.ts'

/** A PostgreSQL that accepts connections and stops answering: no caller waits for it without a limit. */

const POOL = 3

let fixture: ApiFixture
let way: FreezableProxy
let orm: Orm
beforeAll(async () => {
  fixture = await openApiFixture([])
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  const through = new URL(fixture.config.databaseUrl)
  way = await startFreezableProxy({ host: through.hostname, port: Number(through.port) })
  through.port = String(way.port)
  orm = await openOrm({ databaseUrl: through.href, poolSize: POOL, statementMs: STATEMENT_TIMEOUT_MS })
})
afterEach(async () => {
  way.thaw()
  await orm.close()
  way.close()
})

/** The time until an action fails. */
async function failingMs(something: Promise<unknown>): Promise<number> {
  const { elapsedMs } = await measureRunningTime(() => expect(something).rejects.toThrow())
  return elapsedMs
}
const number = (one: number) => orm.em.fork().execute(`select ${one} as one`)
const numbers = async () => (await Promise.all([1, 2, 3, 4, 5].map(number))).flat()
const NUMBERS = [1, 2, 3, 4, 5].map(one => ({ one }))

test('statements and transactions end in time, although there are more of them than pool connections', async () => {
  expect(await numbers()).toEqual(NUMBERS)
  way.freeze()
  const ends = [
    ...Array.from({ length: 2 * POOL }, () => failingMs(number(1))),
    ...Array.from({ length: 2 * POOL }, () => failingMs(runInTransaction(orm, em => em.execute('select 2')))),
  ]
  for (const ms of await Promise.all(ends)) expect(ms).toBeLessThan(RESPONSE_LIMIT_MS)
})

test('a transaction that PostgreSQL freezes in ends in time, and does not count as committed', async () => {
  const uuid = await fixture.insertAccount()
  const half = runInTransaction(orm, async em => {
    await em.execute('update account set name = ? where uuid = ?', ['half', uuid])
    way.freeze()
    await em.execute('select 1')
  })
  expect(await failingMs(half)).toBeLessThan(RESPONSE_LIMIT_MS)
  way.thaw()
  expect(await fixture.orm.em.execute('select name from account where uuid = ?', [uuid])).toEqual([
    { name: 'Loja' },
  ])
})

test('a client that disappears inside a transaction holds its row locks no longer than 10 s', async () => {
  const uuid = await fixture.insertAccount()
  const vanished = runInTransaction(orm, async em => {
    await em.execute('update account set name = ? where uuid = ?', ['held', uuid])
    way.freeze()
    await em.execute('select 1')
  }).catch(() => {})
  const waiting = openOrm({ databaseUrl: fixture.config.databaseUrl, statementMs: 30_000 })
  await vanished
  const other = await waiting
  const { elapsedMs } = await measureRunningTime(() =>
    other.em.fork().execute('update account set name = ? where uuid = ?', ['free', uuid]),
  )
  expect(elapsedMs).toBeLessThan(10_000 + RESPONSE_LIMIT_MS)
  await other.close()
  way.thaw()
})

test('after the freeze every result belongs to its own query, over new connections', async () => {
  const before = await openAllConnections(orm, POOL)
  way.freeze()
  await Promise.all(Array.from(before, () => failingMs(number(0))))
  way.thaw()
  expect(await numbers()).toEqual(NUMBERS)
  expect([...(await openAllConnections(orm, POOL))].filter(one => before.has(one))).toEqual([])
})

test('a slow statement that is answered within its timeout is not cancelled', async () => {
  await orm.em.fork().execute(`select pg_sleep(${STATEMENT_TIMEOUT_MS / 3 / 1_000})`)
  expect(await numbers()).toEqual(NUMBERS)
})

/** The Temporal fake accepts what is started, once all have come, and PostgreSQL freezes at that moment. */
async function apiThatFreezes(expected: number, answer: () => Promise<void>): Promise<RunningServer> {
  let count = 0
  const client = {
    withDeadline: (_: number, work: () => Promise<unknown>) => work(),
    workflow: {
      async executeUpdateWithStart() {
        if (++count === expected) way.freeze()
        while (count < expected) await pause(5)
        return answer()
      },
    },
  }
  const app = createApp({
    ...fixture.dependencies,
    orm,
    temporal: { ...fixture.dependencies.temporal, client: async () => client as unknown as Client },
    routes: [chargeRoutes, transferRoutes, pixKeyRoutes],
  })
  return startServer(app, { host: '127.0.0.1', port: 0 })
}

const ORDERS: [path: string, body: object][] = [
  ['/api/v1/payments', { value: 10, type: 'PIX' }],
  ['/api/v1/transfers', { value: 10, pix_key: '52998224725' }],
  ['/api/v1/pix-keys', { type: 'RANDOM' }],
]

test.each([
  { name: 'has answered the update', answer: async () => {}, limitMs: RESPONSE_LIMIT_MS },
  { name: 'is silent as well', answer: () => new Promise<void>(() => {}), limitMs: 2 * RESPONSE_LIMIT_MS },
])(
  'an update that $name may have accepted is answered as not confirmed, never "nothing was started"',
  async workflowName => {
    const accountUuid = await fixture.insertAccount()
    await fixture.replaceDefaultProviders(accountUuid, [await fixture.insertConnection(accountUuid)])
    const token = await fixture.insertToken({ accountUuid })
    const server = await apiThatFreezes(ORDERS.length, workflowName.answer)
    const call = createCaller(server)
    const { result: answers, elapsedMs } = await measureRunningTime(() =>
      Promise.all(ORDERS.map(([path, body]) => call('POST', path, { token, body }))),
    )
    expect(elapsedMs).toBeLessThan(workflowName.limitMs)
    for (const { status, body, headers } of answers) {
      expect([status, body.code]).toEqual([503, 'not_confirmed'])
      expect(body.data.uuid).toMatch(/^[0-9a-f-]{36}$/)
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    const logged = fixture.lines.map(line => JSON.parse(line)).filter(line => line.code === 'not_confirmed')
    expect(logged.length).toBeGreaterThanOrEqual(ORDERS.length)
    for (const line of logged) expect(line).toMatchObject({ status: 503, cause: expect.stringMatching(/./) })
    await server.stop()
  },
)
