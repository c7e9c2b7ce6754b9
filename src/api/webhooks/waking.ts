import { sweepDeliveriesNow, wakeDelivery } from '../../engine/deliveries.ts'
import type { Engine } from '../../engine/start.ts'
import { requestDeadline } from '../deadline.ts'
import { WAKE_MS } from '../limits.ts'
import { isOutage, within } from '../outage.ts'

/** Whatever a request has written is done even where Temporal is away just now: the next sweep finds it. */

export function wakeSoon(engine: Engine, uuid: string): Promise<void> {
  return orLater(wakeDelivery(engine, { uuid, status: 'PENDING' }))
}

export function wakeAllSoon(engine: Engine): Promise<void> {
  return orLater(sweepDeliveriesNow(engine))
}

async function orLater(waking: Promise<void>): Promise<void> {
  try {
    await within(requestDeadline().stepMs(WAKE_MS), waking)
  } catch (error) {
    if (!isOutage(error)) throw error
  }
}
