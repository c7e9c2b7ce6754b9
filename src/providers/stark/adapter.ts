import type { AdapterOptions } from '../adapter/provider-calls.ts'
import { UNSUPPORTED_CALLS } from '../adapter/unsupported-calls.ts'
import type { ClosableProvider } from '../port.ts'
import { createStarkAccount } from './account.ts'
import { createStarkCharges } from './charges.ts'
import { createStarkClient, type StarkCredentials } from './client.ts'
import { createStarkKeyLookUp } from './key-look-up.ts'
import { createStarkNotifications } from './notifications.ts'
import { createStarkPayments } from './payments.ts'
import { createStarkRecurrences } from './recurrences.ts'
import { createStarkRefunds } from './refunds.ts'
import { createStarkStatement } from './statement.ts'
import { createStarkTransfers } from './transfers.ts'

/** Creates the adapter of Stark Bank's API v2. Its amounts are in centavos; our ids are its tags, and of transfers the `externalId`. */
export function createStarkAdapter(options: AdapterOptions<StarkCredentials>): ClosableProvider {
  const client = createStarkClient(options)
  const now = options.now ?? Date.now
  return {
    ...createStarkCharges(client, now),
    ...createStarkRecurrences(client),
    ...createStarkPayments(client),
    ...createStarkRefunds(client, now),
    ...createStarkTransfers(client, now),
    ...createStarkAccount(client, options.credentials),
    ...createStarkStatement(client),
    ...createStarkNotifications(client, options.now),
    ...createStarkKeyLookUp(client),
    ...UNSUPPORTED_CALLS,
    preconnect: client.preconnect,
    close: client.close,
  }
}
