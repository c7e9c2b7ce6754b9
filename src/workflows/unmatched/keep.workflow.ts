import { setCurrentDetails } from '@temporalio/workflow'
import type { KeepUnmatchedInput } from '../contracts/unmatched.ts'
import { dbActivities } from '../shared/activity-proxies.ts'

/** Workflow that credits an unmatched PIX to its account, by an operator's decision, where it cannot go back to its payer. */
export async function keepUnmatchedWorkflow(order: KeepUnmatchedInput): Promise<'kept' | 'nothing'> {
  const cents = await dbActivities.keepUnmatchedPayment(order)
  setCurrentDetails(cents > 0 ? 'Kept for the account' : 'It did not wait any more: nothing was kept')
  return cents > 0 ? 'kept' : 'nothing'
}
