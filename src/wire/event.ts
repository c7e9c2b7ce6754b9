import { z } from 'zod'
import type { Event } from '../db/entities/webhook.ts'
import { EVENT_TYPES } from '../domain/webhook.ts'
import { day, instant, namesQuery, one, page, pageQuery, uuid } from './common.ts'

/** SPEC §8: an event as endpoints get it and as `GET /events` shows it; the two are one. */

export const eventShown = z
  .object({
    id: uuid.meta({ description: 'The `webhook-id` of every try' }),
    type: z.enum(EVENT_TYPES),
    timestamp: instant,
    data: z.record(z.string(), z.unknown()).meta({
      description:
        'The resource as its GET showed it when this happened, and `sequence`, which counts its events',
    }),
  })
  .meta({ id: 'Event' })

export const eventAnswer = one(eventShown)
export const eventPage = page(eventShown)

export const eventsQuery = z.strictObject({
  type: namesQuery(EVENT_TYPES).optional(),
  date_from: day.optional(),
  date_to: day.optional(),
  ...pageQuery,
})
export type EventsQuery = z.output<typeof eventsQuery>

export function showEvent(event: Event): z.output<typeof eventShown> {
  return { id: event.uuid, type: event.type, timestamp: event.createdAt, data: event.body }
}
