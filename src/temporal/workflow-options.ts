import type { Client, WorkflowStartOptions } from '@temporalio/client'
import type { SearchAttributePair } from '@temporalio/common'
import { textFromCents } from '../domain/ledger/money.ts'
import { chargeWorkflowId } from '../workflows/contracts/charges.ts'
import { SEARCH_ATTRIBUTES } from '../workflows/contracts/search-attributes.ts'

export type WorkflowMetadata = Pick<
  WorkflowStartOptions,
  'workflowId' | 'memo' | 'typedSearchAttributes' | 'staticSummary'
>

type MoneyWorkflowInput = { uuid: string; accountUuid: string; valueCents: number; requestId: string }
type SearchAttributeValues = { externalRef?: string | undefined; provider: string }

/** Builds the start options of a charge's workflow. */
export function buildChargeWorkflowOptions(
  input: MoneyWorkflowInput,
  attributes: SearchAttributeValues,
): WorkflowMetadata {
  return buildWorkflowMetadata(chargeWorkflowId(input.uuid), input, {
    ...attributes,
    status: 'UNDEFINED',
    noun: 'Charge',
  })
}

/** Builds the start options of a payout's workflow, or of a scheduled transfer's. */
export function buildPayoutWorkflowOptions(
  workflowId: string,
  input: MoneyWorkflowInput & { scheduledFor?: string },
  attributes: SearchAttributeValues,
): WorkflowMetadata {
  const noun = workflowId.startsWith('refund/') ? 'Refund' : 'Transfer'
  return buildWorkflowMetadata(workflowId, input, {
    ...attributes,
    status: input.scheduledFor ? 'PENDING' : 'PROCESSING',
    noun,
  })
}

function buildWorkflowMetadata(
  workflowId: string,
  input: MoneyWorkflowInput,
  attributes: SearchAttributeValues & { status: string; noun: string },
): WorkflowMetadata {
  const pairs: SearchAttributePair[] = [
    { key: SEARCH_ATTRIBUTES.account, value: input.accountUuid },
    { key: SEARCH_ATTRIBUTES.provider, value: attributes.provider },
    { key: SEARCH_ATTRIBUTES.status, value: attributes.status },
    { key: SEARCH_ATTRIBUTES.value, value: input.valueCents },
  ]
  if (attributes.externalRef)
    pairs.push({ key: SEARCH_ATTRIBUTES.externalRef, value: attributes.externalRef })
  return {
    workflowId,
    memo: { requestId: input.requestId },
    typedSearchAttributes: pairs,
    staticSummary: `${attributes.noun} of R$ ${textFromCents(input.valueCents)}`,
  }
}

/** Temporal client with the task queue and time scale of its workflows. `client` may connect, and reject, at each call. */
export type TemporalContext = { client: () => Promise<Client>; taskQueue: string; timeScale: number }

/** Builds start options that may start a new run of a completed workflow. */
export function buildReopenOptions(temporal: TemporalContext, workflowId: string) {
  return {
    workflowId,
    taskQueue: temporal.taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  } as const
}
