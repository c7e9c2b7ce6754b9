import type { FindSendingOutcome, RefundOrder, Rejected, SendOutcome } from '../../domain/provider.ts'
import type { Provider } from '../port.ts'
import { readShape } from '../reading.ts'
import type { EfiClient } from './client.ts'
import { paymentOf, sendingOf } from './mapping.ts'
import { newReturn, received, returned } from './shapes.ts'

/** Received PIX and the devoluções on them. The devolução's id is ours and makes sending it twice one return. */
export function payments(client: EfiClient): Pick<Provider, 'findPayment' | 'refund' | 'findRefund'> {
  return {
    async findPayment(endToEnd) {
      const call = {
        call: 'findPayment',
        reference: endToEnd,
        method: 'GET',
        path: pixPath(endToEnd),
      } as const
      return client.lookUp(call, (json, notes) => {
        const pix = readShape(received, json, notes)
        return pix?.endToEndId === endToEnd ? { payment: paymentOf(pix) } : undefined
      })
    },

    async refund(order) {
      const json = newReturn.parse({ valor: order.cents })
      const call = { call: 'refund', reference: order.id, method: 'PUT', path: returnPath(order) } as const
      const outcome = await client.send({ ...call, json, fresh: true }, (answer, notes) => {
        const devolucao = readShape(returned, answer, notes)
        const ours = devolucao?.id === order.id && devolucao.valor === order.cents
        return ours ? { sending: sendingOf(devolucao) } : undefined
      })
      return outcome.kind === 'rejected' && outcome.code === 'refund_refused'
        ? confirmed(order, outcome)
        : outcome
    },
    findRefund,
  }

  async function findRefund(order: Pick<RefundOrder, 'id' | 'endToEnd'>): Promise<FindSendingOutcome> {
    const call = { call: 'findRefund', reference: order.id, method: 'GET', path: returnPath(order) } as const
    return client.lookUp(call, (json, notes) => {
      const devolucao = readShape(returned, json, notes)
      return devolucao?.id === order.id ? { sending: sendingOf(devolucao) } : undefined
    })
  }

  /** What has been returned is too much, or too late, to be returned again: the refusal counts where ours is not there. */
  async function confirmed(order: RefundOrder, refusal: Rejected): Promise<SendOutcome> {
    const found = await findRefund(order)
    if (found.kind === 'not_found') return refusal
    if (found.kind === 'found') return { kind: 'accepted', sending: found.sending }
    return { kind: 'unknown', code: refusal.code, message: refusal.message }
  }
}

function pixPath(endToEnd: string): string {
  return `/v2/pix/${encodeURIComponent(endToEnd)}`
}

function returnPath({ id, endToEnd }: Pick<RefundOrder, 'id' | 'endToEnd'>): string {
  return `${pixPath(endToEnd)}/devolucao/${encodeURIComponent(id)}`
}
