import { pino } from 'pino'
import { readConfig } from '../config.ts'
import { dashboardRoutes } from '../dashboard/routes.ts'
import { checkDurability } from '../db/durability.ts'
import { openOrm } from '../db/orm.ts'
import { unexplainedRecorder } from '../engine/unexplained.ts'
import { apiMetrics } from '../metrics/api.ts'
import { logFailedCall } from '../providers/call-log.ts'
import { providerRegistry } from '../providers/registry.ts'
import { sealer } from '../sealing.ts'
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
import { temporalClient } from './temporal.ts'

/** The API's process: starts with or without Temporal, and stops in order when it is told to. */

const config = readConfig()
const log = pino({ level: config.logLevel, base: { process: 'api' } })
const orm = await openOrm({
  databaseUrl: config.databaseUrl,
  applicationName: 'trilho api',
  poolSize: config.databasePool,
  statementMs: STATEMENT_MS,
})
await checkDurability(orm, {
  isAllowed: config.isUnsafeDatabaseAllowed,
  warn: message => log.warn(message),
}).catch(refuseToStart)
const tracing = await startTracing(config.otlpUrl, 'api')
const temporal = temporalClient(config.temporal, tracing.plugins)
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
const server = await startServer(app, config)
log.info({ url: server.url }, 'listening')

/** One line for the operator, and no stack. */
async function refuseToStart(error: Error): Promise<never> {
  log.fatal(error.message)
  await orm.close()
  process.exit(1)
}

let stopping = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(signal))

/** Once: a second signal does not cut short what the first one lets finish. */
async function stop(signal: string): Promise<void> {
  if (stopping) return
  stopping = true
  log.info({ signal }, 'stopping')
  await server.stop()
  await Promise.all([temporal.close(), providers.close(), tracing.stop()])
  await orm.close()
  log.info('stopped')
}
