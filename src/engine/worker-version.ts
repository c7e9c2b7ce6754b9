import type { Client } from '@temporalio/client'
import type { WorkerOptions } from '@temporalio/worker'

/** A build of the workers, as Temporal's worker versioning names it; every worker of one build has the same. */
export type WorkerVersion = { deploymentName: string; buildId: string }

/** gRPC's NOT_FOUND: no worker of the deployment has polled yet. */
const NOT_FOUND = 5

/**
 * Worker options of a build. Every workflow is pinned to the build that executed its first task: its later tasks, its activities on
 * either task queue, its children and what it continues as go to workers of that build only. Without a version the
 * worker is unversioned, and takes every task.
 */
export function versioningOptions(
  version: WorkerVersion | undefined,
): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (!version) return {}
  return {
    workerDeploymentOptions: { useWorkerVersioning: true, version, defaultVersioningBehavior: 'PINNED' },
  }
}

/** Whether an operator has made this the version that new workflows start on. */
export async function isCurrentVersion(client: Client, version: WorkerVersion): Promise<boolean> {
  const { deploymentName } = version
  const namespace = client.options.namespace
  try {
    const { workerDeploymentInfo } = await client.workflowService.describeWorkerDeployment({
      namespace,
      deploymentName,
    })
    return workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId === version.buildId
  } catch (error) {
    if ((error as { code?: number }).code === NOT_FOUND) return false
    throw error
  }
}
