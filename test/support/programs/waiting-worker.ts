import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import pino from 'pino'
import { openOrm } from '../../../src/db/client/orm.ts'
import { limitShutdown } from '../../../src/startup/shutdown-limit.ts'
import { buildWorkflowBundle } from '../workflow-bundle.ts'

/**
 * A worker of its own whose activity waits for the rows of all accounts. The arguments are the address of Temporal, the URL of the
 * database and the limit of a shutdown in milliseconds. Without limits of its statements and a force time of its shutdown, the activity
 * and Temporal wait without end, as Temporal may after a force time. It sends `ready`, and `waiting` before its activity waits.
 */
const [address, databaseUrl, limit] = process.argv.slice(2) as [string, string, string]
const limitMs = Number(limit)
const orm = await openOrm({ databaseUrl, poolSize: 2, statementMs: null })
// The SDK reports as errors what this worker is for.
const logger = new DefaultLogger('ERROR', () => {})
Runtime.install({ logger, telemetryOptions: { logging: { filter: 'ERROR', forward: {} } } })
const connection = await NativeConnection.connect({ address })
const worker = await Worker.create({
  connection,
  taskQueue: 'trilho',
  workflowBundle: await buildWorkflowBundle(),
  shutdownGraceTime: limitMs / 4,
  activities: {
    async pruneEvents() {
      process.send?.('waiting')
      await orm.em.fork().execute('select 1 from account for update')
      return { deleted: 0 }
    },
  },
})
process.once('SIGTERM', () => limitShutdown(pino(), limitMs))
const run = worker.run()
process.send?.('ready')
await run
await connection.close()
await orm.close()
process.disconnect()
