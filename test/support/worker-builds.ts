import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { activityInfo } from '@temporalio/activity'
import { Client, Connection } from '@temporalio/client'
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  type WorkflowBundleOption,
} from '@temporalio/worker'
import { resolveTemporalBinary } from '../../packages/dev/binaries/temporal-binary.ts'
import { readLocalConfig } from '../../packages/dev/config.ts'
import { activityInterceptorPlugin } from '../../src/activities/runtime/interceptors.ts'
import { waitUntil } from '../../src/startup/wait-until.ts'
import { buildVersioningOptions } from '../../src/temporal/worker-version.ts'
import { BUNDLE_OPTIONS } from '../../src/workflows/bundle/bundle-options.ts'
import { SEARCH_ATTRIBUTES } from '../../src/workflows/contracts/search-attributes.ts'
import { webhookTaskQueueOf } from '../../src/workflows/contracts/webhooks.ts'
import { startTemporal } from './temporal.ts'
import { buildWorkflowBundle } from './workflow-bundle.ts'
import type { ActivityName } from './workflow-story.ts'

/** Answers of the activities, by name; the id of the workflow selects among them. */
export type ActivityAnswers = Partial<Record<ActivityName, (workflowId: string) => unknown>>

export const DEPLOYMENT = 'trilho'
export const TASK_QUEUE = 'trilho'

/** A development server, with workers of three builds of the real workflows: `two` and `one` cannot replay each other's histories, `three` replays those of `two`. */
export async function startWorkerBuilds(answers: ActivityAnswers) {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
  })
  const attributes = Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => ({ name, type }))
  const [server, first, next] = await Promise.all([
    startTemporal(attributes),
    buildWorkflowBundle(),
    bundleNextBuild(),
  ])
  const { address, namespace } = server
  const [connection, workerConnection] = await Promise.all([
    Connection.connect({ address }),
    NativeConnection.connect({ address }),
  ])
  const client = new Client({ connection, namespace })
  const binary = await resolveTemporalBinary({ ...readLocalConfig(), print: line => console.info(line) })
  const bundles: Record<string, WorkflowBundleOption> = { one: first, two: next, three: next }
  /** Builds whose workers have executed activities of each workflow. */
  const buildsByWorkflow = new Map<string, Set<string>>()
  /** The same of its regular activities: a local one may run on a build whose workflow task Temporal then gives to another. */
  const regularBuildsByWorkflow = new Map<string, Set<string>>()
  const running: { workers: Worker[]; ended: Promise<unknown> }[] = []

  const activitiesOf = (buildId: string) =>
    Object.fromEntries(
      Object.entries(answers).map(([name, answer]) => [
        name,
        async () => {
          const { isLocal, workflowExecution } = activityInfo()
          const { workflowId } = workflowExecution!
          for (const builds of isLocal ? [buildsByWorkflow] : [buildsByWorkflow, regularBuildsByWorkflow])
            builds.set(workflowId, (builds.get(workflowId) ?? new Set()).add(buildId))
          return answer(workflowId)
        },
      ]),
    )

  /** The command line of Temporal, as docs/production.md gives it to an operator. */
  const temporal = (...args: string[]) =>
    promisify(execFile)(binary, [...args, '--address', address, '--namespace', namespace], {
      env: readLocalConfig().environment,
    })

  return {
    client,
    buildsByWorkflow,
    regularBuildsByWorkflow,
    bundles,
    temporal,

    /** Starts the two workers of a build, as src/worker.ts does, and waits until both task queues belong to its version. */
    async deploy(buildId: 'one' | 'two' | 'three'): Promise<void> {
      const activities = activitiesOf(buildId)
      const common = {
        connection: workerConnection,
        namespace,
        activities,
        plugins: [activityInterceptorPlugin],
        ...buildVersioningOptions({ deploymentName: DEPLOYMENT, buildId }),
      }
      const workers = await Promise.all([
        // Far fewer than there are, so that nearly every workflow task replays the history.
        Worker.create({
          ...common,
          taskQueue: TASK_QUEUE,
          workflowBundle: bundles[buildId]!,
          maxCachedWorkflows: 5,
        }),
        Worker.create({ ...common, taskQueue: webhookTaskQueueOf(TASK_QUEUE) }),
      ])
      running.push({ workers, ended: Promise.all(workers.map(worker => worker.run())) })
      // Temporal registers the version before its deployment.
      await waitUntil(async () => (await queuesOf(buildId)).size === 2 && (await isDeployed(buildId)), {
        description: `Build ${buildId} does not poll both task queues`,
        limitMs: 60_000,
      })
    },

    async stop(): Promise<void> {
      for (const { workers } of running) for (const worker of workers) worker.shutdown()
      await Promise.all(running.map(({ ended }) => ended))
      await Promise.all([connection.close(), workerConnection.close()])
      await server.stop()
      await Runtime.instance().shutdown()
    },
  }

  async function isDeployed(buildId: string): Promise<boolean> {
    const described = await client.workflowService
      .describeWorkerDeployment({ namespace, deploymentName: DEPLOYMENT })
      .catch(() => undefined)
    const versions = described?.workerDeploymentInfo?.versionSummaries ?? []
    return versions.some(({ deploymentVersion }) => deploymentVersion?.buildId === buildId)
  }

  async function queuesOf(buildId: string): Promise<Set<string>> {
    const version = { deploymentName: DEPLOYMENT, buildId }
    const described = await client.workflowService
      .describeWorkerDeploymentVersion({ namespace, deploymentVersion: version })
      .catch(() => undefined)
    const queues = described?.workerDeploymentVersionInfo?.taskQueueInfos ?? []
    return new Set(queues.map(({ name }) => name!))
  }
}

async function bundleNextBuild(): Promise<WorkflowBundleOption> {
  const module = (name: string) => new URL(`./${name}.ts`, import.meta.url).pathname
  return bundleWorkflowCode({
    ...BUNDLE_OPTIONS,
    workflowInterceptorModules: [
      ...BUNDLE_OPTIONS.workflowInterceptorModules,
      module('local-activity-timeout'),
      module('next-build'),
    ],
  })
}
