import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import { type ReceiptSubject, writeReceiptPdf } from '../../receipt-pdf.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'

/** Kinds of movements of the rail, by the type of their receipt. */
const KINDS: Record<string, readonly string[]> = {
  'pix-in': ['payment', 'deposit'],
  'pix-out': ['transfer'],
  'pix-refund': ['refund'],
}

/** Creates the handler of `GET /receipt/:type/:id`, a PDF of a settled PIX ("Como obter recibos via API?"). */
export function createWooviReceiptHandler({
  rail,
}: SimulatorState): (call: SimulatedCall) => SimulatedResponse {
  return ({ account, params }) => {
    const movement = rail
      .listEntries(account.id)
      .find(({ endToEnd, kind }) => endToEnd === params.id && KINDS[params.type!]?.includes(kind))
    if (!movement) return errors.wooviReceiptNotFound()
    const subject: ReceiptSubject = { ...movement, endToEnd: params.id! }
    return { status: 200, body: writeReceiptPdf(subject), headers: { 'content-type': 'application/pdf' } }
  }
}
