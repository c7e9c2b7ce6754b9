import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import Koa from 'koa'
import { queryAcceptanceDeadline } from '../../../src/api/operations/acceptance-deadline.ts'
import { writeDirectly } from '../../../src/api/operations/direct-write.ts'
import { runQuery } from '../../../src/db/pipeline/query.ts'
import { MIN_TO_START_MS, READ_BACK_RESERVE_MS, REQUEST_DEADLINE_MS } from '../../../src/http/limits.ts'
import { ResponseTimeoutError } from '../../../src/http/outage.ts'
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
  const passed = new RequestDeadline(MIN_TO_START_MS + 200)
  passed.markHandled()
  await expect(passed.awaitResponse(never())).rejects.toMatchObject({ code: 'not_confirmed' })
  const failed = new RequestDeadline(60_000)
  failed.markHandled()
  await expect(failed.awaitResponse(Promise.reject(new ResponseTimeoutError('no answer')))).rejects.toThrow(
    ResponseTimeoutError,
  )
  expect(() => new RequestDeadline(MIN_TO_START_MS).markHandled()).toThrow(ResponseTimeoutError)
})

describe('a write without a workflow', () => {
  beforeAll(async () => {
    await fixture.orm.em.execute(`create table written (uuid uuid primary key);
      create function commit_slowly() returns trigger language plpgsql as $$
      begin perform pg_sleep(case when new.uuid = '${UUID}' then 20 else 0 end); return null; end $$;
      create constraint trigger slow after insert on written deferrable initially deferred
        for each row execute function commit_slowly()`)
  })
  /** Answers of a request whose write takes until so many milliseconds before its deadline. */
  async function insertWithin(uuid: string, leftMs: number) {
    const app = new Koa()
    const answers: unknown[] = []
    app.use(async (_, next) => void (await next().catch(error => answers.push(error.code ?? error.name))))
    app.use(enforceDeadline)
    app.use(async ctx => {
      await writeDirectly(fixture.orm.em.fork(), { uuid }, async tx => {
        await tx.execute('insert into written values (?)', [uuid])
        await sleep(getRequestDeadline().remainingMs - leftMs)
      })
      ctx.body = answers.push('written')
    })
    const server = await startServer(app, { host: '127.0.0.1', port: 0 })
    await (await fetch(server.url)).text()
    await server.stop()
    const rows = await fixture.orm.em.fork().execute('select from written where uuid = ?', [uuid])
    return { answers, isWritten: rows.length === 1 }
  }

  test('is committed while its request has time left', async () => {
    expect(await insertWithin(randomUUID(), 4_000)).toEqual({ answers: ['written'], isWritten: true })
  })

  test('is rolled back in the last second of its request', async () => {
    const late = await insertWithin(randomUUID(), MIN_TO_START_MS - 100)
    expect(late).toEqual({ answers: ['ResponseTimeoutError'], isWritten: false })
  })

  test('is not confirmed where its commit lasts until the deadline', async () => {
    expect((await insertWithin(UUID, MIN_TO_START_MS + 2_500)).answers).toEqual(['not_confirmed'])
    await fixture.orm.em.execute(
      `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
    )
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
