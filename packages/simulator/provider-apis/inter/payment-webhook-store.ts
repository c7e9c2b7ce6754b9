import type { SimulatorStore } from '../../store.ts'

/** The URL of an account's notifications of one kind. */
type InterWebhook = { accountId: string; kind: string; url: string; createdAt: string }

export function findInterWebhook(
  store: SimulatorStore,
  { accountId, kind }: Pick<InterWebhook, 'accountId' | 'kind'>,
): InterWebhook | undefined {
  return store.first<InterWebhook>(
    'SELECT * FROM interWebhook WHERE accountId = ? AND kind = ?',
    accountId,
    kind,
  )
}

/** Removes the webhook of a kind and returns the number of removed ones. */
export function removeInterWebhook(
  store: SimulatorStore,
  { accountId, kind }: Pick<InterWebhook, 'accountId' | 'kind'>,
): number {
  return store.run('DELETE FROM interWebhook WHERE accountId = ? AND kind = ?', accountId, kind)
}
