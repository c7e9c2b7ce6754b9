import { hostname } from 'node:os'
import { Client } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker'
import {
  batchActivities,
  databaseActivities,
  firstAttemptActivities,
  maintenanceActivities,
  providerActivities,
  reportActivities,
  webhookActivities,
} from './activities/index.ts'
import type { ActivityDependencies } from './activities/runtime/dependencies.ts'
import { activityInterceptorPlugin } from './activities/runtime/interceptors.ts'
import { MAX_LOCAL_ACTIVITIES } from './activities/webhooks/first-attempts.ts'
import { createApp } from './api/app.ts'
import { healthRoutes } from './api/health/routes.ts'
import { workerMetricsRoutes } from './api/metrics/routes.ts'
import { createConfiguredCodeReader } from './code-reader/reader.ts'
import { type Config, readServiceConfig } from './config.ts'
import { watchDatabase } from './db/client/database-watch.ts'
import { openOrm } from './db/client/orm.ts'
import { requireUsableDatabase } from './db/client/startup-check.ts'
import { refuseAddress, startServer } from './http/server.ts'
import { createMessengers } from './messaging/messengers.ts'
import { findLoopbackAddress } from './metrics/temporal-sdk-metrics.ts'
import { createWorkerMetrics } from './metrics/worker-metrics.ts'
import { createSharedAccess } from './provider-access/shared-access.ts'
import { createUnexplainedAnswerRecorder } from './provider-notifications/unexplained-answers.ts'
import { logFailedCall } from './providers/call-observer.ts'
import { createConnectionProbe } from './providers/http/connection-pool.ts'
import { createProviderRegistry } from './providers/registry.ts'
import { createSealer } from './security/sealing.ts'
import { startProcess } from './startup/process.ts'
import { createProviderWatch } from './startup/provider-watch.ts'
import { classifyTemporalError, waitForServer } from './startup/server-wait.ts'
import { limitShutdown } from './startup/shutdown-limit.ts'
import { openStorage } from './storage/storage.ts'
import { connectToTemporal } from './temporal/connection.ts'
import { followCurrentVersion } from './temporal/schedules.ts'
import { buildVersioningOptions } from './temporal/worker-version.ts'
import type { TemporalContext } from './temporal/workflow-options.ts'
import { startTracing } from './tracing/tracing.ts'
import { createAddressPolicy } from './webhook-client/address-policy.ts'
import { createWebhookClient } from './webhook-client/client.ts'
import { loadWorkflowBundle } from './workflows/bundle/bundle.ts'
import { webhookTaskQueueOf } from './workflows/contracts/webhooks.ts'

/** Timeout of one provider call: within the 5 s of a request (SPEC §1). */
const PROVIDER_TIMEOUT_MS = 4_500

const SHUTDOWN_SIGNALS = ['SIGTERM', 'SIGINT'] as const

/**
 * Periods of a shutdown: longer than any provider call, so that no response is lost; then running activities are cancelled. The process
 * ends at the limit, whatever its activities wait for.
 */
const SHUTDOWN_GRACE_MS = 20_000
const SHUTDOWN_FORCE_MS = 30_000
const SHUTDOWN_LIMIT_MS = 40_000

/** Log lines of a worker that has lost what its tasks need: it finishes what runs and ends. */
const DATABASE_LOST = {
  shutdown: 'PostgreSQL does not answer: the worker stops polling Temporal',
  exit: 'the worker exits because PostgreSQL does not answer; the next start waits for PostgreSQL',
}
const PROVIDERS_LOST = {
  shutdown: 'this worker reaches no provider, and another worker does: it stops polling Temporal',
  exit: 'the worker exits because its network reaches no provider (DNS, route, firewall or NODE_EXTRA_CA_CERTS); the next start waits for one',
}

/** Maps Temporal's log levels to pino's; Temporal's INFO is for debugging. */
const PINO_LEVELS = { TRACE: 'trace', DEBUG: 'trace', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const

/** Worker process: create, register, run until it is stopped. */
const { config, log } = startProcess('worker', readServiceConfig)
const workerName = `${hostname()}:${process.pid}`
const metrics = createWorkerMetrics(workerName)
const sdkAddress = await findLoopbackAddress()
Runtime.install({
  telemetryOptions: {
    // Otherwise the core writes its own coloured text between the JSON lines of this log.
    logging: { filter: { core: 'INFO', other: 'WARN' }, forward: {} },
    metrics: { prometheus: { bindAddress: sdkAddress }, globalTags: { worker: workerName } },
  },
  shutdownSignals: [...SHUTDOWN_SIGNALS],
  logger: new DefaultLogger('INFO', ({ level, message, meta }) => {
    // An error's message may have values of an operation; its name says what happened.
    const temporal = meta?.error instanceof Error ? { ...meta, error: meta.error.name } : meta
    log[PINO_LEVELS[level]]({ temporal }, message)
  }),
})

// Temporal's runtime stops workers only: a process that still waits for a server or a provider ends at once.
const endAtOnce = () => process.exit(0)
for (const signal of SHUTDOWN_SIGNALS) process.on(signal, endAtOnce)

const orm = await openOrm({
  databaseUrl: config.databaseUrl,
  applicationName: 'trilho worker',
  poolSize: config.databasePool,
})
const sealer = createSealer(config.secretKeys)
const storage = await openStorage(config)
/** The workers of this process, once they run. */
const workers: Worker[] = []
const temporal: TemporalContext = {
  client: async () => client, // `/readyz` asks Temporal once the workers run.
  taskQueue: config.temporal.taskQueue,
  timeScale: config.timeScale,
}
const app = createApp({
  orm,
  config,
  log,
  sealer,
  storage,
  codeReader: createConfiguredCodeReader(config),
  temporal,
  findUnreadiness() {
    if (workers.length === 0) return 'starting'
    return workers.every(worker => worker.getState() === 'RUNNING') ? undefined : 'stopping'
  },
  routes: [healthRoutes, workerMetricsRoutes(metrics, sdkAddress)],
})
const { host, workerPort: port } = config
const server = await startServer(app, { host, port }).catch(refuseAddress('TRILHO_WORKER_PORT'))
log.info({ url: server.url }, 'health and metrics are served')
const isUnsafeAllowed = config.isUnsafeDatabaseAllowed
await waitForServer(() => requireUsableDatabase({ orm, isUnsafeAllowed, log }), { log, server: 'PostgreSQL' })
const tracing = await startTracing(config.otlpUrl, 'worker')
const connection = await waitForServer(() => connectToNamespace(config.temporal), { log, server: 'Temporal' })
const client = new Client({
  connection,
  namespace: config.temporal.namespace,
  plugins: tracing.plugins,
})
const providerWatch = createProviderWatch({
  orm,
  worker: workerName,
  canConnect: createConnectionProbe(),
  log,
})
await providerWatch.waitUntilReachable()
const dependencies = createDependencies(config)
const workflowBundle = await loadWorkflowBundle(config.otlpUrl === undefined ? 'plain' : 'traced')
const { version } = config.temporal
const stopHousekeeping = await followCurrentVersion(client, temporal, {
  version,
  onRead: deployment => metrics.recordDeployment(version!.buildId, deployment),
  onError: ({ message }) => log.warn({ cause: message }, 'the current worker version cannot be read'),
})

const commonOptions: Partial<WorkerOptions> = {
  connection,
  namespace: config.temporal.namespace,
  plugins: [...tracing.plugins, activityInterceptorPlugin],
  ...buildVersioningOptions(version),
  shutdownGraceTime: SHUTDOWN_GRACE_MS,
  shutdownForceTime: SHUTDOWN_FORCE_MS,
}
const workflowWorker = await Worker.create({
  ...commonOptions,
  taskQueue: config.temporal.taskQueue,
  workflowBundle,
  activities: {
    ...providerActivities(dependencies),
    ...databaseActivities(dependencies),
    ...batchActivities(dependencies),
    ...reportActivities(dependencies),
    ...firstAttemptActivities(dependencies),
    ...maintenanceActivities(dependencies),
  },
  maxCachedWorkflows: config.cachedWorkflows,
  // Leaves room for other workflow tasks while some wait for a provider's response to a notification.
  maxConcurrentWorkflowTaskExecutions: 100,
  // In a burst the others wait with their limits not yet started: more at once would all exceed them, and be repeated.
  maxConcurrentLocalActivityExecutions: MAX_LOCAL_ACTIVITIES,
})
const deliveryWorker = await Worker.create({
  ...commonOptions,
  taskQueue: webhookTaskQueueOf(config.temporal.taskQueue),
  activities: webhookActivities(dependencies),
  // Activities mostly wait for sockets: hundreds of dead webhook endpoints at once leave room for live ones.
  maxConcurrentActivityTaskExecutions: 1_000,
})

log.info({ taskQueue: config.temporal.taskQueue, ...version }, 'ready')
const databaseWatch = watchDatabase(config.databaseUrl)
for (const signal of SHUTDOWN_SIGNALS) {
  process.off(signal, endAtOnce)
  process.once(signal, () => limitShutdown(log, SHUTDOWN_LIMIT_MS))
}
workers.push(workflowWorker, deliveryWorker)
const workerRuns = workers.map(worker => worker.run())
const allRuns = Promise.all(workerRuns)
const lost = await Promise.race([
  databaseWatch.lost.then(isLost => isLost && DATABASE_LOST),
  providerWatch.watch().then(isLost => isLost && PROVIDERS_LOST),
  allRuns.then(() => false as const),
])
if (lost) {
  log.error(lost.shutdown)
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
  limitShutdown(log, SHUTDOWN_LIMIT_MS)
  await Promise.allSettled(workerRuns) // Temporal gives unfinished tasks to another worker.
  log.fatal(lost.exit)
  process.exit(1)
}
await allRuns
await Promise.all([databaseWatch.close(), providerWatch.close()])
stopHousekeeping()
await server.stop()
dependencies.messengers.close()
await Promise.all([dependencies.providers.close(), dependencies.webhooks.close(), dependencies.orm.close()])
await Promise.all([connection.close(), tracing.stop()])
log.info('stopped')

/** Connects to Temporal and checks that the namespace exists; throws `StartupRefusal` where it does not. */
async function connectToNamespace(server: Config['temporal']): Promise<NativeConnection> {
  const { namespace } = server
  const connection = await connectToTemporal(server, options => NativeConnection.connect(options))
  try {
    await connection.workflowService.describeNamespace({ namespace })
    return connection
  } catch (error) {
    await connection.close()
    throw classifyTemporalError(error) ?? error
  }
}

function createDependencies(config: Config): ActivityDependencies {
  return {
    orm,
    sealer,
    storage,
    temporal,
    log,
    providers: createProviderRegistry({
      openCredentials: sealer.open,
      recordUnexplained: createUnexplainedAnswerRecorder({ orm, sealer, log }),
      sharedAccess: createSharedAccess({ orm, sealer, log, timeScale: config.timeScale }),
      timeoutMs: PROVIDER_TIMEOUT_MS,
      observeCall(call) {
        metrics.recordProviderCall(call)
        logFailedCall(log, call)
      },
      observeCertificate: metrics.recordCertificate,
    }),
    webhooks: createWebhookClient({
      policy: createAddressPolicy({ canReachLoopback: config.loopbackWebhooks }),
    }),
    messengers: createMessengers(config.messengers),
    onDeliveryAttempt: metrics.recordWebhookAttempt,
    onCallout: metrics.recordCallout,
    isReachedByOthersOnly: providerWatch.isReachedByOthersOnly,
    timeScale: config.timeScale,
    publicUrl: config.publicUrl,
  }
}
