import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DriverException } from '@mikro-orm/core'
import Koa from 'koa'
import { queryAcceptanceDeadline } from '../../../src/api/operations/create-operation.ts'
import { writeDirectly } from '../../../src/api/operations/user-acts.ts'
import { runQuery } from '../../../src/db/pipeline/query.ts'
import { MIN_TO_START_MS, READ_BACK_RESERVE_MS, REQUEST_DEADLINE_MS } from '../../../src/http/limits.ts'
import { ResponseTimeoutError, TemporalConnectionError } from '../../../src/http/outage.ts'
import { enforceDeadline, getRequestDeadline, RequestDeadline } from '../../../src/http/request-deadline.ts'
import { startServer } from '../../../src/http/server.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** One request, one deadline: each step gets the time that the steps before it have left. */

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([])
})
afterAll(() => fixture?.close())

const never = () => new Promise<never>(() => {})
const UUID = '3e2f0f1c-7f61-4a57-9c9b-6f0a8a3f8a11'
/** Its insert loses the connection at the commit. */
const LOST_UUID = 'b1a3a3a5-3d0e-4b60-8a3b-0c1f6a5f7f02'

test('every step shares the request’s deadline', async () => {
  const deadline = new RequestDeadline(10_000)
  const before = deadline.remainingMs
  await sleep(30)
  expect(deadline.remainingMs).toBeLessThan(before)
  expect(deadline.stepTimeoutMs()).toBeLessThanOrEqual(deadline.remainingMs + 50 - READ_BACK_RESERVE_MS)
  expect(deadline.stepTimeoutMs(100)).toBe(100)
  expect(new RequestDeadline(0).stepTimeoutMs()).toBe(0)
})

test('a step that does not end is given up, and named as the cause', async () => {
  const deadline = new RequestDeadline(20)
  deadline.awaitedPart = 'storage'
  await expect(deadline.awaitStep(never())).rejects.toMatchObject({
    name: 'ResponseTimeoutError',
    part: 'storage',
  })
  expect(await new RequestDeadline(60_000).awaitStep(Promise.resolve('in time'))).toBe('in time')
})

test('the time in which the client sends its body is not counted', async () => {
  const deadline = new RequestDeadline(40)
  const answering = deadline.awaitStep(deadline.pauseWhile(sleep(200, 'sent')))
  expect(await answering).toBe('sent')
  expect(deadline.remainingMs).toBeGreaterThan(0)
})

test('an operation that may have started is not confirmed, and none is started late', async () => {
  const requestDeadline = new RequestDeadline(MIN_TO_START_MS + 200)
  requestDeadline.markStarted({ uuid: UUID })
  await expect(requestDeadline.awaitResponse(never())).rejects.toMatchObject({
    code: 'not_confirmed',
    details: { data: { uuid: UUID } },
  })
  const late = new RequestDeadline(MIN_TO_START_MS)
  expect(() => late.markStarted({ uuid: UUID })).toThrow(ResponseTimeoutError)
  await expect(late.awaitResponse(Promise.reject(new ResponseTimeoutError('late')))).rejects.toThrow(
    ResponseTimeoutError,
  )
})

test('a handler that goes on after the deadline is not confirmed; one that fails before has written nothing', async () => {
  const passedDeadline = new RequestDeadline(MIN_TO_START_MS + 200)
  passedDeadline.markHandled()
  await expect(passedDeadline.awaitResponse(never())).rejects.toMatchObject({ code: 'not_confirmed' })
  const failed = new RequestDeadline(60_000)
  failed.markHandled()
  await expect(failed.awaitResponse(Promise.reject(new ResponseTimeoutError('no answer')))).rejects.toThrow(
    ResponseTimeoutError,
  )
  expect(() => new RequestDeadline(MIN_TO_START_MS).markHandled()).toThrow(ResponseTimeoutError)
})

const connectionLost = () =>
  new DriverException(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))

test('an outage after something may have started is not confirmed; any other failure stays', async () => {
  const started = new RequestDeadline(60_000)
  started.markStarted({ uuid: UUID })
  await expect(started.awaitResponse(Promise.reject(connectionLost()))).rejects.toMatchObject({
    code: 'not_confirmed',
    details: { data: { uuid: UUID } },
  })
  await expect(started.awaitResponse(Promise.reject(new TypeError('a bug')))).rejects.toThrow(TypeError)
  const unstarted = new RequestDeadline(60_000)
  await expect(unstarted.awaitResponse(Promise.reject(connectionLost()))).rejects.toThrow(DriverException)
})

test('a handler that may write is not confirmed where PostgreSQL fails it, and has started nothing without Temporal', async () => {
  const handled = new RequestDeadline(60_000)
  handled.markHandled()
  await expect(handled.awaitResponse(Promise.reject(connectionLost()))).rejects.toMatchObject({
    code: 'not_confirmed',
  })
  const refusal = new TemporalConnectionError('no connection')
  await expect(handled.awaitResponse(Promise.reject(refusal))).rejects.toThrow(TemporalConnectionError)
})

describe('a write without a workflow', () => {
  beforeAll(async () => {
    await fixture.orm.em.execute(`create table written (uuid uuid primary key);
      create function commit_slowly() returns trigger language plpgsql as $$
      begin
        perform pg_sleep(case when new.uuid = '${UUID}' then 20 else 0 end);
        perform pg_terminate_backend(pg_backend_pid()) where new.uuid = '${LOST_UUID}';
        return null;
      end $$;
      create constraint trigger slow after insert on written deferrable initially deferred
        for each row execute function commit_slowly()`)
  })
  /** Answers of a request whose write takes until so many milliseconds before its deadline, and what it does then. */
  async function insertWithin(uuid: string, leftMs: number, finish = async () => {}) {
    const app = new Koa()
    const answers: unknown[] = []
    app.use(async (_, next) => void (await next().catch(error => answers.push(error.code ?? error.name))))
    app.use(enforceDeadline)
    app.use(async ctx => {
      // Of an API token: no user acts.
      const act = { token: { accountUuid: uuid }, action: 'webhook_create', subject: 'endpoint' } as const
      await writeDirectly(fixture.orm.em.fork(), { ids: { uuid }, act }, async tx => {
        await tx.execute('insert into written values (?)', [uuid])
        await sleep(getRequestDeadline().remainingMs - leftMs)
      })
      await finish()
      ctx.body = answers.push('written')
    })
    const server = await startServer(app, { host: '127.0.0.1', port: 0 })
    await (await fetch(server.url)).text()
    await server.stop()
    const readWritten = () => fixture.orm.em.fork().execute('select from written where uuid = ?', [uuid])
    return { answers, isWritten: async () => (await readWritten()).length === 1 }
  }

  test('is committed while its request has time left', async () => {
    const { answers, isWritten } = await insertWithin(randomUUID(), 4_000)
    expect([answers, await isWritten()]).toEqual([['written'], true])
  })

  test('is rolled back in the last second of its request', async () => {
    const { answers, isWritten } = await insertWithin(randomUUID(), MIN_TO_START_MS - 100)
    expect([answers, await isWritten()]).toEqual([['ResponseTimeoutError'], false])
  })

  test('is not confirmed where its commit lasts until the deadline', async () => {
    expect((await insertWithin(UUID, MIN_TO_START_MS + 2_500)).answers).toEqual(['not_confirmed'])
    await fixture.orm.em.execute(
      `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
    )
  })

  test('is not confirmed where the connection is lost during its commit', async () => {
    expect((await insertWithin(LOST_UUID, 4_000)).answers).toEqual(['not_confirmed'])
  })

  test('is not confirmed where a read after its commit fails', async () => {
    const failRead = () => Promise.reject(connectionLost())
    const { answers, isWritten } = await insertWithin(randomUUID(), 4_000, failRead)
    expect([answers, await isWritten()]).toEqual([['not_confirmed'], true])
  })
})

test('a payout without a key is not accepted after its request can start nothing any more, on a slow query too', async () => {
  const app = new Koa()
  let measured: { acceptBefore: number; begunBy: number } | undefined
  let arrivedAt = 0
  app.use((_, next) => {
    arrivedAt = Date.now()
    return next()
  })
  app.use(enforceDeadline)
  app.use(async ctx => {
    await sleep(300)
    const [at] = await Promise.all([runQuery(fixture.orm.em.fork(), queryAcceptanceDeadline())])
    const begunBy = Date.now() + getRequestDeadline().remainingMs - MIN_TO_START_MS
    measured = { acceptBefore: Date.parse(at), begunBy }
    ctx.body = 'heard'
  })
  const server = await startServer(app, { host: '127.0.0.1', port: 0 })
  await (await fetch(server.url)).text()
  await server.stop()
  expect(measured!.acceptBefore).toBeLessThanOrEqual(measured!.begunBy + 2) // Two clocks of one machine, in milliseconds.
  expect(measured!.acceptBefore).toBeGreaterThan(arrivedAt)
  expect(measured!.begunBy).toBeLessThan(arrivedAt + REQUEST_DEADLINE_MS)
})
