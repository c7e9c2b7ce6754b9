import type { Logger } from 'pino'
import type { Orm } from '../../db/client/orm.ts'
import type { Messengers } from '../../messaging/messengers.ts'
import type { CalloutOutcome, WebhookAttemptSample } from '../../metrics/worker-metrics.ts'
import type { ProviderRegistry } from '../../providers/registry.ts'
import type { Sealer } from '../../security/sealing.ts'
import type { FileStorage } from '../../storage/storage.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { WebhookClient } from '../../webhook-client/client.ts'

/** Dependencies of all activities, built once per worker. */
export type ActivityDependencies = {
  orm: Orm
  sealer: Sealer
  storage: FileStorage
  providers: ProviderRegistry
  webhooks: WebhookClient
  /** Senders of auth codes, by e-mail and phone. */
  messengers: Messengers
  temporal: TemporalContext
  /** Called after every webhook delivery attempt, for the metrics. */
  onDeliveryAttempt?: (one: WebhookAttemptSample) => void
  /** Called after every request of a call-out, for the metrics. */
  onCallout?: (outcome: CalloutOutcome) => void
  /**
   * Returns whether this worker does not reach the provider at `baseUrl` now and another worker does; absent where
   * no other worker is known.
   */
  isReachedByOthersOnly?: (baseUrl: string) => Promise<boolean>
  timeScale: number
  /** Address at which providers reach the API, for the URL of their notifications. */
  publicUrl: string
  log: Logger
}
