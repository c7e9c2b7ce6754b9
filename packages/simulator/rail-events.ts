import type { DisputeRailEvent } from './disputes.ts'
import type { PaymentRailEvent } from './receipts.ts'
import type { AutomaticChargeRailEvent } from './recurrences/automatic-charges.ts'
import type { RecurrenceRailEvent } from './recurrences/recurrences.ts'
import type { RefundRailEvent } from './refunds.ts'
import type { ReturnRailEvent } from './returns.ts'
import type { OrderRemovedRailEvent, TransferRailEvent } from './transfers.ts'

/** An event of an account, which its provider API notifies. */
export type RailEvent =
  | PaymentRailEvent
  | RefundRailEvent
  | TransferRailEvent
  | OrderRemovedRailEvent
  | ReturnRailEvent
  | DisputeRailEvent
  | RecurrenceRailEvent
  | AutomaticChargeRailEvent

/** Handles an event in the transaction that moves the money, so that notifications and movements agree. */
export type RailEventHandler = (event: RailEvent) => void
