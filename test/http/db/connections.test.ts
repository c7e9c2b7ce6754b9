import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Context } from '@temporalio/activity'
import { sweepProviderNotifications } from '../../../src/activities/provider-notifications/sweep.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import {
  activityInterceptorPlugin,
  redactionInterceptor,
} from '../../../src/activities/runtime/interceptors.ts'
import { openOrm } from '../../../src/db/client/orm.ts'
import { parseTlsOptions } from '../../../src/db/client/tls.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { sendStatement } from '../../../src/db/pipeline/query.ts'
import { redactError } from '../../../src/db/redact-error.ts'
import type { TemporalContext } from '../../../src/temporal/workflow-options.ts'
import { createSelfSignedCertificate } from '../../providers/support/certificate.ts'
import { openTestOrm } from '../../support/orm.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

describe('redacted errors', () => {
  /** An activity's error message stays in a history for good. */

  let fixture: ApiFixture
  beforeAll(async () => {
    fixture = await openApiFixture([])
  })
  afterAll(() => fixture?.close())

  const failureOf = (work: Promise<unknown>): Promise<Error> =>
    work.then(
      () => new Error('none'),
      error => error,
    )

  /** An activity, as a worker with the interceptor executes it. */
  const redacted = (activity: () => Promise<unknown>) =>
    redactionInterceptor.execute({ args: [], headers: {} }, activity)

  const insert = (document: string) =>
    fixture.orm.em
      .fork()
      .execute(`insert into account (uuid, name, document, status) values (?, 'n', ?, 'NEW')`, [
        randomUUID(),
        document,
      ])

  test('an error of a refused row names the constraint and quotes no value', async () => {
    await expect(insert('52998224725')).rejects.toThrow(/52998224725/)
    const failure = await failureOf(redacted(() => insert('52998224725')))
    expect(failure.message).toBe(
      'The database rejected the statement or is unavailable: 23514 account_status_check of account',
    )
    expect(`${failure.stack}${JSON.stringify(failure)}${failure.cause}`).not.toContain('52998224725')
  })

  test('an error at the commit quotes no value, neither in its message nor in the log', async () => {
    const written = (document: string) =>
      runInTransaction(fixture.orm, em =>
        sendStatement(em, `insert into account (uuid, name, document, status) values (?, 'n', ?, 'NEW')`, [
          randomUUID(),
          document,
        ]),
      )
    const failure = await failureOf(redacted(() => written('52998224725')))
    expect(failure.message).toBe(
      'The database rejected the statement or is unavailable: 23514 account_status_check of account',
    )
    expect(inspect(failure, { showHidden: true, depth: 5 })).not.toContain('52998224725')
    const bare = await written('52998224725').catch(error => error)
    expect(redactError(bare)).toMatchObject({ code: '23514', constraint: 'account_status_check' })
    expect(JSON.stringify(redactError(bare))).not.toContain('52998224725')
  })

  test('a log line of a notification that is not routed names the constraint and quotes no value', async () => {
    const connection = await fixture.insertConnection(await fixture.insertAccount())
    await fixture.orm.em.fork().execute(
      `insert into provider_notification (uuid, connection_uuid, kind, end_to_end, body, request_id, received_at)
     values (gen_random_uuid(), ?, 'payment', 'E1', ?, 'r', now() - interval '1 minute')`,
      [connection, '{}'],
    )
    const temporal = {
      client: () => insert('52998224725'),
      taskQueue: 'q',
      timeScale: 1,
    } as unknown as TemporalContext
    const { log } = fixture.dependencies
    await sweepProviderNotifications({ orm: fixture.orm, log, temporal } as ActivityDependencies)()
    const [line] = fixture.lines.filter(one =>
      one.includes('provider notification not routed; the next sweep routes it'),
    )
    expect(JSON.parse(line!).error).toMatchObject({ code: '23514', constraint: 'account_status_check' })
    expect(line).not.toContain('52998224725')
  })

  test('every other error and every result is unchanged', async () => {
    const bug = new RangeError('a bug')
    await expect(redacted(() => Promise.reject(bug))).rejects.toBe(bug)
    const input = { args: [1, 'two'], headers: {} }
    expect(await redactionInterceptor.execute(input, async ({ args }) => args)).toEqual([1, 'two'])
  })

  test('the interceptors of a worker are inside those of its other plugins, so that no trace has an error unredacted', () => {
    const tracing = () => ({})
    const options = { taskQueue: 'q', interceptors: { activity: [tracing] } }
    const [outermost, ...inner] = activityInterceptorPlugin.configureWorker(options).interceptors.activity
    expect(outermost).toBe(tracing)
    expect(inner.map(factory => factory({} as Context))).toContainEqual({ inbound: redactionInterceptor })
  })
})

describe('tls', () => {
  /** The TLS parameters of DATABASE_URL are applied, and none is ignored. */

  const SSL_REQUEST = 80_877_103
  const SECRET = 'secret-word'

  let folder: string
  let ca: string
  let own: Awaited<ReturnType<typeof createSelfSignedCertificate>>
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trilho-tls-'))
    ca = join(folder, 'ca.pem')
    own = await createSelfSignedCertificate()
    await writeFile(ca, own.certificate)
  })
  afterAll(() => rm(folder, { recursive: true }))

  const urlWith = (query: string) =>
    `postgres://trilho:${SECRET}@db.example:5432/trilho${query.replace('CA', ca)}`
  const checked = { rejectUnauthorized: true, host: 'db.example' }
  const nameless = { checkServerIdentity: expect.any(Function) }

  test.each([
    ['', () => undefined],
    ['?schema=public', () => undefined],
    ['?sslmode=disable', () => false],
    ['?sslmode=require', () => ({ rejectUnauthorized: false })],
    ['?sslmode=require&sslrootcert=CA', () => ({ ...checked, ca: own.certificate, ...nameless })],
    ['?sslmode=verify-ca', () => checked],
    ['?sslmode=verify-ca&sslrootcert=CA', () => ({ ...checked, ca: own.certificate, ...nameless })],
    ['?sslmode=verify-full', () => checked],
    ['?sslmode=verify-full&sslrootcert=CA', () => ({ ...checked, ca: own.certificate })],
  ])('a URL with "%s"', (query, expected) => {
    expect(parseTlsOptions(urlWith(query))).toEqual(expected())
  })

  test.each([
    ['?sslmode=prefer', 'sslmode=prefer'],
    ['?sslmode=', 'sslmode='],
    ['?sslmode=require&sslcert=x.pem', 'sslcert'],
    ['?ssl=true', 'ssl'],
    ['?sslrootcert=CA', 'sslrootcert without an sslmode'],
    ['?sslmode=disable&sslrootcert=CA', 'sslrootcert without an sslmode'],
    ['?sslmode=verify-full&sslrootcert=/none.pem', '/none.pem'],
  ])('a URL with "%s" is refused by name', async (query, name) => {
    const error = await openOrm({ databaseUrl: urlWith(query) }).then(
      orm => orm.close(),
      (refusal: Error) => refusal,
    )
    expect(error).toMatchObject({ message: expect.stringContaining(name) })
    expect(String(error)).toContain('DATABASE_URL')
    expect(String(error)).not.toContain(SECRET)
  })

  test.each([
    { host: '127.0.0.1', query: '', asksFirst: false, isTaken: false },
    { host: '127.0.0.1', query: '?sslmode=disable', asksFirst: false, isTaken: false },
    { host: '127.0.0.1', query: '?sslmode=require', asksFirst: true, isTaken: true },
    { host: '127.0.0.1', query: '?sslmode=verify-ca&sslrootcert=CA', asksFirst: true, isTaken: true },
    { host: 'localhost', query: '?sslmode=verify-full&sslrootcert=CA', asksFirst: true, isTaken: true },
    // The certificate does not match the address, and its authority is not a public one.
    { host: '127.0.0.1', query: '?sslmode=verify-full&sslrootcert=CA', asksFirst: true, isTaken: false },
    { host: 'localhost', query: '?sslmode=verify-full', asksFirst: true, isTaken: false },
  ])('over the network to $host with "$query"', async ({ host, query, asksFirst, isTaken }) => {
    const server = await encrypting()
    const url = `postgres://trilho:${SECRET}@${host}:${server.port}/trilho${query.replace('CA', ca)}`
    const orm = await openTestOrm({ databaseUrl: url })
    await expect(orm.em.fork().execute('select 1')).rejects.toThrow()
    await orm.close()
    await server.close()
    expect(server.heard.map(first => first.readInt32BE(4) === SSL_REQUEST)).toEqual([asksFirst])
    expect(server.encrypted.length > 0).toBe(isTaken)
  })

  /** It accepts TLS, and disconnects after the first message. */
  async function encrypting() {
    const received: Buffer[] = []
    const encrypted: Buffer[] = []
    const server = createServer(async (socket: Socket) => {
      socket.on('error', () => {})
      const [first] = (await once(socket, 'data')) as [Buffer]
      received.push(first)
      if (first.readInt32BE(4) !== SSL_REQUEST) return socket.destroy()
      socket.write('S')
      const inside = new TLSSocket(socket, { isServer: true, key: own.key, cert: own.certificate })
      inside.on('error', () => {})
      inside.once('data', word => {
        encrypted.push(word)
        socket.destroy()
      })
    })
    server.listen(0)
    await once(server, 'listening')
    return {
      heard: received,
      encrypted,
      port: (server.address() as AddressInfo).port,
      close: () => new Promise(done => server.close(done)),
    }
  }
})
