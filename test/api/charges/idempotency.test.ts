import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { expectOneOriginal } from '../../support/one-original.ts'
import { pollUntil } from '../support/poll-until.ts'
import type { Merchant, TestStack } from '../support/test-stack.ts'
import { openSharedTestStack } from '../support/test-stack.ts'

/** One key creates one charge, however often, from wherever and whenever it is sent. */

let stack: TestStack
beforeAll(async () => {
  stack = await openSharedTestStack()
})
afterAll(() => stack.close())

const body = { value: 12.5, type: 'PIX', external_ref: 'pedido 7' }
const create = ({ api }: Pick<Merchant, 'api'>, key: string, order: object = body) =>
  api.post('/api/v1/payments', order, { key })
const replayed = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed')

async function rows({ uuid }: { uuid: string }) {
  const [counted] = await stack.sql<{ charges: string; attempts: string }>(
    `select (select count(*) from charge where account_uuid = ?) as charges,
       (select count(*) from attempt where subject_uuid in (select uuid from charge where account_uuid = ?)) as attempts`,
    [uuid, uuid],
  )
  return { charges: Number(counted!.charges), attempts: Number(counted!.attempts) }
}

test('fifty concurrent requests with one key create one charge and receive the same response', async () => {
  const merchant = await stack.createMerchant()
  const key = randomUUID()
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(merchant, key)))
  const [first] = answers
  for (const answer of answers) {
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual(first!.body)
  }
  expectOneOriginal(answers)
  expect(await rows(merchant)).toEqual({ charges: 1, attempts: 1 })
  expect(await chargesAtProvider(merchant)).toBe(1)
})

test('without a key every request creates a charge', async () => {
  const merchant = await stack.createMerchant()
  const api = merchant.api.sendingOnce()
  const send = () =>
    pollUntil(
      () => api.post('/api/v1/payments', body),
      ({ status }) => status === 201,
    )
  const [first, second] = [await send(), await send()]
  expect(second.body.data.uuid).not.toBe(first.body.data.uuid)
  for (const answer of [first, second]) expect(replayed(answer)).toBeNull()
})

test('a repeated key returns the response of the creation, whatever the charge’s current state', async () => {
  const merchant = await stack.createMerchant()
  const recipient = await stack.createRecipient(merchant)
  const order = { ...body, splits: [{ type: 'FIXED', value: 1, recipient_account_uuid: recipient.uuid }] }
  const key = 'a key with blanks, and "quotes" ~'
  const first = await create(merchant, key, order)
  expect(first.status).toBe(201)
  expectOneOriginal([first])
  await stack.simulator.pay({ payload: first.body.data.payment.payload })
  await pollUntil(
    () => merchant.api.readCharge(first.body.data.uuid),
    ({ status }) => status === 'PAID',
  )

  const again = await create(merchant, key, {
    splits: order.splits,
    external_ref: 'pedido 7',
    type: 'pix',
    value: 12.5,
  })
  expect([again.status, replayed(again)]).toEqual([201, 'true'])
  expect(again.bytes.toString()).toBe(first.bytes.toString())

  const cancelled = await create(merchant, 'another')
  await merchant.api.carryOut('POST', `/api/v1/payments/${cancelled.body.data.uuid}/cancel`)
  expect((await create(merchant, 'another')).body).toEqual(cancelled.body)
})

test('a key is refused with another body or by another provider-scoped token; another account has its own keys', async () => {
  const merchant = await stack.createMerchant()
  const other = await stack.createMerchant()
  const key = randomUUID()
  const first = await create(merchant, key)
  const scoped = { api: merchant.api.withToken(merchant.connection.token) }
  for (const answer of [
    await create(merchant, key, { ...body, value: 12.51 }),
    await create(merchant, key, { ...body, expires_in: 3_600 }),
    await create(scoped, key),
  ])
    expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_key_reused'])
  // A default written out is the same request.
  expect((await create(merchant, key, { ...body, splits: [], expires_in: 86_400 })).status).toBe(201)
  const second = { api: merchant.api.withToken(await stack.token({ accountUuid: merchant.uuid })) }
  expect((await create(second, key)).body).toEqual(first.body)
  const theirs = await create(other, key)
  expect(theirs.status).toBe(201)
  expectOneOriginal([theirs])
  expect(theirs.body.data.uuid).not.toBe(first.body.data.uuid)
  expect(await rows(merchant)).toEqual({ charges: 1, attempts: 1 })
})

test('concurrent requests with one key and two bodies create one charge from one of the bodies', async () => {
  const merchant = await stack.createMerchant()
  const key = randomUUID()
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => create(merchant, key, { ...body, value: 1 + (index % 2) })),
  )
  const won = answers.filter(({ status }) => status === 201).map(answer => answer.body.data.value)
  expect(won.length).toBeGreaterThan(0)
  expect(new Set(won).size).toBe(1)
  for (const answer of answers)
    if (answer.status !== 201)
      expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_key_reused'])
  expect(await rows(merchant)).toEqual({ charges: 1, attempts: 1 })
})

test('an invalid request does not use up its key', async () => {
  const merchant = await stack.createMerchant()
  const key = randomUUID()
  expect((await create(merchant, key, { ...body, value: -1 })).status).toBe(422)
  expect((await create(merchant, key, { ...body, provider_uuid: randomUUID() })).status).toBe(422)
  const answer = await create(merchant, key)
  expect(answer.status).toBe(201)
  expectOneOriginal([answer])
})

test('a stored FAILED is final for its key: the same status is returned without Retry-After', async () => {
  const merchant = await stack.createMerchant()
  const [unreachable, refusing] = [await stack.createMerchant(), await stack.createMerchant()]
  await stack.sql(`update connection set base_url = 'https://localhost:1' where account_uuid = ?`, [
    unreachable.uuid,
  ])
  await stack.sql(`update connection set collection_key = ? where account_uuid = ?`, [
    merchant.connection.collectionKey,
    refusing.uuid,
  ])
  for (const [failing, status, code, outcome] of [
    [unreachable, 503, 'no_provider_available', 'unreachable'],
    [refusing, 400, 'provider_rejected', 'rejected'],
  ] as const) {
    const key = randomUUID()
    const first = await create(failing, key)
    expect([first.status, first.body.code, replayed(first)]).toEqual([status, code, null])
    expect(first.headers.has('retry-after')).toBe(status === 503)
    expect(first.body.data).toMatchObject({
      value: 12.5,
      status: 'FAILED',
      history: [{ status: 'FAILED' }],
      payment: { status: 'FAILED', payload: '' },
      error: {
        message: expect.any(String),
        attempts: [{ provider: 'PROVIDER_A', outcome, code: expect.any(String) }],
      },
    })
    const again = await create(failing, key)
    expect([again.status, replayed(again), again.headers.has('retry-after')]).toEqual([status, 'true', false])
    expect(again.body).toEqual({ ...first.body, request_id: expect.any(String) })
    expect(await failing.api.readCharge(first.body.data.uuid)).toMatchObject({
      status: 'FAILED',
      payment: { payload: '' },
    })
    expect((await failing.api.get(`/api/v1/payments/${first.body.data.uuid}/qr.svg`)).status).toBe(404)
    expect(await rows(failing)).toEqual({ charges: 1, attempts: 1 })
  }
})

test('a key is answered from the row when its workflow was terminated or deleted from Temporal', async () => {
  const merchant = await stack.createMerchant()
  const client = await stack.connectTemporal()
  const [terminated, deleted] = [randomUUID(), randomUUID()]
  const first = await create(merchant, terminated)
  const second = await create(merchant, deleted)
  await client.workflow.getHandle(`charge/${first.body.data.uuid}`).terminate('test')
  await client.workflow.getHandle(`charge/${second.body.data.uuid}`).terminate('test')
  await client.workflowService.deleteWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: `charge/${second.body.data.uuid}` },
  })
  for (const [key, answer] of [
    [terminated, first],
    [deleted, second],
  ] as const) {
    const again = await create(merchant, key)
    expect([again.status, replayed(again)]).toEqual([201, 'true'])
    expect(again.body).toEqual(answer.body)
    // And the charge can still be paid: a notification reopens its workflow from the row.
    await stack.simulator.pay({ payload: answer.body.data.payment.payload })
    await pollUntil(
      () => merchant.api.readCharge(answer.body.data.uuid),
      ({ status }) => status === 'PAID',
    )
  }
  expect(await rows(merchant)).toEqual({ charges: 2, attempts: 2 })
  expect(await chargesAtProvider(merchant)).toBe(2)
  await stack.waitUntilLedgerAgrees(merchant)
})

/** The charges that the provider has of this merchant, whichever connection created them. */
async function chargesAtProvider({ connection }: Merchant): Promise<number> {
  const list = await stack.callEfi(connection, `/v2/cob?inicio=2020-01-01T00:00:00Z&fim=2099-01-01T00:00:00Z`)
  return (list as { cobs: unknown[] }).cobs.length
}
