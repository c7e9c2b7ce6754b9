import { setTimeout as sleep } from 'node:timers/promises'
import type { Cost } from './figures.ts'
import type { Site } from './site.ts'

/** How many operations a cost is the mean of. */
const SAMPLE = 20

/**
 * What one operation costs the engines: events and workflow tasks of its life as its history tells them, transactions
 * and statements as PostgreSQL counts them, the API's and the background's own share of an idle time taken off.
 */
export async function costOf(
  site: Site,
  what: string,
  {
    perform,
    lifeOf,
    settleMs = 1_500,
  }: { perform: () => Promise<string>; lifeOf(uuid: string): string; settleMs?: number },
): Promise<Cost> {
  await perform()
  await sleep(settleMs)
  const idle = await during(site, () => sleep(2_000))
  const uuids: string[] = []
  const busy = await during(site, async () => {
    for (let n = 0; n < SAMPLE; n += 1) uuids.push(await perform())
    await sleep(settleMs)
  })
  const { workflow } = await site.stage.temporal()
  const histories = await Promise.all(
    uuids.map(async uuid => (await workflow.getHandle(lifeOf(uuid)).fetchHistory()).events ?? []),
  )
  const mean = (counts: number[]) => counts.reduce((sum, one) => sum + one, 0) / counts.length
  const own = (name: 'transactions' | 'statements') =>
    Math.max(0, (busy[name] - (idle[name] / idle.ms) * busy.ms) / SAMPLE)
  return {
    what,
    historyEvents: mean(histories.map(events => events.length)),
    workflowTasks: mean(
      histories.map(events => events.filter(event => event.workflowTaskCompletedEventAttributes).length),
    ),
    transactions: own('transactions'),
    statements: own('statements'),
  }
}

type Counted = { transactions: number; statements: number; ms: number }

async function during(site: Site, act: () => Promise<unknown>): Promise<Counted> {
  const [before, began] = [await counters(site), performance.now()]
  await act()
  const [after, ms] = [await counters(site), performance.now() - began]
  return {
    transactions: after.transactions - before.transactions,
    statements: after.statements - before.statements,
    ms,
  }
}

/** `openSite` has PostgreSQL count every statement of every process; Temporal may have databases of its own there. */
async function counters({ stage }: Site): Promise<Omit<Counted, 'ms'>> {
  await stage.sql('select pg_stat_force_next_flush()')
  const [row] = await stage.sql<{ transactions: string; statements: string }>(
    `select (select xact_commit + xact_rollback from pg_stat_database where datname = current_database()) as transactions,
       (select sum(calls) from pg_stat_statements
        where dbid = (select oid from pg_database where datname = current_database())
          and query !~* '^(begin|commit|rollback|start)') as statements`,
  )
  return { transactions: Number(row!.transactions), statements: Number(row!.statements) }
}
