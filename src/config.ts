import { z } from 'zod'
import { StartupRefusal } from './domain/errors/startup-refusal.ts'
import { findKeyFaults, findWeakKeys } from './security/sealing.ts'
import { parseStorageSettings, storageVariables } from './storage/settings.ts'
import { readTemporalSettings } from './temporal/connection.ts'

/** Environment of the processes, parsed once; nothing else reads `process.env` (test/architecture). */

const booleanFlag = z.enum(['true', 'false', '1', '0']).transform(value => value === 'true' || value === '1')
const port = z.coerce.number().int().min(0).max(65_535)

const optionalUrl = (protocol: RegExp) => z.url({ protocol }).optional()
/** Base URL without a trailing slash, because paths are appended to it. */
const siteUrl = z.url({ protocol: /^https?$/ }).transform(url => url.replace(/\/+$/, ''))

const environmentSchema = z.object({
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
  TRILHO_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
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

const providerPorts = z
  .string()
  .transform(text => text.split(',').map(Number))
  .pipe(z.array(z.number().int().min(0).max(65_535)).length(4))

const simulatorSchema = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  /** Port of the simulator's control, payer's bank and inbox; the providers have the four named next to it (0: any). */
  SIMULATOR_PORT: port.default(0),
  SIMULATOR_PROVIDER_PORTS: providerPorts.prefault('0,0,0,0'),
  /** Folder of the simulator's database, certificates and `simulator.json`. */
  SIMULATOR_HOME: z.string().min(1).default('.trilho/simulator'),
  /** Host name by which others reach the simulator; its addresses and its certificate contain it. */
  SIMULATOR_PUBLIC_HOST: z.string().min(1).default('localhost'),
  SIMULATOR_SEED: z.coerce.number().int().default(1),
  TRILHO_TIME_SCALE: z.coerce.number().positive().default(1),
  TRILHO_LOG_LEVEL: environmentSchema.shape.TRILHO_LOG_LEVEL,
})

export type SimulatorConfig = ReturnType<typeof readSimulatorConfig>

/** Reads the environment of the simulator's process. */
export function readSimulatorConfig(environment: NodeJS.ProcessEnv = process.env) {
  const env = parseEnvironment(simulatorSchema, environment)
  return {
    host: env.HOST,
    port: env.SIMULATOR_PORT,
    providerPorts: env.SIMULATOR_PROVIDER_PORTS,
    home: env.SIMULATOR_HOME,
    publicHost: env.SIMULATOR_PUBLIC_HOST,
    seed: env.SIMULATOR_SEED,
    timeScale: env.TRILHO_TIME_SCALE,
    logLevel: env.TRILHO_LOG_LEVEL,
  }
}

const localSchema = z.object({
  TRILHO_HOME: z.string().min(1).default('.trilho'),
  PORT: port.optional(),
  TRILHO_WORKER_PORT: port.optional(),
  SIMULATOR_PORT: port.optional(),
  SIMULATOR_PROVIDER_PORTS: providerPorts.optional(),
  POSTGRES_PORT: port.optional(),
  TEMPORAL_PORT: port.optional(),
  TEMPORAL_UI_PORT: port.optional(),
  DATABASE_URL: environmentSchema.shape.DATABASE_URL.optional(),
  TEMPORAL_ADDRESS: z.string().min(1).optional(),
  TEMPORAL_NAMESPACE: environmentSchema.shape.TEMPORAL_NAMESPACE,
  TEMPORAL_UI_URL: environmentSchema.shape.TEMPORAL_UI_URL,
  TRILHO_PUBLIC_URL: environmentSchema.shape.TRILHO_PUBLIC_URL,
  TRILHO_TASK_QUEUE: environmentSchema.shape.TRILHO_TASK_QUEUE,
  TEMPORAL_CLI_PATH: z.string().min(1).optional(),
  XDG_CACHE_HOME: z.string().min(1).optional(),
  HOME: z.string().min(1).default('/tmp'),
  TRILHO_SECRET_KEY: environmentSchema.shape.TRILHO_SECRET_KEY.optional(),
  /** Name of the npm script that runs. */
  npm_lifecycle_event: z.string().optional(),
})

export type LocalConfig = ReturnType<typeof readLocalConfig>

/** Reads the environment of `npm start`; the process finds, creates or chooses absent values. */
export function readLocalConfig(environment: NodeJS.ProcessEnv = process.env) {
  const { env, temporal } = parseTemporalEnvironment(localSchema, environment)
  const [providerA, providerB, providerC, providerD] = env.SIMULATOR_PROVIDER_PORTS ?? []
  return {
    home: env.TRILHO_HOME,
    ports: {
      api: env.PORT,
      worker: env.TRILHO_WORKER_PORT,
      simulator: env.SIMULATOR_PORT,
      ...{ providerA, providerB, providerC, providerD },
      postgres: env.POSTGRES_PORT,
      temporal: env.TEMPORAL_PORT,
      temporalUi: env.TEMPORAL_UI_PORT,
    },
    databaseUrl: env.DATABASE_URL,
    temporalAddress: env.TEMPORAL_ADDRESS,
    /** None for the server that the process starts itself. */
    temporalCredentials: env.TEMPORAL_ADDRESS === undefined ? {} : temporal.credentials,
    temporalNamespace: env.TEMPORAL_NAMESPACE,
    temporalUiUrl: env.TEMPORAL_UI_URL,
    taskQueue: env.TRILHO_TASK_QUEUE,
    publicUrl: env.TRILHO_PUBLIC_URL,
    temporalCliPath: env.TEMPORAL_CLI_PATH,
    cacheHome: env.XDG_CACHE_HOME ?? `${env.HOME}/.cache`,
    secretKeys: env.TRILHO_SECRET_KEY,
    isRunByNpm: env.npm_lifecycle_event === 'start',
    /** Environment of the child processes. */
    environment: dropEmptyVariables(environment),
  }
}

/** Parses an environment in which a Temporal profile may set address and namespace. */
function parseTemporalEnvironment<T extends z.ZodType>(shape: T, environment: NodeJS.ProcessEnv) {
  const temporal = readTemporalSettings(dropEmptyVariables(environment))
  const { address: TEMPORAL_ADDRESS, namespace: TEMPORAL_NAMESPACE } = temporal
  const env = parseEnvironment(shape, { ...environment, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE })
  return { env, temporal }
}

/** Removes empty variables: an empty line in `.env` means absent. */
function dropEmptyVariables(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  )
}

function parseEnvironment<T extends z.ZodType>(shape: T, environment: NodeJS.ProcessEnv): z.infer<T> {
  const variables = dropEmptyVariables(environment)
  const result = shape.safeParse(variables)
  if (result.success) return result.data
  const faults = result.error.issues.map(({ path, code, message }) => {
    const isMissing = code === 'invalid_type' && variables[String(path[0])] === undefined
    return `${path.join('.')} ${isMissing ? 'is missing' : `is not valid: ${message}`}`
  })
  throw new StartupRefusal(
    `The environment is not valid: ${faults.join('; ')}. Set it as docs/production.md describes under "Variables"`,
  )
}
