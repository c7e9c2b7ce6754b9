import pino from 'pino'
import { type Config, readServiceConfig } from '../config.ts'
import { type EntityManager, type Orm, openOrm } from '../db/client/orm.ts'
import { createSharedAccess } from '../provider-access/shared-access.ts'
import { createUnexplainedAnswerRecorder } from '../provider-notifications/unexplained-answers.ts'
import { createProviderRegistry, type ProviderRegistry } from '../providers/registry.ts'
import { createSealer, type Sealer } from '../security/sealing.ts'

/** What a command works with. */
export type CommandContext = {
  orm: Orm
  em: EntityManager
  config: Config
  sealer: Sealer
  providers: ProviderRegistry
}

/**
 * Runs the work of a command with the database and the providers of an environment, and closes them. `ca`: PEM of the
 * authority of simulated providers.
 */
export async function withDatabaseContext(
  work: (context: CommandContext) => Promise<unknown>,
  { environment, ca }: { environment?: NodeJS.ProcessEnv; ca?: string } = {},
): Promise<void> {
  const config = readServiceConfig(environment)
  // No statement timeout: a check of the whole ledger may take long, and no request waits for it.
  const orm = await openOrm({
    databaseUrl: config.databaseUrl,
    applicationName: 'trilho cli',
    statementMs: null,
  })
  const sealer = createSealer(config.secretKeys)
  const log = pino({ level: 'silent' })
  const providers = createProviderRegistry({
    openCredentials: sealer.open,
    recordUnexplained: createUnexplainedAnswerRecorder({ orm, sealer, log }),
    sharedAccess: createSharedAccess({ orm, sealer, log, timeScale: config.timeScale }),
    timeoutMs: 10_000,
    ...(ca !== undefined && { ca }),
  })
  try {
    await work({ orm, em: orm.em.fork(), config, sealer, providers })
  } finally {
    await Promise.all([providers.close(), orm.close()])
  }
}
