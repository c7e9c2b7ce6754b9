import type { ReceiptCalls } from '../port.ts'
import type { EfiClient } from './client.ts'

/** Creates the reading of receipts ("Obter comprovantes"; official SDK 2.0.1: by exactly one id). */
export function createEfiReceipts(client: EfiClient): ReceiptCalls {
  return {
    findReceipt({ kind, endToEnd }) {
      const query = new URLSearchParams({ [kind === 'REFUND' ? 'rtrId' : 'e2eid']: endToEnd })
      const path = `/v2/gn/pix/comprovantes?${query}`
      return client.lookUpPdf({ call: 'findReceipt', reference: endToEnd, path })
    },
  }
}
