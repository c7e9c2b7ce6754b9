import type { Client, WorkflowStartOptions } from '@temporalio/client'
import type { SearchAttributePair } from '@temporalio/common'
import { ATTRIBUTES, chargeId } from '../workflows/ids.ts'
import type { ChargeOrder } from '../workflows/messages.ts'

/** How every life is started: its id, its searchable facts, its one-line summary. */

type Life = Pick<WorkflowStartOptions, 'workflowId' | 'memo' | 'typedSearchAttributes' | 'staticSummary'>

/** What an operator sees of a charge before opening it. */
export function chargeLife(order: ChargeOrder, seen: { externalRef?: string; provider: string }): Life {
  const attributes: SearchAttributePair[] = [
    { key: ATTRIBUTES.account, value: order.accountUuid },
    { key: ATTRIBUTES.provider, value: seen.provider },
    { key: ATTRIBUTES.status, value: 'UNDEFINED' },
    { key: ATTRIBUTES.value, value: order.valueCents },
  ]
  if (seen.externalRef) attributes.push({ key: ATTRIBUTES.externalRef, value: seen.externalRef })
  return {
    workflowId: chargeId(order.uuid),
    memo: { requestId: order.requestId },
    typedSearchAttributes: attributes,
    staticSummary: `Charge of ${order.valueCents} centavos`,
  }
}

/** A Temporal client with the queue its lives run on. */
export type Engine = { client: () => Promise<Client>; taskQueue: string; timeScale: number }
