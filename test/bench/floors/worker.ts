import { fileURLToPath } from 'node:url'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'

export async function nothing(): Promise<void> {}

/** A worker process of its own, as ours is: `node worker.ts <address> <task queue>`. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [address, taskQueue] = process.argv.slice(2)
  Runtime.install({ shutdownSignals: ['SIGTERM', 'SIGINT'], logger: new DefaultLogger('WARN') })
  const connection = await NativeConnection.connect({ address })
  const worker = await Worker.create({
    connection,
    taskQueue: taskQueue!,
    workflowsPath: fileURLToPath(new URL('./workflows.ts', import.meta.url)),
    activities: { nothing },
    maxCachedWorkflows: 400,
  })
  // It has a session of its own, so no signal to the benchmark's reaches it.
  process.once('disconnect', () => worker.shutdown())
  process.channel?.unref() // The listener alone keeps no worker that has stopped.
  process.send?.('ready')
  await worker.run()
  await connection.close()
}
