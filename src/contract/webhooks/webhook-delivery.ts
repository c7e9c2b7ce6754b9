import { z } from 'zod'
import type { Delivery, DeliveryAttempt } from '../../db/entities/webhook.ts'
import { DELIVERY_STATUSES } from '../../domain/webhooks/delivery.ts'
import { EVENT_TYPES } from '../../domain/webhooks/webhook.ts'
import {
  dataResponse,
  dayQueryFields,
  instantSchema,
  namesQuery,
  pageQueryFields,
  requireDaysInOrder,
  rowTimes,
  uuidSchema,
} from '../shared/fields.ts'

/** Webhook deliveries (SPEC §8): one event for one webhook, with the result of each attempt. */

const deliveryAttemptSchema = z
  .object({
    number: z.int().min(1),
    at: instantSchema,
    status: z.int().nullable().meta({ description: 'The HTTP status; null where there was no answer' }),
    failure: z
      .string()
      .optional()
      .meta({ description: 'Why there was none: refused_address, no_connection, timeout, broken' }),
    duration_ms: z.int().min(0),
    answer: z.string().meta({ description: 'The beginning of the answer, at most 1 kB' }),
  })
  .meta({ id: 'DeliveryAttempt' })

export const deliverySchema = z
  .object({
    uuid: uuidSchema,
    event: z.object({ id: uuidSchema, type: z.enum(EVENT_TYPES) }).meta({ id: 'EventReference' }),
    status: z.enum(DELIVERY_STATUSES),
    next_attempt_at: instantSchema.nullable().meta({
      description:
        'When the next attempt is due, or was due if it is running. Null after the last attempt, and possibly until the first has an outcome',
    }),
    attempts: z.array(deliveryAttemptSchema).meta({ description: 'The latest twenty, in their order' }),
    ...rowTimes,
  })
  .meta({ id: 'Delivery' })

export const startedDeliveryResponse = dataResponse(deliverySchema).extend({ message: z.string() })

export const deliveriesQuery = z
  .strictObject({
    status: namesQuery(DELIVERY_STATUSES, 'In one of these statuses'),
    type: namesQuery(EVENT_TYPES, 'Of an event of one of these types'),
    ...dayQueryFields,
    ...pageQueryFields,
  })
  .superRefine(requireDaysInOrder)
export type DeliveriesQuery = z.output<typeof deliveriesQuery>

export const recoverDeliveriesBody = z.strictObject({
  since: z.iso
    .datetime({ offset: true })
    .transform(text => new Date(text))
    .refine(at => at.getUTCFullYear() >= 1, 'must be a time from 0001-01-01 on')
    .meta({ description: 'ISO 8601 with its offset; not in the future', examples: ['2026-11-20T00:00:00Z'] }),
})

export function showDelivery(
  delivery: Delivery,
  attempts: DeliveryAttempt[],
): z.output<typeof deliverySchema> {
  return {
    uuid: delivery.uuid,
    event: { id: delivery.eventUuid, type: delivery.eventType },
    status: delivery.status,
    next_attempt_at: delivery.nextAttemptAt ?? null,
    attempts: attempts.map(one => ({
      number: one.number,
      at: one.at,
      status: one.statusCode ?? null,
      ...(one.failure && { failure: one.failure }),
      duration_ms: one.durationMs,
      answer: one.answer,
    })),
    created_at: delivery.createdAt,
    updated_at: delivery.updatedAt,
  }
}
