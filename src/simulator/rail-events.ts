import type { SimulatedAccount } from './accounts.ts'
import type { SimulatedDispute } from './disputes.ts'
import type { Receipt } from './receipts.ts'
import type { SimulatedRefund } from './refunds.ts'
import type { SimulatedReturn } from './returns.ts'
import type { SimulatedTransfer } from './transfers.ts'

/** What the rail tells a provider's customer about; each dialect says it in its own words. */
export type RailEvent =
  | { kind: 'payment'; account: SimulatedAccount; receipt: Receipt; refunds: SimulatedRefund[] }
  /** `refunds` are all those of the PIX, `changed` the one this is about. */
  | {
      kind: 'refund'
      account: SimulatedAccount
      receipt: Receipt
      refunds: SimulatedRefund[]
      changed: SimulatedRefund
    }
  | { kind: 'transfer'; account: SimulatedAccount; transfer: SimulatedTransfer; returns: SimulatedReturn[] }
  /** A person removed an order in the provider's panel, or the provider says so. */
  | { kind: 'order_removed'; account: SimulatedAccount; id: string }
  /** A dispute was opened or decided. */
  | { kind: 'med'; account: SimulatedAccount; dispute: SimulatedDispute }

/** Called inside the transaction of the money, so that no notice is lost and none is sent for what did not happen. */
export type RailEventHandler = (event: RailEvent) => void

/** What becomes of something a provider accepted. */
export type ScriptedOutcome =
  | { kind: 'settles' }
  | { kind: 'rejected'; code: string }
  /** Stays in process for so long, then settles; nobody is told. */
  | { kind: 'silent'; forMs: number }
  /** Not carried out for lack of balance; an order that the provider keeps stays and can be approved. */
  | { kind: 'left' }
  /** The same; the order is removed after so long. */
  | { kind: 'left_then_removed'; afterMs: number }
  /** As `silent`, and notified at once as removed. */
  | { kind: 'told_removed'; forMs: number }
  /** A charge gets a txid of the provider's choice. */
  | { kind: 'own_txid' }

/** Whether it settles without a notification. */
export function isSilentOutcome(
  outcome: ScriptedOutcome,
): outcome is Extract<ScriptedOutcome, { forMs: number }> {
  return outcome.kind === 'silent' || outcome.kind === 'told_removed'
}

export const SETTLED_OUTCOME: ScriptedOutcome = { kind: 'settles' }
