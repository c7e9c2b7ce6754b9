import type { Provider } from '../port.ts'
import type { WooviClient } from './client.ts'
import { isReceived, paymentOf, refundOf } from './mapping.ts'
import { newRefund, type Refund, refundAnswer, transactionAnswer } from './shapes.ts'

/** Received PIX and the refunds of them. The refund's id is ours and makes sending it twice one return. */
export function payments(client: WooviClient): Pick<Provider, 'findPayment' | 'refund' | 'findRefund'> {
  return {
    /** Woovi knows what left by the same path: that is no payment to us. */
    async findPayment(endToEnd) {
      const path = `/api/v1/transaction/${encodeURIComponent(endToEnd)}`
      const outcome = await client.lookUp({ method: 'GET', path }, json => {
        const pix = transactionAnswer.safeParse(json).data?.transaction
        return pix?.endToEndId === endToEnd ? { pix } : undefined
      })
      if (outcome.kind !== 'found') return outcome
      const { pix } = outcome
      return isReceived(pix) ? { kind: 'found', payment: paymentOf(pix) } : { kind: 'not_found' }
    },

    /** By the PIX, not by the charge: a charge may have been paid twice, and a deposit has none. */
    async refund({ id, endToEnd, cents }) {
      const json = newRefund.parse({ correlationID: id, transactionEndToEndId: endToEnd, value: cents })
      return client.send({ method: 'POST', path: '/api/v1/refund', json, fresh: true }, answer => {
        const refund = refundIn(answer)
        return refund?.correlationID === id && refund.value === cents
          ? { sending: refundOf(refund) }
          : undefined
      })
    },

    async findRefund({ id }) {
      const path = `/api/v1/refund/${encodeURIComponent(id)}`
      return client.lookUp({ method: 'GET', path }, json => {
        const refund = refundIn(json)
        return refund?.correlationID === id ? { sending: refundOf(refund) } : undefined
      })
    },
  }
}

function refundIn(json: unknown): Refund | undefined {
  return refundAnswer.safeParse(json).data?.refund
}
