import type { DisputeRailEvent } from './disputes.ts'
import type { PaymentRailEvent } from './receipts.ts'
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

/** Handles an event in the transaction that moves the money, so that notifications and movements agree. */
export type RailEventHandler = (event: RailEvent) => void
