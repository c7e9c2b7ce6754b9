import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { readServiceConfig } from '../config.ts'
import { dashboardRoutes } from '../dashboard/routes.ts'
import { openOrm } from '../db/orm.ts'
import { unexplainedRecorder } from '../engine/unexplained.ts'
import { apiMetrics } from '../metrics/api.ts'
import { logFailedCall } from '../providers/call-log.ts'
import { providerRegistry } from '../providers/registry.ts'
import { sealer } from '../sealing.ts'
import { requireUsableDatabase } from '../startup/database.ts'
import { startProcess } from '../startup/process.ts'
import { temporalRefusal } from '../startup/temporal.ts'
import { waitForServer } from '../startup/waiting.ts'
import { StartupRefusal } from '../startup-refusal.ts'
import { openStorage } from '../storage/storage.ts'
import { startTracing } from '../tracing/tracing.ts'
import { createApp } from './app.ts'
import { STATEMENT_MS } from './limits.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { documentationRoutes } from './routes/documentation.ts'
import { eventRoutes } from './routes/events.ts'
import { fileRoutes } from './routes/files.ts'
import { healthRoutes } from './routes/health.ts'
import { ledgerRoutes } from './routes/ledger.ts'
import { medRoutes } from './routes/meds.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { noticeRoutes } from './routes/notices.ts'
import { paymentRoutes } from './routes/payments.ts'
import { pixKeyRoutes } from './routes/pix-keys.ts'
import { providerRoutes } from './routes/providers.ts'
import { refundRoutes } from './routes/refunds.ts'
import { transferRoutes } from './routes/transfers.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { startServer } from './server.ts'
import { probeTemporal, temporalClient } from './temporal.ts'

/** The API's process: listens with or without PostgreSQL and Temporal, refuses settings that they do not take, and stops in order. */

/** A server that answers does so before; one that is away does not keep the API from answering 503. */
const CHECKED_BEFORE_LISTENING_MS = 2_500

const { config, log } = startProcess('api', readServiceConfig)
/** Aborted by the first signal: `/readyz` answers 503 from then on, before the listener closes. */
const stopping = new AbortController()
const orm = await openOrm({
  databaseUrl: config.databaseUrl,
  applicationName: 'trilho api',
  poolSize: config.databasePool,
  statementMs: STATEMENT_MS,
})
const tracing = await startTracing(config.otlpUrl, 'api')
const temporal = temporalClient(config.temporal, tracing.plugins)
await new Promise<void>(resolve => {
  // A refusal is left unhandled, which ends the process also after it has begun to listen (src/startup/process.ts).
  void checkServers().then(resolve)
  setTimeout(resolve, CHECKED_BEFORE_LISTENING_MS)
})
const seal = sealer(config.secretKeys)
const metrics = apiMetrics()
/** Only to read notifications: of providers the API asks for nothing but the key that signs them. */
const providers = providerRegistry({
  open: seal.open,
  timeoutMs: 1_000,
  observe: call => logFailedCall(log, call),
  recordUnexplained: unexplainedRecorder({ orm, sealer: seal, log, count: metrics.unexplained }),
})

const app = createApp({
  orm,
  temporal: temporal.client,
  config,
  log,
  sealer: seal,
  storage: await openStorage(config),
  isStopping: () => stopping.signal.aborted,
  count: metrics.count,
  routes: [
    healthRoutes,
    metricsRoutes(metrics),
    paymentRoutes,
    refundRoutes,
    medRoutes,
    transferRoutes,
    pixKeyRoutes,
    providerRoutes,
    webhookRoutes(),
    deliveryRoutes,
    eventRoutes,
    ledgerRoutes,
    noticeRoutes(providers),
    fileRoutes,
    documentationRoutes,
    dashboardRoutes,
  ],
})
const server = await startServer(app, config).catch((error: NodeJS.ErrnoException) => {
  throw new StartupRefusal(
    `The API cannot listen at HOST and PORT (${error.code}): name others, or free the port`,
  )
})
log.info({ url: server.url }, 'listening')

/** Refuses settings that PostgreSQL or Temporal do not take; waits for either as long as it is away. */
async function checkServers(): Promise<void> {
  const isUnsafeAllowed = config.isUnsafeDatabaseAllowed
  const { signal } = stopping
  await Promise.all([
    waitForServer(() => requireUsableDatabase({ orm, isUnsafeAllowed, log }), {
      log,
      server: 'PostgreSQL',
      signal,
    }),
    waitForServer(async () => requireNamespace(await temporal.client()), { log, server: 'Temporal', signal }),
  ])
}

async function requireNamespace(client: Client): Promise<void> {
  await probeTemporal(client).catch(error => {
    throw temporalRefusal(error) ?? error
  })
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(signal))

/** Once: a second signal does not cut short what the first one lets finish. */
async function stop(signal: string): Promise<void> {
  if (stopping.signal.aborted) return
  stopping.abort()
  log.info({ signal, drainMs: config.drainMs }, 'stopping')
  await pause(config.drainMs)
  await server.stop()
  await Promise.all([temporal.close(), providers.close(), tracing.stop()])
  await orm.close()
  log.info('stopped')
}
