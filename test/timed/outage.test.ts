import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { WorkflowNotFoundError } from '@temporalio/common'
import { isProcessAlive, type ProcessIdentity } from '../../packages/dev/process/identity.ts'
import type { ChildProcessName } from '../../packages/dev/process/shutdown.ts'
import { deriveOperationUuid } from '../../src/api/operations/idempotency.ts'
import { WORKFLOWS } from '../../src/workflows/contracts/workflows.ts'
import type { ApiResponse } from '../api/support/client.ts'
import { createEndpointFixtures, listEndpointRequests } from '../api/support/every-endpoint.ts'
import { createPayoutActions } from '../api/support/payout-actions.ts'
import { pollUntil } from '../api/support/poll-until.ts'
import { type Merchant, openTestStack, type TestStack } from '../api/support/test-stack.ts'
import { measureRunningTime, RESPONSE_LIMIT_MS } from '../support/running-time.ts'
import { readRunningProcesses, type Stack, startStack } from '../support/stack.ts'

/** Processes are killed, servers freeze, everything is stopped: callers get 503 in time, and accepted operations continue. */

/** A provider's notification is repeated soon, yet a call of three seconds takes three. */
const TIME_SCALE = 10

let stack: Stack
let testStack: TestStack
beforeAll(async () => {
  stack = await startStack({ timeScale: TIME_SCALE })
  testStack = await openTestStack(stack.home)
})
afterAll(async () => {
  await testStack.close()
  await stack.stop()
})

const processes = () => readRunningProcesses(stack.home)

/** A process with all its descendants, which are stopped or continued together. */
function signalTree({ pid }: ProcessIdentity, signal: 'SIGSTOP' | 'SIGCONT') {
  process.kill(pid, signal) // First, so that it starts no other while its children are listed.
  const all = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const children = all
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number) as [number, number])
    .filter(([, parent]) => parent === pid)
  for (const [one] of children) {
    try {
      process.kill(one, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** Freezes a server during an action: it accepts connections, and never answers. */
async function whileFrozen<T>(name: ChildProcessName, act: () => Promise<T>): Promise<T> {
  const server = (await processes())[name]!
  signalTree(server, 'SIGSTOP')
  try {
    return await act()
  } finally {
    signalTree(server, 'SIGCONT')
  }
}

/** Kills a process, and answers its successor once there is one. */
async function killed(name: ChildProcessName): Promise<void> {
  const before = (await processes())[name]!
  process.kill(before.pid, 'SIGKILL')
  await pollUntil(processes, now => now[name] !== undefined && now[name].pid !== before.pid)
}

async function timed(answer: Promise<ApiResponse>) {
  const { result, elapsedMs } = await measureRunningTime(() => answer)
  const { status, body, headers } = result
  return {
    status,
    code: body.code,
    body,
    retryAfter: Number(headers.get('retry-after')),
    ms: elapsedMs,
  }
}

/** One request: the responses while something is down are under test. */
const create = ({ api }: Merchant, key: string) =>
  api.sendingOnce().post('/api/v1/payments', { value: 10, type: 'PIX' }, { key })
/** Waits until the service reports that it is ready again. */
const isReady = ({ api }: Merchant) =>
  pollUntil(
    () => api.get('/readyz'),
    ({ status }) => status === 200,
  )
/** Requests with one key until there is a charge. */
const isCreated = (merchant: Merchant, key: string) =>
  pollUntil(
    () => create(merchant, key),
    ({ status }) => status === 201,
    { everyMs: 500 },
  )
const isPaid = ({ status }: { status: string }) => status === 'PAID'
const count = async ({ uuid }: Merchant) => {
  const rows = await testStack.sql('select uuid from charge where account_uuid = ?', [uuid])
  return rows.length
}

test('a worker killed while a provider issues: the next worker makes the charge PENDING, once', async () => {
  const merchant = await testStack.createMerchant()
  await testStack.simulator.addFault({
    provider: 'PROVIDER_A',
    operation: 'issueCharge',
    fault: 'slow',
    delay_ms: 3_000,
  })
  const key = randomUUID()
  const answering = timed(create(merchant, key))
  await pollUntil(
    () =>
      testStack.sql(
        `select a.state from attempt a join charge c on c.uuid = a.subject_uuid where c.account_uuid = ?`,
        [merchant.uuid],
      ),
    rows => rows.length === 1,
  )
  await killed('worker')
  const answer = await answering
  expect([201, 503]).toContain(answer.status)
  const { uuid } = answer.body.data
  const charge = await pollUntil(
    () => merchant.api.readCharge(uuid),
    ({ status }) => status === 'PENDING',
  )
  expect((await isCreated(merchant, key)).body.data.uuid).toBe(uuid)
  expect(await count(merchant)).toBe(1)
  await testStack.simulator.pay({ payload: charge.payment.payload })
  await pollUntil(() => merchant.api.readCharge(uuid), isPaid)
  await testStack.waitUntilLedgerAgrees(merchant)
})

test('PostgreSQL frozen: every endpoint except the metrics answers 503 in time, and accepted operations continue afterwards', async () => {
  const made = await createEndpointFixtures(testStack)
  const { merchant, open } = made
  const key = randomUUID()
  const requests = listEndpointRequests(made, key)
  const before = await count(merchant)
  // The token is cached and has its lease of the limit, so that the endpoint's own read is the first.
  await merchant.api.get('/api/v1/providers')
  const answers = await whileFrozen('postgres', async () => {
    const paying = testStack.simulator.pay({ payload: open.payment.payload })
    const all = await Promise.all(requests.map(async ([name, ask]) => ({ name, ...(await timed(ask())) })))
    expect((await merchant.api.get('/healthz')).status).toBe(200)
    await paying
    return all
  })
  const said = answers.map(({ name, status, ms, retryAfter }) => ({
    name,
    status,
    isInTime: ms < RESPONSE_LIMIT_MS,
    saysWhenAgain: retryAfter > 0,
  }))
  // A scrape gets this process's own figures, and that PostgreSQL does not answer.
  const refused = (name: string) => name !== 'GET /metrics'
  expect(said).toEqual(
    requests.map(([name]) => ({
      name,
      status: refused(name) ? 503 : 200,
      isInTime: true,
      saysWhenAgain: refused(name),
    })),
  )
  for (const { name, code } of answers)
    if (name.includes('/api/v1/')) expect([name, code]).toEqual([name, 'unavailable'])
  await isReady(merchant)
  expect(await count(merchant)).toBe(before)
  await isCreated(merchant, key)
  await pollUntil(() => merchant.api.readCharge(open.uuid), isPaid)
  expect(await createPayoutActions(testStack).transfer(merchant, made.scheduled.uuid)).toMatchObject({
    status: 'PENDING',
  })
  await testStack.waitUntilLedgerAgrees(merchant)
})

test('PostgreSQL killed: requests get 503 or a normal response, and accepted operations continue', async () => {
  const merchant = await testStack.createMerchant()
  const accepted = await merchant.api.createCharge()
  const dying = killed('postgres')
  const keys = Array.from({ length: 6 }, () => randomUUID())
  const paying = testStack.simulator.pay({ payload: accepted.payment.payload })
  for (const { status, ms } of await Promise.all(keys.map(key => timed(create(merchant, key))))) {
    expect([201, 503]).toContain(status)
    expect(ms).toBeLessThan(RESPONSE_LIMIT_MS + 6_000)
  }
  await Promise.all([dying, paying])
  await isReady(merchant)
  for (const key of keys) await isCreated(merchant, key)
  await pollUntil(() => merchant.api.readCharge(accepted.uuid), isPaid)
  expect(await count(merchant)).toBe(7)
  await testStack.waitUntilLedgerAgrees(merchant)
})

test('no worker starts anything: new operations are refused at once, and their keys stay free', async () => {
  const merchant = await testStack.createMerchant()
  const [accepted, key] = [await merchant.api.createCharge(), randomUUID()]
  const repeat = { key: randomUUID() }
  const stored = await isCreated(merchant, repeat.key)
  const waiting = Array.from({ length: 12 }, () => randomUUID())
  const [answers, refused] = await whileFrozen('worker', async () => {
    const all = Promise.all(waiting.map(one => timed(create(merchant, one))))
    // None of these is refused before the first have waited for a second, and an old task for two.
    await sleep(3_500)
    // At once, unless this machine stood still for a moment.
    const one = await pollUntil(
      () => timed(create(merchant, key)),
      ({ code, ms }) => code === 'overloaded' && ms < 100,
    )
    expect((await merchant.api.get('/api/v1/payments')).body.meta.total).toBe(2)
    expect((await create(merchant, repeat.key)).bytes).toEqual(stored.bytes)
    await testStack.simulator.pay({ payload: accepted.payment.payload })
    await pollUntil(
      () =>
        testStack.sql('select uuid from provider_notification where connection_uuid = ?', [
          merchant.connection.uuid,
        ]),
      rows => rows.length > 0,
    )
    return [await all, one] as const
  })
  for (const { status, code } of answers) expect([status, code]).toEqual([503, 'not_confirmed'])
  expect(refused).toMatchObject({ status: 503, retryAfter: 5 })
  const workflows = (await testStack.connectTemporal()).workflow
  const owner = { accountUuid: merchant.uuid, mode: 'test' } as const
  const uuid = deriveOperationUuid({ owner, method: 'POST', path: '/api/v1/payments', key })
  await expect(workflows.getHandle(WORKFLOWS.charge.idOf(uuid)).describe()).rejects.toThrow(
    WorkflowNotFoundError,
  )
  for (const one of [key, ...waiting]) await isCreated(merchant, one)
  await pollUntil(() => merchant.api.readCharge(accepted.uuid), isPaid)
  expect(await count(merchant)).toBe(15)
})

test('Temporal frozen: reads are answered, all else is 503 in time, and no accepted operation is lost', async () => {
  const merchant = await testStack.createMerchant()
  const [key, once] = [randomUUID(), merchant.api.sendingOnce()]
  const [accepted, unwanted] = [await merchant.api.createCharge(), await merchant.api.createCharge()]
  const answers = await whileFrozen('temporal', async () => {
    const paying = testStack.simulator.pay({ payload: accepted.payment.payload })
    const all = await Promise.all([
      timed(create(merchant, key)),
      timed(once.post(`/api/v1/payments/${unwanted.uuid}/cancel`)),
      timed(once.get('/readyz')),
    ])
    expect((await merchant.api.get('/api/v1/payments')).body.meta.total).toBe(2)
    await paying
    return all
  })
  for (const { status, ms, retryAfter } of answers) {
    expect(status).toBe(503)
    expect(ms).toBeLessThan(RESPONSE_LIMIT_MS)
    expect(retryAfter).toBeGreaterThan(0)
  }
  await isReady(merchant)
  await isCreated(merchant, key)
  await pollUntil(() => merchant.api.readCharge(accepted.uuid), isPaid)
  const path = `/api/v1/payments/${unwanted.uuid}/cancel`
  await pollUntil(
    () => merchant.api.post(path),
    ({ status }) => status !== 503,
    { everyMs: 500 },
  )
  expect((await merchant.api.readCharge(unwanted.uuid)).status).toBe('CANCELLED')
  expect(await count(merchant)).toBe(3)
  await testStack.waitUntilLedgerAgrees(merchant)
})

test('Temporal killed: 503 in time, and a payment notified meanwhile is not lost', async () => {
  const merchant = await testStack.createMerchant()
  const accepted = await merchant.api.createCharge()
  const dying = killed('temporal')
  const key = randomUUID()
  const paying = testStack.simulator.pay({ payload: accepted.payment.payload })
  const answer = await timed(create(merchant, key))
  expect([201, 503]).toContain(answer.status)
  if (answer.status === 503) expect(answer.ms).toBeLessThan(RESPONSE_LIMIT_MS)
  await Promise.all([dying, paying])
  await isCreated(merchant, key)
  await pollUntil(() => merchant.api.readCharge(accepted.uuid), isPaid)
  expect(await count(merchant)).toBe(2)
  await testStack.waitUntilLedgerAgrees(merchant)
})

test('the API killed: its successor answers, and the same key gives the same charge', async () => {
  const merchant = await testStack.createMerchant()
  const key = randomUUID()
  const first = await isCreated(merchant, key)
  await killed('api')
  const again = await pollUntil(
    () => create(merchant, key).catch(() => null),
    answer => answer?.status === 201,
  )
  expect(again!.body).toEqual(first.body)
  expect(again!.headers.get('idempotent-replayed')).toBe('true')
})

test('everything stopped and started again: all rows exist, and a charge created before is paid after', async () => {
  const merchant = await testStack.createMerchant()
  const recipient = await testStack.createRecipient(merchant)
  const inbox = `restart-${merchant.uuid}`
  await merchant.api.post('/api/v1/webhooks', { url: `${testStack.local.inbox_url}/${inbox}` })
  const key = randomUUID()
  const order = {
    value: 10,
    type: 'PIX',
    splits: [{ type: 'FIXED', value: 4, recipient_account_uuid: recipient.uuid }],
  }
  const made = await merchant.api.post('/api/v1/payments', order, { key })
  const charge = await merchant.api.readCharge(made.body.data.uuid)
  const oldToken = testStack.local.token
  const ran = Object.values(await processes())

  await testStack.close()
  await stack.restart()
  expect(ran.filter(isProcessAlive)).toEqual([])
  testStack = await openTestStack(stack.home)
  const api = testStack.api.withToken(merchant.token)

  expect(await api.readCharge(charge.uuid)).toEqual(charge)
  const again = await api.post('/api/v1/payments', order, { key })
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  expect(again.body).toEqual(made.body)
  expect(testStack.local.token).not.toBe(oldToken)
  expect((await testStack.api.get('/api/v1/payments')).status).toBe(200)
  expect((await testStack.api.withToken(oldToken).get('/api/v1/payments')).status).toBe(401)

  await testStack.simulator.pay({ payload: charge.payment.payload })
  const paid = await pollUntil(() => api.readCharge(charge.uuid), isPaid)
  expect(paid.splits).toMatchObject([{ status: 'CREDITED' }])
  await pollUntil(
    () => testStack.listEvents(inbox),
    events => events.length === 2,
  )
  await testStack.waitUntilLedgerAgrees(merchant)
})

test('one signal stops everything in order: exit code 0, and no process remains', async () => {
  const ran = Object.values(await processes())
  expect(ran).toHaveLength(5)
  expect(await stack.stop()).toBe(0)
  expect(ran.filter(isProcessAlive)).toEqual([])
})
