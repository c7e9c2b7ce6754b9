import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Client, WithStartWorkflowOperation } from '@temporalio/client'
import { createApp } from '../../src/api/app.ts'
import { STATEMENT_MS } from '../../src/api/limits.ts'
import { deliveryRoutes } from '../../src/api/routes/deliveries.ts'
import { paymentRoutes } from '../../src/api/routes/payments.ts'
import { pixKeyRoutes } from '../../src/api/routes/pix-keys.ts'
import { refundRoutes } from '../../src/api/routes/refunds.ts'
import { transferRoutes } from '../../src/api/routes/transfers.ts'
import { type RunningServer, startServer } from '../../src/api/server.ts'
import { dashboardRoutes } from '../../src/dashboard/routes.ts'
import { type Orm, openOrm } from '../../src/db/orm.ts'
import type { TransferOrder } from '../../src/workflows/messages.ts'
import { type Freezable, freezable } from '../http/support/freezable.ts'
import { caller, openWorld, type World } from '../http/support/world.ts'
import { IN_TIME_MS } from '../support/in-time.ts'

/** PostgreSQL and Temporal are slow or silent from some step of a request on: all its steps share the time of one answer. */

let world: World
let way: Freezable
let orm: Orm
let server: RunningServer
let token: string
let uuid: string
const orders: TransferOrder[] = []

beforeAll(async () => {
  world = await openWorld([])
  const accountUuid = await world.account()
  await world.defaults(accountUuid, [await world.connection(accountUuid)])
  token = await world.token({ accountUuid })
  uuid = randomUUID()
})
afterAll(() => world?.close())
beforeEach(async () => {
  orders.length = 0
  const through = new URL(world.config.databaseUrl)
  way = await freezable({ host: through.hostname, port: Number(through.port) })
  through.port = String(way.port)
  orm = await openOrm({ databaseUrl: through.href, poolSize: 10, statementMs: STATEMENT_MS })
  await Promise.all(Array.from({ length: 10 }, () => orm.em.fork().execute('select pg_sleep(0.05)')))
  server = await startServer(
    createApp({
      ...world.dependencies,
      orm,
      temporal: async () => silentTemporal,
      routes: [
        ...[paymentRoutes, refundRoutes, transferRoutes, pixKeyRoutes, deliveryRoutes],
        dashboardRoutes,
      ],
    }),
    { host: '127.0.0.1', port: 0 },
  )
})
afterEach(async () => {
  way.delay(0)
  way.thaw()
  await server.stop()
  await orm.close()
  way.close()
})

/** Takes what is begun, and never says that it did. */
const silentTemporal = {
  withDeadline: (_: number, work: () => Promise<unknown>) => work(),
  workflow: {
    executeUpdateWithStart(
      _: unknown,
      { startWorkflowOperation: start }: { startWorkflowOperation: WithStartWorkflowOperation<never> },
    ) {
      const [order] = start.options.args as [TransferOrder]
      orders.push(order)
      return new Promise<never>(() => {})
    },
  },
} as unknown as Client

type Request = ['GET' | 'POST', string, object?]
const ORDERS: Request[] = [
  ['POST', '/api/v1/payments', { value: 10, type: 'PIX' }],
  ['POST', '/api/v1/transfers', { value: 10, pix_key: '52998224725' }],
]
const OTHERS: Request[] = [
  ['POST', '/api/v1/pix-keys', { type: 'RANDOM' }],
  ['POST', '/api/v1/payments/UUID/refund', {}],
  ['POST', '/api/v1/payments/UUID/cancel'],
  ['GET', '/api/v1/payments/UUID'],
  ['GET', '/api/v1/payments'],
  ['GET', '/api/v1/transfers'],
]

async function timed([method, path, body]: Request) {
  const started = Date.now()
  const answer = await caller(server)(method, path.replace('UUID', uuid), { token, body })
  return { path, ...answer, code: answer.body.code, ms: Date.now() - started, endedAt: Date.now() }
}

test.each([0, 2, 4, 7])(
  'PostgreSQL is silent after %i messages: every request is answered 503 in time',
  async messages => {
    way.freezeAfter(messages)
    const answers = await Promise.all([...ORDERS, ...OTHERS].map(timed))
    for (const { path, status, code, ms } of answers) {
      if (status < 500) continue // It had all that it asked for before.
      expect([path, status]).toEqual([path, 503])
      expect(['unavailable', 'not_confirmed']).toContain(code)
      expect(ms).toBeLessThan(IN_TIME_MS)
    }
    expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(0)
  },
)

test('a slow PostgreSQL and a silent Temporal share one limit, and nothing is taken that was answered before', async () => {
  way.delay(1_000)
  const answers = await Promise.all(ORDERS.map(timed))
  for (const { path, status, code, ms, body } of answers) {
    expect([path, status, code]).toEqual([path, 503, 'not_confirmed'])
    expect(body.data.uuid).toMatch(/^[0-9a-f-]{36}$/)
    expect(ms).toBeLessThan(IN_TIME_MS)
  }
  const transfer = answers.find(({ path }) => path === '/api/v1/transfers')!
  const order = orders.find(({ uuid }) => uuid === transfer.body.data.uuid)!
  expect(Date.parse(order.takeBefore!)).toBeLessThan(transfer.endedAt)
})

test('a request that has used its time begins nothing, and says so', async () => {
  way.delay(2_200) // Two messages fit: who calls, and what may be done. With what is left nothing is begun.
  const answers = await Promise.all(ORDERS.map(timed))
  for (const { path, status, code, ms } of answers) {
    expect([path, status, code]).toEqual([path, 503, 'unavailable'])
    expect(ms).toBeLessThan(IN_TIME_MS)
  }
  expect(orders).toEqual([])
})

test('a page of the dashboard says in time that PostgreSQL is silent', async () => {
  way.freeze()
  const started = Date.now()
  const page = await fetch(`${server.url}/dashboard`, { headers: { cookie: 'trilho_session=x' } })
  expect(page.status).toBe(503)
  expect(page.headers.get('content-type')).toMatch(/html/)
  expect(Date.now() - started).toBeLessThan(IN_TIME_MS)
})
