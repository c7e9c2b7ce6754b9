import type { SearchAttributeType } from '@temporalio/common'
import { pause } from '../../../src/startup/wait-until.ts'
import { callTemporal, type SearchAttribute } from '../../../src/temporal/readiness.ts'

type TemporalServerOptions = {
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

/** Tells whether a development server reads its store: it answers what the namespace is. */
export function isTemporalAnswering(address: string, namespace: string): Promise<boolean> {
  return callTemporal({ address }, ({ workflowService }) =>
    workflowService.describeNamespace({ namespace }),
  ).then(Boolean, () => false)
}

type TemporalWatch = {
  /** One call that reads the server's store. */
  check(): Promise<boolean>
  /** Ends the server; its supervisor starts it again. */
  restart(): void
  abort: AbortSignal
  maxUnansweredMs?: number
  checkEveryMs?: number
}

/**
 * Restarts a development server that runs, but has answered no call for 90 s, until `abort`: more than any test stops a
 * server for on purpose. Its SQLite can stay "interrupted (9)" for good after calls ran into their deadline on a loaded
 * machine: every call fails then, and only a restart helps. Workflows continue from the file afterwards.
 */
export async function watchTemporal({
  check,
  restart,
  abort,
  maxUnansweredMs = 90_000,
  checkEveryMs = 5_000,
}: TemporalWatch): Promise<void> {
  let answeredAt = performance.now()
  while (!abort.aborted) {
    if (await check()) answeredAt = performance.now()
    else if (performance.now() - answeredAt >= maxUnansweredMs) {
      restart()
      answeredAt = performance.now()
    }
    await pause(checkEveryMs, abort).catch(() => {})
  }
}
