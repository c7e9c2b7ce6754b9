import { type AnswerNotes, parseAnswer } from '../adapter/answer-parsing.ts'
import type { Provider } from '../port.ts'
import type { WooviClient } from './client.ts'
import { isReceivedPix, mapWooviPayment, mapWooviRefund } from './mapping.ts'
import {
  type WooviRefund,
  wooviRefundRequestSchema,
  wooviRefundResponseSchema,
  wooviRefundSchema,
  wooviTransactionResponseSchema,
} from './schemas.ts'

/** Received PIX and the refunds of them. The refund's id is ours and makes sending it twice one return. */
export function createWooviPayments(
  client: WooviClient,
): Pick<Provider, 'findPayment' | 'refund' | 'findRefund'> {
  return {
    /** Woovi knows what left by the same path: that is no payment to us. */
    async findPayment(endToEnd) {
      const path = `/api/v1/transaction/${encodeURIComponent(endToEnd)}`
      const call = { call: 'findPayment', reference: endToEnd, method: 'GET', path } as const
      const outcome = await client.lookUp(call, (json, notes) => {
        const pix = parseAnswer(wooviTransactionResponseSchema, json, notes)?.transaction
        return pix?.endToEndId === endToEnd ? { pix } : undefined
      })
      if (outcome.kind !== 'found') return outcome
      const { pix } = outcome
      return isReceivedPix(pix) ? { kind: 'found', payment: mapWooviPayment(pix) } : { kind: 'not_found' }
    },

    /** By the PIX, not by the charge: a charge may have been paid twice, and a deposit has none. */
    async refund({ id, endToEnd, cents }) {
      const json = wooviRefundRequestSchema.parse({
        correlationID: id,
        transactionEndToEndId: endToEnd,
        value: cents,
      })
      const call = { call: 'refund', reference: id, method: 'POST', path: '/api/v1/refund' } as const
      return client.send({ ...call, json, hasOwnConnection: true }, (answer, notes) => {
        const made = parseRefund(answer, notes)
        return made?.correlationID === id && made.value === cents
          ? { payout: mapWooviRefund(made) }
          : undefined
      })
    },

    async findRefund({ id }) {
      const path = `/api/v1/refund/${encodeURIComponent(id)}`
      const call = { call: 'findRefund', reference: id, method: 'GET', path } as const
      return client.lookUp(call, (json, notes) => {
        const found = parseRefund(json, notes)
        return found?.correlationID === id ? { payout: mapWooviRefund(found) } : undefined
      })
    },
  }
}

function parseRefund(json: unknown, notes: AnswerNotes): WooviRefund | undefined {
  const answer = wooviRefundResponseSchema.safeParse(json)
  return answer.success ? parseAnswer(wooviRefundSchema, answer.data, notes) : undefined
}
