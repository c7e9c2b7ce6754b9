import type { History } from '@temporalio/common/lib/proto-utils.js'
import { DefaultLogger, Runtime, Worker, type WorkflowBundleOption } from '@temporalio/worker'
import { buildWorkflowBundle } from './workflow-bundle.ts'

export type NamedHistory = { workflowId: string; history: History }
type FailedReplay = { workflowId: string; error: Error }

/**
 * Prepares replaying in this process, once: a quiet SDK runtime and the bundle of the real workflows. `metricsAddress`: where the SDK
 * serves its metrics, if it does.
 */
export async function prepareReplay(metricsAddress?: string): Promise<WorkflowBundleOption> {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: {
      logging: { filter: 'ERROR', forward: {} },
      ...(metricsAddress && { metrics: { prometheus: { bindAddress: metricsAddress } } }),
    },
  })
  return buildWorkflowBundle()
}

/** Replays histories, and yields those that the workflow code does not reproduce. */
export async function* replayFailures(
  workflowBundle: WorkflowBundleOption,
  histories: Iterable<NamedHistory>,
): AsyncGenerator<FailedReplay> {
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories))
    if (error) yield { workflowId, error }
}
