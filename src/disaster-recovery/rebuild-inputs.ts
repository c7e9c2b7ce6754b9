import {
  buildChargeWorkflowOptions,
  buildPayoutWorkflowOptions,
  type WorkflowMetadata,
} from '../temporal/workflow-options.ts'
import type {
  ChargeInput,
  PreRestoreState,
  RefundInput,
  TransferInput,
} from '../workflows/contracts/messages.ts'
import type { ReturnPaymentInput } from '../workflows/unmatched/return.workflow.ts'
import type { PayoutHistory } from './payout-history.ts'
import type { WorkflowHistory } from './workflow-history.ts'

/** The orders by which workflows are begun anew after a restore. */

export type RebuildableInput = ChargeInput | TransferInput | RefundInput | ReturnPaymentInput
/** What a workflow that is begun anew is told of the one before it. */
export function buildRestoredInput(
  {
    input: order,
    startedAt: orderedAt,
    result: ended,
    connectionUuid,
    isRunning,
  }: WorkflowHistory<RebuildableInput>,
  { attemptedConnections: begun, failure }: PayoutHistory,
): PreRestoreState {
  const goesOn =
    'continuation' in order && typeof order.continuation === 'object' ? order.continuation : undefined
  return {
    orderedAt: order.restored?.orderedAt ?? goesOn?.orderedAt ?? orderedAt.toISOString(),
    ...(ended !== undefined && { ended }),
    ...(ended === 'failed' && failure !== undefined && { failure }),
    ...(connectionUuid !== undefined && { connectionUuid }),
    ...(isRunning &&
      'scheduledFor' in order &&
      order.scheduledFor &&
      begun.length === 0 && { isScheduled: true }),
  }
}

/** The connections that the runs before the first one remembered had begun to send through. */
export function findEarlierConnections(order: RebuildableInput): string[] {
  const isLong = 'continuation' in order && order.continuation !== undefined && 'valueCents' in order
  return isLong ? listCandidates(order).slice(0, 1) : []
}

/** Every connection that its money may have gone through. */
export function listCandidates(order: RebuildableInput): string[] {
  return 'connectionUuid' in order ? [order.connectionUuid] : order.candidates
}

export function buildRebuildMetadata(
  workflowId: string,
  order: RebuildableInput,
  seen: { provider: string; externalRef?: string | undefined },
): WorkflowMetadata {
  if (!('valueCents' in order)) return { workflowId, staticSummary: 'Return of an unmatched PIX' }
  return workflowId.startsWith('charge/')
    ? buildChargeWorkflowOptions(order, seen)
    : buildPayoutWorkflowOptions(workflowId, order, seen)
}

/** What was ordered, whichever of its runs is remembered: one that went on knows who had been asked before. */
export function restoreOriginalInput(order: RebuildableInput): RebuildableInput {
  const {
    acceptBefore: _,
    continuation: goesOn,
    ...whole
  } = { acceptBefore: undefined, continuation: undefined, ...order } as ContinuedInput
  const candidates = typeof goesOn === 'object' ? goesOn.candidates : undefined
  return { ...whole, ...(candidates && { candidates }) } as RebuildableInput
}

type ContinuedInput = RebuildableInput & {
  acceptBefore?: string
  continuation?: string | { candidates?: string[] }
}
