import type { Store } from './store.ts'

/** An account's configuration as Efí's API takes and shows it. */
type Configuration = {
  pix: {
    receberSemChave: boolean
    chaves?: Record<string, { recebimento: { webhook?: { notificar?: { pixSemTxid: boolean } } } }>
  }
}

export type Configurations = {
  find(accountId: string): Configuration
  replace(accountId: string, configuration: Configuration): void
  /** Whether a PIX without a txid to this key is notified. */
  notifiesPixWithoutTxid(accountId: string, key: string): boolean
}

export function configurationsOf(store: Store): Configurations {
  const find = (accountId: string): Configuration => {
    const row = store.one<{ body: string }>('SELECT body FROM configuration WHERE accountId = ?', accountId)
    return row ? (JSON.parse(row.body) as Configuration) : { pix: { receberSemChave: true } }
  }
  return {
    find,
    replace: (accountId, configuration) =>
      store.atomically(() => {
        store.run('DELETE FROM configuration WHERE accountId = ?', accountId)
        store.insert('configuration', { accountId, body: JSON.stringify(configuration) })
      }),
    notifiesPixWithoutTxid: (accountId, key) =>
      find(accountId).pix.chaves?.[key]?.recebimento.webhook?.notificar?.pixSemTxid === true,
  }
}
