import { setCurrentDetails } from '@temporalio/workflow'
import { records } from './activities.ts'

/** An unmatched PIX that cannot go back to its payer becomes its account's, by an operator's word. */
export async function keepWorkflow({ uuid }: { uuid: string }): Promise<'kept' | 'nothing'> {
  const cents = await records.keepUnmatched({ uuid })
  setCurrentDetails(cents > 0 ? 'Kept for the account' : 'It did not wait any more: nothing was kept')
  return cents > 0 ? 'kept' : 'nothing'
}
