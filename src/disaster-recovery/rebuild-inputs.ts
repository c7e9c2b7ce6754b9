import type { EntityManager } from '../db/client/orm.ts'
import { Connection } from '../db/entities/connection.ts'
import type { WorkflowHistory } from '../temporal/workflow-history.ts'
import { buildReopenOptions, type TemporalContext } from '../temporal/workflow-options.ts'
import type { ChargeInput } from '../workflows/contracts/charges.ts'
import { listCandidates, type ReopenedInput } from '../workflows/contracts/orders.ts'
import type { Continuation } from '../workflows/contracts/payouts.ts'
import {
  type PreRestoreState,
  REBUILD_WORKFLOW,
  type RebuildInput,
  type RebuiltOperation,
} from '../workflows/contracts/rebuild.ts'
import type { RefundInput } from '../workflows/contracts/refunds.ts'
import { buildMoneyWorkflowOptions, type VisibleAttributes } from '../workflows/contracts/start-options.ts'
import type { TransferInput } from '../workflows/contracts/transfers.ts'
import type { ReturnPaymentInput } from '../workflows/contracts/unmatched.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'
import { findAcceptingConnection, type PayoutHistory } from './payout-history.ts'

export type RebuildableInput = ChargeInput | TransferInput | RefundInput | ReturnPaymentInput

/** Results of payouts that had settled. */
const SETTLED_RESULTS = ['settled', 'paid', 'partially_refunded', 'refunded']

/** Builds what the history of a workflow proves of its operation. */
export function buildPreRestoreState(
  { input, startedAt, result, connectionUuid, isRunning }: WorkflowHistory<RebuildableInput>,
  payouts: PayoutHistory,
): PreRestoreState {
  const { attemptedConnections, failure } = payouts
  const continuation = 'continuation' in input ? input.continuation : undefined
  const hasSettled = !('expiresInSeconds' in input) && SETTLED_RESULTS.includes(result ?? '')
  const settledBy = hasSettled ? (connectionUuid ?? listCandidates(input).at(-1)) : undefined
  return {
    orderedAt: continuation?.orderedAt ?? startedAt.toISOString(),
    ended: result,
    acceptedByUuid: findAcceptingConnection(payouts) ?? settledBy,
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
  const isContinued = 'continuation' in input && input.continuation !== undefined
  return isContinued ? listCandidates(input).slice(0, 1) : []
}

/**
 * Returns whether the last run of a workflow rebuilds its operation, or goes on from rows that were rebuilt. A run that the sweep of
 * lost workflows started from a row does neither: the row may be behind the history. `hasRow`: there is a row.
 */
export function isRebuilding(
  { isRunning, lastInput }: Pick<WorkflowHistory<{ uuid: string }>, 'isRunning' | 'lastInput'>,
  hasRow: boolean,
): boolean {
  const { rebuild, isRebuilt } = lastInput as Partial<RebuildInput & ReopenedInput>
  return isRunning && (rebuild !== undefined || (hasRow && isRebuilt === true))
}

/** Starts the workflow that rebuilds an operation, under the id of its own workflow; `conflictPolicy` decides what happens to one that runs. */
export async function startRebuild(
  temporal: TemporalContext,
  rebuild: RebuiltOperation,
  attributes: VisibleAttributes = {},
): Promise<void> {
  const client = await temporal.client()
  const metadata = buildRebuildMetadata(rebuild, attributes)
  await client.workflow.start<(input: RebuildInput) => Promise<string>>(REBUILD_WORKFLOW, {
    ...metadata,
    ...buildReopenOptions(temporal, metadata.workflowId),
    args: [{ rebuild, timeScale: temporal.timeScale }],
  })
}

/** Returns the context by which a start terminates the run of its workflow. */
export function terminating(temporal: TemporalContext): TemporalContext {
  return { ...temporal, conflictPolicy: 'TERMINATE_EXISTING' }
}

function buildRebuildMetadata({ noun, order }: RebuiltOperation, attributes: VisibleAttributes) {
  if (noun === 'charge' || noun === 'transfer' || noun === 'refund')
    return buildMoneyWorkflowOptions(noun, order, attributes)
  const workflowId = WORKFLOWS[noun].idOf(order.uuid)
  return { workflowId, ...(noun === 'return' && { staticSummary: 'Return of an unmatched PIX' }) }
}

/** Restores the original input from that of any run: a continued run carries the candidates of the first. */
export function restoreOriginalInput(input: RebuildableInput): RebuildableInput {
  const { acceptBefore: _, continuation, ...original } = input as ContinuedInput
  const candidates = continuation?.candidates
  return { ...original, ...(candidates && { candidates }) } as RebuildableInput
}

type ContinuedInput = RebuildableInput & { acceptBefore?: string; continuation?: Continuation }

/** What a rebuild did to a workflow whose row, or whose history, is ahead of the other. */
export type RebuildOutcome =
  | { outcome: 'rebuilt'; row: 'missing' | 'behind' }
  /** No provider was called: it continues as ordered. */
  | { outcome: 'waits'; row: 'missing' | 'behind' }
  /** Its row was set to the result that its history proves. */
  | { outcome: 'restored' }
  /** Its workflow's history is ahead of its row: the provider is polled. */
  | { outcome: 'asked' }
  /** Rebuilt before; it is still polling. */
  | { outcome: 'under_way' }
  /** Its workflow had only its row to continue from, which is missing. */
  | { outcome: 'ended' }
  | { outcome: 'impossible'; why: string }

export const HISTORY_EXPIRED: RebuildOutcome = {
  outcome: 'impossible',
  why: 'the workflow history is past its retention',
}

/** Refuses a rebuild through connections created after the backup: the operator must connect them again first. */
export async function refuseMissingConnections(
  em: EntityManager,
  connectionUuids: string[],
): Promise<RebuildOutcome | null> {
  const connections = await em.find(Connection, { uuid: { $in: connectionUuids } }, { fields: ['uuid'] })
  const missingUuids = connectionUuids.filter(
    uuid => !connections.some(connection => connection.uuid === uuid),
  )
  if (missingUuids.length === 0) return null
  return { outcome: 'impossible', why: `there is no connection ${missingUuids.join(', ')} any more` }
}
