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
  /** The return is newer than the restored database: the provider is polled, and nothing is sent. */
  restored?: PreRestoreState
}

/**
 * The unmatched PIX that an operator keeps, as the operator decided about it; `sending`: how often its return had been sent;
 * `cents`: what was left of it.
 */
export type KeepUnmatchedInput = { uuid: string; sending: number; cents: number }
