import type { Store } from '../../store.ts'
import type { WebhookEvent } from './schemas.ts'

/** Where an account wants the notices of one event. */
export type WooviWebhook = {
  id: string
  accountId: string
  name: string
  event: WebhookEvent
  url: string
  authorization: string | null
  isActive: 0 | 1
  createdAt: string
}

export function wooviWebhooksOf(store: Store) {
  return {
    add: (webhook: Omit<WooviWebhook, 'id'>): WooviWebhook => {
      const made = { id: `webhook${store.count('wooviWebhook')}`, ...webhook }
      store.insert('wooviWebhook', made)
      return made
    },
    ofEvent: (accountId: string, event: WebhookEvent) =>
      store.all<WooviWebhook>(
        'SELECT * FROM wooviWebhook WHERE accountId = ? AND event = ? AND isActive = 1 ORDER BY rowid',
        accountId,
        event,
      ),
    list: (accountId: string) =>
      store.all<WooviWebhook>('SELECT * FROM wooviWebhook WHERE accountId = ? ORDER BY rowid', accountId),
    /** False where there was none. */
    remove: (accountId: string, id: string) =>
      store.run('DELETE FROM wooviWebhook WHERE accountId = ? AND id = ?', accountId, id) === 1,
  }
}
