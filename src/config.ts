import { z } from 'zod'
import { StartupRefusal } from './domain/errors/startup-refusal.ts'
import { findKeyFaults, findWeakKeys } from './security/sealing.ts'
import { dropEmptyVariables, logLevel, parseEnvironment, port } from './startup/environment.ts'
import { parseStorageSettings, storageVariables } from './storage/settings.ts'
import { readTemporalSettings } from './temporal/connection.ts'

/** Environment of the processes, parsed once; nothing else of `src` reads `process.env` (test/architecture). */

const booleanFlag = z.enum(['true', 'false', '1', '0']).transform(value => value === 'true' || value === '1')

const optionalUrl = (protocol: RegExp) => z.url({ protocol }).optional()
/** Base URL without a trailing slash, because paths are appended to it. */
const siteUrl = z.url({ protocol: /^https?$/ }).transform(url => url.replace(/\/+$/, ''))

/** Variables of an API, worker or command-line process. */
export const environmentSchema = z.object({
  /** `local` allows the settings that `readServiceConfig` refuses in production. */
  TRILHO_ENVIRONMENT: z.enum(['production', 'local']).default('production'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  DATABASE_POOL: z.coerce.number().int().min(1).default(20),
  TEMPORAL_ADDRESS: z.string().regex(/^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i, 'not host:port'),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  /** These eight variables are read by src/temporal/connection.ts; a profile of the file may set them instead. */
  TEMPORAL_API_KEY: z.string().optional(),
  /** Checked here because Temporal's own reader takes any text but `true` and `1` for `false`. */
  TEMPORAL_TLS: booleanFlag.optional(),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: z.string().optional(),
  TEMPORAL_TLS_SERVER_NAME: z.string().optional(),
  TEMPORAL_TLS_CLIENT_CERT_PATH: z.string().optional(),
  TEMPORAL_TLS_CLIENT_KEY_PATH: z.string().optional(),
  TEMPORAL_CONFIG_FILE: z.string().optional(),
  TEMPORAL_PROFILE: z.string().optional(),
  TEMPORAL_UI_URL: siteUrl.optional(),
  TRILHO_TASK_QUEUE: z.string().min(1).default('trilho'),
  /** The build of this worker, such as a commit; without it the worker is unversioned. */
  TRILHO_BUILD_ID: z.string().max(200).optional(),
  /** The worker deployment that the builds of one installation belong to. */
  TRILHO_DEPLOYMENT: z
    .string()
    .regex(/^[^.:]{1,200}$/, 'contains . or :, or is too long')
    .default('trilho'),

  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: port.default(3000),
  /** Port of a worker's health and metrics; 0: any free one. */
  TRILHO_WORKER_PORT: port.default(0),
  /** Public URL of the API: providers send notifications to `<this>/provider-notifications/<connection>`. */
  TRILHO_PUBLIC_URL: siteUrl.optional(),
  /** Whether a proxy of ours is in front, which appends its client's address to `X-Forwarded-For`. */
  TRILHO_BEHIND_PROXY: booleanFlag.default(false),

  /** Sealing keys, `id:base64 of 32 bytes`, several separated by commas; the first seals, all open. */
  TRILHO_SECRET_KEY: z.string().superRefine((keys, context) => {
    for (const message of findKeyFaults(keys)) context.addIssue({ code: 'custom', message })
  }),
  /** Divides every wait, for tests and load tests. */
  TRILHO_TIME_SCALE: z.coerce.number().positive().default(1),
  /** Rate limit of one token: requests per second, and burst. */
  TRILHO_RATE_LIMIT: z.coerce.number().positive().default(100),
  TRILHO_RATE_BURST: z.coerce.number().positive().default(200),
  /** Allows webhooks to loopback addresses; for local use only. */
  TRILHO_LOOPBACK_WEBHOOKS: booleanFlag.default(false),
  /** PEM of the certificate authorities that sign PIX codes (ICP-Brasil); where absent, no chain is checked. */
  TRILHO_PIX_TRUST_STORE: z.string().includes('BEGIN CERTIFICATE', 'is no PEM certificate').optional(),
  /** An OpenTelemetry collector's OTLP address over HTTP, such as http://localhost:4318; no traces where absent. */
  TRILHO_OTLP_URL: siteUrl.optional(),
  /** The same by OpenTelemetry's own name. */
  OTEL_EXPORTER_OTLP_ENDPOINT: siteUrl.optional(),
  /** Token for `GET /metrics` from other machines. */
  TRILHO_METRICS_TOKEN: z.string().min(16).optional(),
  /** SMTP server and sender of auth codes by e-mail. */
  TRILHO_SMTP_URL: optionalUrl(/^smtps?$/),
  TRILHO_MAIL_FROM: z.string().min(3).default('Trilho <no-reply@localhost>'),
  /** SMS gateway for auth codes: `POST { id, to, text }` with the token as bearer. */
  TRILHO_SMS_URL: optionalUrl(/^https?$/),
  TRILHO_SMS_TOKEN: z.string().default(''),
  /** Stores codes for which no messenger is configured, to be read by `trilho outbox`; for local use only. */
  TRILHO_OUTBOX: booleanFlag.default(false),
  /** Allows a PostgreSQL that may lose committed transactions; for tests only. */
  TRILHO_UNSAFE_DATABASE: booleanFlag.default(false),
  /** Workflows cached in a worker's memory, about 0.2 MB each. */
  TRILHO_CACHED_WORKFLOWS: z.coerce.number().int().min(10).default(300),
  /** How long a stopping API still accepts requests while `/readyz` answers 503. */
  TRILHO_DRAIN_SECONDS: z.coerce.number().min(0).max(300).default(5),
  ...storageVariables,
  TRILHO_LOG_LEVEL: logLevel,
})

export type Config = ReturnType<typeof readConfig>

/** Reads the environment of an API, worker or command-line process; throws an error that names each bad variable. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env) {
  const { env, temporal } = parseTemporalEnvironment(environmentSchema, environment)
  return {
    environment: env.TRILHO_ENVIRONMENT,
    databaseUrl: env.DATABASE_URL,
    databasePool: env.DATABASE_POOL,
    isUnsafeDatabaseAllowed: env.TRILHO_UNSAFE_DATABASE,
    temporal: {
      address: env.TEMPORAL_ADDRESS,
      namespace: env.TEMPORAL_NAMESPACE,
      credentials: temporal.credentials,
      uiUrl: env.TEMPORAL_UI_URL,
      taskQueue: env.TRILHO_TASK_QUEUE,
      version: env.TRILHO_BUILD_ID
        ? { deploymentName: env.TRILHO_DEPLOYMENT, buildId: env.TRILHO_BUILD_ID }
        : undefined,
    },
    host: env.HOST,
    port: env.PORT,
    workerPort: env.TRILHO_WORKER_PORT,
    publicUrl: env.TRILHO_PUBLIC_URL ?? `http://${env.HOST}:${env.PORT}`,
    isBehindProxy: env.TRILHO_BEHIND_PROXY,
    secretKeys: env.TRILHO_SECRET_KEY,
    timeScale: env.TRILHO_TIME_SCALE,
    rate: { perSecond: env.TRILHO_RATE_LIMIT, burst: env.TRILHO_RATE_BURST },
    loopbackWebhooks: env.TRILHO_LOOPBACK_WEBHOOKS,
    codeTrustStore: env.TRILHO_PIX_TRUST_STORE,
    otlpUrl: env.TRILHO_OTLP_URL ?? env.OTEL_EXPORTER_OTLP_ENDPOINT,
    metricsToken: env.TRILHO_METRICS_TOKEN,
    messengers: {
      smtp: env.TRILHO_SMTP_URL ? { url: env.TRILHO_SMTP_URL, from: env.TRILHO_MAIL_FROM } : null,
      sms: env.TRILHO_SMS_URL ? { url: env.TRILHO_SMS_URL, token: env.TRILHO_SMS_TOKEN } : null,
      outbox: env.TRILHO_OUTBOX,
    },
    cachedWorkflows: env.TRILHO_CACHED_WORKFLOWS,
    storage: parseStorageSettings(env),
    linkSeconds: env.TRILHO_LINK_SECONDS,
    drainMs: env.TRILHO_DRAIN_SECONDS * 1_000,
    logLevel: env.TRILHO_LOG_LEVEL,
  }
}

/**
 * Reads the environment of a process that serves or administers; throws `StartupRefusal` also for settings that are
 * not allowed in production.
 */
export function readServiceConfig(environment?: NodeJS.ProcessEnv): Config {
  const config = readConfig(environment)
  const faults = config.environment === 'production' ? findProductionFaults(config) : []
  if (faults.length === 0) return config
  throw new StartupRefusal(
    `Not for production: ${faults.join('; ')}. Change it, or set TRILHO_ENVIRONMENT=local where no money moves`,
  )
}

function findProductionFaults(config: Config): string[] {
  const weakKeys = findWeakKeys(config.secretKeys)
  return [
    config.timeScale !== 1 && 'TRILHO_TIME_SCALE is not 1',
    config.loopbackWebhooks && 'TRILHO_LOOPBACK_WEBHOOKS is true',
    config.messengers.outbox && 'TRILHO_OUTBOX is true',
    config.isUnsafeDatabaseAllowed && 'TRILHO_UNSAFE_DATABASE is true',
    weakKeys.length > 0 &&
      `TRILHO_SECRET_KEY is not random in ${weakKeys.join(', ')} (make one with openssl rand -base64 32)`,
  ].filter(fault => fault !== false)
}

/** Parses an environment in which a Temporal profile may set address and namespace. */
export function parseTemporalEnvironment<T extends z.ZodType>(shape: T, environment: NodeJS.ProcessEnv) {
  const temporal = readTemporalSettings(dropEmptyVariables(environment))
  const { address: TEMPORAL_ADDRESS, namespace: TEMPORAL_NAMESPACE } = temporal
  const env = parseEnvironment(shape, { ...environment, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE })
  return { env, temporal }
}
