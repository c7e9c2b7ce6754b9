import { encodePath } from '../http/client.ts'
import type { ReceiptCalls } from '../port.ts'
import type { WooviClient } from './client.ts'

/** `ReceiptType` of a receipt's path. */
const RECEIPT_TYPES = { PAYMENT: 'pix-in', TRANSFER: 'pix-out', REFUND: 'pix-refund' } as const

/** Creates the reading of receipts ("Como obter recibos via API?"). */
export function createWooviReceipts(client: WooviClient): ReceiptCalls {
  return {
    findReceipt({ kind, endToEnd }) {
      const path = encodePath`/api/v1/receipt/${RECEIPT_TYPES[kind]}/${endToEnd}`
      return client.lookUpPdf({ call: 'findReceipt', reference: endToEnd, path })
    },
  }
}
