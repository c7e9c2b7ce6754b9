import { z } from 'zod'
import { logLevel, parseEnvironment, port } from '../../src/startup/environment.ts'

export const providerPorts = z
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
  TRILHO_LOG_LEVEL: logLevel,
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
