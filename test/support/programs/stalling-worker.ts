import { setTimeout as sleep } from 'node:timers/promises'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { buildWorkflowBundle } from '../workflow-bundle.ts'

/**
 * A worker of its own whose process stands still on request, as on a machine that is too busy. The first argument is the address of
 * Temporal, the second how long an activity takes right after a standstill in milliseconds, and the third the results of the
 * activities by name as JSON. It sends `ready`, and `standing still` before it does so for the milliseconds that it has received.
 */
const [address, slowActivityMs, results] = process.argv.slice(2) as [string, string, string]
let slowUntilMs = 0
// The SDK reports as errors what this worker is for.
const logger = new DefaultLogger('ERROR', () => {})
Runtime.install({ logger, telemetryOptions: { logging: { filter: 'ERROR', forward: {} } } })
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue: 'trilho',
  workflowBundle: await buildWorkflowBundle(),
  // The second attempt of a task needs a slot beside the first one.
  maxConcurrentWorkflowTaskExecutions: 200,
  activities: Object.fromEntries(
    Object.entries(JSON.parse(results)).map(([name, result]) => [
      name,
      async () => {
        if (performance.now() < slowUntilMs) await sleep(Number(slowActivityMs))
        return result
      },
    ]),
  ),
})
process.on('message', (standstillMs: number) => {
  process.send?.('standing still', () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, standstillMs)
    slowUntilMs = performance.now() + Number(slowActivityMs)
  })
})
process.send?.('ready')
await worker.run()
