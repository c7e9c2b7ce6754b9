import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DriverException } from '@mikro-orm/core'
import Koa from 'koa'
import { endPause, startPause } from '../../../src/admin/pauses.ts'
import { createApp, type RouteRegistrar } from '../../../src/api/app.ts'
import { chargeRoutes } from '../../../src/api/charges/routes.ts'
import { queryAcceptanceDeadline } from '../../../src/api/operations/create-operation.ts'
import { deriveOperationUuid, fingerprintRequest } from '../../../src/api/operations/idempotency.ts'
import { writeDirectly } from '../../../src/api/operations/user-acts.ts'
import { refundRoutes } from '../../../src/api/refunds/routes.ts'
import { transferRoutes } from '../../../src/api/transfers/routes.ts'
import { createChargeBody } from '../../../src/contract/charges/charge.ts'
import { createTransferBody } from '../../../src/contract/transfers/transfer.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { runQuery } from '../../../src/db/pipeline/query.ts'
import { MIN_TO_START_MS, READ_BACK_RESERVE_MS, REQUEST_DEADLINE_MS } from '../../../src/http/limits.ts'
import { ResponseTimeoutError, TemporalConnectionError } from '../../../src/http/outage.ts'
import { enforceDeadline, getRequestDeadline, RequestDeadline } from '../../../src/http/request-deadline.ts'
import { startServer } from '../../../src/http/server.ts'
import { type ApiFixture, createCaller, openApiFixture } from '../support/api-fixture.ts'
import { bookingSql } from '../support/row-inserters.ts'

describe('concurrent requests', () => {
  /** Overlapping requests: with one key they are one operation, without one none may be executed after its caller gave up. */

  let fixture: ApiFixture
  let accountUuid: string
  let connection: string
  let token: string
  beforeAll(async () => {
    fixture = await openApiFixture([chargeRoutes, transferRoutes])
    accountUuid = await fixture.insertAccount()
    connection = await fixture.insertConnection(accountUuid)
    await fixture.replaceDefaultProviders(accountUuid, [connection])
    token = await fixture.insertToken({ accountUuid })
  })
  afterAll(() => fixture?.close())

  const sql = (statement: string, values: unknown[]) => fixture.orm.em.fork().execute(statement, values)

  test('the second of two transfers with one key and one unique reference gets the first one’s response', async () => {
    await sql('update account set unique_external_ref = true where uuid = ?', [accountUuid])
    const [path, key, by] = ['/api/v1/transfers', randomUUID(), { accountUuid, mode: 'test' }] as const
    const body = { value: 10, pix_key: 'maria@example.com', external_ref: 'pedido-1' }
    const uuid = deriveOperationUuid({ owner: by, method: 'POST', path, key })
    const fingerprint = fingerprintRequest({ body: createTransferBody.parse(body), connectionUuid: null })
    let second: ReturnType<ApiFixture['call']> | undefined
    await runInTransaction(fixture.orm, async em => {
      // The second has looked for its row, and reads the candidates when the first one's row is written.
      await em.execute('lock table default_provider in access exclusive mode')
      second = fixture.call('POST', path, { token, body, headers: { 'idempotency-key': key } })
      await waitForLockWaiter()
      await sql(
        `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, external_ref,
         pix_key, request_id, fingerprint, history, created_at, updated_at)
       select ?, account_uuid, uuid, provider_account_uuid, 'settling', 1000, 'pedido-1', 'maria@example.com', 'the first', ?, '[]',
         now(), now() from connection where uuid = ?`,
        [uuid, fingerprint, connection],
      )
    })
    const { status, headers, body: answer } = (await second)!
    expect([status, headers.get('idempotent-replayed'), answer.data.uuid]).toEqual([201, 'true', uuid])
  })

  test('of two charges with one key, the second is the first, even where a pause began between the two', async () => {
    const [path, key, by] = ['/api/v1/payments', randomUUID(), { accountUuid, mode: 'test' }] as const
    const body = { value: 10, type: 'PIX' }
    const uuid = deriveOperationUuid({ owner: by, method: 'POST', path, key })
    const fingerprint = fingerprintRequest({
      body: { ...createChargeBody.parse(body), expires_in: 86_400 },
      connectionUuid: null,
    })
    const paused = {
      target: { connectionUuid: connection },
      reach: 'everything',
      actor: 'ana',
      reason: 'a drill',
    } as const
    let second: ReturnType<ApiFixture['call']> | undefined
    await runInTransaction(fixture.orm, async em => {
      await em.execute('lock table default_provider in access exclusive mode')
      second = fixture.call('POST', path, { token, body, headers: { 'idempotency-key': key } })
      await waitForLockWaiter()
      const charge = await fixture.insertCharge(connection, fixture.orm.em.fork())
      await sql(
        `update charge set uuid = ?, fingerprint = ?, state = 'pending', payload = 'p', history = '[]' where uuid = ?`,
        [uuid, fingerprint, charge],
      )
      await startPause(fixture.orm.em.fork(), paused)
    })
    const { status, headers, body: answer } = (await second)!
    await endPause(fixture.orm.em.fork(), paused)
    expect([status, headers.get('idempotent-replayed'), answer.data?.uuid]).toEqual([201, 'true', uuid])
  })

  async function waitForLockWaiter(): Promise<void> {
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    const aside = fixture.orm.em.fork({ disableContextResolution: true })
    while ((await aside.execute(waiting)).length === 0) await sleep(20)
  }

  test.each([
    ['without a key is accepted before its caller’s deadline, or never', {}, 4_000],
    ['with a key may be accepted later: its repeat finds it', { 'idempotency-key': randomUUID() }, null],
  ])('a refund %s', async (_, headers, withinMs) => {
    const charge = await paidCharge()
    let order: { uuid: string; acceptBefore?: string } | undefined
    let startedAt = 0
    const server = await startApp([refundRoutes], started => {
      order = started as typeof order
      startedAt = Date.now()
    })
    const began = Date.now()
    const path = `/api/v1/payments/${charge}/refund`
    const { status, body } = await createCaller(server)('POST', path, {
      token,
      body: { value: 0.4 },
      headers,
    })
    const answeredAt = Date.now()
    await server.stop()
    expect([status, body.code]).toEqual([503, 'not_confirmed'])
    // As in the response of a success: the charge, and its refund.
    expect(body.data).toEqual({ uuid: charge, refund: { uuid: order!.uuid } })
    const until = order!.acceptBefore && Date.parse(order!.acceptBefore)
    if (withinMs === null) expect(until).toBeUndefined()
    else {
      expect(until).toBeGreaterThanOrEqual(began)
      expect(until).toBeLessThanOrEqual(startedAt + withinMs + 500) // The request arrived before.
      expect(answeredAt).toBeGreaterThan(until as number)
    }
  })

  test('a payout that is found after its caller was answered is not stored as accepted', async () => {
    const ordered = Promise.withResolvers<{ uuid: string; acceptBefore: string }>()
    const server = await startApp([transferRoutes], order => ordered.resolve(order as never))
    const body = { value: 0.4, pix_key: 'maria@example.com' }
    const fingerprint = fingerprintRequest({ body: createTransferBody.parse(body), connectionUuid: null })
    const answer = createCaller(server)('POST', '/api/v1/transfers', { token, body })
    const { uuid, acceptBefore } = await ordered.promise
    const isDeadlineStored = async () => {
      const [row] = await sql('select accept_before is not null as stored from transfer where uuid = ?', [
        uuid,
      ])
      return row?.stored
    }
    await runInTransaction(fixture.orm, async em => {
      await em.execute('lock table transfer in access exclusive mode')
      await waitForLockWaiter()
      expect((await answer).body.code).toBe('not_confirmed')
      await em.execute(
        `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, pix_key,
           accept_before, request_id, fingerprint, history, created_at, updated_at)
         select ?, account_uuid, uuid, provider_account_uuid, 'sending', 40, 'maria@example.com', ?, 'late', ?, '[]', now(), now()
         from connection where uuid = ?`,
        [uuid, acceptBefore, fingerprint, connection],
      )
    })
    await server.stop() // Ends once its handlers have.
    await sleep(500)
    expect(await isDeadlineStored()).toBe(true)
  })

  /** Starts an API whose workflows are heard of no more once they are started; `onStart` gets the order of each. */
  function startApp(routes: RouteRegistrar[], onStart: (order: object) => void) {
    const client = {
      withDeadline: (_: number, work: () => Promise<unknown>) => work(),
      workflow: {
        executeUpdateWithStart: async (
          _: unknown,
          { startWorkflowOperation }: { startWorkflowOperation: { options: { args: [object] } } },
        ) => {
          onStart(startWorkflowOperation.options.args[0])
          throw new Error('nothing more was heard of it')
        },
      },
    }
    const temporal = { ...fixture.dependencies.temporal, client: async () => client as never }
    return startServer(createApp({ ...fixture.dependencies, temporal, routes }), fixture.config)
  }

  async function paidCharge(): Promise<string> {
    const [charge, payment] = [await fixture.insertCharge(connection), randomUUID()]
    await sql(
      `with made as (
       insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, settled_at, created_at, updated_at)
       select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_TRANSFER', 'IN', 100, 'SETTLED', now(), now(), now()
       from connection where uuid = ? returning *
     ) ${bookingSql()}`,
      [payment, connection],
    )
    await sql(
      `update charge set state = 'paid', payload = 'p', received_cents = 100, paid_at = now(), movement_uuid = ?
     where uuid = ?`,
      [payment, charge],
    )
    return charge
  }
})

describe('deadlines', () => {
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
})
