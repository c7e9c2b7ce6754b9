import type { DepositReturnInput } from './deposit-returns.ts'
import type { FollowUps } from './follow-ups.ts'
import type { PreRestoreState } from './reopening.ts'

/** Input of a PIX that a provider notification names and no charge expects. */
export type RecordDepositInput = {
  connectionUuid: string
  endToEnd: string
  requestId: string
  timeScale: number
}
export type RecordDepositResult =
  | (FollowUps & { kind: 'accepted' })
  /** A charge expects the PIX after all: its workflow was signalled to poll. */
  | { kind: 'expected' }
  | { kind: 'not_found' }
  | { kind: 'no_answer'; code: string }

/** `continuation`: what the run before continue-as-new was polling for. */
export type ReturnPaymentInput = {
  uuid: string
  connectionUuid: string
  timeScale: number
  continuation?: 'unknown_outcome' | 'late_update'
  /** The order of its account, where that has ordered the return: it is stored again where a restored database lacks it. */
  order?: DepositReturnInput
  /** The return is newer than the restored database: the provider is polled, and nothing is sent. */
  restored?: PreRestoreState
}

/** `failure`: code of why the deposit is not returned; null where its money is held. */
export type OrderReturnResult = Pick<FollowUps, 'returns'> & { failure: string | null }

/** Result of storing an order that the database lacks; `unknown` until its deposit is restored. */
export type RebuildReturnOrderResult =
  | { kind: 'known'; failure: string | null }
  | { kind: 'unknown'; code: string }

/**
 * The unmatched PIX that an operator keeps, as the operator decided about it; `sending`: how often its return had been sent;
 * `cents`: what was left of it.
 */
export type KeepUnmatchedInput = { uuid: string; sending: number; cents: number }
