import type { ProviderPayout } from '../../domain/providers/provider.ts'
import type { AnswerNotes } from '../adapter/answer-parsing.ts'
import { encodePath } from '../http/client.ts'
import type { PaymentCalls } from '../port.ts'
import type { WooviClient } from './client.ts'
import { isReceivedPix, mapTransactionStatus, mapWooviPayment, mapWooviRefund } from './mapping.ts'
import { toWooviRejection } from './payment-failures.ts'
import {
  type WooviTransaction,
  wooviRefundRequestSchema,
  wooviRefundResponseSchema,
  wooviTransactionResponseSchema,
} from './schemas.ts'

/** Creates the calls about received PIX and their refunds. A refund's id is ours, so sending twice makes one. */
export function createWooviPayments(client: WooviClient): PaymentCalls {
  return {
    /** Looks up a received PIX. The same path also finds sent ones, which are `not_found` here. */
    async findPayment(endToEnd) {
      const outcome = await findWooviTransaction(client, endToEnd, pix =>
        pix.endToEndId === endToEnd ? { pix } : undefined,
      )
      if (outcome.kind !== 'found') return outcome
      const { pix } = outcome
      return isReceivedPix(pix) ? { kind: 'found', payment: mapWooviPayment(pix) } : { kind: 'not_found' }
    },

    /** Refunds a PIX, not a charge: a charge may have been paid twice, and a deposit has no charge. */
    async refund({ id, endToEnd, cents, description: comment }) {
      const order = {
        correlationID: id,
        transactionEndToEndId: endToEnd,
        value: cents,
        ...(comment && { comment }),
      }
      const json = wooviRefundRequestSchema.parse(order)
      const call = { call: 'refund', reference: id, method: 'POST', path: '/api/v1/refund' } as const
      return client.send({ ...call, json, hasOwnConnection: true }, wooviRefundResponseSchema, refund => {
        const isOrdered = refund.correlationID === id && refund.value === cents
        return isOrdered ? { payout: mapWooviRefund(refund) } : undefined
      })
    },

    /** Looks up a refund. Woovi's example of the answer has no status: then the return's own transaction shows it. */
    async findRefund({ id }) {
      const path = encodePath`/api/v1/refund/${id}`
      const call = { call: 'findRefund', reference: id, path } as const
      const outcome = await client.lookUp(call, wooviRefundResponseSchema, refund =>
        refund.correlationID === id ? { refund } : undefined,
      )
      if (outcome.kind !== 'found') return outcome
      const payout = mapWooviRefund(outcome.refund)
      if (outcome.refund.status || !payout.endToEnd) return { kind: 'found', payout }
      return { kind: 'found', payout: await addReturnStatus(payout, outcome.refund.value) }
    },
  }

  /** Adds the status of the return's own transaction. One of another id or value says nothing about this refund. */
  async function addReturnStatus(payout: ProviderPayout, cents: number): Promise<ProviderPayout> {
    const outcome = await findWooviTransaction(client, payout.endToEnd, pix =>
      pix.endToEndId === payout.endToEnd && pix.value === cents ? { pix } : undefined,
    )
    const status = outcome.kind === 'found' ? mapTransactionStatus(outcome.pix) : 'in_process'
    if (outcome.kind !== 'found' || status === 'in_process') return payout
    const at = payout.at ?? outcome.pix.time
    if (status === 'settled') return { ...payout, status, at }
    const reason = outcome.pix.providerRejectedReason
    return { ...payout, status: 'rejected', at, ...toWooviRejection({ reason }) }
  }
}

/** Looks up a PIX, received or sent, by its end-to-end id. */
export function findWooviTransaction<T extends object>(
  client: WooviClient,
  endToEnd: string,
  read: (pix: WooviTransaction, notes: AnswerNotes) => T | undefined,
) {
  const path = encodePath`/api/v1/transaction/${endToEnd}`
  const call = { call: 'findPayment', reference: endToEnd, path } as const
  return client.lookUp(call, wooviTransactionResponseSchema, ({ transaction }, notes) =>
    read(transaction, notes),
  )
}
