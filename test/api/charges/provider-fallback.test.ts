import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { FaultBody } from '../../../packages/simulator/control/schemas.ts'
import type { ProviderName } from '../../../src/domain/providers/provider.ts'
import { readEventBodies } from '../../support/event-bodies.ts'
import { measureRunningTime, RESPONSE_LIMIT_MS } from '../../support/running-time.ts'
import { type Stack, startStack } from '../../support/stack.ts'
import { createPayoutActions, type PayoutActions } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openTestStack, type TestStack } from '../support/test-stack.ts'

/** Issuing while providers fail: the next provider is called, and no orphan payload stays payable. */

let stack: Stack
let testStack: TestStack
let payouts: PayoutActions
beforeAll(async () => {
  stack = await startStack() // Faults apply to a provider for every caller; the circuit breaker's waits are those of production.
  testStack = await openTestStack(stack.home)
  await testStack.pauseProviderSchedules()
  payouts = createPayoutActions(testStack)
})
afterEach(() => testStack.simulator.clearFaults())
afterAll(async () => {
  await testStack.close()
  expect(await stack.stop()).toBe(0)
})

const fault = (provider: ProviderName, kind: FaultBody['fault'], more: Partial<FaultBody> = {}) =>
  testStack.simulator.addFault({ provider, operation: 'issueCharge', fault: kind, ...more })
const A_AND_B = [{ provider: 'PROVIDER_A' }, { provider: 'PROVIDER_B' }] as const
const merchantWith = (providers: readonly { provider: ProviderName }[]) =>
  testStack.createMerchant({ providers: [...providers] })
const create = ({ api }: Pick<Merchant, 'api'>, more: object = {}) =>
  api.post('/api/v1/payments', { value: 10, type: 'PIX', ...more })

type AttemptRow = { provider: string; state: string; code: string | null }
const attempts = (uuid: string) =>
  testStack.sql<AttemptRow>(
    `select c.provider, a.state, a.code from attempt a join connection c on c.uuid = a.connection_uuid
     where a.operation = 'issue' and a.subject_uuid = ? order by a.position`,
    [uuid],
  )

/** Waits until the first candidate's attempt is closed; its provider shows the charge as cancelled by us. */
async function firstIsCancelled({ connections }: Merchant, uuid: string) {
  await pollUntil(
    () => attempts(uuid),
    ([attempt]) => attempt?.state === 'closed',
  )
  expect(await testStack.callEfi(connections[0]!, `/v2/cob/${uuid.replaceAll('-', '')}`)).toMatchObject({
    status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR',
  })
}

test('a transfer is sent through the next provider after a TLS handshake is reset', async () => {
  const merchant = await testStack.createMerchant({
    providers: [
      { provider: 'PROVIDER_D', balance: 100 },
      { provider: 'PROVIDER_C', balance: 100 },
    ],
  })
  // For any account: no other test calls this provider. More than once: the worker's own probes meet the fault as well.
  await testStack.simulator.addFault({ provider: 'PROVIDER_D', fault: 'unreachable', times: 1_000 })
  const { attempts } = await payouts.sendAndSettle(merchant)
  expect(attempts).toMatchObject([
    { provider: 'PROVIDER_D', outcome: 'unreachable', code: 'connection_reset' },
    { provider: 'PROVIDER_C', outcome: 'settled' },
  ])
  expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
})

test.each([
  ['unreachable', 'unreachable', { times: 1_000 }], // The worker's own probes meet this fault as well.
  ['refused', 'rejected', {}],
  ['http_429', 'orphan', {}], // Efí documents no 429 for a charge.
] as const)('a charge is issued by the next provider when the first one is %s', async (kind, state, more) => {
  const merchant = await merchantWith(A_AND_B)
  await fault('PROVIDER_A', kind, more)
  const answer = await create(merchant)
  expect(answer.status).toBe(201)
  const { data } = answer.body
  expect(data.provider).toEqual({ uuid: merchant.connections[1]!.uuid, provider: 'PROVIDER_B' })
  expect(data).not.toHaveProperty('error')
  expect(await attempts(data.uuid)).toMatchObject([
    { provider: 'PROVIDER_A', state },
    { provider: 'PROVIDER_B', state: 'accepted' },
  ])
  await testStack.simulator.pay({ payload: data.payment.payload })
  await pollUntil(
    () => merchant.api.readCharge(data.uuid),
    ({ status }) => status === 'PAID',
  )
  await testStack.simulator.clearFaults() // The balances are compared at both providers.
  await testStack.waitUntilLedgerAgrees(merchant)
})

test.each(['timeout_then_done', 'http_500', 'broken_body'] as const)(
  'after %s the next provider issues the charge, and the first provider’s possible payload is cancelled',
  async kind => {
    const merchant = await merchantWith(A_AND_B)
    await fault('PROVIDER_A', kind, kind === 'timeout_then_done' ? { delay_ms: 100 } : {})
    const { uuid, payment, provider } = await merchant.api.createCharge()
    expect(provider.provider).toBe('PROVIDER_B')
    expect((await attempts(uuid)).map(({ state }) => state)).toContainEqual(
      expect.stringMatching(/orphan|closed/),
    )
    if (kind !== 'http_500') {
      await firstIsCancelled(merchant, uuid)
    }
    await testStack.simulator.pay({ payload: payment.payload })
    await pollUntil(
      () => merchant.api.readCharge(uuid),
      ({ status }) => status === 'PAID',
    )
    await testStack.waitUntilLedgerAgrees(merchant)
  },
)

test('the next provider issues first while a slow provider has not answered, and the slow provider’s payload is cancelled', async () => {
  const merchant = await merchantWith(A_AND_B)
  await fault('PROVIDER_A', 'slow', { account: merchant.connections[0]!.account, delay_ms: 4_200 })
  const { uuid, payment, provider } = await merchant.api.createCharge()
  expect(provider.provider).toBe('PROVIDER_B')
  expect(await attempts(uuid)).toMatchObject([
    { provider: 'PROVIDER_A', code: 'interrupted' },
    { provider: 'PROVIDER_B', state: 'accepted' },
  ])
  await firstIsCancelled(merchant, uuid)
  await testStack.simulator.pay({ payload: payment.payload })
  await pollUntil(
    () => merchant.api.readCharge(uuid),
    ({ status }) => status === 'PAID',
  )
  await testStack.simulator.clearFaults() // The balances are compared at both providers.
  await testStack.waitUntilLedgerAgrees(merchant)
})

test('a payment of an orphan payload is reported as unmatched and returned', async () => {
  const merchant = await merchantWith(A_AND_B)
  const [first] = merchant.connections
  const { account } = first!
  await fault('PROVIDER_A', 'timeout_then_done', { account, delay_ms: 100 })
  await fault('PROVIDER_A', 'http_500', { account, operation: 'cancelCharge' })
  const { uuid } = await merchant.api.createCharge()
  const orphan = (await testStack.callEfi(first!, `/v2/cob/${uuid.replaceAll('-', '')}`)) as {
    pixCopiaECola: string
  }
  const { end_to_end } = await testStack.simulator.pay({ payload: orphan.pixCopiaECola })
  const rows = await pollUntil(
    () =>
      testStack.sql<{ reason: string; disposition: string }>(
        'select reason, disposition from movement where end_to_end = ?',
        [end_to_end],
      ),
    ([row]) => row?.disposition === 'returned',
  )
  expect(rows).toEqual([{ reason: 'orphan', disposition: 'returned' }])
  expect((await merchant.api.readCharge(uuid)).status).toBe('PENDING')
  await testStack.waitUntilLedgerAgrees(merchant)
})

test('a charge that every provider refuses is FAILED, and the response lists the refusals', async () => {
  const merchant = await merchantWith(A_AND_B)
  await fault('PROVIDER_A', 'refused')
  await fault('PROVIDER_B', 'refused')
  const answer = await create(merchant)
  expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([
    400,
    'provider_rejected',
    null,
  ])
  const { data } = answer.body
  expect(data).toMatchObject({
    status: 'FAILED',
    history: [{ status: 'FAILED' }],
    payment: { status: 'FAILED', payload: '', pix: { status: 'FAILED' } },
    error: {
      code: data.error.attempts[1].code,
      message: expect.stringMatching(/./),
      provider: 'PROVIDER_B',
      attempts: [
        { provider: 'PROVIDER_A', outcome: 'rejected', code: expect.stringMatching(/./) },
        { provider: 'PROVIDER_B', outcome: 'rejected', code: expect.stringMatching(/./) },
      ],
    },
  })
  expect(await merchant.api.readCharge(data.uuid)).toMatchObject({ status: 'FAILED', error: data.error })
  const [body] = await readEventBodies(testStack.sql, 'subject_uuid = ?', [data.uuid])
  expect(body).toMatchObject({ status: 'FAILED', sequence: 1 })
})

test('a charge that reaches no provider is FAILED, and the response allows a retry with another key', async () => {
  const merchant = await merchantWith(A_AND_B)
  const reachable = await payouts.makeUnreachable(merchant.connections[0]!)
  await fault('PROVIDER_B', 'timeout_then_absent', { delay_ms: 100 })
  const answer = await create(merchant)
  await reachable()
  expect([answer.status, answer.body.code]).toEqual([503, 'no_provider_available'])
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(answer.body.data).toMatchObject({
    status: 'FAILED',
    error: {
      code: 'no_provider_available',
      message: 'No provider could be reached; send a new request after Retry-After.',
      attempts: [{ outcome: 'unreachable' }, { outcome: 'unknown' }],
    },
  })
  expect((await create(merchant)).status).toBe(201)
})

test('a provider-scoped token or a named provider never falls back to another provider', async () => {
  const merchant = await merchantWith(A_AND_B)
  const [first] = merchant.connections
  const scoped = { api: merchant.api.withToken(first!.token) }
  for (const created of [
    () => create(scoped),
    () => create(merchant, { provider_uuid: first!.uuid }),
    () => create(scoped, { provider_uuid: merchant.connections[1]!.uuid }),
  ]) {
    await fault('PROVIDER_A', 'refused')
    const answer = await created()
    expect([answer.status, answer.body.data.error.attempts.length]).toEqual([400, 1])
  }
})

test('with unresponsive providers the request is answered by its deadline with the charge’s location, and the charge becomes PENDING', async () => {
  const merchant = await merchantWith([
    { provider: 'PROVIDER_A' },
    { provider: 'PROVIDER_B' },
    { provider: 'PROVIDER_C' },
    { provider: 'PROVIDER_D' },
  ])
  for (const provider of ['PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C'] as const)
    await fault(provider, 'timeout_then_absent', { delay_ms: 30_000 })
  await fault('PROVIDER_D', 'slow', { delay_ms: 2_500 }) // It is called when the third one is slow, after 7.5 s.
  const key = 'slow'
  const { result: answer, elapsedMs } = await measureRunningTime(() =>
    merchant.api.sendingOnce().post('/api/v1/payments', { value: 10, type: 'PIX' }, { key }),
  )
  expect([answer.status, answer.body.code]).toEqual([503, 'issuing'])
  expect(elapsedMs).toBeLessThan(RESPONSE_LIMIT_MS)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  const { uuid } = answer.body.data
  expect(await merchant.api.readCharge(uuid)).toMatchObject({ status: 'UNDEFINED', history: [] })
  expect((await merchant.api.get('/api/v1/payments?status=UNDEFINED')).body.data).toHaveLength(1)

  const charge = await pollUntil(
    () => merchant.api.readCharge(uuid),
    ({ status }) => status === 'PENDING',
  )
  expect(charge.provider.provider).toBe('PROVIDER_D')
  const again = await merchant.api.post('/api/v1/payments', { value: 10, type: 'PIX' }, { key })
  expect([again.status, again.body.data.uuid]).toEqual([201, uuid])
  expect((await attempts(uuid)).map(({ state }) => state)).toEqual(['orphan', 'orphan', 'orphan', 'accepted'])
})

test('the circuit breaker opens after five failures, moves the provider last, and closes after a good answer', async () => {
  const merchant = await merchantWith(A_AND_B)
  const [first] = merchant.connections
  const operational = async () =>
    (await merchant.api.get(`/api/v1/providers/${first!.uuid}`)).body.data.is_operational
  const carrier = async () => (await merchant.api.createCharge()).provider.provider
  expect(await operational()).toBe(true)
  // Another poll of the provider could use up the fault, as those of the orphans before do.
  const reachable = await payouts.makeUnreachable(first!)
  for (let failures = 1; failures <= 5; failures++) {
    expect(await operational()).toBe(true)
    expect(await carrier()).toBe('PROVIDER_B')
  }
  await reachable()
  expect(await operational()).toBe(false)
  const { PIX } = (await merchant.api.get('/api/v1/providers/defaults')).body.data
  expect(PIX.map((one: { is_operational: boolean }) => one.is_operational)).toEqual([false, true])

  await payouts.keepCircuitOpen(first!)
  // The provider has recovered, but its circuit is still open: others are called first, and it is called where it is
  // the only one.
  expect(await carrier()).toBe('PROVIDER_B')
  expect((await attempts((await merchant.api.createCharge()).uuid)).map(({ provider }) => provider)).toEqual([
    'PROVIDER_B',
  ])
  await payouts.allowProbe(first!)
  const probed = await pollUntil(carrier, provider => provider === 'PROVIDER_A', { everyMs: 500 })
  expect(probed).toBe('PROVIDER_A')
  expect(await operational()).toBe(true)

  await payouts.makeUnreachable(first!)
  for (let failures = 1; failures <= 5; failures++) await carrier()
  await reachable()
  expect(await operational()).toBe(false)
  expect((await create(merchant, { provider_uuid: first!.uuid })).status).toBe(201)
  expect(await operational()).toBe(true)
})
