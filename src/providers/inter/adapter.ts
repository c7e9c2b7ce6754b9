import type { AdapterOptions } from '../adapter/provider-calls.ts'
import { UNSUPPORTED_CALLS } from '../adapter/unsupported-calls.ts'
import { createBacenCharges } from '../bacen/charges.ts'
import { createBacenPayments } from '../bacen/payments.ts'
import type { ClosableProvider } from '../port.ts'
import { createInterAccount } from './account.ts'
import { createInterClient, type InterCredentials } from './client.ts'
import { createInterNotifications } from './notifications.ts'
import { createInterStatement } from './statement.ts'
import { createInterTransfers } from './transfers.ts'

/** Creates the adapter of Banco Inter: the Central Bank's Pix API, and its own, Banking. */
export function createInterAdapter(options: AdapterOptions<InterCredentials>): ClosableProvider {
  const client = createInterClient(options)
  const now = options.now ?? Date.now
  const payments = createBacenPayments(client)
  const { statement, findListedPayment } = createInterStatement(client, now)
  return {
    ...createBacenCharges(client, now),
    ...payments,
    /** Inter's Pix API finds only what paid a charge; any other received PIX is in the statement alone. */
    async findPayment(endToEnd) {
      const outcome = await payments.findPayment(endToEnd)
      return outcome.kind === 'not_found' ? findListedPayment(endToEnd) : outcome
    },
    ...createInterTransfers(client),
    ...createInterAccount(client, options),
    statement,
    ...createInterNotifications(options.credentials, options.recordUnexplained),
    ...UNSUPPORTED_CALLS,
    preconnect: client.preconnect,
    close: client.close,
  }
}
