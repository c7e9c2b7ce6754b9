import { continueAsNew, setCurrentDetails } from '@temporalio/workflow'
import type { RecordDepositInput, RecordDepositResult } from '../contracts/unmatched.ts'
import { idempotentProviderActivities } from '../shared/activity-proxies.ts'
import { ProviderInbox, pollAfterNotification } from '../shared/provider-inbox.ts'
import { startFollowUps } from '../shared/start-follow-ups.ts'

/**
 * Workflow of a PIX whose notification names no charge of ours: credits it when the provider confirms it, unless it names a
 * charge there; a forged notification has no effect.
 */
export async function depositWorkflow(input: RecordDepositInput): Promise<RecordDepositResult['kind']> {
  const inbox = new ProviderInbox(input.timeScale, () => continueAsNew<typeof depositWorkflow>(input))
  const result = await pollAfterNotification(() => idempotentProviderActivities.recordDeposit(input), inbox)
  if (result.kind === 'accepted') await startFollowUps(result, input.timeScale)
  setCurrentDetails(DEPOSIT_STATUS_DETAILS[result.kind])
  return result.kind
}

const DEPOSIT_STATUS_DETAILS: Record<Exclude<RecordDepositResult['kind'], 'no_answer'>, string> = {
  accepted: 'Credited as a deposit',
  expected: 'Not a deposit: it belongs to a charge, whose workflow was signalled',
  not_found: 'Not found: the provider has no such PIX',
}
