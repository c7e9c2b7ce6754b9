import { detectDocumentKind } from '../../domain/pix/document.ts'
import type { BankAccountType } from '../../domain/pix/party.ts'
import type { ProviderTransferRequest } from '../../domain/providers/provider.ts'
import type { TransferDestination } from '../../domain/transfers/transfer-destination.ts'
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
      const receiver = buildReceiver(order.destination)
      if (!receiver) return accountTypeUnsupported
      const path = encodePath`/v3/gn/pix/${order.id}`
      const json = buildTransferBody(order, receiver)
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

function buildTransferBody({ cents, payerKey, message }: ProviderTransferRequest, receiver: object) {
  return efiTransferRequestSchema.parse({
    valor: cents,
    pagador: { chave: payerKey, infoPagador: message?.slice(0, 140) },
    favorecido: receiver,
  })
}

/**
 * Builds the receiver; null for an account of a type that Efí does not pay. With the owner's document beside a key, Efí sends only
 * if the key belongs to that owner.
 */
function buildReceiver(destination: TransferDestination) {
  switch (destination.kind) {
    case 'key':
      return { chave: destination.pixKey, ...nameDocument(destination.document) }
    case 'account': {
      const { name, document, bank, account_agency, account_number, account_type } = destination.account
      const tipoConta = EFI_ACCOUNT_TYPES.get(account_type)
      if (!tipoConta) return null
      const owner = { nome: name, ...nameDocument(document) }
      const place = { codigoBanco: bank.ispb, agencia: account_agency, conta: account_number, tipoConta }
      return { contaBanco: { ...owner, ...place } }
    }
  }
}

/** `tipoConta` of the official SDK 2.0.1 (`PixSendBodySchema`). */
const EFI_ACCOUNT_TYPES = new Map<BankAccountType, string>([
  ['CHECKING', 'cacc'],
  ['SAVINGS', 'svgs'],
])

function nameDocument(document: string | null) {
  if (document === null) return {}
  return detectDocumentKind(document) === 'CPF' ? { cpf: document } : { cnpj: document }
}

const accountTypeUnsupported = rejectForThisProvider(
  'account_type_unsupported',
  'The provider pays no account of this type without a PIX key',
)

const payerKeyMissing = rejectForThisProvider(
  'collection_key_missing',
  "The provider needs the payer's PIX key",
)
