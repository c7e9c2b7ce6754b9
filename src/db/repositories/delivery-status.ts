import { type DeliveryEvent, type DeliveryStatus, deliveryMachine } from '../../domain/webhooks/delivery.ts'
import type { Delivery } from '../entities/webhook.ts'

/**
 * The writers of a delivery's status, by its state table (src/domain/webhooks/delivery.ts): one for a row that is locked, and one for
 * statements.
 */

/**
 * Applies an event to a delivery whose row is locked. An ended one has no next attempt, and no workflow to signal. Throws where the
 * table has no such step, which is a bug of the caller.
 */
export function transitionDelivery(delivery: Delivery, event: DeliveryEvent): void {
  const row: { status: DeliveryStatus } = delivery
  row.status = deliveryMachine.next(delivery.status, event)
  if (!deliveryMachine.isFinal(row.status)) return
  delivery.nextAttemptAt = null
  delivery.sweepAt = null
}

/**
 * Builds the parts of a statement that applies an event to rows of `delivery`: the columns that it sets, and the condition of the
 * rows that accept it. `sweep_at` is set by the statement: a workflow that waits is signalled.
 */
export function buildDeliveryTransition(event: DeliveryEvent): { set: string; isAccepted: string } {
  const accepting = deliveryMachine.states.filter(status => deliveryMachine.accepts(status, event))
  const next = deliveryMachine.next(accepting[0]!, event)
  const nextAttempt = deliveryMachine.isFinal(next) ? ', next_attempt_at = null' : ''
  return {
    set: `status = '${next}'${nextAttempt}, updated_at = now()`,
    isAccepted: `delivery.status in (${accepting.map(status => `'${status}'`).join(', ')})`,
  }
}
