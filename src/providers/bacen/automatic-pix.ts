import type { RecurrenceCalls } from '../port.ts'
import type { BacenRecurrenceClient } from './client.ts'
import { type BacenDebitCalls, createBacenDebits } from './debits.ts'
import type { BacenDebitReceiver } from './recurrence-schemas.ts'
import { createRecurrenceWebhooks } from './recurrence-webhooks.ts'
import { createBacenRecurrences } from './recurrences.ts'

/** The calls of a bank with Pix Automático: the parts of its adapter that a bank without it lacks. */
export type BacenAutomaticPix = {
  debits: BacenDebitCalls
  recurrences: Required<RecurrenceCalls>
  webhooks: ReturnType<typeof createRecurrenceWebhooks>
}

/** What a bank has of its own in Pix Automático. */
type AutomaticPixOptions = {
  now: () => number
  /** The account that debits are paid to; null where the credentials do not name it. */
  receiver: BacenDebitReceiver | null
  /** A request for consent must name the branch of the payer's account. */
  needsPayerBranch: boolean
  /** The last part of the URL that receives the notifications, and the headers of its registration. */
  notifications: { secret: string; headers?: Record<string, string> }
}

/** Creates the calls of Pix Automático, of the Central Bank's API. */
export function createBacenAutomaticPix(
  client: BacenRecurrenceClient,
  { notifications, needsPayerBranch, ...debitOptions }: AutomaticPixOptions,
): BacenAutomaticPix {
  return {
    debits: createBacenDebits(client, debitOptions),
    recurrences: createBacenRecurrences(client, { ...debitOptions, needsPayerBranch }),
    webhooks: createRecurrenceWebhooks(client, notifications.secret, notifications.headers),
  }
}
