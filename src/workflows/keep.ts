import { setCurrentDetails } from '@temporalio/workflow'
import { records } from './activities.ts'
import type { KeepOrder } from './messages.ts'

/** An unmatched PIX that cannot go back to its payer becomes its account's, by an operator's word. */
export async function keepWorkflow(order: KeepOrder): Promise<'kept' | 'nothing'> {
  const cents = await records.keepUnmatched(order)
  setCurrentDetails(cents > 0 ? 'Kept for the account' : 'It did not wait any more: nothing was kept')
  return cents > 0 ? 'kept' : 'nothing'
}
