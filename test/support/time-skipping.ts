import { WorkflowClient } from '@temporalio/client'
import { TestWorkflowEnvironment } from '@temporalio/testing'
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker'
import { SEARCH_ATTRIBUTES } from '../../src/workflows/contracts/search-attributes.ts'
import { webhookTaskQueueOf } from '../../src/workflows/contracts/webhooks.ts'
import { resolveTimeSkippingServer } from './temporal-test-server.ts'
import { buildWorkflowBundle } from './workflow-bundle.ts'

type ActivityFunctions = Record<string, (...inputs: never[]) => Promise<unknown>>

/** The activities on the two queues of a worker, as src/worker.ts divides them. */
export type QueueActivities = { main: ActivityFunctions; webhooks: ActivityFunctions }

export type TimeSkippingServer = {
  env: TestWorkflowEnvironment
  taskQueue: string
  /** A client whose waiting lets no time pass by itself. */
  client: WorkflowClient
  runWithTimeSkipping(operation: () => Promise<void>): Promise<void>
  /** Releases the lock on the clock that the server keeps for a child whose parent ended before it. */
  unlockTime(): Promise<void>
  stop(): Promise<void>
}

/**
 * A Temporal server whose clock skips ahead while a result is awaited, with the workers of one test file. Its names are
 * the same in every run, because the server is the file's own; so recorded histories differ in little but their times.
 */
export async function startTimeSkippingServer(activities: QueueActivities): Promise<TimeSkippingServer> {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
  })
  const [workflowBundleOption, env] = await Promise.all([buildWorkflowBundle(), createEnvironment()])
  await addSearchAttributes(env)
  const taskQueue = 'trilho'
  const common = { connection: env.nativeConnection, identity: 'worker' }
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue,
      workflowBundle: workflowBundleOption,
      activities: activities.main,
    }),
    Worker.create({ ...common, taskQueue: webhookTaskQueueOf(taskQueue), activities: activities.webhooks }),
  ])
  const runs = Promise.all(workers.map(worker => worker.run()))
  const { connection, namespace } = env
  const { testService } = connection
  if (!testService) throw new Error('The server cannot skip time.')
  return {
    env,
    taskQueue,
    client: new WorkflowClient({ connection, identity: 'test', ...(namespace && { namespace }) }),
    runWithTimeSkipping: async operation => {
      await testService.unlockTimeSkipping({})
      await operation().finally(() => testService.lockTimeSkipping({}))
    },
    unlockTime: async () => {
      await testService.unlockTimeSkipping({})
    },
    stop: async () => {
      for (const worker of workers) worker.shutdown()
      await runs
      await env.teardown()
      await Runtime.instance().shutdown()
    },
  }
}

/** The SDK gives the server five seconds to start, which a busy machine may need more than once. */
async function createEnvironment(attemptsLeft = 8): Promise<TestWorkflowEnvironment> {
  try {
    return await TestWorkflowEnvironment.createTimeSkipping({
      server: await resolveTimeSkippingServer(),
      client: { identity: 'test' },
    })
  } catch (error) {
    if (attemptsLeft === 1) throw error
    return createEnvironment(attemptsLeft - 1)
  }
}

async function addSearchAttributes(env: TestWorkflowEnvironment): Promise<void> {
  const numbers = { KEYWORD: 2, INT: 3 }
  await env.connection.operatorService.addSearchAttributes({
    namespace: env.namespace ?? 'default',
    searchAttributes: Object.fromEntries(
      Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => [name, numbers[type as keyof typeof numbers]]),
    ),
  })
}
