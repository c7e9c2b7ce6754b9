import type { DepositReturnInput } from '../workflows/contracts/deposit-returns.ts'
import { SEARCH_ATTRIBUTES } from '../workflows/contracts/search-attributes.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'
import { startAndAwaitWorkflow } from './start.ts'
import type { TemporalContext } from './workflow-options.ts'

/** Returns the id of the workflow that returns a PIX, by which the acts of users and operators name it. */
export function getReturnWorkflowId(movementUuid: string): string {
  return WORKFLOWS.return.idOf(movementUuid)
}

/** Starts or joins the workflow that orders the return of a deposit; resolves when the order is stored. Safe to repeat. */
export function startDepositReturnWorkflow(
  temporal: TemporalContext,
  input: DepositReturnInput,
  waitMs: number,
): Promise<void> {
  return startAndAwaitWorkflow(temporal, 'deposit_return', input, {
    memo: { requestId: input.requestId },
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.account, value: input.accountUuid },
      { key: SEARCH_ATTRIBUTES.provider, value: input.connectionUuid },
    ],
    staticSummary: 'Order to return a deposit',
    updateId: input.uuid,
    waitMs,
  })
}
