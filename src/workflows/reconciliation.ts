import { setCurrentDetails } from '@temporalio/workflow'
import type { Reconciled } from '../activities/reconciliation.ts'
import { reconciliation } from './activities.ts'

/** How far back, in hours. */
export type ReconciliationPeriod = { hours: number }

/** Compares every provider's statement with ours, repairs what lost notices left behind, and reports the rest. */
export async function reconciliationWorkflow({ hours }: ReconciliationPeriod): Promise<Reconciled[]> {
  const to = Date.now()
  const from = to - hours * 3_600_000
  const results: Reconciled[] = []
  for (const providerAccountUuid of await reconciliation.providerAccounts())
    results.push(
      await reconciliation.reconcile({
        providerAccountUuid,
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
      }),
    )
  const open = results.reduce((sum, result) => sum + result.differences, 0)
  const repaired = results.reduce((sum, result) => sum + result.repaired, 0)
  setCurrentDetails(`${results.length} provider accounts: ${repaired} repaired, ${open} differences left`)
  return results
}
