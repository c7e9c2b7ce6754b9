import type { ChargeState } from '../../src/domain/charges/charge.ts'
import type { DisputeState } from '../../src/domain/disputes/dispute.ts'
import type { PixKeyState } from '../../src/domain/pix-keys/pix-key.ts'
import type { RecurrenceState } from '../../src/domain/recurrences/recurrence.ts'
import type { RefundState } from '../../src/domain/refunds/refund.ts'
import type { TransferState } from '../../src/domain/transfers/transfer.ts'
import type { IssueChargeResult } from '../../src/workflows/contracts/charges.ts'
import type { DisputeSnapshot } from '../../src/workflows/contracts/disputes.ts'
import type { FollowUps } from '../../src/workflows/contracts/orders.ts'
import type { TransferSnapshot } from '../../src/workflows/contracts/payouts.ts'
import type { CodeOutcome } from '../../src/workflows/contracts/pix-keys.ts'
import type { RecurrenceSnapshot } from '../../src/workflows/contracts/recurrences.ts'
import type { ActivityResult, Story } from './workflow-story.ts'

/** Scripted results of the activities, named so that a test reads like its scenario. */

export const NO_FOLLOW_UPS: FollowUps = { deliveries: [], returns: [] }
const DAY_MS = 86_400_000

/** The attempt that an operator settles. */
export const SETTLED_ATTEMPT = { attempt: '00000000-0000-4000-8000-00000000a77e', sending: 1 } as const

/** The charge has a payload that expires a day from now, or after `expiresInMs`. */
export const chargeIssued =
  ({ expiresInMs = DAY_MS, ...more }: Partial<IssueChargeResult> & { expiresInMs?: number } = {}) =>
  async (story: Story): Promise<IssueChargeResult> => ({
    state: 'pending',
    connectionUuid: 'connection-a',
    expiresAt: new Date((await story.now()) + expiresInMs).toISOString(),
    orphans: [],
    ...NO_FOLLOW_UPS,
    ...more,
  })

/** No candidate could issue it. */
export const chargeNotIssued = (more: Partial<IssueChargeResult> = {}): IssueChargeResult => ({
  state: 'failed',
  connectionUuid: 'connection-a',
  expiresAt: null,
  orphans: [],
  ...NO_FOLLOW_UPS,
  ...more,
})

/** The provider has answered with this state of the charge. */
export const chargeKnown = (
  state: ChargeState,
  left: Partial<FollowUps> = {},
): ActivityResult<'pollCharge'> => ({
  kind: 'known',
  state,
  ...NO_FOLLOW_UPS,
  ...left,
})

/** The provider has not answered. */
export const chargeNoAnswer = (code = 'timeout') => ({
  kind: 'no_answer' as const,
  state: 'pending' as const,
  code,
})

/** It has, and reports a payload as open whose time is over. */
export const chargeStillOpen = (left: Partial<FollowUps> = {}): ActivityResult<'pollCharge'> => ({
  ...chargeNoAnswer('still_open'),
  ...NO_FOLLOW_UPS,
  ...left,
})

/** A PIX that is to be returned to its payer. */
export const unmatchedReturn = (uuid: string) => ({ uuid, connectionUuid: 'connection-a' })

/** A notification that arrives during the poll, about something the provider does not list yet. */
export const afterNotification =
  <Result>(result: Result) =>
  async (story: Story): Promise<Result> => {
    await story.notify()
    return result
  }

/** The activity is interrupted before the provider has answered. */
export const failActivity = (): never => {
  throw new Error('broken off')
}

/** The row of a reopened charge: its payload's time was over long ago. */
export const chargeRow = (state: ChargeState): ActivityResult<'getCharge'> => ({
  state,
  expiresAt: '2020-01-01T00:00:00.000Z',
  cancelRequested: false,
})

/** The row of a reopened charge that is still pending: its payload expires a day from now. */
export const pendingChargeRow =
  (more: Partial<ActivityResult<'getCharge'>> = {}) =>
  async (story: Story): Promise<ActivityResult<'getCharge'>> => ({
    state: 'pending',
    expiresAt: new Date((await story.now()) + DAY_MS).toISOString(),
    cancelRequested: false,
    ...more,
  })

/** An orphan, or a deposit, about which its provider does not answer. */
export const noAnswer = (code = 'timeout') => ({ kind: 'no_answer' as const, code })
export const notFoundWithin = (settleWindowMs = 600_000) => ({ kind: 'not_found' as const, settleWindowMs })
export const orphanClosed = (left: Partial<FollowUps> = {}): ActivityResult<'closeOrphan'> => ({
  kind: 'closed',
  ...NO_FOLLOW_UPS,
  ...left,
})

export const recurrenceRow = (
  state: RecurrenceState,
  more: Partial<RecurrenceSnapshot> = {},
): RecurrenceSnapshot => ({
  state,
  connectionUuid: 'connection-a',
  tried: [],
  hasFirstCharge: false,
  hasOpenDebits: false,
  cancelRequested: false,
  isRequestDue: false,
  nextCreationAt: null,
  endsAt: null,
  ...NO_FOLLOW_UPS,
  ...more,
})

/** The provider has answered with this state of the recurrence. */
export const recurrenceKnown = (state: RecurrenceState, more: Partial<RecurrenceSnapshot> = {}) => ({
  kind: 'known' as const,
  ...recurrenceRow(state, more),
})

export const depositRecorded = (left: Partial<FollowUps> = {}): ActivityResult<'recordDeposit'> => ({
  kind: 'accepted',
  ...NO_FOLLOW_UPS,
  ...left,
})
export const depositNotFound: ActivityResult<'recordDeposit'> = { kind: 'not_found' }

/** Outcomes of a payout. */
export const payoutSettled = (
  left: Partial<FollowUps & { transfer: TransferSnapshot }> = {},
): ActivityResult<'sendReturn'> => ({ kind: 'settled', ...NO_FOLLOW_UPS, ...left })
export const payoutInProcess: ActivityResult<'sendReturn'> = { kind: 'in_process' }
export const payoutRejected: ActivityResult<'sendReturn'> = {
  kind: 'rejected',
  code: 'AC03',
  finality: 'final',
  ...NO_FOLLOW_UPS,
}
/** A final refusal whose cause is the provider's own. */
export const payoutDeclined: ActivityResult<'sendReturn'> = {
  kind: 'rejected',
  code: 'limit_exceeded',
  finality: 'other_may_help',
  ...NO_FOLLOW_UPS,
}
/** The ledger's balance is too low: the provider was not called. */
export const payoutNoBalance: ActivityResult<'sendReturn'> = {
  ...payoutDeclined,
  code: 'insufficient_balance',
  canRetry: true,
}
/** A provider's own refusal with the same code. */
export const payoutNoBankBalance: ActivityResult<'sendReturn'> = {
  ...payoutDeclined,
  code: 'insufficient_balance',
}
export const payoutUnreachable: ActivityResult<'sendReturn'> = {
  kind: 'unreachable',
  code: 'refused',
  ...NO_FOLLOW_UPS,
}
export const payoutUnknown: ActivityResult<'sendReturn'> = { kind: 'unknown', code: 'timeout' }
export const payoutNotFound = notFoundWithin()
/** Polled after 5, 15, 45, 105 and 405 s, at the end of the settle window and a minute later: then its absence is proved. */
export const payoutProvenAbsent = Array(7).fill(payoutNotFound)

/** The state of a transfer, or a refund. */
export const transferRow = (
  state: TransferState,
  left: Partial<FollowUps> = {},
): ActivityResult<'getTransfer'> => ({
  state,
  connectionUuid: 'connection-a',
  ...NO_FOLLOW_UPS,
  ...left,
})
/** An attempt is live there, which a worker started after Temporal had given it up. */
export const attemptRunningAt = (liveConnectionUuid: string): ActivityResult<'failTransfer'> => ({
  ...transferRow('sending'),
  liveConnectionUuid,
})
export const refundOpened = (
  state: RefundState,
  left: Partial<FollowUps> = {},
): ActivityResult<'openRefund'> => ({
  state,
  ...NO_FOLLOW_UPS,
  ...left,
})
export const refundRow = (state: RefundState): ActivityResult<'getRefund'> => ({
  state,
  connectionUuid: 'connection-a',
})

/** Results of a delivery attempt. */
export const webhookDelivered: ActivityResult<'attemptDelivery'> = { kind: 'closed', outcome: 'DELIVERED' }
export const webhookRetry = (waitMs: number): ActivityResult<'attemptDelivery'> => ({ kind: 'again', waitMs })

/** Outcomes of a PIX key. */
export const pixKeyEnded = (state: PixKeyState) => ({ kind: 'closed' as const, state })
export const pixKeyStillExists: ActivityResult<'pollPixKeyRemoval'> = { kind: 'still_there' }
export const pixKeyUnknown: ActivityResult<'pollPixKey'> = { kind: 'unknown', code: 'timeout' }
export const pixKeyNotStarted: ActivityResult<'pollPixKey'> = { kind: 'not_started' }

/** Outcomes of an auth code. */
export const codeSendingEnded = (outcome: CodeOutcome): ActivityResult<'sendAuthCode'> => ({
  kind: 'closed',
  outcome,
})
export const codeSendingRetry: ActivityResult<'sendAuthCode'> = { kind: 'again', code: 'smtp_451' }
/** The state of a dispute; its deadline is `dueInMs` from now, by the server's clock. */
export type DisputeRowOptions = Partial<DisputeSnapshot> & { dueInMs?: number }
export const disputeRow =
  (state: DisputeState, { dueInMs = 20 * 3_600_000, ...more }: DisputeRowOptions = {}) =>
  async (story: Story): Promise<DisputeSnapshot> => ({
    state,
    accountUuid: 'account',
    connectionUuid: 'connection-a',
    endToEnd: 'E12345678202601011200abcdefghijk',
    valueCents: 12_345,
    dueAt: new Date((await story.now()) + dueInMs).toISOString(),
    isAnswerable: state === 'open',
    warnedHours: 24,
    isReplyPending: false,
    ...NO_FOLLOW_UPS,
    ...more,
  })
export const disputeKnown =
  (state: DisputeState, more: DisputeRowOptions = {}) =>
  async (story: Story): Promise<ActivityResult<'pollDispute'>> => ({
    kind: 'known',
    ...(await disputeRow(state, more)(story)),
  })
export const disputeReplySent =
  (kind: 'closed' | 'again', state: DisputeState, more: DisputeRowOptions = {}) =>
  async (story: Story): Promise<ActivityResult<'sendDisputeReply'>> => ({
    kind,
    ...(await disputeRow(state, { isReplyPending: kind === 'again', ...more })(story)),
  })
export const disputeNotFound: ActivityResult<'pollDispute'> = { kind: 'not_found' }
export const disputeForeign: ActivityResult<'pollDispute'> = { kind: 'foreign' }
