import { Client, Connection } from '@temporalio/client'
import { type Config, readConfig } from '../config.ts'
import { type EntityManager, type Orm, openOrm } from '../db/orm.ts'
import { environmentOfCommands } from '../local/local-environment.ts'
import { type ProviderRegistry, providerRegistry } from '../providers/registry.ts'
import { type Sealer, sealer } from '../sealing.ts'

/** What every command works with. */
export type Tools = { orm: Orm; em: EntityManager; config: Config; seal: Sealer; providers: ProviderRegistry }

/** Opens what a command needs, and closes it whatever happens. */
export async function withTools(work: (tools: Tools) => Promise<unknown>): Promise<void> {
  const { environment, ca } = await environmentOfCommands()
  const config = readConfig(environment)
  const orm = await openOrm({ databaseUrl: config.databaseUrl })
  const providers = providerRegistry({ timeoutMs: 10_000, ...(ca !== undefined && { ca }) })
  try {
    await work({ orm, em: orm.em.fork(), config, seal: sealer(config.secretKeys), providers })
  } finally {
    await Promise.all([providers.close(), orm.close()])
  }
}

/** For commands that speak to lives. */
export async function withTemporal(config: Config, work: (client: Client) => Promise<void>): Promise<void> {
  const connection = await Connection.connect({ address: config.temporal.address })
  try {
    await work(new Client({ connection, namespace: config.temporal.namespace }))
  } finally {
    await connection.close()
  }
}

export function required(value: string | undefined, option: string): string {
  if (value === undefined) throw new Error(`${option} is needed here`)
  return value
}

export function print(line: unknown): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
