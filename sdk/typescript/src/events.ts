import type { Charge, Dispute, Movement, RefundResult, Transfer, Webhook } from './openapi/types.ts'

type EventOf<Type extends string, Resource> = {
  /** The `webhook-id` of every delivery: ignore an event whose id was already processed. */
  id: string
  type: Type
  timestamp: string
  /** The resource exactly as its GET showed it at the time of the event. */
  data: Resource & {
    /** Counts the events of the resource: ignore one that is not above the last one processed. */
    sequence: number
  }
}

/** A charge is PAID, FAILED, CANCELLED, EXPIRED, PARTIALLY_REFUNDED or REFUNDED. */
export type PaymentEvent = EventOf<'PAYMENT', Charge>
/** A transfer is PAID, FAILED, CANCELLED or EXPIRED, or its receiver returned money. */
export type TransferEvent = EventOf<'TRANSFER', Transfer>
/** A refund has settled or failed. */
export type RefundEvent = EventOf<'REFUND', RefundResult>
/** A dispute opens, approaches its deadline, or is decided. */
export type MedEvent = EventOf<'MED', Dispute>
/** A PIX has settled, also one that belongs to no charge. */
export type PixTransactionEvent = EventOf<'PIX_TRANSACTION', Movement>
/** A test event was requested. */
export type TestEvent = EventOf<'TEST', Webhook>

/** What a webhook receives and `trilho.events` lists; `type` decides what `data` is. */
export type WebhookEvent =
  | PaymentEvent
  | TransferEvent
  | RefundEvent
  | MedEvent
  | PixTransactionEvent
  | TestEvent
