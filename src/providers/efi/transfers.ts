import { documentKind } from '../../domain/document.ts'
import type { TransferOrder } from '../../domain/provider.ts'
import { cannotHere, refusedAtOnce } from '../outcomes.ts'
import type { Provider } from '../port.ts'
import { lengthOf, readItems, readShape } from '../reading.ts'
import type { EfiClient } from './client.ts'
import { returnOf, transferOf } from './mapping.ts'
import { newlySent, newTransfer, returnedToUs, transfer } from './shapes.ts'

/**
 * Sent PIX. The id is ours. Efí refuses an id that another payment has (409 `id_envio_duplicado`), so one id is at most one
 * payment. An order that it refused has made no payment: the same id may be sent again, as after a lack of balance.
 */
export function transfers(client: EfiClient): Pick<Provider, 'sendTransfer' | 'findTransfer'> {
  return {
    async sendTransfer(order) {
      if (order.payerKey === null) return keyMissing
      const path = `/v3/gn/pix/${encodeURIComponent(order.id)}`
      const json = transferBody(order)
      const call = { call: 'sendTransfer', reference: order.id } as const
      const outcome = await client.send(
        { ...call, method: 'PUT', path, json, fresh: true },
        (answer, notes) => {
          const pix = readShape(newlySent, answer, notes)
          const ours = pix?.idEnvio === order.id && pix.valor === order.cents
          return ours ? { sending: transferOf(pix) } : undefined
        },
      )
      return refusedAtOnce(outcome)
    },

    /** Returns of which one cannot be read are left unsaid, to be asked for again; the transfer itself is told. */
    async findTransfer(id) {
      const path = `/v2/gn/pix/enviados/id-envio/${encodeURIComponent(id)}`
      const call = { call: 'findTransfer', reference: id, method: 'GET', path } as const
      return client.lookUp(call, (json, notes) => {
        const pix = readShape(transfer, json, notes)
        if (!pix || (pix.idEnvio ?? id) !== id) return undefined
        const given = readItems(returnedToUs, pix.devolucoes, notes)
        const isWhole = given.length === lengthOf(pix.devolucoes)
        return { sending: { ...transferOf(pix), ...(isWhole ? { returns: given.flatMap(returnOf) } : {}) } }
      })
    },
  }
}

/** With the document beside the key, Efí sends only to a key of that owner. */
function transferBody({ cents, payerKey, pixKey, document, message }: TransferOrder) {
  const owner =
    document === null ? {} : documentKind(document) === 'CPF' ? { cpf: document } : { cnpj: document }
  return newTransfer.parse({
    valor: cents,
    pagador: { chave: payerKey, infoPagador: message?.slice(0, 140) },
    favorecido: { chave: pixKey, ...owner },
  })
}

const keyMissing = cannotHere('collection_key_missing', 'The provider needs the key that pays')
