import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { reserveFreePort } from '../../packages/dev/os/ports.ts'
import { createPayoutActions, randomPixKey } from '../api/support/payout-actions.ts'
import { pollUntil } from '../api/support/poll-until.ts'
import { openTestStack, type TestStack } from '../api/support/test-stack.ts'
import { openProcessNetwork, type ProcessNetwork } from '../support/network-of-one-process.ts'
import { measureRunningTime } from '../support/running-time.ts'
import { startSecondWorker, stopProcess } from '../support/second-processes.ts'
import { type Stack, startStack } from '../support/stack.ts'

/** Two workers, one of which reaches no provider: no operation fails, and that worker exits and does not poll again. */

/** Unscaled: how long an operation takes is part of the promise. */
const TIME_SCALE = 1
const OPERATIONS = 42
const OPERATION_LIMIT_MS = 60_000

let stack: Stack
let testStack: TestStack
let network: ProcessNetwork
const children: ChildProcess[] = []
const claims: { release(): void }[] = []
beforeAll(async () => {
  stack = await startStack({ timeScale: TIME_SCALE })
  testStack = await openTestStack(stack.home)
  network = await openProcessNetwork(testStack.providerUrls)
})
afterAll(async () => {
  await Promise.all(children.map(stopProcess))
  network?.close()
  await testStack?.close()
  await stack?.stop()
  for (const claim of claims) claim.release()
})

/** A second worker in the network that the test disturbs, its log and whether it reports that it is healthy. */
async function startWorker(name: string, more: NodeJS.ProcessEnv = {}) {
  const claim = await reserveFreePort()
  claims.push(claim)
  const { port } = claim
  const worker = await startSecondWorker(stack, name, {
    ...network.environment,
    TRILHO_TIME_SCALE: String(TIME_SCALE),
    TRILHO_WORKER_PORT: String(port),
    ...more,
  })
  children.push(worker.child)
  return {
    ...worker,
    isHealthy: () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        answer => answer.ok,
        () => false,
      ),
  }
}

const isReady = (lines: { msg: string }[]) => lines.some(({ msg }) => msg === 'ready')
const isWaiting = (lines: { msg: string }[]) =>
  lines.some(({ msg }) => msg.includes('it waits and polls nothing'))

/** How long something takes, in milliseconds, while the machine does not stand still. */
const durationMs = async (operation: () => Promise<unknown>): Promise<number> =>
  (await measureRunningTime(operation)).elapsedMs

test('a worker that loses its way to all providers fails no operation, and exits', async () => {
  const merchant = await testStack.createMerchant({ providers: [{ balance: 1_000 }] })
  const { waitForStatus, send, createPaidCharge, requestRefund } = createPayoutActions(testStack)
  const charges = await Promise.all([1, 2, 3, 4].map(() => createPaidCharge(merchant)))
  const keyOwners = await Promise.all(
    Array.from({ length: OPERATIONS / 6 }, () => testStack.createMerchant()),
  )
  const { child, lines, isHealthy } = await startWorker('lost')
  await pollUntil(lines, isReady)
  await pollUntil(isHealthy, healthy => healthy)

  const ended = once(child, 'exit')
  network.injectFault({ kind: 'reset' })
  const confirmed = (ask: () => ReturnType<typeof send>) =>
    pollUntil(ask, ({ status }) => status < 300, { everyMs: 500 })
  const transfer = async () => {
    const [key, body] = [randomUUID(), { pix_key: randomPixKey() }]
    const { body: answer } = await confirmed(() => send(merchant, body, { key }))
    await waitForStatus(merchant, answer.data.uuid, 'PAID')
  }
  const charge = async () => {
    const { status } = await merchant.api.createCharge()
    expect(status).toBe('PENDING')
  }
  const refund = async (paid: { uuid: string }) => {
    const key = randomUUID()
    await confirmed(() => requestRefund(merchant, paid, {}, { key }))
    await pollUntil(
      () => merchant.api.readCharge(paid.uuid),
      ({ status }) => status === 'REFUNDED',
    )
  }
  const cancelledCharge = async () => {
    const { uuid } = await merchant.api.createCharge()
    const cancel = () => merchant.api.post(`/api/v1/payments/${uuid}/cancel`)
    // An answer 503 leaves open whether it was cancelled: 409 says that it was.
    await pollUntil(cancel, ({ status }) => status < 300 || status === 409, { everyMs: 500 })
    expect(await merchant.api.readCharge(uuid)).toMatchObject({ status: 'CANCELLED' })
  }
  const removedKey = async () => {
    const { api } = keyOwners.pop()! // An account may request three keys a minute.
    const [path, key] = ['/api/v1/pix-keys', randomUUID()]
    const { body } = await confirmed(() => api.post(path, { type: 'RANDOM' }, { key }))
    const remove = () => api.delete(`${path}/${body.data.key}`)
    await pollUntil(remove, ({ status }) => status < 300 || status === 404, { everyMs: 500 })
  }
  const operations = [transfer, charge, transfer, charge, cancelledCharge, removedKey]
  const running: Promise<number>[] = charges.map(paid => durationMs(() => refund(paid)))
  for (let operation = 0; operation < OPERATIONS; operation++) {
    running.push(durationMs(operations[operation % operations.length]!))
    await sleep(250)
  }
  const slowestMs = Math.max(...(await Promise.all(running)))
  const [code] = await ended
  expect(code).toBe(1)
  const last = (await lines()).findLast(({ level }) => level === 60)
  expect(last?.msg).toContain('the worker exits because its network reaches no provider')
  expect(await testStack.sql("select from attempt where state in ('unreachable', 'unknown')")).toEqual([])
  expect(slowestMs).toBeLessThan(OPERATION_LIMIT_MS)
  await testStack.waitUntilLedgerAgrees(merchant)
})

test('a worker without a way to a provider polls once it has one, and fails no operation of one that it loses', async () => {
  const merchant = await testStack.createMerchant({ providers: [{ balance: 1_000 }] })
  network.injectFault({ kind: 'reset' })
  const { child, lines, isHealthy } = await startWorker('without')
  await pollUntil(lines, isWaiting)
  expect(await isHealthy()).toBe(false)
  expect(isReady(await lines())).toBe(false)
  network.clearFault()
  await pollUntil(lines, isReady)

  const [provider] = await testStack.sql<{ base_url: string }>(
    'select base_url from connection where account_uuid = ?',
    [merchant.uuid],
  )
  network.injectFault({ kind: 'reset' }, provider!.base_url)
  const disturbancesBefore = network.disturbances()
  const { waitForStatus, send } = createPayoutActions(testStack)
  const transfers = Array.from({ length: 12 }, async (_, place) => {
    await sleep(place * 500)
    const [key, body] = [randomUUID(), { pix_key: randomPixKey() }]
    const { body: answer } = await pollUntil(
      () => send(merchant, body, { key }),
      ({ status }) => status < 300,
      { everyMs: 500 },
    )
    await waitForStatus(merchant, answer.data.uuid, 'PAID')
  })
  await Promise.all(transfers)
  expect(network.disturbances()).toBeGreaterThan(disturbancesBefore)
  expect(child.exitCode).toBeNull()
})

test('a worker without the authority of the providers’ certificates waits, and stops in order', async () => {
  await testStack.createMerchant()
  const { child, lines } = await startWorker('untrusting', { NODE_EXTRA_CA_CERTS: '' })
  await pollUntil(lines, isWaiting)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  expect(isReady(await lines())).toBe(false)
})
