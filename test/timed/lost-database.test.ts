import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Connection } from '@temporalio/client'
import { createPayoutActions, randomPixKey } from '../api/support/payout-actions.ts'
import { pollUntil } from '../api/support/poll-until.ts'
import { openTestStack, type TestStack } from '../api/support/test-stack.ts'
import { startSecondWorker, stopProcess } from '../support/second-processes.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

/** Two workers, of which one loses its database: the other one does all the work, and the first exits by itself. */

const TIME_SCALE = 10

let stack: Stack
let testStack: TestStack
let proxy: TcpProxy
const children: ChildProcess[] = []
beforeAll(async () => {
  stack = await startStack({ timeScale: TIME_SCALE })
  testStack = await openTestStack(stack.home)
  const { hostname: host, port } = new URL(stack.local.database_url)
  proxy = await startTcpProxy({ host, port: Number(port) })
})
afterAll(async () => {
  await Promise.all(children.map(stopProcess))
  proxy?.close()
  await testStack?.close()
  await stack?.stop()
})

/** A second worker that reaches PostgreSQL through the proxy, and its log. */
async function workerBehindProxy(name: string) {
  const databaseUrl = new URL(stack.local.database_url)
  databaseUrl.host = `127.0.0.1:${proxy.port}`
  const worker = await startSecondWorker(stack, name, {
    DATABASE_URL: databaseUrl.href,
    TRILHO_TIME_SCALE: String(TIME_SCALE),
  })
  children.push(worker.child)
  return worker
}

const isReady = (lines: { msg: string }[]) => lines.some(({ msg }) => msg === 'ready')

/** Whether this process polls the queue of the workflows, or has polled it in the last minutes. */
async function hasPolled({ pid }: ChildProcess): Promise<boolean> {
  const connection = await Connection.connect({ address: stack.local.temporal_address })
  try {
    const { pollers } = await connection.workflowService.describeTaskQueue({
      namespace: 'default',
      taskQueue: { name: 'trilho' },
      taskQueueType: 1,
    })
    return (pollers ?? []).some(({ identity }) => identity?.startsWith(`${pid}@`))
  } finally {
    await connection.close()
  }
}

test('a worker whose database stops answering exits, and another worker completes all its work', async () => {
  const merchant = await testStack.createMerchant({ providers: [{ balance: 1_000 }] })
  const { waitForStatus: becomes, send } = createPayoutActions(testStack)
  const { child, lines } = await workerBehindProxy('lost')
  await pollUntil(lines, isReady)
  // It is ready before its first poll.
  await pollUntil(
    () => hasPolled(child),
    polled => polled,
  )

  const ended = once(child, 'exit')
  proxy.injectFault({ kind: 'silent' })
  const order = () => ({ body: { pix_key: randomPixKey() }, key: randomUUID() })
  const orders = Array.from({ length: 12 }, order)
  const sent = await Promise.all(
    orders.map(({ body, key }) =>
      pollUntil(
        () => send(merchant, body, { key }),
        ({ status }) => status === 201,
        { everyMs: 1_000 },
      ),
    ),
  )
  const [code] = await ended
  expect(code).toBe(1)
  const last = (await lines()).findLast(({ level }) => level === 60)
  expect(last?.msg).toContain('the worker exits because PostgreSQL does not answer')
  for (const { body } of sent) await becomes(merchant, body.data.uuid, 'PAID')
  await testStack.waitUntilLedgerAgrees(merchant)
})

test('a worker that starts without its database does not poll, and serves once the database answers', async () => {
  const { child, lines } = await workerBehindProxy('without')
  await pollUntil(lines, all => all.some(({ msg }) => msg.startsWith('PostgreSQL does not answer')))
  expect(await hasPolled(child)).toBe(false)
  proxy.clearFault()
  await pollUntil(lines, isReady)
  await pollUntil(
    () => hasPolled(child),
    polled => polled,
  )
})
