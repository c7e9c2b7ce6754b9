import type { Client, WorkflowStartOptions } from '@temporalio/client'
import { WorkflowNotFoundError } from '@temporalio/common'
import { textFromCents } from '../domain/ledger/money.ts'
import type { OrderedMoneyNoun } from '../domain/shared/nouns.ts'
import { listCandidates, type MoneyOrder } from '../workflows/contracts/orders.ts'
import { SEARCH_ATTRIBUTES } from '../workflows/contracts/search-attributes.ts'
import { WORKFLOWS, type WorkflowInputs } from '../workflows/contracts/workflows.ts'

/** What the Temporal UI shows of the workflow of each noun at its start. */
const VISIBILITY_AT_START = {
  charge: { title: 'Charge', status: 'UNDEFINED' },
  transfer: { title: 'Transfer', status: 'PROCESSING' },
  refund: { title: 'Refund', status: 'PROCESSING' },
} satisfies Record<OrderedMoneyNoun, { title: string; status: string }>

/** Attributes that a start shows besides those of its order. `provider`: a connection other than its first one. */
export type VisibleAttributes = { provider?: string; externalRef?: string | undefined }

/** Builds the start options of the workflow of a charge, transfer or refund. */
export function buildMoneyWorkflowOptions(
  noun: OrderedMoneyNoun,
  input: MoneyOrder & { scheduledFor?: string } & Parameters<typeof listCandidates>[0],
  { provider = listCandidates(input)[0]!, externalRef }: VisibleAttributes = {},
) {
  const { title, status } = VISIBILITY_AT_START[noun]
  return {
    workflowId: WORKFLOWS[noun].idOf(input.uuid),
    memo: { requestId: input.requestId },
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.account, value: input.accountUuid },
      { key: SEARCH_ATTRIBUTES.provider, value: provider },
      { key: SEARCH_ATTRIBUTES.status, value: input.scheduledFor ? 'PENDING' : status },
      { key: SEARCH_ATTRIBUTES.value, value: input.valueCents },
      ...(externalRef ? [{ key: SEARCH_ATTRIBUTES.externalRef, value: externalRef }] : []),
    ],
    staticSummary: `${title} of R$ ${textFromCents(input.valueCents)}`,
  }
}

/**
 * Temporal client with the task queue and time scale of its workflows. `client` may connect, and reject, at each call. `conflictPolicy`:
 * what a start does with a run that is in progress; absent where that run continues.
 */
export type TemporalContext = {
  client: () => Promise<Client>
  taskQueue: string
  timeScale: number
  conflictPolicy?: 'TERMINATE_EXISTING'
}

/** Builds start options that may start a new run of a completed workflow. */
export function buildReopenOptions({ taskQueue, conflictPolicy }: TemporalContext, workflowId: string) {
  return {
    workflowId,
    taskQueue,
    workflowIdConflictPolicy: conflictPolicy ?? 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  } as const
}

/** Starts the workflow of a row, again if it has completed; one that runs continues unchanged. */
export async function startOrReopenWorkflow<Noun extends keyof WorkflowInputs>(
  temporal: TemporalContext,
  noun: Noun,
  uuid: string,
  input: WorkflowInputs[Noun],
  options: Omit<WorkflowStartOptions, 'args' | 'taskQueue' | 'workflowId'> = {},
): Promise<void> {
  const client = await temporal.client()
  const { type, idOf } = WORKFLOWS[noun]
  await client.workflow.start<(input: WorkflowInputs[Noun]) => Promise<unknown>>(type, {
    ...buildReopenOptions(temporal, idOf(uuid)),
    ...options,
    args: [input],
  })
}

/** Returns `otherwise` where the call's workflow does not exist or does not run. */
export async function catchWorkflowNotFound<Result, Otherwise>(
  call: Promise<Result>,
  otherwise: Otherwise,
): Promise<Result | Otherwise> {
  try {
    return await call
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return otherwise
    throw error
  }
}
