import type { SimulatorStore } from '../../store.ts'

/**
 * The txid of a charge with this correlationID. Woovi's examples show both: a txid made of the correlationID, and one of
 * Woovi's own choice ("Payload de Cobrança Criada").
 */
export function findWooviTxid(store: SimulatorStore, accountId: string, correlationID: string): string {
  const chosen = store.first<{ txid: string }>(
    'SELECT txid FROM wooviChargeTxid WHERE accountId = ? AND correlationID = ?',
    accountId,
    correlationID,
  )
  return chosen?.txid ?? toWooviTxid(correlationID)
}

/** Records the txid that Woovi chose. */
export function recordWooviTxid(
  store: SimulatorStore,
  chosen: { accountId: string; correlationID: string; txid: string },
): void {
  store.insert('wooviChargeTxid', chosen)
}

/** The rail takes letters and digits only. */
function toWooviTxid(correlationID: string): string {
  return correlationID.replace(/[^a-zA-Z0-9]/g, '').slice(0, 35)
}
