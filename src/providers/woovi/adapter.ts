import { PROVIDER_CAPABILITIES } from '../../domain/providers/provider.ts'
import type { Provider } from '../port.ts'
import { createWooviAccount } from './account.ts'
import { createWooviAccountIdentity } from './account-identity.ts'
import { createWooviCharges } from './charges.ts'
import { createWooviClient, type WooviAdapterOptions } from './client.ts'
import { createWooviDisputes } from './disputes.ts'
import { createWooviNotifications } from './notifications.ts'
import { createWooviPayments } from './payments.ts'
import { createWooviPixKeys } from './pix-keys.ts'
import { createWooviStatement } from './statement.ts'
import { createWooviTransfers } from './transfers.ts'

/** Creates the adapter of Woovi's (OpenPix's) public API. Our ids are its `correlationID`s; amounts are in centavos. */
export function createWooviAdapter(options: WooviAdapterOptions): Provider & { close(): Promise<void> } {
  const client = createWooviClient(options)
  return {
    capabilities: PROVIDER_CAPABILITIES.woovi,
    ...createWooviCharges(client, options.now ?? Date.now),
    ...createWooviPayments(client),
    ...createWooviTransfers(client),
    ...createWooviPixKeys(client),
    ...createWooviAccount(client),
    ...createWooviAccountIdentity(client),
    ...createWooviStatement(client),
    ...createWooviDisputes(client, options.now ?? Date.now),
    ...createWooviNotifications(client, options.credentials, options.now ?? Date.now),
    preconnect: () => client.preconnect(),
    close: () => client.close(),
  }
}
