import { proxyDeliveryActivities } from './activity-proxies.ts'

/**
 * Asks the merchant's server about an order that waits for approvals, by an activity that nobody awaits: signals, updates and the end of the
 * wait are handled meanwhile. `wake` runs when the activity has ended; what it was answered is in the rows. Where it is scheduled twice, one
 * of them makes no request.
 */
export function requestCallout(subjectUuid: string, wake: () => void): void {
  const activity = proxyDeliveryActivities().requestCallout
  const options = { summary: 'ask the server of the merchant' }
  activity.executeWithOptions(options, [{ subjectUuid }]).then(wake, wake)
}
