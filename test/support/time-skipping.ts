import { WorkflowClient } from '@temporalio/client'
import { TestWorkflowEnvironment } from '@temporalio/testing'
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker'
import { timeSkippingServer } from '../../src/local/temporal-test-server.ts'
import { ATTRIBUTES, webhookQueue } from '../../src/workflows/ids.ts'
import { workflowBundle } from './time-skipping-bundle.ts'

type Functions = Record<string, (...inputs: never[]) => Promise<unknown>>

/** Who acts on the two queues of a worker, as src/worker.ts divides them. */
export type Cast = { main: Functions; webhooks: Functions }

export type TimeSkipping = {
  env: TestWorkflowEnvironment
  taskQueue: string
  /** A client whose waiting lets no time pass by itself. */
  client: WorkflowClient
  whileTimeRuns(happens: () => Promise<void>): Promise<void>
  /** Gives back the hold on the clock that the server keeps for a child whose parent was over before it. */
  freesTime(): Promise<void>
  stop(): Promise<void>
}

/**
 * A Temporal server whose clock jumps ahead while a result is awaited, with the workers of one test file. Its names are
 * the same in every run, because the server is the file's own; so recorded histories differ in little but their times.
 */
export async function timeSkipping(cast: Cast): Promise<TimeSkipping> {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
  })
  const [workflowBundleOption, env] = await Promise.all([workflowBundle(), environment()])
  await learnAttributes(env)
  const taskQueue = 'trilho'
  const common = { connection: env.nativeConnection, identity: 'worker' }
  const workers = await Promise.all([
    Worker.create({ ...common, taskQueue, workflowBundle: workflowBundleOption, activities: cast.main }),
    Worker.create({ ...common, taskQueue: webhookQueue(taskQueue), activities: cast.webhooks }),
  ])
  const runs = Promise.all(workers.map(worker => worker.run()))
  const { connection, namespace } = env
  const { testService } = connection
  if (!testService) throw new Error('The server cannot skip time.')
  return {
    env,
    taskQueue,
    client: new WorkflowClient({ connection, identity: 'test', ...(namespace && { namespace }) }),
    whileTimeRuns: async happens => {
      await testService.unlockTimeSkipping({})
      await happens().finally(() => testService.lockTimeSkipping({}))
    },
    freesTime: async () => {
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
async function environment(triesLeft = 3): Promise<TestWorkflowEnvironment> {
  try {
    return await TestWorkflowEnvironment.createTimeSkipping({
      server: await timeSkippingServer(),
      client: { identity: 'test' },
    })
  } catch (error) {
    if (triesLeft === 1) throw error
    return environment(triesLeft - 1)
  }
}

async function learnAttributes(env: TestWorkflowEnvironment): Promise<void> {
  const numbers = { KEYWORD: 2, INT: 3 }
  await env.connection.operatorService.addSearchAttributes({
    namespace: env.namespace ?? 'default',
    searchAttributes: Object.fromEntries(
      Object.values(ATTRIBUTES).map(({ name, type }) => [name, numbers[type as keyof typeof numbers]]),
    ),
  })
}
