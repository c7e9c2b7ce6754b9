import type { EntityManager } from '../../db/client/orm.ts'
import {
  listQuarantinedPeriods,
  type QuarantinedPeriod,
  readDatabaseTime,
  resolveUnexplainedItems,
} from '../../db/repositories/unexplained-answers.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'

/** So many periods of one list are listed again at a time; the longest waiting first. */
const MAX_PERIODS_PER_RUN = 10

type QuarantinedList = {
  /** The port's name of the list. */
  operation: 'statement' | 'listDisputes'
  providerAccountUuid: string
  /** By PostgreSQL's clock: what a list has left out since then need not be listed again now. */
  lastSeenBefore: string
}

/**
 * Lists again the periods in which a list left items out because they could not be read, and resolves the items that it
 * does not leave out any more. `list` takes what is listed like any other and answers whether the provider listed it.
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
