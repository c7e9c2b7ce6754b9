import { condition, continueAsNew, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow'
import { scaleWait } from '../../domain/shared/intervals.ts'
import { type AttemptDeliveryInput, deliveryChangedSignal } from '../contracts/webhooks.ts'
import { proxyDeliveryActivities } from '../shared/activity-proxies.ts'

/**
 * Workflow of a webhook delivery, one event to one endpoint: attempted at once and then on the schedule of SPEC §8,
 * until it is delivered or ends.
 */
export async function deliveryWorkflow(
  order: AttemptDeliveryInput,
): Promise<'DELIVERED' | 'FAILED' | 'CANCELLED'> {
  const { attemptDelivery } = proxyDeliveryActivities()
  let isChanged = false
  const markChanged = () => {
    isChanged = true
  }
  setHandler(deliveryChangedSignal, markChanged, {
    description: 'The row of the delivery changed: read it again',
  })
  for (let tries = 1; ; tries++) {
    isChanged = false // What came before the row is read is seen in it.
    const next = await attemptDelivery.executeWithOptions({ summary: `attempt ${tries}` }, [order])
    if (next.kind === 'closed') {
      setCurrentDetails(`${next.outcome} after ${tries} attempts`)
      // Resent while it ended: the API has signalled this workflow, and starts no other.
      if (isChanged) continue
      return next.outcome
    }
    setCurrentDetails(`Attempt ${tries} failed; the next one is in ${Math.round(next.waitMs / 1_000)} s`)
    // Where no signal comes this is the one timer that it was before there was a signal, so old histories replay as they are.
    await condition(() => isChanged, scaleWait(next.waitMs, order.timeScale), {
      summary: `wait before attempt ${tries + 1}`,
    })
    // A busy endpoint may refuse a delivery for days; its row holds all that the next run needs.
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliveryWorkflow>(order)
  }
}
