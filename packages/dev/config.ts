import { z } from 'zod'
import { environmentSchema, parseTemporalEnvironment } from '../../src/config.ts'
import { dropEmptyVariables, port } from '../../src/startup/environment.ts'
import { providerPorts } from '../simulator/config.ts'

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
      providerA,
      providerB,
      providerC,
      providerD,
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
