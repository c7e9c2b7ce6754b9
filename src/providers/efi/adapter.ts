import type { AdapterOptions } from '../adapter/provider-calls.ts'
import { createBacenCharges } from '../bacen/charges.ts'
import { createBacenPayments } from '../bacen/payments.ts'
import type { ClosableProvider } from '../port.ts'
import { createEfiAccount } from './account.ts'
import { createEfiClient, type EfiCredentials } from './client.ts'
import { createEfiDisputes } from './disputes.ts'
import { createEfiLookUpBudget } from './look-up-budget.ts'
import { createEfiNotifications } from './notifications.ts'
import { createEfiPixKeys } from './pix-keys.ts'
import { createEfiStatement } from './statement.ts'
import { createEfiTransfers } from './transfers.ts'

/** Creates the adapter of Efí's Pix API: the Central Bank's `cob`, `pix`, `devolucao`, `webhook`, and Efí's own. */
export function createEfiAdapter(options: AdapterOptions<EfiCredentials>): ClosableProvider {
  const client = createEfiClient(options)
  const now = options.now ?? Date.now
  return {
    ...createBacenCharges(client, now),
    ...createBacenPayments(client),
    ...createEfiTransfers(client),
    ...createEfiPixKeys(client),
    ...createEfiLookUpBudget(client),
    ...createEfiAccount(client, options),
    ...createEfiStatement(client),
    ...createEfiDisputes(client, now),
    ...createEfiNotifications(options.credentials, options.recordUnexplained),
    preconnect: client.preconnect,
    close: client.close,
  }
}
