import type { RefundState } from '../../domain/refunds/refund.ts'
import type { FollowUps, MoneyOrder } from './orders.ts'
import type { Continuation } from './payouts.ts'

/** The order that refunds a charge; `fingerprint` is of the request that asked for it. */
export type RefundInput = MoneyOrder & {
  chargeUuid: string
  /** The connection that received the PIX: a refund goes nowhere else. */
  connectionUuid: string
  fingerprint: string
  /** `RefundInputDetails`, sealed; absent where there are none. */
  details?: string
  /** ISO 8601 UTC by PostgreSQL's clock, of a request without `Idempotency-Key`: a row stored later is FAILED, and no provider is called. */
  acceptBefore?: string
  continuation?: Continuation
}

/** The part of an order that no history may show in plain text. */
export type RefundInputDetails = { description: string }

export type OpenRefundResult = FollowUps & { state: RefundState }
