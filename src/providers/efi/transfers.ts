import { documentKind } from '../../domain/document.ts'
import type { TransferOrder } from '../../domain/provider.ts'
import { cannotHere, refusedAtOnce } from '../outcomes.ts'
import type { Provider } from '../port.ts'
import type { EfiClient } from './client.ts'
import { transferOf } from './mapping.ts'
import { newlySent, newTransfer, transfer } from './shapes.ts'

/** Sent PIX. The id is ours: Efí refuses it a second time, whatever the first came to. */
export function transfers(client: EfiClient): Pick<Provider, 'sendTransfer' | 'findTransfer'> {
  return {
    async sendTransfer(order) {
      if (order.payerKey === null) return keyMissing
      const path = `/v3/gn/pix/${encodeURIComponent(order.id)}`
      const json = transferBody(order)
      const outcome = await client.send({ method: 'PUT', path, json, fresh: true }, answer => {
        const pix = newlySent.safeParse(answer).data
        const ours = pix?.idEnvio === order.id && pix.valor === order.cents
        return ours ? { sending: transferOf(pix) } : undefined
      })
      return refusedAtOnce(outcome)
    },

    async findTransfer(id) {
      const path = `/v2/gn/pix/enviados/id-envio/${encodeURIComponent(id)}`
      return client.lookUp({ method: 'GET', path }, json => {
        const pix = transfer.safeParse(json).data
        return pix && (pix.idEnvio ?? id) === id ? { sending: transferOf(pix) } : undefined
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
