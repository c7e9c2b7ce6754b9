import type { SimulatorStore } from './store.ts'

/** An account's configuration in Efí's API. */
type EfiConfiguration = {
  pix: {
    receberSemChave: boolean
    chaves?: Record<string, { recebimento: { webhook?: { notificar?: { pixSemTxid: boolean } } } }>
  }
}

export type EfiConfigurations = {
  find(accountId: string): EfiConfiguration
  replace(accountId: string, configuration: EfiConfiguration): void
  /** Tells whether a PIX without a txid to this key is notified. */
  notifiesPixWithoutTxid(accountId: string, key: string): boolean
}

export function createEfiConfigurations(store: SimulatorStore): EfiConfigurations {
  const find = (accountId: string): EfiConfiguration => {
    const row = store.first<{ body: string }>(
      'SELECT body FROM efiConfiguration WHERE accountId = ?',
      accountId,
    )
    return row ? (JSON.parse(row.body) as EfiConfiguration) : { pix: { receberSemChave: true } }
  }
  return {
    find,
    replace: (accountId, configuration) =>
      store.inTransaction(() => {
        store.run('DELETE FROM efiConfiguration WHERE accountId = ?', accountId)
        store.insert('efiConfiguration', { accountId, body: JSON.stringify(configuration) })
      }),
    notifiesPixWithoutTxid: (accountId, key) =>
      find(accountId).pix.chaves?.[key]?.recebimento.webhook?.notificar?.pixSemTxid === true,
  }
}
