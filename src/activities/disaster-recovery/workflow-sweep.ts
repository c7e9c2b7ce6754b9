import type { EntityManager } from '../../db/client/orm.ts'
import { runAuditedAction } from '../../db/repositories/audited-actions.ts'
import {
  type ActiveRow,
  findUnfinishedRow,
  listUnfinishedRows,
  recordLostWorkflow,
  recordWorkflowSweep,
} from '../../db/repositories/lost-workflows.ts'
import { readDatabaseTime } from '../../db/repositories/unexplained-answers.ts'
import { findContinuation } from '../../disaster-recovery/continuation.ts'
import { findReopening, getWorkflowId } from '../../disaster-recovery/reopen.ts'
import { UNFINISHED_NOUNS, type UnfinishedNoun } from '../../domain/shared/nouns.ts'
import { listFailingWorkflows } from '../../temporal/failing-workflows.ts'
import { findRunningWorkflows } from '../../temporal/workflow-history.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { SweepWorkflowsResult } from '../../workflows/contracts/maintenance.ts'
import { isCancellationRequested } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** Compares the rows in a state that only a workflow can change with the running workflows (SPEC §6). */

const PAGE_SIZE = 100
/** Minimum age of a swept row: the workflow of a younger one may not have started, or not be listed by Temporal yet. */
const MIN_ROW_AGE_MS = 10 * 60_000

type RowCounts = Omit<SweepWorkflowsResult, 'replaced'>

/**
 * Replaces the workflows that cannot continue, then reopens the workflow of each unfinished row that has none, as a provider
 * notification would, and records those that cannot be reopened for the operator. Queries PostgreSQL and Temporal once for every 100
 * rows, and changes nothing where every row has its workflow. Repeatable.
 */
export function sweepWorkflows(dependencies: ActivityDependencies) {
  const { orm, log, sealer, temporal } = dependencies
  return async (): Promise<SweepWorkflowsResult> => {
    const total: RowCounts = { checked: 0, reopened: 0, notReopened: 0 }
    const { replacedCount, unreplaced } = await replaceFailingWorkflows(dependencies)
    const em = orm.em.fork()
    for (const noun of UNFINISHED_NOUNS) {
      const since = await readDatabaseTime(em)
      const counts: RowCounts = { checked: 0, reopened: 0, notReopened: 0 }
      for await (const row of findLostRows(em, temporal, { noun, counts, unreplaced })) {
        const reopen = await findReopening(temporal, { sealer }, noun, row)
        await reopen?.()
        const isReopened = reopen !== undefined
        counts[isReopened ? 'reopened' : 'notReopened'] += 1
        log.warn({ noun, uuid: row.uuid, state: row.state, isReopened }, 'unfinished row has no workflow')
        await recordLostWorkflow(em, { workflowId: getWorkflowId(noun, row), noun, row, isReopened })
      }
      if (isCancellationRequested()) break // The next sweep checks the rest.
      const { checked, reopened, notReopened } = counts
      await recordWorkflowSweep(em, noun, { since, checkedCount: checked, lostCount: reopened + notReopened })
      for (const key of Object.keys(total) as (keyof RowCounts)[]) total[key] += counts[key]
    }
    return { ...total, replaced: replacedCount }
  }
}

/**
 * Yields the rows of a noun without a running workflow, or with one that cannot continue, and with an unchanged state. Counts the rows
 * it checks.
 */
async function* findLostRows(
  em: EntityManager,
  temporal: TemporalContext,
  { noun, counts, unreplaced }: { noun: UnfinishedNoun; counts: RowCounts; unreplaced: Set<string> },
): AsyncGenerator<ActiveRow> {
  const client = await temporal.client()
  const until = new Date(Date.now() - MIN_ROW_AGE_MS / temporal.timeScale)
  for (let after: ActiveRow | undefined; !isCancellationRequested(); ) {
    const page = await listUnfinishedRows(em, noun, { until, after, limit: PAGE_SIZE })
    if (page.length === 0) return
    counts.checked += page.length
    after = page.at(-1)
    const runningIds = await findRunningWorkflows(
      client,
      page.map(row => getWorkflowId(noun, row)),
    )
    const isAdvanced = (workflowId: string) => runningIds.has(workflowId) && !unreplaced.has(workflowId)
    for (const row of page.filter(one => !isAdvanced(getWorkflowId(noun, one)))) {
      const current = await findUnfinishedRow(em, noun, row.uuid)
      if (current?.state === row.state) yield current
    }
  }
}

/** Time in which a release that does not fit can be taken back before its workflows are replaced. */
const MIN_FAILING_MS = 10 * 60_000
/** Shown as the author of what no person has done. */
const AUTHOR = { actor: 'trilho', reason: 'its history does not replay (nondeterminism)' }

/** `unreplaced`: ids of the workflows whose operation cannot be continued without them. */
type ReplacedWorkflows = { replacedCount: number; unreplaced: Set<string> }

/**
 * Replaces each workflow that has failed by nondeterminism for ten minutes: records it, and continues its operation from its row, as
 * after a lost workflow (SPEC §6): providers are polled, and nothing is sent that may have been sent. Repeatable: one call of Temporal
 * terminates the workflow and starts its next run, so that a workflow is either listed again or continued.
 */
async function replaceFailingWorkflows(dependencies: ActivityDependencies): Promise<ReplacedWorkflows> {
  const { orm, log, sealer, temporal } = dependencies
  const client = await temporal.client()
  const { taskQueue, timeScale } = temporal
  const failedBefore = new Date(Date.now() - MIN_FAILING_MS / timeScale)
  const em = orm.em.fork()
  const result: ReplacedWorkflows = { replacedCount: 0, unreplaced: new Set() }
  for await (const workflow of listFailingWorkflows(client, { taskQueue, failedBefore })) {
    if (isCancellationRequested()) break
    const { workflowId } = workflow
    const continueOperation = await findContinuation(temporal, { em, sealer }, workflow)
    const isReplaced = continueOperation !== undefined
    log.error({ workflowId, isReplaced }, 'a workflow cannot continue: its history does not replay')
    if (!isReplaced) {
      result.unreplaced.add(workflowId)
      continue
    }
    await runAuditedAction(em, { by: AUTHOR, action: 'replace_workflow', subject: workflowId })
    await continueOperation()
    result.replacedCount += 1
  }
  return result
}
