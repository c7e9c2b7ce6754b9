import { SIGNAL_TIMEOUT_MS } from '../../../http/limits.ts'
import { isOutage, withTimeout } from '../../../http/outage.ts'
import { getRequestDeadline } from '../../../http/request-deadline.ts'
import { signalDelivery, startDeliverySweep } from '../../../temporal/deliveries.ts'
import type { TemporalContext } from '../../../temporal/workflow-options.ts'

/** Signals the workflows of rows that a request has changed. It succeeds without Temporal too: the next sweep finds the row. */

export function signalOpenDelivery(context: TemporalContext, uuid: string): Promise<void> {
  return ignoreOutage(signalDelivery(context, { uuid, status: 'PENDING' }))
}

export function startDeliverySweepIfUp(context: TemporalContext): Promise<void> {
  return ignoreOutage(startDeliverySweep(context))
}

async function ignoreOutage(signal: Promise<void>): Promise<void> {
  try {
    await withTimeout(getRequestDeadline().stepTimeoutMs(SIGNAL_TIMEOUT_MS), signal)
  } catch (error) {
    if (!isOutage(error)) throw error
  }
}
