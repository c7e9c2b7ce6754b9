import { CAPABILITIES } from '../../domain/provider.ts'
import type { Provider } from '../port.ts'
import { account } from './account.ts'
import { charges } from './charges.ts'
import { type WooviOptions, wooviClient } from './client.ts'
import { identity } from './identity.ts'
import { keys } from './keys.ts'
import { meds } from './meds.ts'
import { notices } from './notice.ts'
import { payments } from './payments.ts'
import { statement } from './statement.ts'
import { transfers } from './transfers.ts'

/** Woovi's (OpenPix's) public API behind the port: our ids are its `correlationID`s, money is in centavos. */
export function wooviProvider(options: WooviOptions): Provider & { close(): Promise<void> } {
  const client = wooviClient(options)
  return {
    capabilities: CAPABILITIES.woovi,
    ...charges(client, options.now ?? Date.now),
    ...payments(client),
    ...transfers(client),
    ...keys(client),
    ...account(client),
    ...identity(client),
    ...statement(client),
    ...meds(client, options.now ?? Date.now),
    ...notices(client, options.credentials, options.now ?? Date.now),
    openAhead: () => client.openAhead(),
    close: () => client.close(),
  }
}
