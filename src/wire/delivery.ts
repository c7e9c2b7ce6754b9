import { z } from 'zod'
import type { Delivery, DeliveryTry, Event } from '../db/entities/webhook.ts'
import { EVENT_TYPES } from '../domain/webhook.ts'
import { instant, namesQuery, one, page, pageQuery, uuid } from './common.ts'

/** SPEC §8: one event on its way to one endpoint, with what came of each try. */

const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'] as const

const tryShown = z.object({
  number: z.int(),
  at: instant,
  status: z.int().nullable().meta({ description: 'The HTTP status; null where there was no answer' }),
  failure: z
    .string()
    .optional()
    .meta({ description: 'Why there was none: refused_address, no_connection, timeout, broken' }),
  duration_ms: z.int(),
  answer: z.string().meta({ description: 'The beginning of the answer, at most 1 kB' }),
})

export const deliveryShown = z
  .object({
    uuid,
    event: z.object({ id: uuid, type: z.enum(EVENT_TYPES) }),
    status: z.enum(DELIVERY_STATUSES),
    next_try_at: instant.nullable().meta({ description: 'null where it is being tried, or over' }),
    tries: z.array(tryShown).meta({ description: 'The latest twenty, in their order' }),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Delivery' })

export const deliveryPage = page(deliveryShown)
export const startedDelivery = one(deliveryShown).extend({ message: z.string() })

export const deliveriesQuery = z.strictObject({
  status: namesQuery(DELIVERY_STATUSES).optional(),
  ...pageQuery,
})
export type DeliveriesQuery = z.output<typeof deliveriesQuery>

export const recoverDeliveries = z.strictObject({
  since: z.iso
    .datetime({ offset: true })
    .transform(text => new Date(text))
    .refine(at => at.getUTCFullYear() >= 1, 'must be a moment from 0001-01-01 on')
    .meta({ description: 'ISO 8601 with its offset; not in the future', examples: ['2026-11-20T00:00:00Z'] }),
})

type Parts = { delivery: Delivery; event: Pick<Event, 'uuid' | 'type'>; tries: DeliveryTry[] }

export function showDelivery({ delivery, event, tries }: Parts): z.output<typeof deliveryShown> {
  return {
    uuid: delivery.uuid,
    event: { id: event.uuid, type: event.type },
    status: delivery.status,
    next_try_at: delivery.nextTryAt ?? null,
    tries: tries.map(one => ({
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
