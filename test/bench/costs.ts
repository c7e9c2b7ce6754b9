import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchStack } from './bench-stack.ts'
import { type Program, readCpuTimes } from './cpu.ts'
import type { Cost } from './figures.ts'

/** How many operations a cost is the mean of. */
const SAMPLE_SIZE = 20
/** Sweeps run every few seconds: an idle time this long contains its share of each. */
const IDLE_MS = 6_000

/** A session of PostgreSQL reports its transactions once it has been idle for 10 s. */
const REPORT_MS = 11_000

/**
 * The cost of one operation: events and workflow tasks from its history, transactions and statements as PostgreSQL
 * counts them, processor time where Linux reports it; the cost of an equally long idle time is subtracted. Without
 * `workflowIdOf` it has no workflow.
 */
export async function measureCost(
  site: BenchStack,
  what: string,
  {
    perform,
    workflowIdOf,
    settleMs = 1_500,
  }: { perform: () => Promise<string>; workflowIdOf?: (uuid: string) => string; settleMs?: number },
): Promise<Cost> {
  await perform()
  await sleep(settleMs + REPORT_MS)
  const idle = await measureIdle(site)
  const uuids: string[] = []
  const busy = await measureDuring(site, async () => {
    for (let n = 0; n < SAMPLE_SIZE; n += 1) uuids.push(await perform())
    await sleep(settleMs + REPORT_MS)
  })
  const histories = workflowIdOf ? await measureHistories(site, uuids.map(workflowIdOf)) : NO_HISTORIES
  const own = (name: Counter) => {
    const [all, resting] = [busy.counted[name], idle.counted[name]]
    if (all === undefined || resting === undefined) return null
    return Math.max(0, (all - (resting / idle.ms) * busy.ms) / SAMPLE_SIZE)
  }
  return {
    what,
    ...histories,
    transactions: own('transactions')!,
    statements: own('statements')!,
    cpuMs: {
      Temporal: own('Temporal'),
      worker: own('worker'),
      API: own('API'),
      PostgreSQL: own('PostgreSQL'),
    },
  }
}

type HistoryCost = Pick<Cost, 'historyEvents' | 'historyBytes' | 'workflowTasks' | 'activityTasks'>
const NO_HISTORIES: HistoryCost = { historyEvents: 0, historyBytes: 0, workflowTasks: 0, activityTasks: 0 }

/** The mean history of some workflows: its size, and the hops through Temporal that it shows. */
export async function measureHistories({ stage }: BenchStack, workflowIds: string[]): Promise<HistoryCost> {
  const { workflow } = await stage.connectTemporal()
  const handles = workflowIds.map(id => workflow.getHandle(id))
  const histories = await Promise.all(handles.map(async handle => (await handle.fetchHistory()).events ?? []))
  const descriptions = await Promise.all(handles.map(handle => handle.describe()))
  const mean = (counts: number[]) => counts.reduce((sum, one) => sum + one, 0) / counts.length
  return {
    historyEvents: mean(histories.map(events => events.length)),
    historyBytes: mean(descriptions.map(({ historySize }) => historySize ?? 0)),
    workflowTasks: mean(
      histories.map(events => events.filter(event => event.workflowTaskCompletedEventAttributes).length),
    ),
    activityTasks: mean(
      histories.map(events => events.filter(event => event.activityTaskScheduledEventAttributes).length),
    ),
  }
}

type Counter = 'transactions' | 'statements' | Program
type Counters = Partial<Record<Counter, number>>
type CounterChange = { counted: Counters; ms: number }

/**
 * The cost of an idle time once all effects of earlier calls have ended: measured until it is not lower than the one
 * before.
 */
async function measureIdle(site: BenchStack): Promise<CounterChange> {
  let before = await measureDuring(site, () => sleep(IDLE_MS))
  while (true) {
    const now = await measureDuring(site, () => sleep(IDLE_MS))
    if (now.counted.statements! > before.counted.statements! * 0.9) return now
    before = now
  }
}

async function measureDuring(site: BenchStack, act: () => Promise<unknown>): Promise<CounterChange> {
  const [before, began] = [await readCounters(site), performance.now()]
  await act()
  const [after, ms] = [await readCounters(site), performance.now() - began]
  const names = Object.keys(after) as Counter[]
  return { counted: Object.fromEntries(names.map(name => [name, after[name]! - before[name]!])), ms }
}

/** `openBenchStack` has PostgreSQL count every statement of every process; Temporal may have databases of its own there. */
async function readCounters({ stage }: BenchStack): Promise<Counters> {
  await stage.sql('select pg_stat_force_next_flush()')
  const [row] = await stage.sql<{ transactions: string; statements: string }>(
    `select (select xact_commit + xact_rollback from pg_stat_database where datname = current_database()) as transactions,
       (select sum(calls) from pg_stat_statements
        where dbid = (select oid from pg_database where datname = current_database())
          and query !~* '^(begin|commit|rollback|start)') as statements`,
  )
  return {
    transactions: Number(row!.transactions),
    statements: Number(row!.statements),
    ...(await readCpuTimes()),
  }
}
