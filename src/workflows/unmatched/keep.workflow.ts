import { setCurrentDetails } from '@temporalio/workflow'
import type { KeepUnmatchedInput } from '../contracts/unmatched.ts'
import { dbActivities } from '../shared/activity-proxies.ts'

/** Workflow that credits an unmatched PIX to its account, by an operator's decision, where it cannot go back to its payer. */
export async function keepUnmatchedWorkflow(input: KeepUnmatchedInput): Promise<'kept' | 'nothing'> {
  const isKept = await dbActivities.keepUnmatchedPayment(input)
  setCurrentDetails(isKept ? 'Kept for the account' : 'Not kept: it no longer waited for a return')
  return isKept ? 'kept' : 'nothing'
}
