import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { Pool, type PoolClient } from 'pg'
import { createAccount } from '../../src/admin/accounts.ts'
import { openOrm } from '../../src/db/client/orm.ts'
import { eventPruningWorkflow } from '../../src/workflows/maintenance/maintenance.workflows.ts'
import { createTestDatabase } from '../support/database.ts'
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts'
import { startTemporal } from '../support/temporal.ts'

/** A worker that is stopped while its activity waits for a row lock of another session. */

const LIMIT_MS = 4_000
const PROGRAM = join(import.meta.dirname, '../support/programs/waiting-worker.ts')

let temporal: Awaited<ReturnType<typeof startTemporal>>
let connection: Connection
let databaseUrl: string
let pool: Pool
let worker: ChildProcess | undefined

beforeAll(async () => {
  temporal = await startTemporal()
  connection = await Connection.connect({ address: temporal.address })
  databaseUrl = await createTestDatabase()
  const orm = await openOrm({ databaseUrl, poolSize: 1 })
  await createAccount(orm.em.fork(), { name: 'Loja de Teste Ltda', document: '11222333000181' })
  await orm.close()
  pool = new Pool({ connectionString: databaseUrl, max: 1 })
})
afterEach(() => void worker?.kill('SIGKILL'))
afterAll(async () => {
  await pool?.end()
  await connection?.close()
  await temporal?.stop()
})

/** Starts a worker, and stops it while its activity waits for the lock of a session; `act` is called right after the signal. */
async function stopWhileWaiting(act: (session: PoolClient) => Promise<unknown>) {
  const session = await pool.connect()
  try {
    await session.query('begin')
    await session.query('select 1 from account for update')
    worker = fork(PROGRAM, [temporal.address, databaseUrl, String(LIMIT_MS)], {
      env: PROGRAM_ENVIRONMENT,
      execArgv: [],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    const log = text(worker.stdout!)
    await once(worker, 'message')
    const options = { taskQueue: 'trilho', workflowId: `prune-${worker.pid}` }
    const isWaiting = once(worker, 'message')
    await new Client({ connection }).workflow.start(eventPruningWorkflow, options)
    await isWaiting
    const ended = once(worker, 'exit')
    const signalledAtMs = performance.now()
    worker.kill('SIGTERM')
    await act(session)
    const [code] = await ended
    return { code, elapsedMs: performance.now() - signalledAtMs, log: await log }
  } finally {
    await session.query('rollback')
    session.release()
  }
}

test('a worker that is stopped while its activity waits for a row lock ends at the limit of its shutdown, and says so', async () => {
  const { code, elapsedMs, log } = await stopWhileWaiting(async () => {})
  expect(code).toBe(1)
  expect(elapsedMs).toBeGreaterThanOrEqual(LIMIT_MS)
  expect(log).toContain('the worker exits although an activity has not returned since it was cancelled')
})

test('a worker whose activity gets its row lock after all ends before the limit of its shutdown, and in order', async () => {
  const { code, elapsedMs, log } = await stopWhileWaiting(session => session.query('rollback'))
  expect([code, log]).toEqual([0, ''])
  expect(elapsedMs).toBeLessThan(LIMIT_MS)
})
