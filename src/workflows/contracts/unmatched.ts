import type { FollowUps } from './follow-ups.ts'
import type { PreRestoreState } from './reopening.ts'

/** Workflows of received PIX that no charge can take: recorded as a deposit, returned to the payer, or kept. */

export const DEPOSIT_WORKFLOW = 'depositWorkflow'
/** Records a received PIX that names no charge of ours. */
export const depositWorkflowId = (connectionUuid: string, endToEnd: string) =>
  `deposit/${connectionUuid}/${endToEnd}`

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

export const RETURN_WORKFLOW = 'returnWorkflow'
/** Returns an unmatched PIX to its payer. */
export const returnWorkflowId = (movementUuid: string) => `return/${movementUuid}`

/** `continuation`: what the run before continue-as-new was polling for. */
export type ReturnPaymentInput = {
  uuid: string
  connectionUuid: string
  timeScale: number
  continuation?: 'unknown_outcome' | 'late_update'
  /** The return is newer than the restored database: the provider is polled, and nothing is sent. */
  restored?: PreRestoreState
}

export const KEEP_UNMATCHED_WORKFLOW = 'keepUnmatchedWorkflow'
export type KeepUnmatchedWorkflowSignature = (input: KeepUnmatchedInput) => Promise<'kept' | 'nothing'>
/** Keeps an unmatched PIX that cannot be returned, by an operator's decision. */
export const keepUnmatchedWorkflowId = (movementUuid: string) => `return/${movementUuid}/kept`

/** The unmatched PIX that an operator keeps; `sending`: how often its return had been sent when the operator decided. */
export type KeepUnmatchedInput = { uuid: string; sending: number }
