import type { SimulatedAccount } from '../../accounts.ts'
import type { ChargeTry } from '../../recurrences/automatic-charges.ts'
import type { SimulatedRecurrence } from '../../recurrences/recurrences.ts'
import type { SimulatedRefund } from '../../refunds.ts'
import type { BacenRecurrenceRefusals } from './recurrence-refusals.ts'
import type { BacenRecurrenceBodies } from './recurrence-schemas.ts'

/** A bank's own choices for recurrences in the Central Bank's Pix API. */
export type BacenRecurrenceProfile = {
  bodies: BacenRecurrenceBodies
  refusals: BacenRecurrenceRefusals
  /** Presents the recurrence of a consent request; `location` as it is shown with the recurrence. */
  presentRequested(
    account: SimulatedAccount,
    recurrence: SimulatedRecurrence,
    location: object | undefined,
  ): object
  presentTry(account: SimulatedAccount, chargeTry: ChargeTry): object
  presentRefund(account: SimulatedAccount, refund: SimulatedRefund): object
}
