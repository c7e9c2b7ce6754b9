import { hostname } from 'node:os'
import { Client } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker'
import { alive } from './activities/alive.ts'
import type { Dependencies } from './activities/dependencies.ts'
import { discreet } from './activities/discreet.ts'
import {
  eventActivities,
  noticeActivities,
  providerActivities,
  reconciliationActivities,
  recordActivities,
  webhookActivities,
} from './activities/index.ts'
import { type Config, readServiceConfig } from './config.ts'
import { openOrm } from './db/orm.ts'
import { keepHousekeeping } from './engine/schedules.ts'
import { unexplainedRecorder } from './engine/unexplained.ts'
import { versioningOptions } from './engine/worker-version.ts'
import { bundleOfLives } from './lives/bundle.ts'
import { openMessengers } from './messengers/messengers.ts'
import { publishMetrics } from './metrics/published.ts'
import { loopbackAddress, sdkMetrics } from './metrics/sdk.ts'
import { workerMetrics } from './metrics/worker.ts'
import { logFailedCall } from './providers/call-log.ts'
import { providerRegistry } from './providers/registry.ts'
import { sealer } from './sealing.ts'
import { requireUsableDatabase } from './startup/database.ts'
import { watchDatabase } from './startup/database-watch.ts'
import { startProcess } from './startup/process.ts'
import { temporalRefusal } from './startup/temporal.ts'
import { waitForServer } from './startup/waiting.ts'
import { openStorage } from './storage/storage.ts'
import { startTracing } from './tracing/tracing.ts'
import { addressPolicy } from './webhooks/addresses.ts'
import { webhookDialer } from './webhooks/dial.ts'
import { webhookQueue } from './workflows/ids.ts'

/** One call of a provider; two candidates fit into the 10 s that a create waits. */
const PROVIDER_TIMEOUT_MS = 4_500

/** Temporal's levels in pino's words; what it calls info is a matter for debugging. */
const LEVELS = { TRACE: 'trace', DEBUG: 'trace', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const

/** The worker's process: create, register, run, stop when told. */
const { config, log } = startProcess('worker', readServiceConfig)
const name = `${hostname()}:${process.pid}`
const metrics = workerMetrics(name)
const sdkAddress = await loopbackAddress()
Runtime.install({
  telemetryOptions: {
    // Without it the core writes its own coloured text between the lines of this log.
    logging: { filter: { core: 'INFO', other: 'WARN' }, forward: {} },
    metrics: { prometheus: { bindAddress: sdkAddress }, globalTags: { worker: name } },
  },
  shutdownSignals: ['SIGTERM', 'SIGINT'],
  logger: new DefaultLogger('INFO', ({ level, message, meta }) => {
    log[LEVELS[level]]({ temporal: meta }, message)
  }),
})

const orm = await openOrm({
  databaseUrl: config.databaseUrl,
  applicationName: 'trilho worker',
  poolSize: config.databasePool,
})
const isUnsafeAllowed = config.isUnsafeDatabaseAllowed
await waitForServer(() => requireUsableDatabase({ orm, isUnsafeAllowed, log }), { log, server: 'PostgreSQL' })
const tracing = await startTracing(config.otlpUrl, 'worker')
const connection = await waitForServer(() => connectToNamespace(config.temporal), { log, server: 'Temporal' })
const client = new Client({
  connection,
  namespace: config.temporal.namespace,
  plugins: tracing.plugins,
})
const [dependencies, workflowBundle] = await Promise.all([open(config, client), bundleOfLives()])
const engine = {
  client: dependencies.temporal,
  taskQueue: config.temporal.taskQueue,
  timeScale: config.timeScale,
}
const { version } = config.temporal
const stopHousekeeping = await keepHousekeeping(client, engine, {
  version,
  onRead: deployment => metrics.deploymentRead(version!.buildId, deployment),
  onError: ({ message }) => log.warn({ cause: message }, 'the current worker version cannot be read'),
})

const common: Partial<WorkerOptions> = {
  connection,
  namespace: config.temporal.namespace,
  plugins: tracing.plugins,
  ...versioningOptions(version),
  // Longer than any call, so that a stop loses nothing that was sent; what runs on is told to end after the first of them.
  shutdownGraceTime: '20 seconds',
  shutdownForceTime: '30 seconds',
}
const lives = await Worker.create({
  ...common,
  taskQueue: config.temporal.taskQueue,
  workflowBundle,
  activities: discreet({
    ...alive(providerActivities(dependencies, engine)),
    ...recordActivities(dependencies),
    ...alive(noticeActivities(dependencies, engine)),
    ...alive(eventActivities(dependencies, engine)),
    ...alive(reconciliationActivities(dependencies, engine)),
  }),
  maxCachedWorkflows: config.cachedWorkflows,
  // Those that wait for what a provider says of its own notice leave room for those that do not.
  maxConcurrentWorkflowTaskExecutions: 100,
})
const deliveries = await Worker.create({
  ...common,
  taskQueue: webhookQueue(config.temporal.taskQueue),
  activities: discreet(alive(webhookActivities(dependencies))),
  // They wait for sockets, mostly: hundreds of dead endpoints at once leave room for those that live.
  maxConcurrentActivityTaskExecutions: 1_000,
})

const stopPublishing = publishMetrics(dependencies.orm, name, {
  texts: async () => (await metrics.registry.metrics()) + (await sdkMetrics(sdkAddress)),
  clockRead: metrics.clockRead,
  healthFile: config.healthFile,
  log,
})
log.info({ taskQueue: config.temporal.taskQueue, ...version }, 'ready')
const watch = watchDatabase(config.databaseUrl)
void watch.lost.then(isLost => {
  if (isLost) for (const worker of [lives, deliveries]) if (worker.getState() === 'RUNNING') worker.shutdown()
})
const runs = [lives.run(), deliveries.run()]
const running = Promise.all(runs)
if (await Promise.race([watch.lost, running.then(() => false)])) {
  log.error('PostgreSQL does not answer: the worker stops polling Temporal')
  await Promise.allSettled(runs) // What does not end in time is given up; Temporal gives it to another worker.
  log.fatal('the worker ends because PostgreSQL does not answer; its next start waits for PostgreSQL')
  process.exit(1)
}
await running
await watch.close()
stopHousekeeping()
await stopPublishing()
dependencies.messengers.close()
await Promise.all([dependencies.providers.close(), dependencies.webhooks.close(), dependencies.orm.close()])
await Promise.all([connection.close(), tracing.stop()])
log.info('stopped')

/** Connects and checks that the namespace is there; throws `StartupRefusal` where it is not. */
async function connectToNamespace({ address, namespace }: Config['temporal']): Promise<NativeConnection> {
  const connection = await NativeConnection.connect({ address })
  try {
    await connection.workflowService.describeNamespace({ namespace })
    return connection
  } catch (error) {
    await connection.close()
    throw temporalRefusal(error) ?? error
  }
}

async function open(config: Config, client: Client): Promise<Dependencies> {
  const seal = sealer(config.secretKeys)
  return {
    orm,
    sealer: seal,
    storage: await openStorage(config),
    providers: providerRegistry({
      open: seal.open,
      timeoutMs: PROVIDER_TIMEOUT_MS,
      observe(call) {
        metrics.called(call)
        logFailedCall(log, call)
      },
      seeCertificate: metrics.certificateSeen,
      recordUnexplained: unexplainedRecorder({ orm, sealer: seal, log, count: metrics.unexplained }),
    }),
    webhooks: webhookDialer({ policy: addressPolicy({ loopback: config.loopbackWebhooks }) }),
    messengers: openMessengers(config.messengers),
    temporal: async () => client,
    tried: metrics.tried,
    contradicted: metrics.contradicted,
    timeScale: config.timeScale,
    log,
  }
}
