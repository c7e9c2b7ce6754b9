import type { AdapterOptions } from '../adapter/provider-calls.ts'
import { UNSUPPORTED_CALLS } from '../adapter/unsupported-calls.ts'
import { createBacenCharges } from '../bacen/charges.ts'
import { createBacenPayments } from '../bacen/payments.ts'
import type { ClosableProvider } from '../port.ts'
import { createSicoobAccount } from './account.ts'
import { createSicoobClient, type SicoobCredentials } from './client.ts'
import { createSicoobNotifications } from './notifications.ts'
import { createSicoobTransfers } from './transfers.ts'

/** Creates the adapter of Sicoob: the Central Bank's Pix API, its own payments, and its current accounts. */
export function createSicoobAdapter(options: AdapterOptions<SicoobCredentials>): ClosableProvider {
  const client = createSicoobClient(options)
  const now = options.now ?? Date.now
  return {
    ...createBacenCharges(client, now),
    ...createBacenPayments(client),
    ...createSicoobTransfers(client, now),
    ...createSicoobAccount(client, options),
    ...createSicoobNotifications(options.credentials, options.recordUnexplained),
    ...UNSUPPORTED_CALLS,
    preconnect: client.preconnect,
    close: client.close,
  }
}
