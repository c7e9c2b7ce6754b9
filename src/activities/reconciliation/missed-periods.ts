import type { EntityManager } from '../../db/client/orm.ts'
import { readComparedUntil, recordComparison } from '../../db/repositories/provider-accounts.ts'
import { DAY } from '../../domain/shared/intervals.ts'
import type { ReconcileInput, ReconcileResult } from '../../workflows/contracts/maintenance.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** Length of one compared period: that of a scheduled run (src/temporal/schedules.ts). */
const PERIOD_MS = 2 * DAY
/** Number of periods that a run compares after its own; the next run goes on. */
const MAX_PERIODS_PER_RUN = 10
/** Oldest time that is compared by itself: no provider documents how old its lists may be, and returns end at 90 days. */
const MAX_AGE_MS = 90 * DAY

type ComparePeriod = (period: ReconcileInput) => Promise<ReconcileResult>

type ComparedOrder = {
  order: ReconcileInput
  /** Age at which an entry is compared. */
  settlingMs: number
  compare: ComparePeriod
}

/**
 * Records the comparison of a run, and compares the statement from before its period that earlier runs could not read,
 * the oldest part first, until the provider does not answer. The two days before the gap are read again, because some
 * providers book late. Returns the number of repaired entries.
 */
export async function compareMissedPeriods(
  { log }: ActivityDependencies,
  em: EntityManager,
  { order, settlingMs, compare }: ComparedOrder,
): Promise<number> {
  const { providerAccountUuid } = order
  const [from, to] = [Date.parse(order.from), Date.parse(order.to)]
  const comparedUntil = await readComparedUntil(em, providerAccountUuid)
  await recordComparison(em, { providerAccountUuid })
  let repaired = 0
  // A compared period leaves the settling time out at its end, and for movements of ours at its beginning too.
  const overlapMs = 2 * settlingMs
  let until = comparedUntil ?? to
  let start = Math.max(until - PERIOD_MS, from - MAX_AGE_MS)
  for (let count = 0; until < Math.min(from + overlapMs, to - settlingMs); count += 1) {
    throwIfCancelled()
    if (count === MAX_PERIODS_PER_RUN) return repaired
    const end = Math.min(start + PERIOD_MS, from + 2 * overlapMs, to)
    const period = {
      providerAccountUuid,
      from: new Date(start).toISOString(),
      to: new Date(end).toISOString(),
    }
    const result = await compare(period)
    if (result.noAnswer !== undefined) {
      log.warn({ ...period, code: result.noAnswer }, 'an older part of the statement could not be compared')
      return repaired
    }
    repaired += result.repaired
    until = end - settlingMs
    start = end - overlapMs
    await recordComparison(em, { providerAccountUuid, comparedUntil: until })
  }
  await recordComparison(em, { providerAccountUuid, comparedUntil: to - settlingMs })
  return repaired
}
