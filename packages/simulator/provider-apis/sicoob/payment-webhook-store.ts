import type { SimulatorStore } from '../../store.ts'

/** The URL of an account's notifications about sent PIX. */
type PaymentWebhook = { accountId: string; url: string; createdAt: string }

export function findPaymentWebhook(store: SimulatorStore, accountId: string): PaymentWebhook | undefined {
  return store.first<PaymentWebhook>('SELECT * FROM sicoobPaymentWebhook WHERE accountId = ?', accountId)
}

/** Removes the webhook of payments and returns the number of removed ones. */
export function removePaymentWebhook(store: SimulatorStore, accountId: string): number {
  return store.run('DELETE FROM sicoobPaymentWebhook WHERE accountId = ?', accountId)
}
