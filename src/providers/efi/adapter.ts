import type { AdapterOptions } from '../adapter/provider-calls.ts'
import { createBacenAutomaticPix } from '../bacen/automatic-pix.ts'
import { createBacenCharges } from '../bacen/charges.ts'
import { createBacenPayments } from '../bacen/payments.ts'
import type { ClosableProvider } from '../port.ts'
import { createEfiAccount, EFI_WEBHOOK_HEADERS } from './account.ts'
import { createEfiClient, type EfiCredentials } from './client.ts'
import { createEfiDisputes } from './disputes.ts'
import { createEfiLookUpBudget } from './look-up-budget.ts'
import { createEfiNotifications } from './notifications.ts'
import { createEfiPixKeys } from './pix-keys.ts'
import { createEfiReceipts } from './receipts.ts'
import { createEfiStatement } from './statement.ts'
import { createEfiTransfers } from './transfers.ts'

/** Creates the adapter of Efí's Pix API: the Central Bank's `cob`, `pix`, `devolucao`, `webhook`, and Efí's own. */
export function createEfiAdapter(options: AdapterOptions<EfiCredentials>): ClosableProvider {
  const client = createEfiClient(options)
  const { now = Date.now, credentials } = options
  const { account_number: conta } = credentials
  const automaticPix = createBacenAutomaticPix(client, {
    now,
    receiver: conta === undefined ? null : { agencia: EFI_BRANCH, conta, tipoConta: 'PAGAMENTO' },
    // SDK 2.0.1, PixCreateRequestRecurrenceAutomaticBodySchema.
    needsPayerBranch: true,
    notifications: { secret: credentials.notification_secret, headers: EFI_WEBHOOK_HEADERS },
  })
  return {
    ...createBacenCharges(client, now, automaticPix.debits),
    ...automaticPix.recurrences,
    ...createBacenPayments(client),
    ...createEfiTransfers(client),
    ...createEfiPixKeys(client),
    ...createEfiLookUpBudget(client),
    ...createEfiReceipts(client),
    ...createEfiAccount(client, options, automaticPix.webhooks),
    ...createEfiStatement(client),
    ...createEfiDisputes(client, now),
    ...createEfiNotifications(credentials, options.recordUnexplained),
    preconnect: client.preconnect,
    close: client.close,
  }
}

/** The only branch of Efí, a payment institution, whose accounts are payment accounts. */
const EFI_BRANCH = '0001'
