import type { Client } from '@temporalio/client'
import type { Logger } from 'pino'
import type { Orm } from '../../db/client/orm.ts'
import type { Messengers } from '../../messaging/messengers.ts'
import type { ProviderContradiction, WebhookAttemptSample } from '../../metrics/worker-metrics.ts'
import type { ProviderRegistry } from '../../providers/registry.ts'
import type { Sealer } from '../../security/sealing.ts'
import type { FileStorage } from '../../storage/storage.ts'
import type { WebhookClient } from '../../webhook-client/client.ts'

/** What activities are built over, once per worker. */
export type ActivityDependencies = {
  orm: Orm
  sealer: Sealer
  storage: FileStorage
  providers: ProviderRegistry
  webhooks: WebhookClient
  /** Who carries codes to people. */
  messengers: Messengers
  temporal: () => Promise<Client>
  /** Hears of every try of a webhook. */
  onDeliveryAttempt?: (one: WebhookAttemptSample) => void
  /** Counts the contradictions of providers. */
  onContradiction?: (one: ProviderContradiction) => void
  timeScale: number
  log: Logger
}
