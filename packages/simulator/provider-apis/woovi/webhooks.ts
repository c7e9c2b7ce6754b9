import type { SimulatorStore } from '../../store.ts'
import type { WooviWebhookEvent } from './schemas.ts'

/** A webhook: the URL of an account's notifications of one event. */
export type WooviWebhookRegistration = {
  id: string
  accountId: string
  name: string
  event: WooviWebhookEvent
  url: string
  authorization: string | null
  isActive: 0 | 1
  createdAt: string
}

export function createWooviWebhooks(store: SimulatorStore) {
  return {
    add: (webhook: Omit<WooviWebhookRegistration, 'id'>): WooviWebhookRegistration => {
      const created = { id: `webhook${store.nextCount('wooviWebhook')}`, ...webhook }
      store.insert('wooviWebhook', created)
      return created
    },
    listByEvent: (accountId: string, event: WooviWebhookEvent) =>
      store.all<WooviWebhookRegistration>(
        'SELECT * FROM wooviWebhook WHERE accountId = ? AND event = ? AND isActive = 1 ORDER BY rowid',
        accountId,
        event,
      ),
    list: (accountId: string) =>
      store.all<WooviWebhookRegistration>(
        'SELECT * FROM wooviWebhook WHERE accountId = ? ORDER BY rowid',
        accountId,
      ),
    /** Removes a webhook; false if there is no such one. */
    remove: (accountId: string, id: string) =>
      store.run('DELETE FROM wooviWebhook WHERE accountId = ? AND id = ?', accountId, id) === 1,
  }
}
