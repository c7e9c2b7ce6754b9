import { randomUUID } from 'node:crypto'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DriverException } from '@mikro-orm/core'
import { ServiceError } from '@temporalio/client'
import { createApp, type RouteRegistrar } from '../../../src/api/app.ts'
import { callbackRoutes } from '../../../src/api/callbacks/routes.ts'
import { fileRoutes } from '../../../src/api/files/routes.ts'
import { healthRoutes } from '../../../src/api/health/routes.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import type { OrmOptions } from '../../../src/db/client/orm.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '../../../src/domain/errors/error-catalogue.ts'
import { ApiError } from '../../../src/http/api-error.ts'
import { describeFailureCause } from '../../../src/http/error-handler.ts'
import { isOutage, ResponseTimeoutError, TemporalConnectionError } from '../../../src/http/outage.ts'
import { startServer } from '../../../src/http/server.ts'
import { createProviderRegistry } from '../../../src/providers/registry.ts'
import { StorageError } from '../../../src/storage/storage.ts'
import { openTestOrm } from '../../support/orm.ts'
import { createTemporaryFolder } from '../../support/servers.ts'
import { type ApiFixture, createCaller, openApiFixture } from '../support/api-fixture.ts'
import { startFreezableProxy } from '../support/freezable-proxy.ts'
import { sampleRoutes } from '../support/sample-routes.ts'

/** Every 5xx response, whichever part of the process gives it, has its code and a short cause in the access log. */

const SERVER_ERRORS = (Object.keys(ERROR_CATALOGUE) as ErrorCode[]).filter(
  code => ERROR_CATALOGUE[code].status >= 500,
)
const SECRET = '52998224725'

/** A route for each 5xx code, failing as the API's functions do. */
const refusingRoutes: RouteRegistrar = router => {
  router.koa.get('/refusing/:code', ctx => {
    throw new ApiError(ctx.params.code as ErrorCode)
  })
}

const grpcError = (code: number) =>
  new ServiceError('unexpected', {
    cause: Object.assign(new Error(SECRET), { code, details: SECRET, metadata: {} }),
  })
const driverError = (code: string | undefined, message = `insert into account values ('${SECRET}')`) =>
  new DriverException(Object.assign(new Error(message), { code }))
const systemError = (code: string) => Object.assign(new Error(SECRET), { code })

test.each<[string, unknown]>([
  ['postgres: connection refused', driverError('ECONNREFUSED')],
  ['postgres: connection lost', driverError('ECONNRESET')],
  ['postgres: host not found', driverError('ENOTFOUND')],
  ['postgres: connection lost', driverError(undefined, 'Connection terminated unexpectedly')],
  ['postgres: no answer in time', driverError(undefined, 'timeout exceeded when trying to connect')],
  ['postgres: no answer in time', driverError(undefined, 'Connection terminated due to connection timeout')],
  ['postgres: authentication failed', driverError('28P01')],
  ['postgres: no such database', driverError('3D000')],
  ['postgres: read-only', driverError('25006')],
  ['postgres: deadlock', driverError('40P01')],
  ['postgres: serialization failure', driverError('40001')],
  ['postgres: disk full', driverError('53100')],
  ['postgres: too many connections', driverError('53300')],
  ['postgres: statement timeout', driverError('57014')],
  ['postgres: shutting down or starting', driverError('57P01')],
  ['postgres: SQLSTATE 23505', driverError('23505')],
  ['temporal: connection failed', new TemporalConnectionError(SECRET)],
  ['temporal: unavailable', grpcError(14)],
  ['temporal: no answer in time', grpcError(4)],
  ['temporal: resource exhausted', grpcError(8)],
  ['temporal: workflow not ready', grpcError(9)],
  ['temporal: gRPC status 13', grpcError(13)],
  ['storage: disk full', new StorageError('ENOSPC')],
  ['storage: read-only', new StorageError('EROFS')],
  ['storage: connection refused', new StorageError('ECONNREFUSED')],
  ['storage: no answer in time', new StorageError('TimeoutError')],
  ['storage: Strange', new StorageError('Strange')],
  ['postgres: connection refused', systemError('ECONNREFUSED')],
  ['postgres: too many connections', systemError('53300')],
  ['worker: no answer in time', new ResponseTimeoutError(SECRET)],
  ['worker: no answer in time', new ApiError('not_confirmed', { cause: new ResponseTimeoutError(SECRET) })],
  ['postgres: connection lost', new ApiError('not_confirmed', { cause: driverError('EPIPE') })],
  ['bug: TypeError', new TypeError(SECRET)],
  ['bug: Error ERR_UNKNOWN', systemError('ERR_UNKNOWN')],
  ['bug: string', SECRET],
])('the cause is %s', (cause, error) => {
  expect(describeFailureCause(error)).toBe(cause)
})

describe('the access log', () => {
  let world: ApiFixture
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
  let stop: (() => Promise<unknown>)[] = []
  const providers = createProviderRegistry({ openCredentials: () => ({}), timeoutMs: 1_000 })
  const routes = [
    sampleRoutes,
    refusingRoutes,
    healthRoutes,
    fileRoutes,
    callbackRoutes(providers),
    dashboardRoutes,
  ]

  beforeAll(async () => {
    folder = await createTemporaryFolder()
    world = await openApiFixture(routes, { TRILHO_STORAGE_FOLDER: folder.path })
    stop = [() => world.close(), () => folder.remove(), () => providers.close()]
  })
  afterAll(() => Promise.all(stop.map(end => end())))

  /** The same API over another database; its access log is that of `world`. */
  async function over(databaseUrl: string, options: Partial<OrmOptions> = {}) {
    const orm = await openTestOrm({ databaseUrl, ...options })
    const server = await startServer(createApp({ ...world.dependencies, orm, routes }), world.config)
    stop.unshift(async () => {
      await server.stop()
      await orm.close()
    })
    return createCaller(server)
  }

  /** The access log line of a request. */
  async function lineOf(call: (headers: Record<string, string>) => Promise<{ status: number }>) {
    const id = randomUUID()
    const { status } = await call({ 'x-request-id': id })
    const lines = world.lines.map(line => JSON.parse(line)).filter(one => one.request_id === id)
    const line = lines.find(one => one.msg === 'request')
    expect(line).toMatchObject({ status, code: expect.any(String), cause: expect.any(String) })
    expect(JSON.stringify(lines)).not.toContain(SECRET)
    return line as { status: number; code: string; cause: string }
  }

  test.each(SERVER_ERRORS)('has a cause of %s', async code => {
    const line = await lineOf(headers => world.call('GET', `/refusing/${code}`, { headers }))
    expect(line.code).toBe(code)
    expect(line.cause).not.toBe(code)
  })

  test.each([
    ['/failing/bug', 500, 'internal_error', 'bug: Error'],
    ['/failing/row', 500, 'internal_error', 'postgres: SQLSTATE 23514'],
    ['/failing/refusal', 503, 'no_provider_available', 'provider: none could be reached'],
    ['/failing/temporal', 503, 'unavailable', 'temporal: connection failed'],
    ['/readyz', 503, 'unavailable', 'temporal: connection failed'],
  ])('of %s', async (path, status, code, cause) => {
    expect(await lineOf(headers => world.call('GET', path, { headers }))).toMatchObject({
      status,
      code,
      cause,
    })
  })

  const session = { cookie: 'trilho_session=a-session; trilho_form=a' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const AWAY: [string, string, Record<string, string>?][] = [
    ['GET', '/api/v1/whoami', { authorization: 'Bearer trl_live_a-token' }],
    ['GET', '/failing/statement'],
    ['GET', '/failing/transaction'],
    ['GET', '/readyz'],
    ['GET', '/dashboard', session],
    ['GET', '/dashboard/operator/unknown', session],
    ['POST', '/dashboard/webhooks', { ...session, ...form }],
    ['GET', `/provider-notifications/${randomUUID()}`],
    ['POST', `/provider-notifications/${randomUUID()}`],
    ['POST', `/provider-notifications/${randomUUID()}/a-secret/pix`],
    ['POST', `/provider-notifications/${randomUUID()}/a-secret/rec`],
    ['POST', `/provider-notifications/${randomUUID()}/a-secret/cobr`],
  ]

  test('has a cause of every request where PostgreSQL refuses connections', async () => {
    const call = await over('postgresql://trilho@127.0.0.1:1/nowhere')
    for (const [method, path, more] of AWAY)
      expect(await lineOf(headers => call(method, path, { headers: { ...headers, ...more } }))).toMatchObject(
        { status: 503, code: 'unavailable', cause: 'postgres: connection refused' },
      )
  })

  test('has a cause of an unresponsive database, over a new connection and over an open one', async () => {
    const { hostname, port } = new URL(world.config.databaseUrl)
    const way = await startFreezableProxy({ host: hostname, port: Number(port) })
    const url = Object.assign(new URL(world.config.databaseUrl), { host: `127.0.0.1:${way.port}` })
    const limits = { connectMs: 500, statementMs: 500 }
    const openConnection = await over(url.href, limits)
    const fresh = await over(url.href, limits)
    for (let calls = 0; calls < 3; calls++) await openConnection('GET', '/failing/statement')
    way.freeze()
    const lines = await Promise.all(
      [openConnection, fresh].flatMap(call =>
        ['/failing/statement', '/failing/transaction', '/readyz'].map(path =>
          lineOf(headers => call('GET', path, { headers })),
        ),
      ),
    )
    way.close()
    expect(new Set(lines.map(({ status, code, cause }) => `${status} ${code} ${cause}`))).toEqual(
      new Set(['503 unavailable postgres: no answer in time']),
    )
  })

  test('has a cause of a database without free connections, with and without a transaction', async () => {
    const role = `role_${randomUUID().replaceAll('-', '')}`
    await world.orm.em.fork().execute(`create role ${role} login password 'a' connection limit 0`)
    const url = new URL(world.config.databaseUrl)
    const call = await over(Object.assign(url, { username: role, password: 'a' }).href)
    for (const path of ['/failing/statement', '/failing/transaction', '/readyz'])
      expect(await lineOf(headers => call('GET', path, { headers }))).toMatchObject({
        status: 503,
        code: 'unavailable',
        cause: 'postgres: too many connections',
      })
    await world.orm.em.fork().execute(`drop role ${role}`)
  })

  test('has a cause of a missing database, a wrong host, and a schema that is not migrated', async () => {
    const elsewhere = (change: (url: URL) => void) => {
      const url = new URL(world.config.databaseUrl)
      change(url)
      return url.href
    }
    const causes = [
      [
        elsewhere(url => Object.assign(url, { pathname: `/absent_${randomUUID()}` })),
        'postgres: no such database',
      ],
      [elsewhere(url => Object.assign(url, { password: 'invalid' })), 'postgres: authentication failed'],
      [elsewhere(url => Object.assign(url, { hostname: 'absent.invalid' })), 'postgres: host not found'],
      [elsewhere(url => Object.assign(url, { pathname: '/template1' })), 'postgres: schema not migrated'],
    ]
    for (const [url, cause] of causes) {
      const call = await over(url!)
      expect(await lineOf(headers => call('GET', '/readyz', { headers }))).toMatchObject({ cause })
    }
  })

  test('has a cause of a read-only database', async () => {
    const name = new URL(world.config.databaseUrl).pathname.slice(1)
    const { em } = world.orm
    await em.fork().execute(`alter database ${name} set default_transaction_read_only = on`)
    const call = await over(world.config.databaseUrl)
    const line = await lineOf(headers => call('GET', '/readyz', { headers }))
    await em
      .fork()
      .transactional(inner =>
        inner.execute(
          `set local transaction_read_only = off; alter database ${name} reset default_transaction_read_only`,
        ),
      )
    expect(line).toMatchObject({ code: 'unavailable', cause: 'postgres: read-only' })
  })

  test('has a cause of a stored file that cannot be read', async () => {
    const key = `meds/${randomUUID()}/file.pdf`
    await mkdir(join(folder.path, key, '..'), { recursive: true })
    await symlink('/proc/self/mem', join(folder.path, key)) // It has a size, and reading its first byte fails.
    const { pathname, search } = new URL(await world.dependencies.storage.createLink(key))
    const line = await lineOf(headers => world.call('GET', pathname + search, { headers }))
    expect(line).toMatchObject({ status: 503, code: 'unavailable', cause: 'storage: disk failed' })
  })
})

test('a workflow whose task fails repeatedly makes its update an outage, not an internal error', () => {
  expect(isOutage(grpcError(9))).toBe(true)
  expect(isOutage(grpcError(13))).toBe(false)
})
