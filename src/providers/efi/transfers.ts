import { detectDocumentKind } from '../../domain/pix/document.ts'
import type { BankAccountType } from '../../domain/pix/party.ts'
import type { ProviderTransferRequest, SendPayoutOutcome } from '../../domain/providers/provider.ts'
import type { PaymentCode } from '../../domain/qr-codes/code-payment.ts'
import type { TransferDestination } from '../../domain/transfers/transfer-destination.ts'
import { rejectFailedAcceptance, rejectForThisProvider, toUnprovenRefusal } from '../adapter/outcomes.ts'
import type { ProviderCall } from '../adapter/provider-calls.ts'
import { codeUnsupported } from '../adapter/unsupported-calls.ts'
import { mapBacenSettledReturn, readBacenReturns } from '../bacen/mapping.ts'
import { bacenReceivedDevolucaoSchema } from '../bacen/schemas.ts'
import { encodePath } from '../http/client.ts'
import type { TransferCalls } from '../port.ts'
import { type EfiCall, EMPTY_BUCKET_PROBLEM } from './answers.ts'
import type { EfiClient } from './client.ts'
import { mapEfiTransfer } from './mapping.ts'
import {
  efiCodePaymentSchema,
  efiTransferRequestSchema,
  efiTransferResponseSchema,
  efiTransferSchema,
} from './schemas.ts'

/**
 * Creates the calls about sent PIX. The id is ours, and Efí refuses a second payment with it (409
 * `id_envio_duplicado`), so one id makes at most one payment. Whether the id of a refused order may be used again is not
 * documented.
 */
export function createEfiTransfers(client: EfiClient): TransferCalls {
  return {
    async sendTransfer(order) {
      if (order.payerKey === null) return payerKeyMissing
      if (order.destination.kind === 'code') return payCode(order, order.destination.code)
      const receiver = buildReceiver(order.destination)
      if (!receiver) return accountTypeUnsupported
      const path = encodePath`/v3/gn/pix/${order.id}`
      const json = buildTransferBody(order, receiver)
      const outcome = await placeOrder(order, { call: 'sendTransfer', path, json })
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

  function placeOrder(
    order: ProviderTransferRequest,
    call: Pick<ProviderCall<EfiCall>, 'call' | 'path' | 'json'>,
  ) {
    const request = { ...call, reference: order.id, method: 'PUT', hasOwnConnection: true } as const
    return client.send(request, efiTransferResponseSchema, pix => {
      const isOrdered = pix.idEnvio === order.id && pix.valor === order.cents
      return isOrdered ? { payout: mapEfiTransfer(pix) } : undefined
    })
  }

  /**
   * Pays a code with the value that it asks at this moment; where that is another one than was ordered, the look-up shows it. The id is
   * unique "tanto para envios comuns quanto para envios de pagamentos de QR Code". One name stands for all refusals, whose texts are not
   * all published, so one counts only once the absence of the payment is proved.
   */
  async function payCode(
    order: ProviderTransferRequest,
    { payload, initiation, isOpen }: PaymentCode,
  ): Promise<SendPayoutOutcome> {
    if (initiation === 'QR_STATIC' || isOpen) return codeUnsupported
    const path = encodePath`/v2/gn/pix/${order.id}/qrcode`
    const json = efiCodePaymentSchema.parse({ pagador: buildPayer(order), pixCopiaECola: payload })
    const outcome = await placeOrder(order, { call: 'payCode', path, json })
    const isUnproven = outcome.kind === 'rejected' && outcome.code !== 'provider_denied'
    return isUnproven ? toUnprovenRefusal(outcome) : rejectFailedAcceptance(outcome)
  }
}

function buildTransferBody(order: ProviderTransferRequest, receiver: object) {
  return efiTransferRequestSchema.parse({
    valor: order.cents,
    pagador: buildPayer(order),
    favorecido: receiver,
  })
}

function buildPayer({ payerKey, message }: ProviderTransferRequest) {
  return { chave: payerKey, infoPagador: message?.slice(0, 140) }
}

/**
 * Builds the receiver; null for an account of a type that Efí does not pay. With the owner's document beside a key, Efí sends only
 * if the key belongs to that owner.
 */
function buildReceiver(destination: Exclude<TransferDestination, { kind: 'code' }>) {
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
