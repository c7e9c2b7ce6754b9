import type { SimulatorStore } from './store.ts'

/** An account's configuration in Efí's API. */
type EfiConfiguration = {
  pix: {
    receberSemChave: boolean
    chaves?: Record<string, { recebimento: { webhook?: EfiWebhookConfiguration } }>
  }
}

type EfiWebhookConfiguration = {
  notificar?: { pixSemTxid: boolean }
  notificacao?: { pagador: boolean }
}

export type EfiConfigurations = {
  find(accountId: string): EfiConfiguration
  replace(accountId: string, configuration: EfiConfiguration): void
  /** Tells whether a PIX without a txid to this key is notified. */
  notifiesPixWithoutTxid(accountId: string, key: string): boolean
  /** Tells whether the notification of a PIX to this key shows its payer. */
  notifiesPayer(accountId: string, key: string): boolean
}

export function createEfiConfigurations(store: SimulatorStore): EfiConfigurations {
  const find = (accountId: string): EfiConfiguration => {
    const row = store.first<{ body: string }>(
      'SELECT body FROM efiConfiguration WHERE accountId = ?',
      accountId,
    )
    return row ? (JSON.parse(row.body) as EfiConfiguration) : { pix: { receberSemChave: true } }
  }
  const findWebhook = (accountId: string, key: string) =>
    find(accountId).pix.chaves?.[key]?.recebimento.webhook
  return {
    find,
    replace: (accountId, configuration) =>
      store.inTransaction(() => {
        store.run('DELETE FROM efiConfiguration WHERE accountId = ?', accountId)
        store.insert('efiConfiguration', { accountId, body: JSON.stringify(configuration) })
      }),
    notifiesPixWithoutTxid: (accountId, key) => findWebhook(accountId, key)?.notificar?.pixSemTxid === true,
    notifiesPayer: (accountId, key) => findWebhook(accountId, key)?.notificacao?.pagador === true,
  }
}
