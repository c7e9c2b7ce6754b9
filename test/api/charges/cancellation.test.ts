import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { repeatWhileUnconfirmed } from '../support/client.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openSharedTestStack, type TestStack } from '../support/test-stack.ts'

/** Cancellation of a charge by its merchant. */

let stack: TestStack
beforeAll(async () => {
  stack = await openSharedTestStack()
})
afterAll(() => stack.close())

const pathOf = (uuid: string) => `/api/v1/payments/${uuid}/cancel`
/** Repeated while it is not confirmed: the repeat of one that was carried out is answered 409. */
const cancel = ({ api }: Merchant, uuid: string) => repeatWhileUnconfirmed(() => api.post(pathOf(uuid)))
const steps = (charge: { history: { status: string }[] }) => charge.history.map(entry => entry.status)

test('a pending charge is cancelled at its provider, then stored as CANCELLED, and its event is delivered', async () => {
  const merchant = await stack.createMerchant()
  const inbox = `cancel-${merchant.uuid}`
  await merchant.api.post('/api/v1/webhooks', { url: `${stack.local.inbox_url}/${inbox}` })
  const created = await merchant.api.createCharge()

  const answer = await cancel(merchant, created.uuid)
  const data = await merchant.api.readCharge(created.uuid)
  if (answer.repeats === 0) expect([answer.status, answer.body.data]).toEqual([200, data])
  expect(data).toMatchObject({
    status: 'CANCELLED',
    payment: { status: 'CANCELLED', pix: { status: 'CANCELLED' } },
  })
  expect(steps(data)).toEqual(['PENDING', 'CANCELLED'])
  await expect(stack.simulator.pay({ payload: created.payment.payload })).rejects.toThrow('removed')

  const [message] = await pollUntil(
    () => stack.simulator.listInbox(inbox),
    all => all.length > 0,
  )
  expect(JSON.parse(message!.body)).toMatchObject({ type: 'PAYMENT', data: { ...data, sequence: 1 } })

  const again = await cancel(merchant, created.uuid)
  expect([again.status, again.body.code]).toEqual([409, 'charge_not_cancellable'])
  await stack.waitUntilLedgerAgrees(merchant)
  expect(await stack.listEvents(inbox)).toHaveLength(1)
})

test('of many concurrent cancellations one succeeds, and the others are answered that the charge is cancelled', async () => {
  const merchant = await stack.createMerchant()
  const { uuid } = await merchant.api.createCharge()
  const answers = await Promise.all(Array.from({ length: 8 }, () => cancel(merchant, uuid)))
  expect(answers.some(({ status, repeats }) => status === 200 || repeats > 0)).toBe(true)
  for (const { status } of answers) expect([200, 409]).toContain(status)
  expect(steps(await merchant.api.readCharge(uuid))).toEqual(['PENDING', 'CANCELLED'])
})

test('a charge that the provider already shows as paid is not cancelled', async () => {
  const merchant = await stack.createMerchant({ providers: [{ sendsNotifications: false }] })
  const { uuid, payment } = await merchant.api.createCharge()
  await stack.simulator.pay({ payload: payment.payload })
  expect((await merchant.api.readCharge(uuid)).status).toBe('PENDING')
  const answer = await cancel(merchant, uuid)
  expect([answer.status, answer.body.code]).toEqual([409, 'charge_not_cancellable'])
  const charge = await pollUntil(
    () => merchant.api.readCharge(uuid),
    ({ status }) => status === 'PAID',
  )
  expect(steps(charge)).toEqual(['PENDING', 'PROCESSING', 'PAID'])
  expect((await cancel(merchant, uuid)).status).toBe(409)
  await stack.waitUntilLedgerAgrees(merchant)
})

test('a concurrent payment and cancellation end in exactly one of the two, and no centavo is lost', async () => {
  const merchant = await stack.createMerchant()
  const charges = await Promise.all(Array.from({ length: 8 }, () => merchant.api.createCharge()))
  await Promise.all(
    charges.map(async ({ uuid, payment }) => {
      const paying = stack.simulator.pay({ payload: payment.payload, force: true })
      expect([200, 409]).toContain((await cancel(merchant, uuid)).status)
      await paying
    }),
  )
  for (const { uuid } of charges) {
    const charge = await pollUntil(
      () => merchant.api.readCharge(uuid),
      ({ status }) => status === 'PAID',
    )
    expect([
      ['PENDING', 'PROCESSING', 'PAID'],
      ['PENDING', 'CANCELLED', 'PROCESSING', 'PAID'],
    ]).toContainEqual(steps(charge))
  }
  await stack.waitUntilLedgerAgrees(merchant)
})

test('a charge stays PENDING while its provider does not answer the cancellation, and becomes CANCELLED once it does', async () => {
  const merchant = await stack.createMerchant()
  const { uuid } = await merchant.api.createCharge()
  const { uuid: connection } = merchant.connection
  const [row] = await stack.sql<{ base_url: string }>('select base_url from connection where uuid = ?', [
    connection,
  ])
  const reachAt = (url: string) =>
    stack.sql('update connection set base_url = ? where uuid = ?', [url, connection])

  await reachAt('https://localhost:1')
  const answer = await merchant.api.post(pathOf(uuid))
  expect([answer.status, answer.body.code]).toEqual([503, 'cancellation_unknown'])
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await merchant.api.readCharge(uuid)).status).toBe('PENDING')

  await reachAt(row!.base_url)
  const charge = await pollUntil(
    () => merchant.api.readCharge(uuid),
    ({ status }) => status === 'CANCELLED',
  )
  expect(steps(charge)).toEqual(['PENDING', 'CANCELLED'])
  await stack.waitUntilLedgerAgrees(merchant)
})

test('a charge whose workflow has ended is still cancelled', async () => {
  const merchant = await stack.createMerchant()
  const { uuid } = await merchant.api.createCharge()
  const client = await stack.connectTemporal()
  await client.workflow.getHandle(`charge/${uuid}`).terminate('as if an operator had')
  await merchant.api.carryOut('POST', pathOf(uuid))
  expect(steps(await merchant.api.readCharge(uuid))).toEqual(['PENDING', 'CANCELLED'])
})

test('a token of another provider or another account cannot cancel a charge', async () => {
  const merchant = await stack.createMerchant({ providers: [{}, { provider: 'PROVIDER_C' }] })
  const { uuid } = await merchant.api.createCharge()
  const path = pathOf(uuid)
  expect((await merchant.api.withToken(merchant.connections[1]!.token).post(path)).status).toBe(404)
  expect((await merchant.api.withToken(undefined).post(path)).status).toBe(401)
  expect((await merchant.api.post(pathOf(randomUUID()))).status).toBe(404)
  expect((await merchant.api.readCharge(uuid)).status).toBe('PENDING')
  await merchant.api.withToken(merchant.connections[0]!.token).carryOut('POST', path)
})
