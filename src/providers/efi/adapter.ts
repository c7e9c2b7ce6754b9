import { PROVIDER_CAPABILITIES } from '../../domain/providers/provider.ts'
import type { Provider } from '../port.ts'
import { createEfiAccount } from './account.ts'
import { createEfiAccountIdentity } from './account-identity.ts'
import { createEfiCharges } from './charges.ts'
import { createEfiClient, type EfiAdapterOptions } from './client.ts'
import { createEfiDisputes } from './disputes.ts'
import { createEfiNotifications } from './notifications.ts'
import { createEfiPayments } from './payments.ts'
import { createEfiPixKeys } from './pix-keys.ts'
import { createEfiStatement } from './statement.ts'
import { createEfiTransfers } from './transfers.ts'

/** Creates the adapter of Efí's Pix API: the Central Bank's `cob`, `pix`, `devolucao`, `webhook`, and Efí's own. */
export function createEfiAdapter(options: EfiAdapterOptions): Provider & { close(): Promise<void> } {
  const client = createEfiClient(options)
  return {
    capabilities: PROVIDER_CAPABILITIES.efi,
    ...createEfiCharges(client, options.now ?? Date.now),
    ...createEfiPayments(client),
    ...createEfiTransfers(client),
    ...createEfiPixKeys(client),
    ...createEfiAccount(client, options.credentials),
    ...createEfiAccountIdentity(client),
    ...createEfiStatement(client),
    ...createEfiDisputes(client, options.now ?? Date.now),
    ...createEfiNotifications(options.credentials, options.recordUnexplained),
    preconnect: () => client.preconnect(),
    close: () => client.close(),
  }
}
