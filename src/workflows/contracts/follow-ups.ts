import type { DepositReturnInput } from './deposit-returns.ts'
import type { OpenDelivery } from './webhooks.ts'

/** Follow-ups of a transaction: the deliveries to attempt, and the returns whose workflows are to be started after it. */
export type FollowUps = {
  deliveries: string[]
  returns: { uuid: string; connectionUuid: string; order?: DepositReturnInput }[]
  /** Those of `deliveries` that are open after their first attempts; absent where no first attempts were made. */
  openDeliveries?: OpenDelivery[]
}
