import type { AdapterOptions } from '../adapter/provider-calls.ts'
import type { ClosableProvider } from '../port.ts'
import { createAccountIdentification, createWooviAccount } from './account.ts'
import { createWooviCharges } from './charges.ts'
import { createWooviClient, type WooviCredentials } from './client.ts'
import { createWooviDisputes } from './disputes.ts'
import { createWooviKeyLookUp } from './key-look-up.ts'
import { createWooviNotifications } from './notifications.ts'
import { createWooviPayments } from './payments.ts'
import { createWooviPixKeys } from './pix-keys.ts'
import { createWooviReceipts } from './receipts.ts'
import { createWooviRecurrences } from './recurrences.ts'
import { createWooviStatement } from './statement.ts'
import { createWooviTransfers } from './transfers.ts'

/** Creates the adapter of Woovi's (OpenPix's) public API. Our ids are its `correlationID`s; amounts are in centavos. */
export function createWooviAdapter(options: AdapterOptions<WooviCredentials>): ClosableProvider {
  const client = createWooviClient(options)
  const now = options.now ?? Date.now
  const identifyAccount = createAccountIdentification(client)
  return {
    ...createWooviCharges(client, now),
    ...createWooviPayments(client),
    ...createWooviRecurrences(client, now),
    ...createWooviTransfers(client, identifyAccount),
    ...createWooviPixKeys(client),
    ...createWooviKeyLookUp(client),
    ...createWooviReceipts(client),
    ...createWooviAccount(client, identifyAccount),
    ...createWooviStatement(client),
    ...createWooviDisputes(client, now),
    ...createWooviNotifications(client, options.credentials, options.now),
    preconnect: client.preconnect,
    close: client.close,
  }
}
