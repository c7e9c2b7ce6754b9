import { condition, continueAsNew, setCurrentDetails, setHandler } from '@temporalio/workflow'
import { scaleWait } from '../../domain/shared/intervals.ts'
import type { DeliveryOutcome } from '../../domain/webhooks/delivery.ts'
import { type AttemptDeliveryInput, deliveryChangedSignal } from '../contracts/webhooks.ts'
import { proxyDeliveryActivities } from '../shared/activity-proxies.ts'
import { shouldContinueAsNew } from '../shared/workflow-info.ts'

/**
 * Workflow of a webhook delivery, one event to one endpoint: attempts it, at once or after `firstWaitMs`, and then on the retry schedule, until it is
 * delivered, has failed, or is cancelled.
 */
export async function deliveryWorkflow({
  firstWaitMs = 0,
  ...delivery
}: AttemptDeliveryInput): Promise<DeliveryOutcome> {
  const { attemptDelivery } = proxyDeliveryActivities()
  let isChanged = false
  const markChanged = () => {
    isChanged = true
  }
  setHandler(deliveryChangedSignal, markChanged, {
    description: 'The row of the delivery changed: read it again',
  })
  const waitForAttempt = (waitMs: number, attempt: number) =>
    condition(() => isChanged, scaleWait(waitMs, delivery.timeScale), {
      summary: `wait before attempt ${attempt}`,
    })
  if (firstWaitMs > 0) await waitForAttempt(firstWaitMs, 2)
  for (let attempt = firstWaitMs > 0 ? 2 : 1; ; attempt++) {
    isChanged = false // The activity reads the row, with all changes that were signalled before.
    const result = await attemptDelivery.executeWithOptions({ summary: `attempt ${attempt}` }, [delivery])
    if (result.kind === 'closed') {
      setCurrentDetails(`${result.outcome} after ${attempt} attempts`)
      // The delivery was resent during the attempt: the API has signalled this workflow, and starts no other.
      if (isChanged) continue
      return result.outcome
    }
    setCurrentDetails(`Attempt ${attempt} failed; the next one is in ${Math.round(result.waitMs / 1_000)} s`)
    await waitForAttempt(result.waitMs, attempt + 1)
    if (shouldContinueAsNew()) await continueAsNew<typeof deliveryWorkflow>(delivery)
  }
}
