import { readFile } from 'node:fs/promises'
import { readLocalConfig } from '../config.ts'
import type { LocalInfo } from './local-info.ts'
import { resolveStateDir, tryReadJsonFile } from './state-dir.ts'

/** Reads where the `npm start` of this folder runs, and the files of its key and its authority; undefined where none does. */
export async function readRunningStart() {
  const home = resolveStateDir(readLocalConfig().home)
  const local = await tryReadJsonFile<LocalInfo>(home.localInfo)
  return local && { ...local, secretKey: home.secretKey, simulatorCa: home.simulatorCa }
}

/**
 * The environment a command runs in: what is set wins; while `npm start` runs, missing variables are its own, so that
 * `npm run trilho` needs no setting there. `ca` is the simulator's authority, where there is one.
 */
export async function readCommandEnvironment(): Promise<{ environment: NodeJS.ProcessEnv; ca?: string }> {
  const { environment } = readLocalConfig()
  const local = await readRunningStart()
  if (environment.DATABASE_URL || !local) return { environment }
  const [secret, ca] = await Promise.all([
    readFile(local.secretKey, 'utf8').catch(() => ''),
    readFile(local.simulatorCa, 'utf8').catch(() => undefined),
  ])
  return {
    environment: {
      TRILHO_ENVIRONMENT: 'local',
      DATABASE_URL: local.database_url,
      TEMPORAL_ADDRESS: local.temporal_address,
      TEMPORAL_NAMESPACE: local.temporal_namespace,
      TRILHO_TASK_QUEUE: local.task_queue,
      TRILHO_PUBLIC_URL: local.api_url,
      TRILHO_WORKER_PORT: new URL(local.worker_url).port,
      TRILHO_SECRET_KEY: secret.trim(),
      ...environment,
    },
    ...(ca !== undefined && { ca }),
  }
}
