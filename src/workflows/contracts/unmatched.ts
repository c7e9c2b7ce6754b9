import type { DepositReturnInput, FollowUps } from './orders.ts'
import type { Continuation } from './payouts.ts'

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

export type ReturnPaymentInput = {
  uuid: string
  connectionUuid: string
  timeScale: number
  /** The order of its account, where that has ordered the return. */
  order?: DepositReturnInput
  continuation?: Continuation
}

/** `failure`: code of why the deposit is not returned; null where its money is held. */
export type OrderReturnResult = Pick<FollowUps, 'returns'> & { failure: string | null }

/**
 * The unmatched PIX that an operator keeps, as the operator decided about it; `sending`: how often its return had been sent;
 * `cents`: what was left of it.
 */
export type KeepUnmatchedInput = { uuid: string; sending: number; cents: number }
