import type {
  ProviderRefundRequest,
  RejectedResult,
  SendPayoutOutcome,
} from '../../domain/providers/provider.ts'
import { toUnprovenRefusal } from '../adapter/outcomes.ts'
import { encodePath } from '../http/client.ts'
import type { PaymentCalls } from '../port.ts'
import type { BacenClient } from './client.ts'
import { mapBacenPayment, mapBacenRefund } from './mapping.ts'
import { bacenDevolucaoRequestSchema, bacenDevolucaoSchema, bacenReceivedPixSchema } from './schemas.ts'

/** Creates the calls about received PIX and their devoluções. A devolução's id is ours, so sending twice makes one. */
export function createBacenPayments(client: BacenClient): PaymentCalls {
  const { basePath, toRejection } = client
  return {
    async findPayment(endToEnd) {
      const call = {
        call: 'findPayment',
        reference: endToEnd,
        path: basePath + encodePath`/pix/${endToEnd}`,
      } as const
      return client.lookUp(call, bacenReceivedPixSchema, pix =>
        pix.endToEndId === endToEnd ? { payment: mapBacenPayment(pix) } : undefined,
      )
    },

    async refund(order) {
      const { cents: valor, description: descricao } = order
      const json = bacenDevolucaoRequestSchema.parse({ valor, ...(descricao && { descricao }) })
      const call = { call: 'refund', reference: order.id, path: buildDevolucaoPath(order), json } as const
      const request = { ...call, method: 'PUT', hasOwnConnection: true } as const
      const outcome = await client.send(request, bacenDevolucaoSchema, devolucao => {
        const isOrdered = devolucao.id === order.id && devolucao.valor === order.cents
        return isOrdered ? { payout: mapBacenRefund(devolucao, toRejection) } : undefined
      })
      return outcome.kind === 'rejected' && outcome.code === 'refund_refused'
        ? confirmRefusal(order, outcome)
        : outcome
    },
    findRefund,
  }

  async function findRefund(order: Pick<ProviderRefundRequest, 'id' | 'endToEnd'>) {
    const call = { call: 'findRefund', reference: order.id, path: buildDevolucaoPath(order) } as const
    return client.lookUp(call, bacenDevolucaoSchema, devolucao =>
      (devolucao.id ?? order.id) === order.id
        ? { payout: mapBacenRefund(devolucao, toRejection) }
        : undefined,
    )
  }

  /**
   * Looks up a refused refund: a provider also refuses the repeat of one that it has carried out. A look-up right after it may lag
   * behind, so its "not found" proves nothing: the refusal counts once the absence of the refund is proved.
   */
  async function confirmRefusal(
    order: ProviderRefundRequest,
    refusal: RejectedResult,
  ): Promise<SendPayoutOutcome> {
    const outcome = await findRefund(order)
    if (outcome.kind === 'found') return { kind: 'accepted', payout: outcome.payout }
    return toUnprovenRefusal(refusal)
  }

  function buildDevolucaoPath({ id, endToEnd }: Pick<ProviderRefundRequest, 'id' | 'endToEnd'>): string {
    return basePath + encodePath`/pix/${endToEnd}/devolucao/${id}`
  }
}
