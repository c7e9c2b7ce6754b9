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

/** An event as far as it is shown. */
export type ShownEvent = Pick<Event, 'uuid' | 'type' | 'createdAt' | 'body'>

type Tried = { attempts?: { provider: string }[] }
type Told = Tried & { error?: Tried & { provider?: string; provider_code?: string } }

/** A resource as one provider's part of it shows it: of all attempts that one's, and its own reasons only. */
export function bodyFor(own: string, body: Record<string, unknown>): Record<string, unknown> {
  const { attempts, error } = body as Told
  const seen = (tried: Tried['attempts']) => tried && { attempts: tried.filter(one => one.provider === own) }
  if (!error) return { ...body, ...seen(attempts) }
  const { provider, provider_code, ...reason } = error
  const named = provider === undefined || provider === own ? error : reason
  return { ...body, ...seen(attempts), error: { ...named, ...seen(error.attempts) } }
}

export function showEvent(event: ShownEvent): z.output<typeof eventShown> {
  return { id: event.uuid, type: event.type, timestamp: event.createdAt, data: event.body }
}
