import { z } from 'zod'
import type { EventType } from '../../domain/webhooks/webhook.ts'
import { chargeSchema } from '../charges/charge.ts'
import { disputeSchema } from '../disputes/dispute.ts'
import { movementSchema } from '../ledger/movement.ts'
import { recurrenceSchema } from '../recurrences/recurrence.ts'
import { refundSchema } from '../refunds/refund.ts'
import { reportSchema } from '../reports/report.ts'
import { instantSchema, uuidSchema } from '../shared/fields.ts'
import { transferSchema } from '../transfers/transfer.ts'
import { batchSchema } from '../transfers/transfer-batch.ts'
import { webhookSchema } from '../webhooks/webhook.ts'

/**
 * The body of each kind of event, for OpenAPI: what endpoints receive and `GET /events` shows. Events are stored in their
 * wire form when they happen and served unchanged (src/contract/events/event.ts); the suites check those that they receive
 * against these.
 */

const sequence = z.int().min(1).meta({
  description: 'Counts the events of this resource, from 1; a lower one that comes later is older news',
})
const late = z
  .literal(true)
  .optional()
  .meta({ description: 'It was paid, or settled, after a final state had been shown' })

const chargeData = z.intersection(chargeSchema, z.object({ sequence, late }))
const transferData = z.intersection(transferSchema, z.object({ sequence, late }))
const batchData = z.intersection(batchSchema, z.object({ sequence }))
const recurrenceData = z.intersection(recurrenceSchema, z.object({ sequence }))
const reportData = z.intersection(reportSchema, z.object({ sequence }))
const refundData = z.intersection(refundSchema, z.object({ sequence }))
const disputeData = z.intersection(disputeSchema, z.object({ sequence }))
const movementData = z.intersection(movementSchema, z.object({ sequence }))
const webhookData = z.intersection(webhookSchema, z.object({ sequence }))

function describeEvent<Type extends EventType, Data extends z.ZodType>(type: Type, name: string, data: Data) {
  return z
    .object({
      id: uuidSchema.meta({ description: 'The `webhook-id` of every delivery attempt' }),
      type: z.literal(type),
      timestamp: instantSchema.meta({ description: 'When it happened' }),
      data: data.meta({ id: `${name}Data` }),
    })
    .meta({ id: name })
}

/** Bodies by event type. */
export const EVENT_BODIES = {
  PAYMENT: describeEvent('PAYMENT', 'PaymentEvent', chargeData),
  TRANSFER: describeEvent('TRANSFER', 'TransferEvent', transferData),
  REFUND: describeEvent('REFUND', 'RefundEvent', refundData),
  MED: describeEvent('MED', 'MedEvent', disputeData),
  PIX_TRANSACTION: describeEvent('PIX_TRANSACTION', 'PixTransactionEvent', movementData),
  BATCH: describeEvent('BATCH', 'BatchEvent', batchData),
  RECURRENCE: describeEvent('RECURRENCE', 'RecurrenceEvent', recurrenceData),
  REPORT: describeEvent('REPORT', 'ReportEvent', reportData),
  TEST: describeEvent('TEST', 'TestEvent', webhookData),
} satisfies Record<EventType, z.ZodType>

/** When each kind of event happens. */
export const EVENT_DESCRIPTIONS: Record<EventType, string> = {
  PAYMENT: 'A charge became PAID, FAILED, CANCELLED, EXPIRED, PARTIALLY_REFUNDED or REFUNDED.',
  TRANSFER: 'A transfer became PAID, FAILED, CANCELLED or EXPIRED, or a part of it was returned.',
  REFUND:
    'A refund was settled or has failed. `data.uuid`, `data.status` and `data.value` are those of the charge; the refund is `data.refund`.',
  MED: 'A dispute was opened, answered or closed.',
  PIX_TRANSACTION:
    'A PIX settled: money came in or went out, also where it belongs to no charge; or the return of a deposit was refused, with `status` FAILED.',
  BATCH: 'A batch of transfers became COMPLETED or CANCELLED. Delivered only where an endpoint names it.',
  RECURRENCE:
    'A recurrence changed its status: its payer has decided, or it is over. Delivered only where an endpoint names it.',
  REPORT:
    'A report became READY or FAILED. Delivered only where an endpoint names it, and not read by tokens bound to a provider.',
  TEST: 'The account requested a test event; `data` is the webhook.',
}

/** An event of any kind, as OpenAPI describes it. */
export const describedEvent = z
  .discriminatedUnion('type', [
    EVENT_BODIES.PAYMENT,
    EVENT_BODIES.TRANSFER,
    EVENT_BODIES.REFUND,
    EVENT_BODIES.MED,
    EVENT_BODIES.PIX_TRANSACTION,
    EVENT_BODIES.BATCH,
    EVENT_BODIES.RECURRENCE,
    EVENT_BODIES.REPORT,
    EVENT_BODIES.TEST,
  ])
  .meta({
    description:
      '`data` is the resource as its GET showed it when this happened, and `sequence`, which counts its events',
  })
