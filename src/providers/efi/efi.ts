import { CAPABILITIES } from '../../domain/provider.ts'
import type { Provider } from '../port.ts'
import { account } from './account.ts'
import { charges } from './charges.ts'
import { type EfiOptions, efiClient } from './client.ts'
import { identity } from './identity.ts'
import { keys } from './keys.ts'
import { meds } from './meds.ts'
import { notices } from './notice.ts'
import { payments } from './payments.ts'
import { statement } from './statement.ts'
import { transfers } from './transfers.ts'

/** Efí's public Pix API behind the port: the Central Bank's `cob`, `pix`, `devolucao` and `webhook`, and Efí's own calls. */
export function efiProvider(options: EfiOptions): Provider & { close(): Promise<void> } {
  const client = efiClient(options)
  return {
    capabilities: CAPABILITIES.efi,
    ...charges(client, options.now ?? Date.now),
    ...payments(client),
    ...transfers(client),
    ...keys(client),
    ...account(client, options.credentials),
    ...identity(client),
    ...statement(client),
    ...meds(client, options.now ?? Date.now),
    ...notices(options.credentials, options.recordUnexplained),
    openAhead: () => client.openAhead(),
    close: () => client.close(),
  }
}
