import type { Provider } from '../port.ts'
import { type ReadNotes, readShape } from '../reading.ts'
import type { WooviClient } from './client.ts'
import { isReceived, paymentOf, refundOf } from './mapping.ts'
import { newRefund, type Refund, refund, refundAnswer, transactionAnswer } from './shapes.ts'

/** Received PIX and the refunds of them. The refund's id is ours and makes sending it twice one return. */
export function payments(client: WooviClient): Pick<Provider, 'findPayment' | 'refund' | 'findRefund'> {
  return {
    /** Woovi knows what left by the same path: that is no payment to us. */
    async findPayment(endToEnd) {
      const path = `/api/v1/transaction/${encodeURIComponent(endToEnd)}`
      const call = { call: 'findPayment', reference: endToEnd, method: 'GET', path } as const
      const outcome = await client.lookUp(call, (json, notes) => {
        const pix = readShape(transactionAnswer, json, notes)?.transaction
        return pix?.endToEndId === endToEnd ? { pix } : undefined
      })
      if (outcome.kind !== 'found') return outcome
      const { pix } = outcome
      return isReceived(pix) ? { kind: 'found', payment: paymentOf(pix) } : { kind: 'not_found' }
    },

    /** By the PIX, not by the charge: a charge may have been paid twice, and a deposit has none. */
    async refund({ id, endToEnd, cents }) {
      const json = newRefund.parse({ correlationID: id, transactionEndToEndId: endToEnd, value: cents })
      const call = { call: 'refund', reference: id, method: 'POST', path: '/api/v1/refund' } as const
      return client.send({ ...call, json, fresh: true }, (answer, notes) => {
        const made = refundIn(answer, notes)
        return made?.correlationID === id && made.value === cents ? { sending: refundOf(made) } : undefined
      })
    },

    async findRefund({ id }) {
      const path = `/api/v1/refund/${encodeURIComponent(id)}`
      const call = { call: 'findRefund', reference: id, method: 'GET', path } as const
      return client.lookUp(call, (json, notes) => {
        const found = refundIn(json, notes)
        return found?.correlationID === id ? { sending: refundOf(found) } : undefined
      })
    },
  }
}

function refundIn(json: unknown, notes: ReadNotes): Refund | undefined {
  const answer = refundAnswer.safeParse(json)
  return answer.success ? readShape(refund, answer.data, notes) : undefined
}
