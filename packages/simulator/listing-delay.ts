import type { SimulatedAccount } from './accounts.ts'
import type { Faults, ProviderOperation } from './faults.ts'
import { SIMULATOR_WAITS_MS, type WaitScaler } from './latency.ts'

/** A PIX or refund that look-ups and lists show only from a time on; null: at once. */
type ListedRow = { listedAt: string | null }

/** Delays the appearance of new PIX and refunds in look-ups and lists, by the fault `books_lag`. */
export type ListingDelay = {
  /** Computes the time of a new row, using up one time of a fault of these operations. */
  computeListedAt(account: SimulatedAccount, operations: readonly ProviderOperation[]): string | null
  isListed(row: ListedRow): boolean
  /** Returns the row if look-ups show it. */
  hideUnlisted<Row extends ListedRow>(row: Row | undefined): Row | undefined
}

type ListingDelayDependencies = { faults: Faults; now: () => Date; scaleWaitMs: WaitScaler }

export function createListingDelay({ faults, now, scaleWaitMs }: ListingDelayDependencies): ListingDelay {
  const isListed = ({ listedAt }: ListedRow) => listedAt === null || listedAt <= now().toISOString()
  return {
    computeListedAt(account, operations) {
      const fault = faults.consumeForListing(account, operations)
      if (!fault) return null
      const delayMs = fault.delayMs ?? scaleWaitMs(SIMULATOR_WAITS_MS.listingDelay)
      return new Date(now().getTime() + delayMs).toISOString()
    },
    isListed,
    hideUnlisted: row => (row && isListed(row) ? row : undefined),
  }
}
