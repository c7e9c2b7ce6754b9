import type { Client, WorkflowStartOptions } from '@temporalio/client'
import type { SearchAttributePair } from '@temporalio/common'
import { textFromCents } from '../domain/money.ts'
import { ATTRIBUTES, chargeId } from '../workflows/ids.ts'

/** Start options of workflows: id, search attributes, one-line summary. */

export type Life = Pick<
  WorkflowStartOptions,
  'workflowId' | 'memo' | 'typedSearchAttributes' | 'staticSummary'
>

type Order = { uuid: string; accountUuid: string; valueCents: number; requestId: string }
type Seen = { externalRef?: string | undefined; provider: string }

/** Start options of a charge's workflow. */
export function chargeLife(order: Order, seen: Seen): Life {
  return life(chargeId(order.uuid), order, { ...seen, status: 'UNDEFINED', noun: 'Charge' })
}

/** Start options of a payout's workflow, or of a scheduled transfer's. */
export function sendingLife(workflowId: string, order: Order & { scheduledFor?: string }, seen: Seen): Life {
  const noun = workflowId.startsWith('refund/') ? 'Refund' : 'Transfer'
  return life(workflowId, order, { ...seen, status: order.scheduledFor ? 'PENDING' : 'PROCESSING', noun })
}

function life(workflowId: string, order: Order, seen: Seen & { status: string; noun: string }): Life {
  const attributes: SearchAttributePair[] = [
    { key: ATTRIBUTES.account, value: order.accountUuid },
    { key: ATTRIBUTES.provider, value: seen.provider },
    { key: ATTRIBUTES.status, value: seen.status },
    { key: ATTRIBUTES.value, value: order.valueCents },
  ]
  if (seen.externalRef) attributes.push({ key: ATTRIBUTES.externalRef, value: seen.externalRef })
  return {
    workflowId,
    memo: { requestId: order.requestId },
    typedSearchAttributes: attributes,
    staticSummary: `${seen.noun} of R$ ${textFromCents(order.valueCents)}`,
  }
}

/** A Temporal client, with the task queue of its workflows. */
export type Engine = { client: () => Promise<Client>; taskQueue: string; timeScale: number }

/** Start options that may start a new run of a completed workflow. */
export function again(engine: Engine, workflowId: string) {
  return {
    workflowId,
    taskQueue: engine.taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  } as const
}
