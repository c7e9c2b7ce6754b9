import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatorStore } from '../../store.ts'
import { buildStarkId } from './ids.ts'
import type { StarkSubscription } from './schemas.ts'

/** Finds the id of an account's workspace. */
export function findWorkspaceId(store: SimulatorStore, { id }: SimulatedAccount): string {
  const { number } = store.first<{ number: number }>('SELECT rowid AS number FROM account WHERE id = ?', id)!
  return buildStarkId('workspace', number)
}

/** A URL that is notified of the logs of its subscriptions. */
export type StarkWebhook = { number: number; accountId: string; url: string; subscriptions: string }

/** Lists the URLs of an account for a subscription. */
export function listWebhookUrls(
  store: SimulatorStore,
  accountId: string,
  subscription: StarkSubscription,
): string[] {
  return listStarkWebhooks(store, accountId)
    .filter(({ subscriptions }) => (JSON.parse(subscriptions) as string[]).includes(subscription))
    .map(({ url }) => url)
}

export function listStarkWebhooks(store: SimulatorStore, accountId: string): StarkWebhook[] {
  return store.all<StarkWebhook>('SELECT * FROM starkWebhook WHERE accountId = ? ORDER BY number', accountId)
}
