import { PROVIDER_CAPABILITIES, type ProviderApi } from '../providers/provider.ts'
import type { TransferDestination } from './transfer-destination.ts'
import { canEnforceReceiver, type ReceiverOrder } from './transfer-lookup.ts'

/** Tells whether a provider API pays the destination of a transfer, and holds the order to the receiver that it names. */
export function canCarryTransfer(
  dialect: ProviderApi,
  { destination, lookup }: Pick<ReceiverOrder, 'lookup'> & { destination: TransferDestination },
): boolean {
  const capabilities = PROVIDER_CAPABILITIES[dialect]
  if (!capabilities.canTransfer) return false
  return destination.kind === 'account'
    ? capabilities.payableAccountTypes.includes(destination.account.account_type)
    : canEnforceReceiver(capabilities, { document: destination.document, lookup })
}
