import type { BankAccountType } from '../pix/party.ts'
import { PROVIDER_CAPABILITIES, type ProviderApi } from '../providers/provider.ts'
import type { TransferDestination } from './transfer-destination.ts'
import { canEnforceReceiver, type ReceiverOrder } from './transfer-lookup.ts'

/** What a transfer asks of the provider that carries it. `accountType`: of a transfer to an account at a bank. */
export type CarrierNeeds = ReceiverOrder & { accountType?: BankAccountType | undefined }

/** Tells what an order asks of the provider that carries it. */
export function findCarrierNeeds({
  destination,
  lookup,
}: Pick<ReceiverOrder, 'lookup'> & { destination: TransferDestination }): CarrierNeeds {
  return destination.kind === 'account'
    ? { accountType: destination.account.account_type }
    : { document: destination.document, lookup }
}

/** Tells whether a provider API sends transfers, pays an account of this type, and holds an order to the receiver that it names. */
export function canCarryTransfer(dialect: ProviderApi, { accountType, ...receiver }: CarrierNeeds): boolean {
  const capabilities = PROVIDER_CAPABILITIES[dialect]
  return (
    capabilities.canTransfer &&
    (accountType === undefined || capabilities.payableAccountTypes.includes(accountType)) &&
    canEnforceReceiver(capabilities, receiver)
  )
}
