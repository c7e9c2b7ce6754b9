import { proxyDeliveryActivities } from './activity-proxies.ts'

/**
 * Starts to ask the merchant's server about an order that waits for approvals, by an activity that the workflow does not await: signals,
 * updates and the end of the wait are handled meanwhile. `wake` runs when the activity has ended; what the server answered is in the rows.
 * Where it is started twice, one of the activities makes no request.
 */
export function startCallout(subjectUuid: string, wake: () => void): void {
  const activity = proxyDeliveryActivities().requestCallout
  const options = { summary: 'ask the server of the merchant' }
  activity.executeWithOptions(options, [{ subjectUuid }]).then(wake, wake)
}
