import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Client, WithStartWorkflowOperation } from '@temporalio/client'
import { createApp } from '../../src/api/app.ts'
import { chargeRoutes } from '../../src/api/charges/routes.ts'
import { pixKeyRoutes } from '../../src/api/pix-keys/routes.ts'
import { refundRoutes } from '../../src/api/refunds/routes.ts'
import { transferRoutes } from '../../src/api/transfers/routes.ts'
import { deliveryRoutes } from '../../src/api/webhooks/routes.ts'
import { dashboardRoutes } from '../../src/dashboard/routes.ts'
import { type Orm, openOrm } from '../../src/db/client/orm.ts'
import { STATEMENT_TIMEOUT_MS } from '../../src/http/limits.ts'
import { type RunningServer, startServer } from '../../src/http/server.ts'
import type { TransferInput } from '../../src/workflows/contracts/transfers.ts'
import { type ApiFixture, createCaller, openApiFixture } from '../http/support/api-fixture.ts'
import { type FreezableProxy, startFreezableProxy } from '../http/support/freezable-proxy.ts'
import { playUntilInTime } from '../support/played-again.ts'
import { openAllConnections } from '../support/pool-connections.ts'
import { measureRunningTime, RESPONSE_LIMIT_MS } from '../support/running-time.ts'

/** PostgreSQL and Temporal are slow or silent from some step of a request on: all its steps share one deadline. */

const POOL = 10

let fixture: ApiFixture
let way: FreezableProxy
let orm: Orm
let server: RunningServer
let token: string
let uuid: string
const orders: TransferInput[] = []

beforeAll(async () => {
  fixture = await openApiFixture([])
  const accountUuid = await fixture.insertAccount()
  await fixture.replaceDefaultProviders(accountUuid, [await fixture.insertConnection(accountUuid)])
  token = await fixture.insertToken({ accountUuid })
  uuid = randomUUID()
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  orders.length = 0
  const through = new URL(fixture.config.databaseUrl)
  way = await startFreezableProxy({ host: through.hostname, port: Number(through.port) })
  through.port = String(way.port)
  orm = await openOrm({ databaseUrl: through.href, poolSize: POOL, statementMs: STATEMENT_TIMEOUT_MS })
  await openAllConnections(orm, POOL)
  server = await startServer(
    createApp({
      ...fixture.dependencies,
      orm,
      temporal: { ...fixture.dependencies.temporal, client: async () => silentTemporal },
      routes: [
        ...[chargeRoutes, refundRoutes, transferRoutes, pixKeyRoutes, deliveryRoutes],
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

/** Accepts what is started, and never answers. */
const silentTemporal = {
  withDeadline: (_: number, work: () => Promise<unknown>) => work(),
  workflow: {
    executeUpdateWithStart(
      _: unknown,
      { startWorkflowOperation: start }: { startWorkflowOperation: WithStartWorkflowOperation<never> },
    ) {
      const [order] = start.options.args as [TransferInput]
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
  const { result: answer, elapsedMs } = await measureRunningTime(() =>
    createCaller(server)(method, path.replace('UUID', uuid), { token, body }),
  )
  return { path, ...answer, code: answer.body.code, ms: elapsedMs, endedAt: Date.now() }
}

test.each([0, 2, 4, 7])(
  'with PostgreSQL silent after %i messages every request is answered 503 in time',
  async messages => {
    way.freezeAfter(messages)
    const answers = await Promise.all([...ORDERS, ...OTHERS].map(timed))
    for (const { path, status, code, ms } of answers) {
      if (status < 500) continue // It had all results it needed before.
      expect([path, status]).toEqual([path, 503])
      expect(['unavailable', 'not_confirmed']).toContain(code)
      expect(ms).toBeLessThan(RESPONSE_LIMIT_MS)
    }
    expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(0)
  },
)

test('a slow PostgreSQL and a silent Temporal share one deadline, and no update is accepted after its response', async () => {
  way.delay(1_000)
  // A machine that stands still for a moment leaves too little time to start anything.
  const answers = await playUntilInTime(
    () => Promise.all(ORDERS.map(timed)),
    all => all.every(({ code }) => code === 'not_confirmed'),
  )
  for (const { path, status, code, ms, body } of answers) {
    expect([path, status, code]).toEqual([path, 503, 'not_confirmed'])
    expect(body.data.uuid).toMatch(/^[0-9a-f-]{36}$/)
    expect(ms).toBeLessThan(RESPONSE_LIMIT_MS)
  }
  const transfer = answers.find(({ path }) => path === '/api/v1/transfers')!
  const order = orders.find(({ uuid }) => uuid === transfer.body.data.uuid)!
  expect(Date.parse(order.acceptBefore!)).toBeLessThan(transfer.endedAt)
})

test('a request that has used up its time starts nothing, and says so', async () => {
  way.delay(2_200) // Two messages fit: the token, and the limits. With the remaining time nothing is started.
  const answers = await Promise.all(ORDERS.map(timed))
  for (const { path, status, code, ms } of answers) {
    expect([path, status, code]).toEqual([path, 503, 'unavailable'])
    expect(ms).toBeLessThan(RESPONSE_LIMIT_MS)
  }
  expect(orders).toEqual([])
})

test('a dashboard page reports in time that PostgreSQL is silent', async () => {
  way.freeze()
  const { result: page, elapsedMs } = await measureRunningTime(() =>
    fetch(`${server.url}/dashboard`, { headers: { cookie: 'trilho_session=x' } }),
  )
  expect(page.status).toBe(503)
  expect(page.headers.get('content-type')).toMatch(/html/)
  expect(elapsedMs).toBeLessThan(RESPONSE_LIMIT_MS)
})
