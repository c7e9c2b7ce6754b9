import type { EntityManager } from '../../db/client/orm.ts'
import {
  listQuarantinedPeriods,
  type QuarantinedPeriod,
  readDatabaseTime,
  resolveUnexplainedItems,
} from '../../db/repositories/unexplained-answers.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'

/** Number of periods of one list that a run lists again, the longest waiting first. */
const MAX_PERIODS_PER_RUN = 10

type QuarantinedList = {
  /** The port's name of the list. */
  operation: 'statement' | 'listDisputes'
  providerAccountUuid: string
  /** Time of PostgreSQL's clock: items that were left out since then are not listed again by this run. */
  lastSeenBefore: string
}

/**
 * Lists again the periods in which unreadable items were left out, and resolves the items that are readable now. `list`
 * processes a period like any other and returns whether the provider listed it.
 */
export async function relistQuarantinedPeriods(
  em: EntityManager,
  quarantine: QuarantinedList,
  list: (period: QuarantinedPeriod) => Promise<boolean>,
): Promise<void> {
  const { operation } = quarantine
  for (const period of await listQuarantinedPeriods(em, { ...quarantine, limit: MAX_PERIODS_PER_RUN })) {
    throwIfCancelled()
    const listedAt = await readDatabaseTime(em)
    if (await list(period)) await resolveUnexplainedItems(em, { operation, period, listedAt })
  }
}
