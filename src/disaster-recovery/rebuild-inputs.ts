import type { WorkflowHistory } from '../temporal/workflow-history.ts'
import { buildMoneyWorkflowOptions, type WorkflowMetadata } from '../temporal/workflow-options.ts'
import type { ChargeInput } from '../workflows/contracts/charges.ts'
import type { RefundInput } from '../workflows/contracts/refunds.ts'
import type { PreRestoreState } from '../workflows/contracts/reopening.ts'
import type { TransferInput } from '../workflows/contracts/transfers.ts'
import type { ReturnPaymentInput } from '../workflows/contracts/unmatched.ts'
import type { PayoutHistory } from './payout-history.ts'

export type RebuildableInput = ChargeInput | TransferInput | RefundInput | ReturnPaymentInput
/** Builds what a restarted workflow is given about the state before the restore. */
export function buildRestoredInput(
  { input, startedAt, result, connectionUuid, isRunning }: WorkflowHistory<RebuildableInput>,
  { attemptedConnections, failure }: PayoutHistory,
): PreRestoreState {
  const continuation =
    'continuation' in input && typeof input.continuation === 'object' ? input.continuation : undefined
  return {
    orderedAt: input.restored?.orderedAt ?? continuation?.orderedAt ?? startedAt.toISOString(),
    ended: result,
    failure: result === 'failed' ? failure : undefined,
    connectionUuid,
    ...(isRunning &&
      'scheduledFor' in input &&
      input.scheduledFor &&
      attemptedConnections.length === 0 && { isScheduled: true }),
  }
}

/** Returns the connections through which runs beyond the retention had started to send. */
export function findEarlierConnections(input: RebuildableInput): string[] {
  const isContinued = 'continuation' in input && input.continuation !== undefined && 'valueCents' in input
  return isContinued ? listCandidates(input).slice(0, 1) : []
}

/** Lists every connection through which the money may have gone. */
export function listCandidates(input: RebuildableInput): string[] {
  return 'connectionUuid' in input ? [input.connectionUuid] : input.candidates
}

export function buildRebuildMetadata(
  workflowId: string,
  input: RebuildableInput,
  attributes: { provider: string; externalRef?: string | undefined },
): WorkflowMetadata {
  if (!('valueCents' in input)) return { workflowId, staticSummary: 'Return of an unmatched PIX' }
  return buildMoneyWorkflowOptions(workflowId, input, attributes)
}

/** Restores the original input from that of any run: a continued run carries the candidates of the first. */
export function restoreOriginalInput(input: RebuildableInput): RebuildableInput {
  const { acceptBefore: _, continuation, ...original } = input as ContinuedInput
  const candidates = typeof continuation === 'object' ? continuation.candidates : undefined
  return { ...original, ...(candidates && { candidates }) } as RebuildableInput
}

type ContinuedInput = RebuildableInput & {
  acceptBefore?: string
  continuation?: string | { candidates?: string[] }
}
