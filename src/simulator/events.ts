import type { Account } from './accounts.ts'
import type { Med } from './meds.ts'
import type { Receipt } from './receipts.ts'
import type { Refund } from './refunds.ts'
import type { Returned } from './returns.ts'
import type { Sending } from './sendings.ts'

/** What the rail tells a provider's customer about; each dialect says it in its own words. */
export type RailEvent =
  | { kind: 'payment'; account: Account; receipt: Receipt; refunds: Refund[] }
  /** `refunds` are all those of the PIX, `changed` the one this is about. */
  | { kind: 'refund'; account: Account; receipt: Receipt; refunds: Refund[]; changed: Refund }
  | { kind: 'transfer'; account: Account; sending: Sending; returned: Returned[] }
  /** A dispute was opened or decided. */
  | { kind: 'med'; account: Account; med: Med }

/** Called inside the transaction of the money, so that no notice is lost and none is sent for what did not happen. */
export type Announce = (event: RailEvent) => void

/** What becomes of something a provider accepted. */
export type Fate =
  | { kind: 'settles' }
  | { kind: 'rejected'; code: string }
  /** Stays in process for so long, then settles; nobody is told. */
  | { kind: 'silent'; forMs: number }
  /** Not carried out for lack of balance; an order that the provider keeps stays and can be approved. */
  | { kind: 'left' }

export const SETTLES: Fate = { kind: 'settles' }
