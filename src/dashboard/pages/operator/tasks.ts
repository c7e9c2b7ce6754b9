import type { EntityManager } from '../../../db/client/orm.ts'
import { type GaugeSample, readDatabaseGauges } from '../../../db/repositories/database-gauges.ts'
import { countRecentCalls } from '../../../db/repositories/provider-health.ts'
import type { DashboardContext } from '../../http/dashboard-context.ts'
import type { TaskReader } from '../../http/router.ts'
import { type FailingProvider, findFailingProviders } from './provider-health.ts'
import { findSignals } from './signals.ts'

/** How much calls for an operator now, for the menu: what the first page names, by the page that acts on it. */

/** How long a count is shown: every page of every operator asks for it. */
const COUNT_MAX_AGE_MS = 5_000

/** Entries of the menu whose page has another name. */
const MENU_ENTRIES: Record<string, string> = {
  providers: 'health',
  disputes: 'dueDisputes',
  webhooks: 'deadWebhooks',
}

/** Creates a reader of the counts by the names of menu entries. Readers within a few seconds share one. */
export function createOperatorTaskReader(context: Pick<DashboardContext, 'orm'>): TaskReader {
  let latest: { readAt: number; tasks: Promise<Record<string, number>> } | null = null
  return () => {
    if (latest && Date.now() - latest.readAt < COUNT_MAX_AGE_MS) return latest.tasks
    const tasks = readOperatorTasks(context.orm.em)
    const reading = { readAt: Date.now(), tasks }
    latest = reading
    tasks.catch(() => {
      if (latest === reading) latest = null
    })
    return tasks
  }
}

async function readOperatorTasks(em: EntityManager): Promise<Record<string, number>> {
  const [samples, counts] = await Promise.all([readDatabaseGauges(em.fork()), countRecentCalls(em.fork())])
  return countOperatorTasks(samples, findFailingProviders(counts))
}

/**
 * Counts what is above its limit, by menu entry: the things that gauges count, added up, or one where a gauge only has an age or an
 * amount.
 */
export function countOperatorTasks(
  samples: readonly GaugeSample[],
  failing: readonly FailingProvider[],
): Record<string, number> {
  const tasks: Record<string, number> = failing.length > 0 ? { health: failing.length } : {}
  for (const [page, signals] of Map.groupBy(findSignals(samples), one => one.page)) {
    const entry = MENU_ENTRIES[page] ?? page
    const count = signals.reduce((sum, one) => sum + (one.count ?? 0), 0)
    tasks[entry] = (tasks[entry] ?? 0) + Math.max(1, count)
  }
  return tasks
}
