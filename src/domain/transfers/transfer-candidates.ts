import type { BankAccountType } from '../pix/party.ts'
import { PROVIDER_CAPABILITIES } from '../providers/capabilities.ts'
import type { ProviderApi } from '../providers/provider.ts'
import { isPaidAsCode, isPayableByKey, type PaymentCode } from '../qr-codes/code-payment.ts'
import type { TransferDestination } from './transfer-destination.ts'
import { canEnforceReceiver, type ReceiverOrder } from './transfer-lookup.ts'

/**
 * What a transfer asks of the provider that carries it. `accountType`: of a transfer to an account at a bank; `code`: of one that pays a
 * PIX code.
 */
export type CarrierNeeds = ReceiverOrder & {
  accountType?: BankAccountType | undefined
  code?: PaymentCode | undefined
}

/** Tells what an order asks of the provider that carries it. */
export function findCarrierNeeds({
  destination,
  lookup,
}: Pick<ReceiverOrder, 'lookup'> & { destination: TransferDestination }): CarrierNeeds {
  switch (destination.kind) {
    case 'key':
      return { document: destination.document, lookup }
    case 'account':
      return { accountType: destination.account.account_type }
    case 'code':
      return { document: destination.document, lookup, code: destination.code }
  }
}

/** Tells whether a provider API sends transfers, pays this account or code, and holds an order to the receiver that it names. */
export function canCarryTransfer(
  dialect: ProviderApi,
  { accountType, code, ...receiver }: CarrierNeeds,
): boolean {
  const capabilities = PROVIDER_CAPABILITIES[dialect]
  if (!capabilities.canTransfer) return false
  if (accountType !== undefined && !capabilities.payableAccountTypes.includes(accountType)) return false
  if (code && isPaidAsCode(capabilities, code))
    // A bank compares the document of a key's owner, and of no code.
    return canEnforceReceiver({ ...capabilities, canCheckDocument: false }, receiver)
  return (!code || isPayableByKey(code)) && canEnforceReceiver(capabilities, receiver)
}
