import { PROVIDER_CAPABILITIES, type ProviderApi } from '../providers/provider.ts'
import { canEnforceReceiver, type ReceiverOrder } from './transfer-lookup.ts'

/** Tells whether transfers can be ordered through a provider API, and whether it holds an order to the receiver that it names. */
export function canCarryTransfer(dialect: ProviderApi, order: ReceiverOrder): boolean {
  const capabilities = PROVIDER_CAPABILITIES[dialect]
  return capabilities.canTransfer && canEnforceReceiver(capabilities, order)
}
