import type { Client } from '@temporalio/client'
import type { Logger } from 'pino'
import type { Orm } from '../db/orm.ts'
import type { Messengers } from '../messengers/messengers.ts'
import type { Contradiction, WebhookTry } from '../metrics/worker.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import type { Sealer } from '../sealing.ts'
import type { Storage } from '../storage/storage.ts'
import type { WebhookDialer } from '../webhooks/dial.ts'

/** What activities are built over, once per worker. */
export type Dependencies = {
  orm: Orm
  sealer: Sealer
  storage: Storage
  providers: ProviderRegistry
  webhooks: WebhookDialer
  /** Who carries codes to people. */
  messengers: Messengers
  temporal: () => Promise<Client>
  /** Hears of every try of a webhook. */
  tried?: (one: WebhookTry) => void
  /** Counts the contradictions of providers. */
  contradicted?: (one: Contradiction) => void
  timeScale: number
  log: Logger
}
