import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { prepareDrivers, type RunningDriver } from '../sdk/conformance/drivers.ts'
import type { CallOrder, Outcome } from '../sdk/conformance/orders.ts'
import { buildCall } from '../sdk/conformance/stories.ts'
import { createTemporaryFolder } from '../support/servers.ts'
import { pollUntil } from './support/poll-until.ts'
import { type Merchant, openSharedTestStack, type TestStack } from './support/test-stack.ts'

/** Every SDK against a running Trilho: a merchant's day, and what a lost response does. */

const folder = await createTemporaryFolder()
const drivers = await prepareDrivers(folder.path)

let stack: TestStack
beforeAll(async () => {
  stack = await openSharedTestStack()
})
afterAll(async () => {
  await stack?.close()
  await folder.remove()
})

describe.each(drivers)('$language', ({ missing, start, runReadme }) => {
  if (missing !== undefined) {
    test.skip(`is not tested: ${missing}`, () => {})
    return
  }

  let driver: RunningDriver
  let merchant: Merchant
  beforeAll(async () => {
    driver = start()
    merchant = await stack.createMerchant({ providers: [{ balance: 100 }] })
  })
  afterAll(() => driver?.stop())

  function carryOut(id: string, call: Partial<CallOrder>, baseUrl = stack.local.api_url): Promise<Outcome> {
    const retries = { maxAttempts: 4, baseDelayMs: 20, maxDelayMs: 1_000, deadlineMs: 60_000 }
    const client = { token: merchant.token, baseUrl, timeoutMs: 30_000, retries }
    return driver.carryOut({ client, call: { ...buildCall(id), ...call } })
  }

  /** Returns the result of a call; a failure of it is one of the test. */
  async function resultOf(
    id: string,
    call: Partial<CallOrder>,
    baseUrl?: string,
  ): Promise<ReturnType<typeof JSON.parse>> {
    const { result, error, refused } = await carryOut(id, call, baseUrl)
    if (error || refused) throw new Error(`${id}: ${JSON.stringify({ error, refused })}`)
    return result
  }

  test('a charge is created, paid, announced, refunded and listed; a transfer is sent', async () => {
    const inbox = `sdk-${merchant.uuid}`
    const webhook = await resultOf('createWebhook', { body: { url: `${stack.local.inbox_url}/${inbox}` } })
    expect(await resultOf('getReadiness', {})).toMatchObject({ status: 'ok' })
    const order = {
      body: { value: 150.75, type: 'PIX', external_ref: 'story' },
      idempotencyKey: `story-${merchant.uuid}`,
    }
    const charge = await resultOf('createPayment', order)
    expect(await resultOf('createPayment', order)).toEqual(charge)
    expect(Number(charge.value)).toBe(150.75)
    expect(await resultOf('getPaymentQrSvg', { path: [charge.uuid] })).toContain('<svg')
    expect(await resultOf('getPaymentQrPng', { path: [charge.uuid] })).toContain('PNG')

    await stack.simulator.pay({ payload: charge.payment.payload })
    const isPayment = ({ body }: { body: string }) => body.includes('"type":"PAYMENT"')
    const messages = await pollUntil(
      () => stack.simulator.listInbox(inbox),
      all => all.some(isPayment),
    )
    const { body, headers: received } = messages.find(isPayment)!
    const headers = Object.fromEntries(Object.entries(received).map(([name, text]) => [name, String(text)]))
    const { result } = await driver.carryOut({ verify: { body, headers, secrets: [webhook.token] } })
    const event = result as { id: string; data: { uuid: string; status: string; value: unknown } }
    expect({ ...event.data, value: Number(event.data.value) }).toMatchObject({
      uuid: charge.uuid,
      status: 'PAID',
      value: 150.75,
    })
    expect(await resultOf('getEvent', { path: [event.id] })).toEqual(event)
    const forged = await driver.carryOut({ verify: { body, headers, secrets: ['another secret'] } })
    expect(forged.forged).toEqual(expect.any(String))

    const { refund } = await resultOf('refundPayment', { path: [charge.uuid], body: { value: 50 } })
    expect(Number(refund.value)).toBe(50)
    const transfer = await resultOf('createTransfer', { body: { value: 12.5, pix_key: 'joana@example.com' } })
    await pollUntil(
      () => resultOf('getTransfer', { path: [transfer.uuid] }),
      ({ status }) => status === 'PAID',
    )
    await pollUntil(
      () => resultOf('getPayment', { path: [charge.uuid] }),
      ({ status }) => status === 'PARTIALLY_REFUNDED',
    )

    const { error } = await carryOut('cancelPayment', { path: [charge.uuid] })
    expect(error).toMatchObject({ code: 'charge_not_cancellable', status: 409, idempotencyKey: null })

    const query = { status: ['PAID', 'PARTIALLY_REFUNDED'], per_page: 1 }
    const charges = await resultOf('listPayments', { query, isIterated: true })
    expect(charges.map(({ uuid }: { uuid: string }) => uuid)).toContain(charge.uuid)
    const lines = await resultOf('listLedgerLines', { query: { per_page: 1 }, isIterated: true })
    expect(lines.length).toBeGreaterThanOrEqual(3)
    const deliveries = await resultOf('listWebhookDeliveries', {
      path: [webhook.uuid],
      query: { status: ['DELIVERED'] },
    })
    expect(deliveries.data.length).toBeGreaterThan(0)
    const { PIX } = await resultOf('getDefaultProviders', {})
    expect(PIX[0]).toMatchObject({ is_operational: true })
    await resultOf('deleteWebhook', { path: [webhook.uuid] })
  })

  // Those of TypeScript and Python have tests of their own: test/api/{sdk-typescript,python-sdk}.test.ts.
  if (runReadme)
    test('the program of its README runs', async () => {
      const environment = { TRILHO_TOKEN: merchant.token, TRILHO_BASE_URL: stack.local.api_url }
      expect((await runReadme(environment)).split('\n')).toEqual([
        expect.stringMatching(/^pay 000201/),
        'rejected',
        'charge 150.75 PENDING',
        '',
      ])
    })

  test('a create whose response is lost is repeated, and is one charge', async () => {
    const proxy = await startLosingProxy(stack.local.api_url, 2)
    const body = { value: 3, type: 'PIX', external_ref: 'lost' }
    const charge = await resultOf('createPayment', { body }, proxy.url)
    expect(proxy.count()).toBe(3)
    await proxy.close()
    const { data } = await resultOf('listPayments', { query: { external_ref: 'lost' } })
    expect(data.map(({ uuid }: { uuid: string }) => uuid)).toEqual([charge.uuid])
  })

  test('an error has the fields of the API', async () => {
    const { error } = await carryOut('createTransfer', { body: { value: 1, pix_key: 'no key' } })
    expect(error).toMatchObject({
      code: 'validation_failed',
      status: 422,
      isOutcomeUnknown: false,
      errors: { pix_key: expect.any(Array) },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })
})

/** Forwards requests to the API, and breaks the connection in place of the first responses. */
async function startLosingProxy(target: string, losses: number) {
  let count = 0
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request
    // What belongs to the connection, fetch sets itself.
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers
    const answer = await fetch(target + url, {
      method,
      headers: headers as Record<string, string>,
      ...(method !== 'GET' && { body: await buffer(request) }),
    })
    const content = Buffer.from(await answer.arrayBuffer())
    if (++count <= losses) return response.destroy()
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(content)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    close: () => {
      server.closeAllConnections()
      return new Promise<void>(resolve => server.close(() => resolve()))
    },
  }
}
