import { setCurrentDetails, sleep } from '@temporalio/workflow'
import type { DeliveryOrder } from '../activities/deliveries.ts'
import { scaled } from '../domain/waits.ts'
import { webhooks } from './activities.ts'

/** One event on its way to one endpoint: tried at once and then on the schedule of SPEC §8, until taken or given up. */
export async function deliveryWorkflow(order: DeliveryOrder): Promise<'DELIVERED' | 'FAILED' | 'CANCELLED'> {
  const { deliver } = webhooks()
  for (let tries = 1; ; tries++) {
    const next = await deliver.executeWithOptions({ summary: `try ${tries}` }, [order])
    if (next.kind === 'over') {
      setCurrentDetails(`${next.outcome} after ${tries} tries`)
      return next.outcome
    }
    setCurrentDetails(`Try ${tries} failed; the next one follows in ${Math.round(next.waitMs / 1_000)} s`)
    await sleep(scaled(next.waitMs, order.timeScale), { summary: `before try ${tries + 1}` })
  }
}
