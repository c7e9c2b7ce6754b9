import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import Koa from 'koa'
import pino from 'pino'
import { addUser } from '../../../src/admin/users.ts'
import { type AppOptions, createApp } from '../../../src/api/app.ts'
import { healthRoutes } from '../../../src/api/health/routes.ts'
import { metricsRoutes, workerMetricsRoutes } from '../../../src/api/metrics/routes.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { openOrm } from '../../../src/db/client/orm.ts'
import { UserTotp } from '../../../src/db/entities/user-totp.ts'
import { recordProviderProbes } from '../../../src/db/repositories/provider-reach.ts'
import { fail } from '../../../src/http/api-error.ts'
import { errorHandler } from '../../../src/http/error-handler.ts'
import { type RunningServer, startServer } from '../../../src/http/server.ts'
import { createApiMetrics } from '../../../src/metrics/api-metrics.ts'
import { renderDatabaseMetrics } from '../../../src/metrics/database-metrics.ts'
import { dropBuckets } from '../../../src/metrics/temporal-sdk-metrics.ts'
import { createWorkerMetrics } from '../../../src/metrics/worker-metrics.ts'
import { logFailedCall, observeProvider } from '../../../src/providers/call-observer.ts'
import type { Provider, ProviderNotificationRequest } from '../../../src/providers/port.ts'
import { generateTotpSecret } from '../../../src/security/totp.ts'
import { openStorage } from '../../../src/storage/storage.ts'
import { ANY_EVENT_BODY } from '../../support/event-bodies.ts'
import { openTestOrm } from '../../support/orm.ts'
import { createTemporaryFolder } from '../../support/servers.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { bookingSql, type ConnectionRow } from '../support/row-inserters.ts'
import { sampleRoutes } from '../support/sample-routes.ts'

test('a histogram without its buckets is a summary, and a kept one stays complete', () => {
  const text =
    '# HELP a A.\n# TYPE a histogram\na_bucket{le="1"} 1\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n' +
    '# TYPE b histogram\nb_bucket{le="1"} 2\nb_sum 2\nb_count 2\n# TYPE c counter\nc 3\n'
  expect(dropBuckets(text, ['b']).split('\n')).toEqual([
    ...['# HELP a A.', '# TYPE a summary', 'a_sum 1', 'a_count 1'],
    ...['# TYPE b histogram', 'b_bucket{le="1"} 2', 'b_sum 2', 'b_count 2', '# TYPE c counter', 'c 3', ''],
  ])
})

const CONNECTION = '7c9e6679-7425-40de-944b-e07fc1f90ae7'

test('a failed provider call is one log line: the connection, the outcome, the duration', () => {
  const lines: string[] = []
  const log = pino({ base: null }, { write: line => void lines.push(line) })
  const call = {
    provider: 'PROVIDER_A',
    connectionUuid: CONNECTION,
    operation: 'sendTransfer',
    seconds: 0.25,
  }
  logFailedCall(log, { ...call, outcome: 'accepted', code: null })
  logFailedCall(log, { ...call, outcome: 'unreachable', code: 'dns_failed' })
  expect(lines.map(line => JSON.parse(line))).toEqual([
    expect.objectContaining({
      connection: CONNECTION,
      provider: 'PROVIDER_A',
      operation: 'sendTransfer',
      outcome: 'unreachable',
      code: 'dns_failed',
      ms: 250,
    }),
  ])
})

test('an observed provider answers unchanged, and every call is recorded with its outcome', async () => {
  const seen: string[] = []
  const provider = {
    findCharge: async (reference: string) => ({ kind: 'not_found', reference }),
    sendTransfer: async () => {
      throw new Error('a bug')
    },
    readNotification: async ({ secret }: ProviderNotificationRequest) =>
      secret === null ? { kind: 'forged' } : { kind: 'no_answer', code: 'timeout' },
  } as unknown as Provider
  const watched = observeProvider(provider, { provider: 'PROVIDER_A', uuid: CONNECTION }, call =>
    seen.push(`${call.provider} ${call.operation} ${call.outcome} ${call.seconds >= 0}`),
  )
  expect(await watched.findCharge('ref')).toEqual({ kind: 'not_found', reference: 'ref' })
  await expect(watched.sendTransfer({} as never)).rejects.toThrow('a bug')
  expect(await watched.readNotification({ secret: null } as ProviderNotificationRequest)).toEqual({
    kind: 'forged',
  })
  await watched.readNotification({ secret: 'asks for a key' } as ProviderNotificationRequest)
  expect(watched.findReplacedUrl).toBeUndefined()
  expect(seen).toEqual([
    'PROVIDER_A findCharge not_found true',
    'PROVIDER_A sendTransfer bug true',
    'PROVIDER_A readNotification no_answer true',
  ])
})

describe('deploy/alerts.yml', () => {
  const rule = async (name: string) => {
    const rules = await readFile(join(import.meta.dirname, '../../../deploy/alerts.yml'), 'utf8')
    return rules.split('- alert: ').find(one => one.startsWith(`${name}\n`))
  }

  test('a repeatedly failing workflow task keeps its alert between two attempts ten minutes apart', async () => {
    const text = await rule('WorkflowsDoNotReplay')
    expect(text).toMatch(/increase\(temporal_workflow_task_execution_failed\{[^}]*\}\[25m\]\)\) > 0$/m)
    expect(text).not.toMatch(/^ +for:/m)
  })

  test('a notification that waits ten minutes to be found unmatched raises no alert', async () => {
    const [, seconds] = /trilho_provider_notifications_oldest_seconds\) > (\d+)$/m.exec(
      (await rule('ProviderNotificationsNotProcessed'))!,
    )!
    expect(Number(seconds)).toBe(900)
  })

  test('a paused request is counted as paused, which the alert of failures excludes', async () => {
    expect(await rule('ApiErrorRateHigh')).toContain('trilho_http_failures_total{code!="paused"}')
    const metrics = createApiMetrics()
    const app = new Koa()
    app.use(metrics.measureRequest)
    app.use(errorHandler(pino({ level: 'silent' })))
    app.use(() => fail('paused'))
    const server = await startServer(app, { host: '127.0.0.1', port: 0 })
    const { status } = await fetch(server.url)
    await server.stop()
    expect(status).toBe(503)
    expect((await metrics.registry.metrics()).match(/^trilho_http_failures_total.*$/gm)).toEqual([
      'trilho_http_failures_total{code="paused",cause="paused by an operator",process="api"} 1',
    ])
  })

  test('a failed password and a failed code are counted under the routes and the statuses of their alert', async () => {
    const world = await openApiFixture([dashboardRoutes])
    const em = world.orm.em.fork()
    const email = 'two@trilho.test'
    const { uuid } = await addUser(em, { email, password: 'a long enough password', accountUuid: null })
    await em.insert(UserTotp, {
      uuid: randomUUID(),
      userUuid: uuid,
      lastStep: 0,
      createdAt: new Date(),
      sealedSecret: world.dependencies.sealer.seal(generateTotpSecret()),
    })
    const browser = createBrowser(world)
    const statuses = [
      (await browser.signIn(email, 'a wrong password')).status,
      (await browser.signIn(email, 'a long enough password')).status,
      (await browser.send('/dashboard/sign-in/code', { code: 'wrong' })).status,
    ]
    expect(statuses).toEqual([401, 303, 401])
    const lines = world.lines.map(one => JSON.parse(one)).filter(({ status }) => status === 401)
    await world.close()
    const [, route, failures] = /route=~"([^"]+)",method="POST",status=~"([^"]+)"/.exec(
      (await rule('SignInFailures'))!,
    )!
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      expect(line.route).toMatch(new RegExp(`^(${route})$`))
      expect([line.method, `${line.status}`]).toEqual(['POST', expect.stringMatching(`^(${failures})$`)])
    }
  })

  test('a duplicate settlement or one after a reported failure raises an alert', async () => {
    const text = await rule('UnexpectedSettlement')
    expect(text).toMatch(/expr: max by \(provider\) \(trilho_unexpected_settlements\) > 0$/m)
    expect(text).toContain('severity: page')
  })
})

describe('GET /metrics', () => {
  const TOKEN = 'a-token-of-the-operator'
  const metrics = createApiMetrics()
  let world: ApiFixture
  beforeAll(async () => {
    world = await openApiFixture([metricsRoutes(metrics)], { TRILHO_METRICS_TOKEN: TOKEN })
  })
  afterAll(() => world?.close())

  const scrape = (headers: Record<string, string> = {}) => fetch(`${world.server.url}/metrics`, { headers })

  /** A connection whose circuit opened so long ago, and last let a probe through so long ago. */
  const opened = async (ago: string, row: ConnectionRow, probed: string | null = null) =>
    world.orm.em.fork().execute(
      `insert into circuit_breaker (connection_uuid, failures, opened_at, probed_at)
       values (?, '{}', now() - ?::interval, now() - ?::interval)`,
      [await world.insertConnection(await world.insertAccount(), row), ago, probed],
    )

  test('shows the counts of the database', async () => {
    await opened('0 seconds', {})
    const text = await (await scrape()).text()
    expect(text).toMatch(/^trilho_breakers_open\{provider="PROVIDER_A"\} 1$/m)
    expect(text).toMatch(/^trilho_ledger_drift_cents 0$/m)
    expect(text).toMatch(/^trilho_deliveries_pending 0$/m)
  })

  test('shows PostgreSQL’s used and maximum connections, and that it accepts writes', async () => {
    const text = await (await scrape()).text()
    const [, usedConnections] = /^trilho_database_connections (\d+)$/m.exec(text)!
    const [, most] = /^trilho_database_connections_max (\d+)$/m.exec(text)!
    expect(Number(usedConnections)).toBeGreaterThan(0)
    expect(Number(usedConnections)).toBeLessThan(Number(most))
    expect(text).toMatch(/^trilho_database_read_only 0$/m)
  })

  test('names the workers that reach no provider while another worker does', async () => {
    const em = world.orm.em.fork()
    const origins = ['https://provider.test']
    const shown = async () =>
      (await renderDatabaseMetrics(world.orm)).match(/^trilho_worker_without_providers\{.*$/gm) ?? []
    await recordProviderProbes(em, { worker: 'broken', origins, reached: [] })
    expect(await shown()).toEqual([])
    await recordProviderProbes(em, { worker: 'healthy', origins, reached: origins })
    expect(await shown()).toEqual(['trilho_worker_without_providers{worker="broken"} 1'])
    await recordProviderProbes(em, { worker: 'broken', origins, reached: origins })
    expect(await shown()).toEqual([])
    await recordProviderProbes(em, { worker: 'broken', origins, reached: [] })
    expect(await shown()).toEqual([])
    await em.execute(
      `update provider_reach set reached_at = now() - interval '31 seconds' where worker = 'broken'`,
    )
    expect(await shown()).toEqual(['trilho_worker_without_providers{worker="broken"} 1'])
  })

  test('shows that PostgreSQL is read-only', async () => {
    const role = `reader_${randomUUID().replaceAll('-', '')}`
    await world.orm.em.fork().execute(
      `create role ${role} login password 'a' in role pg_read_all_data;
       alter role ${role} set default_transaction_read_only = on`,
    )
    const url = Object.assign(new URL(world.config.databaseUrl), { username: role, password: 'a' })
    const orm = await openTestOrm({ databaseUrl: url.href })
    const text = await renderDatabaseMetrics(orm)
    expect(text).toMatch(/^trilho_database_read_only 1$/m)
    expect(text).toMatch(/^trilho_database_connections [1-9]/m) // Of every role, though this one sees no other's sessions.
    await orm.close()
  })

  test('shows how far its clock is ahead of PostgreSQL’s', async () => {
    const offset = async (shiftMs: number) => {
      const text = await renderDatabaseMetrics(world.orm, () => Date.now() + shiftMs)
      return Number(/^trilho_clock_offset_seconds (\S+)$/m.exec(text)![1])
    }
    const [none, ahead, behind] = [await offset(0), await offset(3_600_000), await offset(-120_000)]
    expect(Math.abs(none)).toBeLessThan(30)
    expect(Math.abs(ahead - 3_600)).toBeLessThan(30)
    expect(Math.abs(behind + 120)).toBeLessThan(30)
  })

  test('shows whether Temporal answers, and how full the disk of the attachments is', async () => {
    const folder = await createTemporaryFolder()
    const client = { options: { namespace: 'n' }, withDeadline: async () => {} } as unknown as Client
    const surroundings = async (connect: () => Promise<Client>, location: string) => {
      const apiMetrics = createApiMetrics()
      const storage = await openStorage({ ...world.config, storage: { kind: 'disk', folder: location } })
      const temporal = { ...world.dependencies.temporal, client: connect }
      const dependencies = { ...world.dependencies, temporal, storage }
      const app = createApp({ ...dependencies, routes: [metricsRoutes(apiMetrics)] })
      const server = await startServer(app, world.config)
      const text = await (await fetch(`${server.url}/metrics`)).text()
      await server.stop()
      return text
    }
    const there = await surroundings(async () => client, folder.path)
    const absent = await surroundings(world.dependencies.temporal.client, join(folder.path, 'not-there-yet'))
    await folder.remove()
    expect(there).toMatch(/^trilho_temporal_up\{process="api"\} 1$/m)
    const bytes = (name: string) => Number(new RegExp(`^${name}\\{.*\\} (\\S+)$`, 'm').exec(there)![1])
    expect(bytes('trilho_storage_free_bytes')).toBeGreaterThan(0)
    expect(bytes('trilho_storage_size_bytes')).toBeGreaterThan(bytes('trilho_storage_free_bytes'))
    expect(absent).toMatch(/^trilho_temporal_up\{process="api"\} 0$/m)
    expect(absent).not.toMatch(/^trilho_storage/m)
  })

  test('the circuit breaker of an unused provider is not shown as open', async () => {
    await opened('16 minutes', { provider: 'PROVIDER_B' })
    await opened('2 hours', { provider: 'PROVIDER_B' }, '16 minutes')
    await opened('0 seconds', { provider: 'PROVIDER_B', status: 'BLOCKED' })
    await opened('14 minutes', { provider: 'PROVIDER_C' })
    await opened('2 hours', { provider: 'PROVIDER_C' }, '14 minutes')
    const text = await (await scrape()).text()
    expect(text).toMatch(/^trilho_breakers_open\{provider="PROVIDER_C"\} 2$/m)
    expect(text).not.toMatch(/^trilho_breakers_open\{provider="PROVIDER_B"\}/m)
  })

  test('counts possibly sent money as unknown, and no PIX key', async () => {
    const connection = await world.insertConnection(await world.insertAccount(), { provider: 'PROVIDER_D' })
    for (const [operation, age] of [
      ['transfer', '2 minutes'],
      ['refund', '1 minute'],
      ['return', '3 minutes'],
      ['create_key', '1 hour'],
      ['delete_key', '1 hour'],
    ])
      await world.orm.em.fork().execute(
        `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position,
           state, unknown_since, created_at, updated_at)
         select gen_random_uuid(), ?, gen_random_uuid(), uuid, provider_account_uuid, 0, 'unknown',
           now() - ?::interval, now(), now() from connection where uuid = ?`,
        [operation, age, connection],
      )
    const text = await (await scrape()).text()
    expect(text).toMatch(/^trilho_unknown_outcomes\{provider="PROVIDER_D"\} 3$/m)
    const [, oldest] = /^trilho_unknown_oldest_seconds\{provider="PROVIDER_D"\} ([\d.]+)$/m.exec(text)!
    expect(Math.floor(Number(oldest) / 60)).toBe(3)
  })

  test('counts per provider the contradictions of a day', async () => {
    const connection = await world.insertConnection(await world.insertAccount(), { provider: 'PROVIDER_D' })
    for (const age of ['1 second', '23 hours', '25 hours', null])
      await world.orm.em.fork().execute(
        `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position,
           state, contradiction_code, contradiction_at, created_at, updated_at)
         select gen_random_uuid(), 'transfer', gen_random_uuid(), uuid, provider_account_uuid, 0, 'settled',
           case when ?::text is not null then 'refused' end, now() - ?::interval, now(), now()
         from connection where uuid = ?`,
        [age, age, connection],
      )
    const text = await (await scrape()).text()
    expect(text).toMatch(/^trilho_provider_contradictions\{provider="PROVIDER_D"\} 2$/m)
  })

  test('counts per provider the charges that expired one to eight days ago and are still pending', async () => {
    const connection = await world.insertConnection(await world.insertAccount(), { provider: 'PROVIDER_C' })
    for (const [state, age] of [
      ['pending', '23 hours'],
      ['pending', '25 hours'],
      ['pending', '7 days'],
      ['pending', '9 days'],
      ['expired', '25 hours'],
    ])
      await world.orm.em.fork().execute(
        `update charge set state = ?, txid = ?, payload = 'p', expires_at = now() - ?::interval
         where uuid = ?`,
        [state, randomUUID(), age, await world.insertCharge(connection)],
      )
    const gauges = (await (await scrape()).text()).match(/^trilho_charges_past_expiry\{.*$/gm)
    expect(gauges).toEqual(['trilho_charges_past_expiry{provider="PROVIDER_C"} 2'])
  })

  test('shows the age of the least recent comparisons of an active connection, or of its last change', async () => {
    const em = world.orm.em.fork()
    // Of the other tests; a change of a connection counts as now.
    await em.execute(`update connection set status = 'BLOCKED'`)
    const hours = async () =>
      Array.from(
        (await renderDatabaseMetrics(world.orm)).matchAll(
          /^trilho_reconciliation_age_seconds\{provider="PROVIDER_(\w)",part="(statement|balance)"\} (\S+)$/gm,
        ),
        ([, provider, part, seconds]) => `${provider} ${part} ${Math.floor(Number(seconds) / 3_600)}`,
      ).sort()
    const compared = async (
      row: ConnectionRow,
      changed: string,
      checked: string | null,
      balanceChecked = checked,
    ) => {
      const uuid = await world.insertConnection(await world.insertAccount(), row)
      await em.execute('update connection set updated_at = now() - ?::interval where uuid = ?', [
        changed,
        uuid,
      ])
      await em.execute(
        `update provider_account set compared_at = now() - ?::interval
         where uuid = (select provider_account_uuid from connection where uuid = ?)`,
        [checked, uuid],
      )
      if (balanceChecked !== null)
        await em.execute(
          `insert into balance_check (provider_account_uuid, provider_cents, ledger_cents, moving_cents, checked_at)
           select provider_account_uuid, 0, 0, 0, now() - ?::interval from connection where uuid = ?`,
          [balanceChecked, uuid],
        )
    }
    await compared({ status: 'BLOCKED' }, '10 days', '90 days')
    expect(await hours()).toEqual([])
    await compared({ provider: 'PROVIDER_A' }, '10 days', '30 minutes')
    expect(await hours()).toEqual(['A balance 0', 'A statement 0'])
    await compared({ provider: 'PROVIDER_A' }, '10 days', '270 minutes')
    // Never compared, and a change since the last comparison.
    await compared({ provider: 'PROVIDER_B' }, '5 hours 30 minutes', null)
    await compared({ provider: 'PROVIDER_C' }, '30 minutes', '90 days')
    expect(await hours()).toEqual([
      ...['A balance 4', 'A statement 4', 'B balance 5', 'B statement 5', 'C balance 0', 'C statement 0'],
    ])
    // The statement alone, and the balance alone.
    await compared({ provider: 'PROVIDER_C' }, '10 days', '390 minutes', '30 minutes')
    await compared({ provider: 'PROVIDER_A' }, '10 days', '30 minutes', '450 minutes')
    await compared({ provider: 'PROVIDER_B' }, '510 minutes', null, '30 minutes')
    expect(await hours()).toEqual([
      ...['A balance 7', 'A statement 4', 'B balance 5', 'B statement 8', 'C balance 0', 'C statement 6'],
    ])
  })

  test('counts per provider settlements within a day after a reported failure only', async () => {
    const connection = await world.insertConnection(await world.insertAccount(), { provider: 'PROVIDER_B' })
    // A movement of a failed refund exists long before its money moves after all.
    for (const [reason, age] of [
      ['duplicate_settlement', '23 hours'],
      ['late_settlement', '1 second'],
      ['late_settlement', '25 hours'],
      ['deposit', '1 second'],
      [null, '1 second'],
    ])
      await world.orm.em.fork().execute(
        `with made as (
           insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type,
             value_cents, status, reason, settled_at, created_at, updated_at)
           select gen_random_uuid(), account_uuid, provider_account_uuid, uuid, 'EXTERNAL_REFUND', 'OUT', 100, 'SETTLED',
             ?, now() - interval '3 days', now() - interval '3 days', now() - ?::interval
           from connection where uuid = ? returning *
         ) ${bookingSql()}`,
        [reason, age, connection],
      )
    const samples = (await (await scrape()).text()).match(/^trilho_unexpected_settlements\{.*$/gm)
    expect(samples).toEqual(['trilho_unexpected_settlements{provider="PROVIDER_B"} 2'])
  })

  test('a delivery attempt is late where its endpoint accepts attempts: a failing endpoint’s backlog is not counted', async () => {
    const sql = (query: string, values: unknown[]) => world.orm.em.fork().execute(query, values)
    const account = await world.insertAccount()
    const [event] = await sql(
      `insert into event (uuid, account_uuid, type, subject_uuid, sequence, body, owner_uuid, request_id, created_at)
       values (gen_random_uuid(), ?, 'PAYMENT', gen_random_uuid(), 1, ?, gen_random_uuid(), 'r', now()) returning uuid`,
      [account, ANY_EVENT_BODY],
    )
    for (const [status, failing, since, next] of [
      ['ACTIVE', null, '90 seconds', null],
      ['ACTIVE', null, '3 hours', '80 seconds'],
      ['ACTIVE', '2 hours', '1 hour', null],
      ['ACTIVE', '2 hours', '5 hours', '1 hour'],
      ['DISABLED', null, '1 hour', null],
    ])
      await sql(
        `with hook as (
           insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, fingerprint, created_at,
             status, disabled_reason, failing_since)
           values (gen_random_uuid(), ?, 'https://shop.test', '', '', '{PAYMENT}', '', now(),
             ?, ?, now() - ?::interval) returning uuid)
         insert into delivery (uuid, webhook_uuid, event_uuid, event_type, created_at, updated_at, next_attempt_at)
         select gen_random_uuid(), uuid, ?, 'PAYMENT', now() - ?::interval, now(), now() - ?::interval from hook`,
        [account, status, status === 'DISABLED' ? 'by you' : null, failing, event!.uuid, since, next],
      )
    const text = await (await scrape()).text()
    const [, seconds] = /^trilho_deliveries_overdue_seconds ([\d.]+)$/m.exec(text)!
    // Of the first one: the others would be an hour old, or younger than it.
    expect(Number(seconds)).toBeGreaterThanOrEqual(90)
    expect(Number(seconds)).toBeLessThan(3_600)
    expect(text).toMatch(/^trilho_deliveries_pending 5$/m)
  })

  test('shows its own figures, and that PostgreSQL does not answer', async () => {
    const orm = await openOrm({ databaseUrl: 'postgresql://trilho@127.0.0.1:1/nowhere' })
    const app = createApp({ ...world.dependencies, orm, routes: [metricsRoutes(metrics)] })
    const server = await startServer(app, world.config)
    const answer = await fetch(`${server.url}/metrics`)
    const text = await answer.text()
    await server.stop()
    await orm.close()
    expect(answer.status).toBe(200)
    expect(text).toMatch(/^trilho_database_up 0$/m)
    expect(text).toContain('trilho_http_request_seconds')
    expect(text).not.toMatch(/^trilho_(workers|ledger_drift_cents)/m)
  })

  test.each([
    ['this machine', {}, 200],
    ['elsewhere, through a proxy', { 'X-Forwarded-For': '203.0.113.7' }, 401],
    ['elsewhere, through a proxy that names the address otherwise', { 'X-Real-IP': '203.0.113.7' }, 401],
    ['elsewhere, through another that does', { 'CF-Connecting-IP': '203.0.113.7' }, 401],
    ['elsewhere, through a proxy that only names itself', { Via: '1.1 proxy' }, 401],
    [
      'elsewhere, with the token',
      { 'X-Forwarded-For': '203.0.113.7', Authorization: `Bearer ${TOKEN}` },
      200,
    ],
    ['a wrong token', { Authorization: 'Bearer a-token-of-the-operator?' }, 401],
  ])('read from %s', async (_, headers, status) => {
    expect((await scrape(headers)).status).toBe(status)
  })

  test('counts 5xx responses by code and cause, and no other refusal', async () => {
    const apiMetrics = createApiMetrics()
    const app = createApp({
      ...world.dependencies,
      routes: [sampleRoutes],
      requestMetrics: apiMetrics.measureRequest,
    })
    const server = await startServer(app, world.config)
    for (const path of ['/failing/bug', '/failing/temporal', '/failing/temporal', '/nowhere'])
      await fetch(server.url + path)
    await server.stop()
    expect((await apiMetrics.registry.metrics()).match(/^trilho_http_failures_total.*$/gm)).toEqual([
      'trilho_http_failures_total{code="internal_error",cause="bug: Error",process="api"} 1',
      'trilho_http_failures_total{code="unavailable",cause="temporal: connection failed",process="api"} 2',
    ])
  })

  test('counts requests by route and status, not by path', async () => {
    const app = new Koa()
    app.use(metrics.measureRequest)
    app.use(ctx => {
      ctx.status = 404
    })
    const server = await startServer(app, { host: '127.0.0.1', port: 0 })
    await fetch(`${server.url}/api/v1/pix-keys/somebody@example.com`)
    await server.stop()
    const text = await metrics.registry.metrics()
    expect(text).toMatch(
      /trilho_http_request_seconds_count\{process="api",route="none",method="GET",status="404"\} 1/,
    )
    expect(text).not.toContain('somebody')
  })
})

describe('GET /metrics of a worker', () => {
  let world: ApiFixture
  let sdk: RunningServer
  beforeAll(async () => {
    world = await openApiFixture([])
    const app = new Koa()
    app.use(ctx => {
      ctx.body = '# TYPE temporal_polls counter\ntemporal_polls 7\n'
    })
    sdk = await startServer(app, { host: '127.0.0.1', port: 0 })
  })
  afterAll(() => Promise.all([world?.close(), sdk?.stop()]))

  type WorkerState = Pick<AppOptions, 'findUnreadiness'> & Partial<Pick<AppOptions, 'orm'>>

  /** What a worker in a state answers at `/metrics`, and its status at `/readyz` and `/healthz`. */
  async function askWorker(state: WorkerState, headers: Record<string, string> = {}) {
    const routes = [healthRoutes, workerMetricsRoutes(createWorkerMetrics('w'), `127.0.0.1:${sdk.port}`)]
    const client = { options: { namespace: 'n' }, withDeadline: async () => {} } as unknown as Client
    const temporal = { ...world.dependencies.temporal, client: async () => client }
    const app = createApp({ ...world.dependencies, temporal, ...state, routes })
    const server = await startServer(app, world.config)
    const ask = (path: string) => fetch(server.url + path, { headers })
    const [scraped, ready, health] = [await ask('/metrics'), await ask('/readyz'), await ask('/healthz')]
    const [text, readiness] = [await scraped.text(), await ready.json()]
    await server.stop()
    return { text, readiness, statuses: [scraped.status, ready.status, health.status] }
  }

  test('shows its own figures and those of Temporal’s SDK, that it is ready, and how far its clock is ahead', async () => {
    const { text, readiness, statuses } = await askWorker({ findUnreadiness: () => undefined })
    expect([readiness, statuses]).toEqual([{ status: 'ok' }, [200, 200, 200]])
    expect(text).toMatch(/^trilho_worker_ready\{worker="w"\} 1$/m)
    expect(text).toMatch(/^temporal_polls 7$/m)
    const [, offset] = /^trilho_clock_offset_seconds\{worker="w"\} (\S+)$/m.exec(text)!
    expect(Math.abs(Number(offset))).toBeLessThan(30)
    expect(text).not.toMatch(/^trilho_(ledger|database)/m)
  })

  test.each(['starting', 'stopping'] as const)('a %s worker is not ready, and is healthy', async state => {
    const { text, readiness, statuses } = await askWorker({ findUnreadiness: () => state })
    expect(statuses).toEqual([200, 503, 200])
    expect(readiness).toMatchObject({ data: { [state]: true } })
    expect(text).toMatch(/^trilho_worker_ready\{worker="w"\} 0$/m)
  })

  test('a worker without PostgreSQL is not ready, and has no clock to compare', async () => {
    const orm = await openOrm({ databaseUrl: 'postgresql://trilho@127.0.0.1:1/nowhere' })
    const { text, statuses } = await askWorker({ orm, findUnreadiness: () => undefined })
    await orm.close()
    expect(statuses).toEqual([200, 503, 200])
    expect(text).toMatch(/^trilho_worker_ready\{worker="w"\} 0$/m)
    expect(text).not.toMatch(/^trilho_clock_offset_seconds/m)
  })

  test('is closed to other machines', async () => {
    const { statuses } = await askWorker({ findUnreadiness: () => undefined }, { Via: '1.1 proxy' })
    expect(statuses).toEqual([401, 200, 200])
  })
})
