import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { createApp } from './api/app.ts'
import { callbackRoutes } from './api/callbacks/routes.ts'
import { MERCHANT_ROUTES } from './api/merchant-routes.ts'
import { metricsRoutes } from './api/metrics/routes.ts'
import { createRequestLog } from './api/middleware/request-log.ts'
import { createAdmission, watchTaskAge } from './api/operations/admission.ts'
import { createTemporalClient, probeTemporal } from './api/operations/temporal-client.ts'
import { createConfiguredCodeReader } from './code-reader/reader.ts'
import { readServiceConfig } from './config.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import { openOrm } from './db/client/orm.ts'
import { requireUsableDatabase } from './db/client/startup-check.ts'
import { STATEMENT_TIMEOUT_MS } from './http/limits.ts'
import { refuseAddress, startServer } from './http/server.ts'
import { createApiMetrics } from './metrics/api-metrics.ts'
import { createSharedAccess } from './provider-access/shared-access.ts'
import { createUnexplainedAnswerRecorder } from './provider-notifications/unexplained-answers.ts'
import { logFailedCall, type ObserveCall } from './providers/call-observer.ts'
import { createProviderRegistry } from './providers/registry.ts'
import { createSealer } from './security/sealing.ts'
import { startProcess } from './startup/process.ts'
import { classifyTemporalError, waitForServer } from './startup/server-wait.ts'
import { openStorage } from './storage/storage.ts'
import { startTracing } from './tracing/tracing.ts'

/** API process: listens with or without PostgreSQL and Temporal, fails on settings that they reject. */

/**
 * Time to wait for PostgreSQL and Temporal before listening: a reachable server responds sooner, an unreachable one
 * does not keep the API from answering 503.
 */
const STARTUP_CHECK_WAIT_MS = 2_500

const { config, log } = startProcess('api', readServiceConfig)
/** Aborted by the first signal: from then on `/readyz` answers 503, before the listener closes. */
const stopping = new AbortController()
const orm = await openOrm({
  databaseUrl: config.databaseUrl,
  applicationName: 'trilho api',
  poolSize: config.databasePool,
  statementMs: STATEMENT_TIMEOUT_MS,
})
const tracing = await startTracing(config.otlpUrl, 'api')
const temporal = createTemporalClient(config.temporal, tracing.plugins)
await new Promise<void>(resolve => {
  // A `StartupRefusal` stays unhandled, which ends the process even after it listens (src/startup/process.ts).
  void checkServers().then(resolve)
  setTimeout(resolve, STARTUP_CHECK_WAIT_MS)
})
const sealer = createSealer(config.secretKeys)
const metrics = createApiMetrics()
const registryOptions = {
  openCredentials: sealer.open,
  recordUnexplained: createUnexplainedAnswerRecorder({ orm, sealer, log }),
  sharedAccess: createSharedAccess({ orm, sealer, log, timeScale: config.timeScale }),
  observeCall: (call => logFailedCall(log, call)) satisfies ObserveCall,
}
/** For notifications: nothing of a provider is called but its signing keys. */
const notificationProviders = createProviderRegistry({ ...registryOptions, timeoutMs: 1_000 })
/** For operators who connect an account in the dashboard. */
const providers = createProviderRegistry({ ...registryOptions, timeoutMs: 5_000 })

const admission = createAdmission()
const context = {
  client: temporal.client,
  taskQueue: config.temporal.taskQueue,
  timeScale: config.timeScale,
}
void watchTaskAge(admission, context, stopping.signal)
const requestLog = createRequestLog({ orm, log })
const app = createApp({
  orm,
  temporal: context,
  admission,
  config,
  log,
  sealer,
  storage: await openStorage(config),
  codeReader: createConfiguredCodeReader(config),
  providers,
  findUnreadiness: () => (stopping.signal.aborted ? 'stopping' : undefined),
  requestMetrics: metrics.measureRequest,
  recordRequest: requestLog.recordRequest,
  routes: [
    metricsRoutes(metrics),
    ...MERCHANT_ROUTES,
    callbackRoutes(notificationProviders),
    dashboardRoutes,
  ],
})
const server = await startServer(app, config).catch(refuseAddress('PORT'))
log.info({ url: server.url }, 'listening')

/** Checks PostgreSQL and Temporal: throws for settings they reject, waits for each while it is unreachable. */
async function checkServers(): Promise<void> {
  const database = { orm, isUnsafeAllowed: config.isUnsafeDatabaseAllowed, log }
  const wait = { log, signal: stopping.signal }
  await Promise.all([
    waitForServer(() => requireUsableDatabase(database), { ...wait, server: 'PostgreSQL' }),
    waitForServer(async () => requireNamespace(await temporal.client()), { ...wait, server: 'Temporal' }),
  ])
}

async function requireNamespace(client: Client): Promise<void> {
  await probeTemporal(client).catch(error => {
    throw classifyTemporalError(error) ?? error
  })
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(signal))

/** Stops the process, once: a second signal does not interrupt pending requests. */
async function stop(signal: string): Promise<void> {
  if (stopping.signal.aborted) return
  stopping.abort()
  log.info({ signal, drainMs: config.drainMs }, 'stopping')
  await pause(config.drainMs)
  await server.stop()
  await requestLog.close()
  await Promise.all([temporal.close(), notificationProviders.close(), providers.close(), tracing.stop()])
  await orm.close()
  log.info('stopped')
}
