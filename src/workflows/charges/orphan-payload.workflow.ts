import { continueAsNew, setCurrentDetails } from '@temporalio/workflow'
import type { OrphanInput } from '../contracts/charges.ts'
import { idempotentProviderActivities } from '../shared/activity-proxies.ts'
import { AbsenceProof, ProviderInbox, pollUntilResolved } from '../shared/provider-inbox.ts'
import { startFollowUps } from '../shared/start-follow-ups.ts'

/**
 * Workflow of an orphan, a payload that may exist at a provider but was shown to no merchant: cancels it there, without
 * a time limit.
 */
export async function orphanWorkflow({ attemptUuid, timeScale }: OrphanInput): Promise<void> {
  const inbox = new ProviderInbox(timeScale, () =>
    continueAsNew<typeof orphanWorkflow>({ attemptUuid, timeScale }),
  )
  const absenceProof = new AbsenceProof(timeScale)
  setCurrentDetails('Cancelling an orphan payload')
  for (let isFinalPoll = false; ; ) {
    const result = await pollUntilResolved(
      () => idempotentProviderActivities.closeOrphan({ attemptUuid, isFinalPoll }),
      inbox,
    )
    if (result.kind === 'closed') {
      await startFollowUps(result, timeScale)
      if (inbox.hasPending) continue
      setCurrentDetails('Closed: the provider confirms that it can no longer be paid')
      return
    }
    const waitMs = absenceProof.recordNotFound(result.settleWindowMs)
    if (waitMs === null) isFinalPoll = true
    else await inbox.waitForNotification(waitMs, 'not found: next poll')
  }
}
