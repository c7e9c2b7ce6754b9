import type { WorkflowNoun } from '../../domain/shared/nouns.ts'
import type { ChargeInput, OrphanInput } from './charges.ts'
import type { DisputeInput } from './disputes.ts'
import type { DepositReturnInput, ReopenedInput } from './orders.ts'
import type { AuthCodeInput, PixKeyInput, PixKeyRemovalInput } from './pix-keys.ts'
import type { RecurrenceInput } from './recurrences.ts'
import type { RefundInput } from './refunds.ts'
import type { ReportInput } from './reports.ts'
import type { TransferBatchInput } from './transfer-batches.ts'
import type { TransferInput } from './transfers.ts'
import type { KeepUnmatchedInput, RecordDepositInput, ReturnPaymentInput } from './unmatched.ts'
import type { PasswordResetInput } from './users.ts'
import type { AttemptDeliveryInput, ReplayEventsInput } from './webhooks.ts'

/** Input of the workflow of each noun. Those that schedules start have none (`maintenance.ts`). */
export type WorkflowInputs = {
  charge: ChargeInput | ReopenedInput
  orphan: OrphanInput
  transfer: TransferInput | ReopenedInput
  transfer_batch: TransferBatchInput
  refund: RefundInput | ReopenedInput
  return: ReturnPaymentInput | ReopenedInput
  keep_unmatched: KeepUnmatchedInput
  deposit: RecordDepositInput
  deposit_return: DepositReturnInput
  recurrence: RecurrenceInput | ReopenedInput
  dispute: DisputeInput
  pix_key: PixKeyInput
  pix_key_removal: PixKeyRemovalInput
  auth_code: AuthCodeInput
  report: ReportInput | ReopenedInput
  password_reset: PasswordResetInput
  delivery: AttemptDeliveryInput
  event_replay: ReplayEventsInput
}

/** Type of the workflow of each noun as Temporal knows it, and its id by the uuid of its row. */
export const WORKFLOWS = {
  charge: { type: 'chargeWorkflow', idOf: uuid => `charge/${uuid}` },
  orphan: { type: 'orphanWorkflow', idOf: attemptUuid => `orphan/${attemptUuid}` },
  transfer: { type: 'transferWorkflow', idOf: uuid => `transfer/${uuid}` },
  transfer_batch: { type: 'transferBatchWorkflow', idOf: uuid => `batch/${uuid}` },
  refund: { type: 'refundWorkflow', idOf: uuid => `refund/${uuid}` },
  return: { type: 'returnWorkflow', idOf: movementUuid => `return/${movementUuid}` },
  keep_unmatched: { type: 'keepUnmatchedWorkflow', idOf: movementUuid => `return/${movementUuid}/kept` },
  /** By the PIX, which has no row yet: `<connection>/<end-to-end id>`. */
  deposit: { type: 'depositWorkflow', idOf: pix => `deposit/${pix}` },
  deposit_return: { type: 'depositReturnWorkflow', idOf: uuid => `deposit-return/${uuid}` },
  recurrence: { type: 'recurrenceWorkflow', idOf: uuid => `recurrence/${uuid}` },
  dispute: { type: 'disputeWorkflow', idOf: uuid => `med/${uuid}` },
  pix_key: { type: 'pixKeyWorkflow', idOf: uuid => `pix-key/${uuid}` },
  pix_key_removal: { type: 'pixKeyRemovalWorkflow', idOf: uuid => `pix-key/${uuid}/removal` },
  auth_code: { type: 'authCodeWorkflow', idOf: uuid => `auth-code/${uuid}` },
  report: { type: 'reportWorkflow', idOf: uuid => `report/${uuid}` },
  password_reset: { type: 'passwordResetWorkflow', idOf: uuid => `password-reset/${uuid}` },
  delivery: { type: 'deliveryWorkflow', idOf: uuid => `webhook/${uuid}` },
  event_replay: { type: 'eventReplayWorkflow', idOf: uuid => `recovery/${uuid}` },
} as const satisfies Record<WorkflowNoun, { type: string; idOf: (uuid: string) => string }>
