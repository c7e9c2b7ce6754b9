import type { Client } from '@temporalio/client'
import type { WorkerOptions } from '@temporalio/worker'

/** A build of the workers, as Temporal's worker versioning names it; all workers of a build share it. */
export type WorkerVersion = { deploymentName: string; buildId: string }

/** gRPC's NOT_FOUND: no worker of the deployment has polled yet. */
const GRPC_NOT_FOUND = 5

/**
 * Builds the worker options of a version. Every workflow is pinned to the build that executed its first task: its
 * later tasks, its activities on either task queue, its children and its continue-as-new runs go to workers of that
 * build only. Without a version the worker is unversioned and accepts every task.
 */
export function buildVersioningOptions(
  version: WorkerVersion | undefined,
): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (!version) return {}
  return {
    workerDeploymentOptions: { useWorkerVersioning: true, version, defaultVersioningBehavior: 'PINNED' },
  }
}

/** The builds of a deployment that Temporal gives tasks to. */
export type WorkerDeployment = {
  /** Build that new workflows start on; undefined if no version is current. */
  currentBuildId: string | undefined
  /** Builds that need workers: current, ramping, or with workflows that are pinned to them. */
  neededBuildIds: string[]
}

/** VersionStatus in Temporal's API: no new workflows, and none pinned to it. Any other version needs workers. */
const INACTIVE = 1
const DRAINED = 5

/** Reads the versions of a deployment from Temporal; none if no worker has polled for it yet. */
export async function readDeployment(client: Client, deploymentName: string): Promise<WorkerDeployment> {
  const { namespace } = client.options
  try {
    const request = { namespace, deploymentName }
    const { workerDeploymentInfo } = await client.workflowService.describeWorkerDeployment(request)
    const { routingConfig, versionSummaries } = workerDeploymentInfo!
    return {
      currentBuildId: routingConfig?.currentDeploymentVersion?.buildId ?? undefined,
      neededBuildIds: versionSummaries!
        .filter(({ status }) => status && status !== INACTIVE && status !== DRAINED)
        .map(({ deploymentVersion }) => deploymentVersion!.buildId!),
    }
  } catch (error) {
    if ((error as { code?: number }).code !== GRPC_NOT_FOUND) throw error
    return { currentBuildId: undefined, neededBuildIds: [] }
  }
}
