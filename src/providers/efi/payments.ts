import type { RefundOrder } from '../../domain/provider.ts'
import type { Provider } from '../port.ts'
import type { EfiClient } from './client.ts'
import { paymentOf, sendingOf } from './mapping.ts'
import { newReturn, received, returned } from './shapes.ts'

/** Received PIX and the devoluções on them. The devolução's id is ours and makes sending it twice one return. */
export function payments(client: EfiClient): Pick<Provider, 'findPayment' | 'refund' | 'findRefund'> {
  return {
    async findPayment(endToEnd) {
      return client.lookUp({ method: 'GET', path: pixPath(endToEnd) }, json => {
        const pix = received.safeParse(json).data
        return pix?.endToEndId === endToEnd ? { payment: paymentOf(pix) } : undefined
      })
    },

    async refund(order) {
      const json = newReturn.parse({ valor: order.cents })
      return client.send({ method: 'PUT', path: returnPath(order), json, fresh: true }, answer => {
        const devolucao = returned.safeParse(answer).data
        const ours = devolucao?.id === order.id && devolucao.valor === order.cents
        return ours ? { sending: sendingOf(devolucao) } : undefined
      })
    },

    async findRefund(order) {
      return client.lookUp({ method: 'GET', path: returnPath(order) }, json => {
        const devolucao = returned.safeParse(json).data
        return devolucao?.id === order.id ? { sending: sendingOf(devolucao) } : undefined
      })
    },
  }
}

function pixPath(endToEnd: string): string {
  return `/v2/pix/${encodeURIComponent(endToEnd)}`
}

function returnPath({ id, endToEnd }: Pick<RefundOrder, 'id' | 'endToEnd'>): string {
  return `${pixPath(endToEnd)}/devolucao/${encodeURIComponent(id)}`
}
