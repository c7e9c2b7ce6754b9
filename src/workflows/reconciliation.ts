import { log, setCurrentDetails } from '@temporalio/workflow'
import type { Reconciled } from '../activities/reconciliation.ts'
import { reconciliation } from './activities.ts'
import { isInterruption } from './sending.ts'

/** How far back, in hours. */
export type ReconciliationPeriod = { hours: number }

/**
 * Compares every provider's statement with ours, repairs what lost notices left behind, and reports the rest. It fails
 * where no account could be looked at.
 */
export async function reconciliationWorkflow({ hours }: ReconciliationPeriod): Promise<Reconciled[]> {
  const to = Date.now()
  const period = { from: new Date(to - hours * 3_600_000).toISOString(), to: new Date(to).toISOString() }
  const results: Reconciled[] = []
  const failures: unknown[] = []
  for (const providerAccountUuid of await reconciliation.providerAccounts()) {
    try {
      results.push(await reconciliation.reconcile({ providerAccountUuid, ...period }))
    } catch (error) {
      // One that cannot be looked at must not keep those after it from it.
      if (!isInterruption(error)) throw error
      log.warn('a provider account is not compared', { providerAccountUuid })
      failures.push(error)
      results.push({ providerAccountUuid, matched: 0, repaired: 0, differences: 0, noAnswer: 'broken_off' })
    }
  }
  if (failures.length > 0 && failures.length === results.length) throw failures[0]
  setCurrentDetails(told(results))
  return results
}

function told(results: Reconciled[]): string {
  const open = results.reduce((sum, result) => sum + result.differences, 0)
  const repaired = results.reduce((sum, result) => sum + result.repaired, 0)
  const silent = results.filter(({ noAnswer }) => noAnswer !== undefined).length
  const medsUnlisted = results.filter(({ medsNoAnswer }) => medsNoAnswer !== undefined).length
  const left = `${open} differences left, ${silent} not compared, the disputes of ${medsUnlisted} not listed`
  return `${results.length} provider accounts: ${repaired} repaired, ${left}`
}
