import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { startPause } from '../../../src/admin/pauses.ts'
import { chargeRoutes } from '../../../src/api/charges/routes.ts'
import {
  deriveOperationUuid,
  fingerprintRequest,
  IDEMPOTENCY_KEY_PATTERN,
  requireSameRequest,
} from '../../../src/api/operations/idempotency.ts'
import { refundRoutes } from '../../../src/api/refunds/routes.ts'
import { transferRoutes } from '../../../src/api/transfers/routes.ts'
import { createChargeBody } from '../../../src/contract/charges/charge.ts'
import { createRefundBody } from '../../../src/contract/refunds/refund.ts'
import { createTransferBody } from '../../../src/contract/transfers/transfer.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { STATEMENT_TIMEOUT_MS } from '../../../src/http/limits.ts'
import { TemporalConnectionError } from '../../../src/http/outage.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createKnownWorkflowsClient } from '../support/known-workflows.ts'
import { bookingSql } from '../support/row-inserters.ts'

describe('repeated requests', () => {
  /** SPEC §1: a repeat is answered from the row, whether or not the workflow can be reached. */

  let fixture: ApiFixture
  /** Only a refusal of what has no row asks Temporal. */
  let isTemporalReachable = false
  beforeAll(async () => {
    const routes = [transferRoutes, refundRoutes, chargeRoutes]
    const connect = async () => {
      if (!isTemporalReachable) throw new TemporalConnectionError('it is away')
      return createKnownWorkflowsClient(new Set())
    }
    fixture = await openApiFixture(routes, {}, connect, { statementMs: STATEMENT_TIMEOUT_MS })
  })
  afterAll(() => fixture?.close())
  afterEach(() => {
    isTemporalReachable = false
  })

  const sql = (statement: string, values: unknown[]) => fixture.orm.em.fork().execute(statement, values)

  type UnknownOperation = { operation: 'transfer' | 'refund'; uuid: string; connection: string }
  const insertUnknownAttempt = ({ operation, uuid, connection }: UnknownOperation) =>
    sql(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position,
       state, code, unknown_since, next_check_at, created_at, updated_at)
     select ?, ?, ?, uuid, provider_account_uuid, 0, 'unknown', 'timeout', now(), now(), now(), now()
     from connection where uuid = ?`,
      [randomUUID(), operation, uuid, connection],
    )

  /** A transfer with an unknown outcome, started a moment ago, and its repeat. */
  async function insertUnknownTransfer() {
    const { accountUuid, connection, token, key } = await merchant()
    const [path, body] = ['/api/v1/transfers', { value: 10, pix_key: 'maria@example.com' }]
    const uuid = deriveOperationUuid({ owner: { accountUuid, mode: 'test' }, method: 'POST', path, key })
    const fingerprint = fingerprintRequest({ body: createTransferBody.parse(body), connectionUuid: null })
    await sql(
      `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, held_cents,
       pix_key, request_id, fingerprint, history, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, 'sending', 1000, 1000, 'maria@example.com', 'the first', ?, '[]',
       now(), now() from connection where uuid = ?`,
      [uuid, fingerprint, connection],
    )
    await insertUnknownAttempt({ operation: 'transfer', uuid, connection })
    const repeat = (by = token) =>
      fixture.call('POST', path, { token: by, body, headers: { 'idempotency-key': key } })
    return { uuid, data: { uuid }, accountUuid, repeat }
  }

  /** The same for a refund. */
  async function insertUnknownRefund() {
    const { accountUuid, connection, token, key } = await merchant()
    const charge = await fixture.insertCharge(connection)
    const received = randomUUID()
    await sql(
      `with made as (
       insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, settled_at, created_at, updated_at)
       select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_TRANSFER', 'IN', 100, 'SETTLED', now(), now(), now()
       from connection where uuid = ? returning *
     ) ${bookingSql()}`,
      [received, connection],
    )
    const [path, body] = [`/api/v1/payments/${charge}/refund`, { value: 0.4 }]
    const uuid = deriveOperationUuid({ owner: { accountUuid, mode: 'test' }, method: 'POST', path, key })
    const returning = randomUUID()
    await sql(
      `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
       status, created_at, updated_at)
     select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_REFUND', 'OUT', 40, 'PENDING', now(), now()
     from connection where uuid = ?`,
      [returning, connection],
    )
    const fingerprint = fingerprintRequest({ body: createRefundBody.parse(body), connectionUuid: null })
    await sql(
      `with counted as (
       update charge set state = 'refunding', payload = 'p', received_cents = 100, refunding_cents = 40, movement_uuid = ?
       where uuid = ?
     )
     insert into refund (uuid, charge_uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents,
       movement_uuid, request_id, fingerprint, created_at, updated_at)
     select ?, ?, account_uuid, uuid, provider_account_uuid, 'sending', 40, ?, 'the first', ?, now(), now()
     from connection where uuid = ?`,
      [received, charge, uuid, charge, returning, fingerprint, connection],
    )
    await insertUnknownAttempt({ operation: 'refund', uuid, connection })
    return {
      uuid,
      data: { uuid: charge, refund: { uuid } },
      repeat: (more = {}) =>
        fixture.call('POST', path, {
          token,
          body: { ...body, ...more },
          headers: { 'idempotency-key': key },
        }),
    }
  }

  async function merchant() {
    const accountUuid = await fixture.insertAccount()
    const connection = await fixture.insertConnection(accountUuid)
    return { accountUuid, connection, token: await fixture.insertToken({ accountUuid }), key: randomUUID() }
  }

  test('a repeat of an unknown transfer without Temporal shows its state, and the same once it has failed', async () => {
    const { uuid, repeat } = await insertUnknownTransfer()
    const response = await repeat()
    expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(response.body.data).toMatchObject({ uuid, status: 'PROCESSING', outcome: 'unknown' })
    await sql(`update transfer set state = 'failed', held_cents = 0 where uuid = ?`, [uuid])
    const replay = await repeat()
    expect([replay.status, replay.text]).toEqual([201, response.text])
  })

  test('a repeat of an unknown refund without Temporal gets its acceptance, and the same once it has failed', async () => {
    const { uuid, repeat } = await insertUnknownRefund()
    const response = await repeat()
    expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    await sql(
      `with failed as (update refund set state = 'failed' where uuid = ? returning charge_uuid)
     update charge set state = 'paid', refunding_cents = 0 from failed where uuid = charge_uuid`,
      [uuid],
    )
    const replay = await repeat()
    expect([replay.status, replay.text]).toEqual([200, response.text])
  })

  test('a repeat of a refund with another text for the payer is another request', async () => {
    const { repeat } = await insertUnknownRefund()
    const { status, body } = await repeat({ description: 'Pedido 1042 cancelado' })
    expect([status, body.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test.each(['x'.repeat(141), '  ', 'two\nlines', 'a\u0007bell'])(
    'a text for the payer that the rail cannot carry is refused: %j',
    async description => {
      const { repeat } = await insertUnknownRefund()
      const { status, body } = await repeat({ description })
      expect([status, Object.keys(body.errors)]).toEqual([422, ['description']])
    },
  )

  test('a blocked account reads and repeats what was accepted, and begins nothing new', async () => {
    const { uuid, accountUuid, repeat } = await insertUnknownTransfer()
    const connection = await fixture.insertConnection(accountUuid)
    const charge = await fixture.insertCharge(connection)
    const [token, headers] = [await fixture.insertToken({ accountUuid }), { 'idempotency-key': randomUUID() }]
    const call = (method: string, path: string, body?: object) =>
      fixture.call(method, `/api/v1${path}`, { token, headers, ...(body && { body }) })
    await sql(`update account set status = 'BLOCKED' where uuid = ?`, [accountUuid])
    isTemporalReachable = true
    for (const [path, body] of [
      ['/transfers', { value: 10, pix_key: 'maria@example.com' }],
      ['/payments', { value: 10, type: 'PIX' }],
      [`/payments/${charge}/refund`, { value: 1 }],
    ] as const) {
      const { status, body: refusal } = await call('POST', path, body)
      expect([path, status, refusal.code]).toEqual([path, 403, 'account_blocked'])
    }
    expect((await call('GET', `/transfers/${uuid}`)).status).toBe(200)
    expect((await call('GET', '/payments')).body.data).toHaveLength(1)
    expect((await repeat(token)).status).toBe(201)
  })

  test.each([
    ['transfer', insertUnknownTransfer, 201],
    ['refund', insertUnknownRefund, 200],
  ] as const)(
    'a PostgreSQL timeout after the %s was found is not answered with "nothing was started"',
    async (noun, begun, accepted) => {
      const { uuid, data, repeat } = await begun()
      await runInTransaction(fixture.orm, async em => {
        await em.execute(`select from ${noun} where uuid = ? for update`, [uuid])
        const { status, body, headers } = await repeat()
        expect([status, body.code, body.data]).toEqual([503, 'not_confirmed', data])
        expect(headers.has('retry-after')).toBe(true)
      })
      expect((await repeat()).status).toBe(accepted)
    },
  )

  test('a live token does not receive the response to a test token’s request with the same key', async () => {
    const { accountUuid, repeat } = await insertUnknownTransfer()
    expect((await repeat()).status).toBe(201)
    isTemporalReachable = true
    const live = await repeat(await fixture.insertToken({ accountUuid, mode: 'live' }))
    expect([live.status, Object.keys(live.body.errors)]).toEqual([422, ['provider_uuid']])
  })

  test('a repeat of a charge that is being issued skips the checks, and returns where to find it', async () => {
    const { accountUuid, connection, token, key } = await merchant()
    const [path, body] = ['/api/v1/payments', { value: 1, type: 'PIX', provider_uuid: connection }]
    const uuid = deriveOperationUuid({ owner: { accountUuid, mode: 'test' }, method: 'POST', path, key })
    const fingerprint = fingerprintRequest({
      body: { ...createChargeBody.parse(body), expires_in: 86_400 },
      connectionUuid: null,
    })
    const charge = await fixture.insertCharge(connection)
    await sql('update charge set uuid = ?, fingerprint = ? where uuid = ?', [uuid, fingerprint, charge])
    const target = { connectionUuid: connection }
    await startPause(fixture.orm.em.fork(), { target, reach: 'everything', actor: 'ana', reason: 'a drill' })
    await sql(`update connection set status = 'INACTIVE' where uuid = ?`, [connection])
    const response = await fixture.call('POST', path, { token, body, headers: { 'idempotency-key': key } })
    expect([response.status, response.body.code, response.body.data]).toEqual([503, 'issuing', { uuid }])
  })
})

describe('idempotency', () => {
  const by = { accountUuid: 'a', mode: 'live' } as const
  const operation = { owner: by, method: 'post', path: '/api/v1/payments', key: 'k' }

  describe('the uuid of an operation', () => {
    test('is a UUID of version 8, the same for the same key', () => {
      expect(deriveOperationUuid(operation)).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      )
      expect(deriveOperationUuid({ ...operation, method: 'POST' })).toBe(deriveOperationUuid(operation))
    })

    test('never changes between versions, because rows are found by it', () => {
      expect(deriveOperationUuid(operation)).toBe('93e3f207-4dc0-80a0-bb9b-ee2bd950f730')
    })

    test.each([
      { other: 'account', change: { owner: { ...by, accountUuid: 'b' } } },
      { other: 'mode', change: { owner: { ...by, mode: 'test' as const } } },
      { other: 'method', change: { method: 'put' } },
      { other: 'path', change: { path: '/api/v1/payments/x/refund' } },
      { other: 'key', change: { key: 'K' } },
      { other: 'cut between its parts', change: { owner: { ...by, accountUuid: 'apost' }, method: '' } },
    ])('differs for another $other', ({ change }) => {
      expect(deriveOperationUuid({ ...operation, ...change })).not.toBe(deriveOperationUuid(operation))
    })

    test('is random without a key', () => {
      const keyless = { ...operation, key: null }
      expect(deriveOperationUuid(keyless)).not.toBe(deriveOperationUuid(keyless))
    })
  })

  describe('the fingerprint', () => {
    const body = { value: 100, splits: [{ type: 'FIXED', value: 1 }], type: 'PIX' }
    const original = fingerprintRequest({ body, connectionUuid: null })

    test.each([
      {
        name: 'the order of fields',
        body: { type: 'PIX', splits: [{ value: 1, type: 'FIXED' }], value: 100 },
      },
      { name: 'fields that are undefined', body: { ...body, external_ref: undefined } },
    ])('ignores $name', ({ body }) => {
      expect(fingerprintRequest({ body, connectionUuid: null })).toBe(original)
    })

    test.each([
      { name: 'a value', body: { ...body, value: 101 }, connectionUuid: null },
      { name: 'a further field', body: { ...body, external_ref: '' }, connectionUuid: null },
      {
        name: 'a nested value',
        body: { ...body, splits: [{ type: 'FIXED', value: 2 }] },
        connectionUuid: null,
      },
      { name: 'the order of a list', body: { ...body, splits: [1, 2] }, connectionUuid: null },
      { name: 'the binding of the token', body, connectionUuid: 'c' },
    ])('includes $name', ({ body, connectionUuid }) => {
      expect(fingerprintRequest({ body, connectionUuid })).not.toBe(original)
    })

    test('decides whether a row is the same request', () => {
      expect(() => requireSameRequest({ fingerprint: original }, original)).not.toThrow()
      expect(() => requireSameRequest({ fingerprint: 'other' }, original)).toThrow(
        expect.objectContaining({ code: 'idempotency_key_reused' }),
      )
    })
  })

  describe('an Idempotency-Key', () => {
    test.each([
      { key: 'a', fits: true },
      { key: 'pedido 42/2026', fits: true },
      { key: '~'.repeat(255), fits: true },
      { key: '', fits: false },
      { key: 'a'.repeat(256), fits: false },
      { key: 'pedidó', fits: false },
      { key: 'a\tb', fits: false },
      { key: 'a\u007f', fits: false },
    ])('$key fits: $fits', ({ key, fits }) => {
      expect(IDEMPOTENCY_KEY_PATTERN.test(key)).toBe(fits)
    })
  })
})

describe('refused repeats', () => {
  /**
   * SPEC §1: a repeat is refused only where no earlier request with its key has begun the operation. A workflow that no
   * worker has reached yet has stored no row.
   */

  let fixture: ApiFixture
  /** The workflows of Temporal; null: it cannot be reached. */
  let running: Set<string> | null
  beforeAll(async () => {
    fixture = await openApiFixture([transferRoutes, chargeRoutes], {}, async () => {
      if (!running) throw new TemporalConnectionError('it is away')
      return createKnownWorkflowsClient(running)
    })
  })
  afterAll(() => fixture?.close())
  beforeEach(() => {
    running = new Set()
  })

  type Refusal = { path: string; body: object; refuse?: string; code: string; status: number }
  const TRANSFER = { path: '/transfers', body: { value: 10, pix_key: 'maria@example.com' } }
  const CHARGE = { path: '/payments', body: { value: 10, type: 'PIX' } }
  const REFUSALS: Refusal[] = [
    {
      path: '/transfers',
      status: 422,
      code: 'validation_failed',
      body: { ...TRANSFER.body, scheduled_for: '2020-01-01T00:00:00Z' },
    },
    { ...CHARGE, refuse: 'account is paused', status: 503, code: 'paused' },
    { ...TRANSFER, refuse: 'account is blocked', status: 403, code: 'account_blocked' },
    { ...CHARGE, refuse: 'account is blocked', status: 403, code: 'account_blocked' },
  ]
  const NOUNS: Record<string, string> = { '/transfers': 'transfer', '/payments': 'charge' }

  test.each(REFUSALS)(
    'a repeat of $path that would be $code is refused unless its first request runs',
    async ({ path, body, refuse, status, code }) => {
      const { accountUuid, send } = await merchant()
      if (refuse === 'account is blocked')
        await fixture.orm.em
          .fork()
          .execute(`update account set status = 'BLOCKED' where uuid = ?`, [accountUuid])
      if (refuse === 'account is paused')
        await startPause(fixture.orm.em.fork(), {
          target: { accountUuid },
          reach: 'everything',
          actor: 'ana',
          reason: 'a drill',
        })
      const key = randomUUID()
      const refusal = await send(path, body, key)
      expect([refusal.status, refusal.body.code]).toEqual([status, code])

      const owner = { accountUuid, mode: 'test' } as const
      const uuid = deriveOperationUuid({ owner, method: 'POST', path: `/api/v1${path}`, key })
      running!.add(`${NOUNS[path]}/${uuid}`)
      const unknown = await send(path, body, key)
      expect([unknown.status, unknown.body.code]).toEqual([503, 'not_confirmed'])
      expect(JSON.stringify(unknown.body.data)).toContain(uuid)
      for (const other of [randomUUID(), null]) expect((await send(path, body, other)).body.code).toBe(code)
    },
  )

  test('without Temporal a request with a key is not refused for good: its first one may run', async () => {
    const { send } = await merchant()
    running = null
    const { path, body } = REFUSALS[0]!
    expect((await send(path, body, randomUUID())).body.code).toBe('unavailable')
    expect((await send(path, body, null)).body.code).toBe('validation_failed')
  })

  async function merchant() {
    const accountUuid = await fixture.insertAccount()
    const connection = await fixture.insertConnection(accountUuid)
    const token = await fixture.insertToken({ accountUuid })
    const send = (path: string, body: object, key: string | null) =>
      fixture.call('POST', `/api/v1${path}`, {
        token,
        body: { ...body, provider_uuid: connection },
        ...(key !== null && { headers: { 'idempotency-key': key } }),
      })
    return { accountUuid, send }
  }
})
