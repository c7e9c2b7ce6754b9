import { detectDocumentKind } from '../../domain/pix/document.ts'
import type { ProviderTransferRequest } from '../../domain/providers/provider.ts'
import { countItems, parseAnswer, parseItems } from '../adapter/answer-parsing.ts'
import { rejectFailedAcceptance, rejectForThisProvider } from '../adapter/outcomes.ts'
import type { Provider } from '../port.ts'
import type { EfiClient } from './client.ts'
import { mapEfiSettledReturn, mapEfiTransfer } from './mapping.ts'
import {
  efiReceivedDevolucaoSchema,
  efiTransferRequestSchema,
  efiTransferResponseSchema,
  efiTransferSchema,
} from './schemas.ts'

/**
 * Sent PIX. The id is ours. Efí refuses an id that another payment has (409 `id_envio_duplicado`), so one id is at most one
 * payment. An order that it refused has made no payment: the same id may be sent again, as after a lack of balance.
 */
export function createEfiTransfers(client: EfiClient): Pick<Provider, 'sendTransfer' | 'findTransfer'> {
  return {
    async sendTransfer(order) {
      if (order.payerKey === null) return payerKeyMissing
      const path = `/v3/gn/pix/${encodeURIComponent(order.id)}`
      const json = buildTransferBody(order)
      const call = { call: 'sendTransfer', reference: order.id } as const
      const outcome = await client.send(
        { ...call, method: 'PUT', path, json, hasOwnConnection: true },
        (answer, notes) => {
          const pix = parseAnswer(efiTransferResponseSchema, answer, notes)
          const ours = pix?.idEnvio === order.id && pix.valor === order.cents
          return ours ? { payout: mapEfiTransfer(pix) } : undefined
        },
      )
      return rejectFailedAcceptance(outcome)
    },

    /** Returns of which one cannot be read are left unsaid, to be asked for again; the transfer itself is told. */
    async findTransfer(id) {
      const path = `/v2/gn/pix/enviados/id-envio/${encodeURIComponent(id)}`
      const call = { call: 'findTransfer', reference: id, method: 'GET', path } as const
      return client.lookUp(call, (json, notes) => {
        const pix = parseAnswer(efiTransferSchema, json, notes)
        if (!pix || (pix.idEnvio ?? id) !== id) return undefined
        const given = parseItems(efiReceivedDevolucaoSchema, pix.devolucoes, notes)
        const isWhole = given.length === countItems(pix.devolucoes)
        return {
          payout: {
            ...mapEfiTransfer(pix),
            ...(isWhole ? { returns: given.flatMap(mapEfiSettledReturn) } : {}),
          },
        }
      })
    },
  }
}

/** With the document beside the key, Efí sends only to a key of that owner. */
function buildTransferBody({ cents, payerKey, pixKey, document, message }: ProviderTransferRequest) {
  const owner =
    document === null ? {} : detectDocumentKind(document) === 'CPF' ? { cpf: document } : { cnpj: document }
  return efiTransferRequestSchema.parse({
    valor: cents,
    pagador: { chave: payerKey, infoPagador: message?.slice(0, 140) },
    favorecido: { chave: pixKey, ...owner },
  })
}

const payerKeyMissing = rejectForThisProvider(
  'collection_key_missing',
  'The provider needs the key that pays',
)
