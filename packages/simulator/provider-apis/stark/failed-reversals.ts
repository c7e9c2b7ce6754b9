import type { StatementMovement } from '../../rail.ts'
import { NO_BALANCE_REASON, type SimulatedRefund } from '../../refunds.ts'
import type { SimulatorStore } from '../../store.ts'

/** Numbers of the transactions of failed reversals, two for each; those of movements are smaller. */
const FIRST_NUMBER = 500_000_000_000_000

/**
 * Lists the transactions of the reversals of an account that have failed, oldest first: the debit and its "failed reversal chargeback"
 * (Stark Bank SDK for Python, Deposit). Both are shown once the reversal has failed. One without balance has none.
 */
function listFailedReversals(store: SimulatorStore, accountId: string): StatementMovement[] {
  return store
    .all<SimulatedRefund & { number: number }>(
      `SELECT rowid AS number, * FROM refund WHERE accountId = ? AND status = 'rejected' AND reason IS NOT ?
       ORDER BY requestedAt, rowid`,
      accountId,
      NO_BALANCE_REASON,
    )
    .flatMap(({ number, id, endToEnd, returnId, cents, requestedAt }) => {
      const shared = { accountId, kind: 'refund', id, cents, at: requestedAt } as const
      const pix = { endToEnd: returnId, originalEndToEnd: endToEnd }
      const sequence = FIRST_NUMBER + 2 * number
      return [
        { ...shared, ...pix, sequence, direction: 'out' },
        { ...shared, ...pix, sequence: sequence + 1, direction: 'in' },
      ] as const
    })
}

/** Adds the transactions of failed reversals to movements of one account, each after the movements until its time. */
export function addFailedReversals(
  store: SimulatorStore,
  accountId: string,
  movements: StatementMovement[],
): StatementMovement[] {
  const merged = [...movements]
  for (const failed of listFailedReversals(store, accountId)) {
    const place = merged.findLastIndex(({ at }) => at <= failed.at)
    merged.splice(place + 1, 0, failed)
  }
  return merged
}
