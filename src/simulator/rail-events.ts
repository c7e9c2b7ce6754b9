import type { SimulatedAccount } from './accounts.ts'
import type { SimulatedDispute } from './disputes.ts'
import type { Receipt } from './receipts.ts'
import type { SimulatedRefund } from './refunds.ts'
import type { SimulatedReturn } from './returns.ts'
import type { SimulatedTransfer } from './transfers.ts'

/** An event of an account, which its provider API notifies. */
export type RailEvent =
  | { kind: 'payment'; account: SimulatedAccount; receipt: Receipt; refunds: SimulatedRefund[] }
  /** `changed`: the refund that settled or was rejected; `refunds`: all refunds of its PIX. */
  | {
      kind: 'refund'
      account: SimulatedAccount
      receipt: Receipt
      refunds: SimulatedRefund[]
      changed: SimulatedRefund
    }
  | { kind: 'transfer'; account: SimulatedAccount; transfer: SimulatedTransfer; returns: SimulatedReturn[] }
  /** A person removed an order in the provider's panel, or a fault notifies so. */
  | { kind: 'order_removed'; account: SimulatedAccount; id: string }
  /** A dispute was opened or decided. */
  | { kind: 'dispute'; account: SimulatedAccount; dispute: SimulatedDispute }

/** Handles an event in the transaction that moves the money, so that notifications and movements agree. */
export type RailEventHandler = (event: RailEvent) => void

/** The outcome of an accepted charge, transfer or refund. */
export type ScriptedOutcome =
  | { kind: 'settles' }
  | { kind: 'rejected'; code: string }
  /** Settles after `forMs` in process, without a notification. */
  | { kind: 'silent'; forMs: number }
  /** Refused for lack of balance; an order that the provider stores is kept and can be approved. */
  | { kind: 'left' }
  /** As `left`; the order is removed after `afterMs`. */
  | { kind: 'left_then_removed'; afterMs: number }
  /** As `silent`, but a removal of the order is notified at once. */
  | { kind: 'silent_with_removal_event'; forMs: number }
  /** Accepted; the charge gets a txid of the provider's choice. */
  | { kind: 'own_txid' }

/** Tells whether an outcome settles without a notification. */
export function isSilentOutcome(
  outcome: ScriptedOutcome,
): outcome is Extract<ScriptedOutcome, { forMs: number }> {
  return outcome.kind === 'silent' || outcome.kind === 'silent_with_removal_event'
}

export const SETTLED_OUTCOME: ScriptedOutcome = { kind: 'settles' }
