import { detectDocumentKind } from '../../domain/pix/document.ts'
import type { ProviderTransferRequest } from '../../domain/providers/provider.ts'
import { rejectFailedAcceptance, rejectForThisProvider, toUnprovenRefusal } from '../adapter/outcomes.ts'
import { mapBacenSettledReturn, readBacenReturns } from '../bacen/mapping.ts'
import { bacenReceivedDevolucaoSchema } from '../bacen/schemas.ts'
import { encodePath } from '../http/client.ts'
import type { TransferCalls } from '../port.ts'
import { EMPTY_BUCKET_PROBLEM } from './answers.ts'
import type { EfiClient } from './client.ts'
import { mapEfiTransfer } from './mapping.ts'
import { efiTransferRequestSchema, efiTransferResponseSchema, efiTransferSchema } from './schemas.ts'

/**
 * Creates the calls about sent PIX. The id is ours, and Efí refuses a second payment with it (409
 * `id_envio_duplicado`), so one id makes at most one payment. Whether the id of a refused order may be used again is not
 * documented.
 */
export function createEfiTransfers(client: EfiClient): TransferCalls {
  return {
    async sendTransfer(order) {
      if (order.payerKey === null) return payerKeyMissing
      const path = encodePath`/v3/gn/pix/${order.id}`
      const json = buildTransferBody(order)
      const call = { call: 'sendTransfer', reference: order.id } as const
      const request = { ...call, method: 'PUT', path, json, hasOwnConnection: true } as const
      const outcome = await client.send(request, efiTransferResponseSchema, pix => {
        const isOrdered = pix.idEnvio === order.id && pix.valor === order.cents
        return isOrdered ? { payout: mapEfiTransfer(pix) } : undefined
      })
      const isUnproven = outcome.kind === 'rejected' && outcome.providerCode === EMPTY_BUCKET_PROBLEM
      return isUnproven ? toUnprovenRefusal(outcome) : rejectFailedAcceptance(outcome)
    },

    /** Looks a transfer up. An unreadable return is left out and recorded; the statement lists it once it is readable. */
    async findTransfer({ id }) {
      const path = encodePath`/v2/gn/pix/enviados/id-envio/${id}`
      return client.lookUp({ call: 'findTransfer', reference: id, path }, efiTransferSchema, (pix, notes) => {
        if ((pix.idEnvio ?? id) !== id) return undefined
        const { returns } = readBacenReturns(bacenReceivedDevolucaoSchema, pix, notes)
        return { payout: { ...mapEfiTransfer(pix), returns: returns.flatMap(mapBacenSettledReturn) } }
      })
    },
  }
}

/** Builds the request body. With the owner's document in it, Efí sends only if the key belongs to that owner. */
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
  "The provider needs the payer's PIX key",
)
