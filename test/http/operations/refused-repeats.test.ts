import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { startPause } from '../../../src/admin/pauses.ts'
import { chargeRoutes } from '../../../src/api/charges/routes.ts'
import { deriveOperationUuid } from '../../../src/api/operations/idempotency.ts'
import { transferRoutes } from '../../../src/api/transfers/routes.ts'
import { TemporalConnectionError } from '../../../src/http/outage.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createKnownWorkflowsClient } from '../support/known-workflows.ts'

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
