import { log, setCurrentDetails } from '@temporalio/workflow'
import type { ReconcileResult, ReconciliationInput } from '../contracts/maintenance.ts'
import { reconciliationActivities } from '../shared/activity-proxies.ts'
import { isWorkerLoss } from '../shared/worker-loss.ts'

/**
 * Compares every provider's statement with our movements, repairs what lost notifications left open, and reports other
 * differences. Fails where no provider account could be compared.
 */
export async function reconciliationWorkflow({ hours }: ReconciliationInput): Promise<ReconcileResult[]> {
  const to = Date.now()
  const period = { from: new Date(to - hours * 3_600_000).toISOString(), to: new Date(to).toISOString() }
  const results: ReconcileResult[] = []
  const failures: unknown[] = []
  for (const providerAccountUuid of await reconciliationActivities.listProviderAccounts()) {
    try {
      results.push(await reconciliationActivities.reconcile({ providerAccountUuid, ...period }))
    } catch (error) {
      // The other provider accounts are compared all the same.
      if (!isWorkerLoss(error)) throw error
      log.warn('the provider account could not be compared', { providerAccountUuid })
      failures.push(error)
      results.push({ providerAccountUuid, matched: 0, repaired: 0, differences: 0, noAnswer: 'broken_off' })
    }
  }
  if (failures.length > 0 && failures.length === results.length) throw failures[0]
  setCurrentDetails(summarizeResults(results))
  return results
}

function summarizeResults(results: ReconcileResult[]): string {
  const open = results.reduce((sum, result) => sum + result.differences, 0)
  const repaired = results.reduce((sum, result) => sum + result.repaired, 0)
  const uncompared = results.filter(({ noAnswer }) => noAnswer !== undefined).length
  const disputesUnlisted = results.filter(({ disputesNoAnswer }) => disputesNoAnswer !== undefined).length
  const incomplete = `${uncompared} not compared, the disputes of ${disputesUnlisted} not listed`
  return `${results.length} provider accounts: ${repaired} repaired, ${open} differences left, ${incomplete}`
}
