import { isIP } from 'node:net'
import type { SimulatorStore } from './store.ts'

/** The URL of an account's notifications about one PIX key, or of one kind: sent PIX, recurrences, automatic charges. */
export type SimulatedWebhook = { accountId: string; key: string; url: string; createdAt: string }

export type SimulatedWebhooks = {
  register(accountId: string, webhook: { key: string; url: string }): SimulatedWebhook
  find(accountId: string, key: string): SimulatedWebhook | undefined
  list(accountId: string): SimulatedWebhook[]
  /** Removes the webhook of a key; false if there is none. */
  remove(accountId: string, key: string): boolean
}

/** Creates the webhooks of received PIX, whose `key` is a PIX key, or in `paymentWebhook` the others, whose `key` is a kind. */
export function simulateWebhooks({
  store,
  now,
  table = 'webhook',
}: {
  store: SimulatorStore
  now: () => Date
  table?: 'webhook' | 'paymentWebhook'
}): SimulatedWebhooks {
  return {
    register: (accountId, { key, url }) => {
      const webhook = { accountId, key, url, createdAt: now().toISOString() }
      store.inTransaction(() => {
        store.run(`DELETE FROM ${table} WHERE accountId = ? AND key = ?`, accountId, key)
        store.insert(table, webhook)
      })
      return webhook
    },
    find: (accountId, key) =>
      store.first<SimulatedWebhook>(`SELECT * FROM ${table} WHERE accountId = ? AND key = ?`, accountId, key),
    list: accountId =>
      store.all<SimulatedWebhook>(
        `SELECT * FROM ${table} WHERE accountId = ? ORDER BY createdAt, key`,
        accountId,
      ),
    remove: (accountId, key) =>
      store.run(`DELETE FROM ${table} WHERE accountId = ? AND key = ?`, accountId, key) === 1,
  }
}

/** Tells whether a URL may be registered: https, or plain http to this machine, an IP address or a local name. */
export function isAllowedWebhookUrl({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return true
  const isLocal =
    hostname === 'localhost' || hostname === '[::1]' || !hostname.includes('.') || isIP(hostname) > 0
  return protocol === 'http:' && isLocal
}
