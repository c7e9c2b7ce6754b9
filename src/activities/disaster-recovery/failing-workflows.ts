import { runAuditedAction } from '../../db/repositories/audited-actions.ts'
import { findContinuation } from '../../disaster-recovery/continuation.ts'
import { listFailingWorkflows } from '../../temporal/failing-workflows.ts'
import { isCancellationRequested } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** Workflows whose tasks fail by nondeterminism: they never continue, whatever their provider notifies. */

/** Time in which a release that does not fit can be taken back before its workflows are replaced. */
const MIN_FAILING_MS = 10 * 60_000
/** Shown as the author of what no person has done. */
const AUTHOR = { actor: 'trilho', reason: 'its history does not replay (nondeterminism)' }

/** `unreplaced`: ids of the workflows whose operation cannot be continued without them. */
type ReplacedWorkflows = { replacedCount: number; unreplaced: Set<string> }

/**
 * Replaces each workflow that has failed by nondeterminism for ten minutes: records it, and continues its operation from its row, as
 * after a lost workflow (SPEC §11): providers are polled, and nothing is sent that may have been sent. Repeatable: one call of Temporal
 * terminates the workflow and starts its next run, so that a workflow is either listed again or continued.
 */
export async function replaceFailingWorkflows(
  dependencies: ActivityDependencies,
): Promise<ReplacedWorkflows> {
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
