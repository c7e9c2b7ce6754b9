import type { EntityManager } from '../db/orm.ts'
import { databaseNow, type QuarantinedPeriod, quarantinedPeriods, resolveItems } from '../db/unexplained.ts'
import { throwIfToEnd } from './ending.ts'

/** So many periods of one list are listed again at a time; the longest waiting first. */
const MOST = 10

type Quarantine = {
  /** The port's name of the list. */
  operation: 'statement' | 'listMeds'
  providerAccountUuid: string
  /** By PostgreSQL's clock: what a list has left out since then need not be listed again now. */
  seenBefore: string
}

/**
 * Lists again the periods in which a list left items out because they could not be read, and resolves the items that it
 * does not leave out any more. `list` takes what is listed like any other and answers whether the provider listed it.
 */
export async function listQuarantined(
  em: EntityManager,
  quarantine: Quarantine,
  list: (period: QuarantinedPeriod) => Promise<boolean>,
): Promise<void> {
  const { operation } = quarantine
  for (const period of await quarantinedPeriods(em, { ...quarantine, most: MOST })) {
    throwIfToEnd()
    const listedAt = await databaseNow(em)
    if (await list(period)) await resolveItems(em, { operation, period, listedAt })
  }
}
