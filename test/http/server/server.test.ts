import { createServer, type Server, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import Koa from 'koa'
import { createApp } from '../../../src/api/app.ts'
import { healthRoutes } from '../../../src/api/health/routes.ts'
import { createTemporalClient } from '../../../src/api/operations/temporal-client.ts'
import { migrate } from '../../../src/db/client/migrate.ts'
import { openOrm } from '../../../src/db/client/orm.ts'
import { type RunningServer, setArrivalTimeout, startServer } from '../../../src/http/server.ts'
import { RESPONSE_LIMIT_MS } from '../../support/running-time.ts'
import { findUnusedPort } from '../../webhooks/support/merchant-server.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { sampleRoutes } from '../support/sample-routes.ts'

const LOOPBACK = { host: '127.0.0.1', port: 0 }

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([sampleRoutes, healthRoutes])
})
afterAll(() => fixture?.close())

test('an idle connection is kept open for longer than by a proxy in front', async () => {
  const server = await startServer(new Koa(), LOOPBACK)
  const answer = await fetch(server.url)
  expect(answer.headers.get('keep-alive')).toBe('timeout=75')
  await server.stop()
})

describe('a stopping server', () => {
  async function serverOf(work: () => Promise<void>): Promise<RunningServer> {
    const app = new Koa()
    app.use(async ctx => {
      await work()
      ctx.body = 'done'
    })
    return startServer(app, LOOPBACK)
  }

  test('finishes running requests, accepts no new one, and closes its connections', async () => {
    const [arrived, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const server = await serverOf(async () => {
      arrived.resolve()
      await goOn.promise
    })
    const underWay = fetch(server.url)
    await arrived.promise
    const stopped = server.stop()
    await expect(fetch(server.url)).rejects.toThrow()
    goOn.resolve()
    const answer = await underWay
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
    await stopped
  })

  test('does not wait for idle connections', async () => {
    const server = await serverOf(async () => {})
    await fetch(server.url).then(answer => answer.text())
    const before = Date.now()
    await server.stop()
    expect(Date.now() - before).toBeLessThan(4_000)
  })

  test('reports that its port is in use', async () => {
    const server = await serverOf(async () => {})
    await expect(startServer(new Koa(), { ...LOOPBACK, port: server.port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    })
    await server.stop()
  })
})

describe('a slow request body', () => {
  async function server(thenMs?: number): Promise<RunningServer> {
    const app = new Koa()
    app.silent = true
    app.use(async ctx => {
      setArrivalTimeout(ctx.req, 50)
      if (thenMs !== undefined) setArrivalTimeout(ctx.req, thenMs)
      for await (const _ of ctx.req);
      ctx.body = 'read'
    })
    return startServer(app, LOOPBACK)
  }
  /** Sends the second half of its body some time after the first. */
  async function sendSlowly({ url }: RunningServer, whileMs = 500): Promise<string> {
    async function* halves() {
      yield Buffer.from('first')
      await pause(whileMs, undefined, { ref: false })
      yield Buffer.from('second')
    }
    return fetch(url, { method: 'POST', body: Readable.from(halves()), duplex: 'half' }).then(answer =>
      answer.text(),
    )
  }

  test('is cut off when its time is over', async () => {
    const slow = await server()
    await expect(sendSlowly(slow, 60_000)).rejects.toThrow()
    await slow.stop()
  })

  test('is read to its end where it has more time', async () => {
    const patient = await server(60_000)
    expect(await sendSlowly(patient)).toBe('read')
    await patient.stop()
  })
})

describe('health', () => {
  test('/healthz reports that the process runs', async () => {
    const answer = await fixture.call('GET', '/healthz')
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }])
  })

  test('/readyz reports what is missing', async () => {
    const answer = await fixture.call('GET', '/readyz')
    expect([answer.status, answer.body.code]).toEqual([503, 'unavailable'])
    expect(answer.body.data).toEqual({ postgres: true, temporal: false })
    expect(answer.headers.get('retry-after')).toBe('1')
  })

  test('/readyz is not ready before the migrations', async () => {
    await fixture.orm.em.execute('create database unmigrated')
    const databaseUrl = new URL(fixture.config.databaseUrl)
    databaseUrl.pathname = '/unmigrated'
    const api = await overDatabase(databaseUrl.href)
    const answer = await fetch(`${api.url}/readyz`)
    expect(await answer.json()).toMatchObject({ data: { postgres: false } })
    await api.stop()
  })
})

test('/readyz is not ready over a read-only database', async () => {
  await fixture.orm.em.execute('create database read_only')
  const databaseUrl = new URL(fixture.config.databaseUrl)
  databaseUrl.pathname = '/read_only'
  await migrate(databaseUrl.href)
  await fixture.orm.em.execute('alter database read_only set default_transaction_read_only = on')
  const api = await overDatabase(databaseUrl.href)
  expect(await (await fetch(`${api.url}/readyz`)).json()).toMatchObject({ data: { postgres: false } })
  await fixture.orm.em.execute('alter database read_only set default_transaction_read_only = off')
  await api.stop()
  const writable = await overDatabase(databaseUrl.href)
  expect(await (await fetch(`${writable.url}/readyz`)).json()).toMatchObject({ data: { postgres: true } })
  await writable.stop()
})

describe('without PostgreSQL', () => {
  const tokenless = ['/failing/statement', '/failing/transaction']
  let hole: Server
  const heldSockets: Socket[] = []
  beforeAll(async () => {
    // It accepts connections and never answers, like a frozen host.
    hole = createServer(socket => heldSockets.push(socket))
    await new Promise<void>(done => hole.listen(0, '127.0.0.1', done))
  })
  afterAll(() => {
    for (const socket of heldSockets) socket.destroy()
    hole.close()
  })

  test.each([
    { name: 'refuses', port: findUnusedPort },
    { name: 'hangs', port: async () => (hole.address() as { port: number }).port },
  ])('that $name, requests answer 503 within 5 s', async ({ port }) => {
    const api = await overDatabase(`postgres://nobody:x@127.0.0.1:${await port()}/none`)
    const before = Date.now()
    const authorization = 'Bearer trl_test_x'
    const answers = await Promise.all(
      ['/api/v1/whoami', ...tokenless].map(path => fetch(api.url + path, { headers: { authorization } })),
    )
    expect(Date.now() - before).toBeLessThan(RESPONSE_LIMIT_MS)
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await answer.json()).toMatchObject({ code: 'unavailable', message: expect.any(String) })
    }
    expect((await fetch(`${api.url}/healthz`)).status).toBe(200)
    await api.stop()
  })

  test('broken connections are replaced: the next request is served', async () => {
    const token = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
    await fixture.orm.em.execute(
      'select pg_terminate_backend(pid, 10_000) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    )
    // They are closed, and the pool has noticed.
    await pause(50)
    await new Promise(setImmediate)
    const answer = await fixture.call('GET', '/api/v1/whoami', { token })
    expect(answer.status).toBe(200)
  })
})

describe('without Temporal', () => {
  test('the client fails within 5 s, and leaves nothing behind', async () => {
    const temporal = createTemporalClient({
      ...fixture.config.temporal,
      address: `127.0.0.1:${await findUnusedPort()}`,
    })
    const before = Date.now()
    await expect(temporal.client()).rejects.toMatchObject({ name: 'TemporalConnectionError' })
    expect(Date.now() - before).toBeLessThan(RESPONSE_LIMIT_MS)
    await temporal.close()
  })

  test('requests that need it answer 503', async () => {
    expect((await fixture.call('GET', '/failing/temporal')).status).toBe(503)
  })
})

/** A second API process over another database. */
async function overDatabase(databaseUrl: string): Promise<{ url: string; stop(): Promise<void> }> {
  const orm = await openOrm({ databaseUrl, poolSize: 5 })
  const app = createApp({ ...fixture.dependencies, orm, routes: [sampleRoutes, healthRoutes] })
  const server = await startServer(app, LOOPBACK)
  return {
    url: server.url,
    async stop() {
      await server.stop()
      await orm.close()
    },
  }
}
