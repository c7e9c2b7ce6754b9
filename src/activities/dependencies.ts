import type { Client } from '@temporalio/client'
import type { Logger } from 'pino'
import type { Orm } from '../db/orm.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import type { Sealer } from '../sealing.ts'
import type { WebhookDialer } from '../webhooks/dial.ts'

/** What activities are built over, once per worker. */
export type Dependencies = {
  orm: Orm
  sealer: Sealer
  providers: ProviderRegistry
  webhooks: WebhookDialer
  temporal: () => Promise<Client>
  timeScale: number
  log: Logger
}
