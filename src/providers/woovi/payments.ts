import type { PaymentCalls } from '../port.ts'
import type { WooviClient } from './client.ts'
import { isReceivedPix, mapWooviPayment, mapWooviRefund } from './mapping.ts'
import {
  wooviRefundRequestSchema,
  wooviRefundResponseSchema,
  wooviTransactionResponseSchema,
} from './schemas.ts'

/** Creates the calls about received PIX and their refunds. A refund's id is ours, so sending twice makes one. */
export function createWooviPayments(client: WooviClient): PaymentCalls {
  return {
    /** Looks up a received PIX. The same path also finds sent ones, which are `not_found` here. */
    async findPayment(endToEnd) {
      const path = `/api/v1/transaction/${encodeURIComponent(endToEnd)}`
      const call = { call: 'findPayment', reference: endToEnd, path } as const
      const outcome = await client.lookUp(call, wooviTransactionResponseSchema, ({ transaction: pix }) =>
        pix.endToEndId === endToEnd ? { pix } : undefined,
      )
      if (outcome.kind !== 'found') return outcome
      const { pix } = outcome
      return isReceivedPix(pix) ? { kind: 'found', payment: mapWooviPayment(pix) } : { kind: 'not_found' }
    },

    /** Refunds a PIX, not a charge: a charge may have been paid twice, and a deposit has no charge. */
    async refund({ id, endToEnd, cents }) {
      const json = wooviRefundRequestSchema.parse({
        correlationID: id,
        transactionEndToEndId: endToEnd,
        value: cents,
      })
      const call = { call: 'refund', reference: id, method: 'POST', path: '/api/v1/refund' } as const
      return client.send({ ...call, json, hasOwnConnection: true }, wooviRefundResponseSchema, refund => {
        const isOrdered = refund.correlationID === id && refund.value === cents
        return isOrdered ? { payout: mapWooviRefund(refund) } : undefined
      })
    },

    async findRefund({ id }) {
      const path = `/api/v1/refund/${encodeURIComponent(id)}`
      const call = { call: 'findRefund', reference: id, path } as const
      return client.lookUp(call, wooviRefundResponseSchema, refund =>
        refund.correlationID === id ? { payout: mapWooviRefund(refund) } : undefined,
      )
    },
  }
}
