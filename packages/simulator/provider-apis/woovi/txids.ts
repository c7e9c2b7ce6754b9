import type { SimulatorStore } from '../../store.ts'

/**
 * Finds the txid of a charge by its correlationID. Woovi's examples show txids derived from the correlationID and
 * txids of Woovi's choice ("Payload de Cobrança Criada").
 */
export function findWooviTxid(store: SimulatorStore, accountId: string, correlationID: string): string {
  const recorded = store.first<{ txid: string }>(
    'SELECT txid FROM wooviChargeTxid WHERE accountId = ? AND correlationID = ?',
    accountId,
    correlationID,
  )
  return recorded?.txid ?? toWooviTxid(correlationID)
}

/** Records a txid of Woovi's choice. */
export function recordWooviTxid(
  store: SimulatorStore,
  chosen: { accountId: string; correlationID: string; txid: string },
): void {
  store.insert('wooviChargeTxid', chosen)
}

/** Derives a txid from a correlationID: the rail allows letters and digits only. */
function toWooviTxid(correlationID: string): string {
  return correlationID.replace(/[^a-zA-Z0-9]/g, '').slice(0, 35)
}
