import type { Client, WorkflowStartOptions } from '@temporalio/client'
import type { SearchAttributePair } from '@temporalio/common'
import { textFromCents } from '../domain/ledger/money.ts'
import { chargeWorkflowId, SEARCH_ATTRIBUTES } from '../workflows/contracts/workflow-ids.ts'

/** Start options of workflows: id, search attributes, one-line summary. */

export type WorkflowMetadata = Pick<
  WorkflowStartOptions,
  'workflowId' | 'memo' | 'typedSearchAttributes' | 'staticSummary'
>

type MoneyWorkflowInput = { uuid: string; accountUuid: string; valueCents: number; requestId: string }
type SearchAttributeValues = { externalRef?: string | undefined; provider: string }

/** Start options of a charge's workflow. */
export function buildChargeWorkflowOptions(
  order: MoneyWorkflowInput,
  seen: SearchAttributeValues,
): WorkflowMetadata {
  return buildWorkflowMetadata(chargeWorkflowId(order.uuid), order, {
    ...seen,
    status: 'UNDEFINED',
    noun: 'Charge',
  })
}

/** Start options of a payout's workflow, or of a scheduled transfer's. */
export function buildPayoutWorkflowOptions(
  workflowId: string,
  order: MoneyWorkflowInput & { scheduledFor?: string },
  seen: SearchAttributeValues,
): WorkflowMetadata {
  const noun = workflowId.startsWith('refund/') ? 'Refund' : 'Transfer'
  return buildWorkflowMetadata(workflowId, order, {
    ...seen,
    status: order.scheduledFor ? 'PENDING' : 'PROCESSING',
    noun,
  })
}

function buildWorkflowMetadata(
  workflowId: string,
  order: MoneyWorkflowInput,
  seen: SearchAttributeValues & { status: string; noun: string },
): WorkflowMetadata {
  const attributes: SearchAttributePair[] = [
    { key: SEARCH_ATTRIBUTES.account, value: order.accountUuid },
    { key: SEARCH_ATTRIBUTES.provider, value: seen.provider },
    { key: SEARCH_ATTRIBUTES.status, value: seen.status },
    { key: SEARCH_ATTRIBUTES.value, value: order.valueCents },
  ]
  if (seen.externalRef) attributes.push({ key: SEARCH_ATTRIBUTES.externalRef, value: seen.externalRef })
  return {
    workflowId,
    memo: { requestId: order.requestId },
    typedSearchAttributes: attributes,
    staticSummary: `${seen.noun} of R$ ${textFromCents(order.valueCents)}`,
  }
}

/** A Temporal client, with the task queue of its workflows. */
export type WorkflowClientContext = { client: () => Promise<Client>; taskQueue: string; timeScale: number }

/** Start options that may start a new run of a completed workflow. */
export function buildReopenOptions(engine: WorkflowClientContext, workflowId: string) {
  return {
    workflowId,
    taskQueue: engine.taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  } as const
}
