import { Connection } from '@temporalio/client'
import type { SearchAttributeType } from '@temporalio/common'
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js'
import { waitUntil } from '../../../src/startup/wait-until.ts'
import { connectToTemporal, type TemporalServer } from '../../../src/temporal/connection.ts'
import { WAIT_LIMITS } from '../os/waits.ts'

/** As src/workflows/contracts/search-attributes.ts defines them. */
export type SearchAttribute = { name: string; type: SearchAttributeType }

export type TemporalServerOptions = {
  port: number
  namespace: string
  searchAttributes: readonly SearchAttribute[]
  /** Port of the Temporal UI; without it there is none. */
  uiPort?: number
  /** SQLite file; without it the data is in memory. */
  databaseFile?: string
}

/**
 * The server's defaults poll 20 times a second, which rounds each hop through a queue up to 50 ms. Visibility records are
 * written once a second instead, in one batch: a workflow that has ended by then is written once and not three times.
 * Queues acknowledge tasks every 2 s instead of 30: until then each new task is sorted in among all acknowledged ones.
 * Activities start eagerly: a worker with a free slot gets the activity in the response that schedules it, without a
 * queue. Search attributes are read from the database every two seconds, and not a dozen times for each workflow.
 */
const dynamicConfig = {
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
  'history.visibilityProcessorMaxPollRPS': 1,
  'history.visibilityTaskBatchSize': 1000,
  'history.transferProcessorUpdateAckInterval': '2s',
  'history.timerProcessorUpdateAckInterval': '2s',
  'history.visibilityProcessorUpdateAckInterval': '2s',
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  'matching.useNewMatcher': true,
  'matching.TaskQueueInfoByBuildIdTTL': '1s',
  'system.enableActivityEagerExecution': true,
  'system.forceSearchAttributesCacheRefreshOnRead': false,
}

/** KEYWORD_LIST as the command line writes it: KeywordList. */
const formatTypeName = (type: SearchAttributeType) =>
  type.toLowerCase().replace(/(?:^|_)(.)/g, (_, first: string) => first.toUpperCase())

const SQLITE_OPTIONS = ['journal_mode=wal', 'synchronous=normal'].flatMap(one => ['--sqlite-pragma', one])

/** The command line of a development server, on loopback only. */
export function buildTemporalArguments(server: TemporalServerOptions): string[] {
  const { port, uiPort, databaseFile, namespace, searchAttributes } = server
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--namespace', namespace],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...(databaseFile === undefined ? [] : ['--db-filename', databaseFile, ...SQLITE_OPTIONS]),
    ...Object.entries(dynamicConfig).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
    ...searchAttributes.flatMap(one => ['--search-attribute', `${one.name}=${formatTypeName(one.type)}`]),
    ...['--log-level', 'warn'],
  ]
}

/** More garbage between collections: about a tenth more work done on two cores. */
export const temporalEnvironment = { GOGC: '400' }

/**
 * Waits until the namespace answers and knows every search attribute. Those it lacks are added: a development
 * server registers them only when it makes its database, and a server that was given may know none of ours. It accepts a
 * workflow that carries them once it can search by them, which may be later than it lists them.
 */
export async function waitForTemporal(
  server: TemporalServer,
  { namespace, searchAttributes }: Pick<TemporalServerOptions, 'namespace' | 'searchAttributes'>,
  abort?: AbortSignal,
): Promise<void> {
  let last = 'no answer'
  await waitUntil(knowsItAll, {
    description: () =>
      `The Temporal server at ${server.address} is not ready for the namespace ${namespace}: ${last}`,
    limitMs: WAIT_LIMITS.temporalMs,
    abort,
  })

  async function knowsItAll(): Promise<boolean> {
    try {
      return await withConnection(server, async ({ workflowService, operatorService }) => {
        await workflowService.describeNamespace({ namespace })
        const { customAttributes } = await operatorService.listSearchAttributes({ namespace })
        const missing = searchAttributes.filter(({ name }) => customAttributes?.[name] === undefined)
        if (missing.length === 0) {
          const query = buildEmptySearchQuery(searchAttributes)
          await workflowService.countWorkflowExecutions({ namespace, query })
          return true
        }
        last = `without the search attributes ${missing.map(({ name }) => name).join(', ')}`
        const types = missing.map(({ name, type }) => [name, encodeSearchAttributeIndexedValueType(type)])
        await operatorService.addSearchAttributes({ namespace, searchAttributes: Object.fromEntries(types) })
        return false
      })
    } catch (error) {
      last = (error as Error).message
      return false
    }
  }
}

/** Tells whether a server reads its store: it answers what the namespace is. */
export async function isTemporalAnswering(server: TemporalServer, namespace: string): Promise<boolean> {
  const describe = ({ workflowService }: Connection) => workflowService.describeNamespace({ namespace })
  return withConnection(server, describe).then(Boolean, () => false)
}

/** A query by all search attributes that finds nothing, and that no number of workflows makes slow. */
function buildEmptySearchQuery(searchAttributes: readonly SearchAttribute[]): string {
  return ["WorkflowId = 'none'", ...searchAttributes.map(({ name }) => `${name} is not null`)].join(' and ')
}

async function withConnection<T>(
  server: TemporalServer,
  ask: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connectToTemporal(server, options =>
    Connection.connect({ ...options, connectTimeout: WAIT_LIMITS.temporalCallMs }),
  )
  try {
    return await connection.withDeadline(Date.now() + WAIT_LIMITS.temporalCallMs, () => ask(connection))
  } finally {
    await connection.close()
  }
}
