import { z } from 'zod'
import type { Event } from '../../db/entities/webhook.ts'
import { EVENT_TYPES } from '../../domain/webhooks/webhook.ts'
import {
  dataResponse,
  day,
  instantSchema,
  namesQuery,
  pageQueryFields,
  pageResponse,
  uuidSchema,
} from '../shared/fields.ts'

/** SPEC §8: an event as endpoints get it and as `GET /events` shows it; the two are one. */

export const eventSchema = z
  .object({
    id: uuidSchema.meta({ description: 'The `webhook-id` of every try' }),
    type: z.enum(EVENT_TYPES),
    timestamp: instantSchema,
    data: z.record(z.string(), z.unknown()).meta({
      description:
        'The resource as its GET showed it when this happened, and `sequence`, which counts its events',
    }),
  })
  .meta({ id: 'Event' })

export const eventResponse = dataResponse(eventSchema)
export const eventPage = pageResponse(eventSchema)

export const eventsQuery = z.strictObject({
  type: namesQuery(EVENT_TYPES).optional(),
  date_from: day.optional(),
  date_to: day.optional(),
  ...pageQueryFields,
})
export type EventsQuery = z.output<typeof eventsQuery>

/** An event as far as it is shown. */
export type VisibleEvent = Pick<Event, 'uuid' | 'type' | 'createdAt' | 'body'>

type AttemptsField = { attempts?: { provider: string; code: string }[] }
type EventResourceBody = AttemptsField & {
  error?: AttemptsField & { code: string; provider?: string; provider_code?: string }
}

/**
 * A resource as one connection's part of it shows it: of all attempts that one's, and its own reasons only. `place` is
 * where it was tried among them.
 */
export function redactBodyForConnection(
  place: number | undefined,
  body: Record<string, unknown>,
): Record<string, unknown> {
  const { attempts, error } = body as EventResourceBody
  const seen = (tried: AttemptsField['attempts']) =>
    tried && { attempts: tried.filter((_, index) => index === place) }
  if (!error) return { ...body, ...seen(attempts) }
  const { provider, provider_code, ...reason } = error
  const shown = { ...reason, ...seen(error.attempts) }
  const named = provider === undefined || isErrorOfAttempt(shown.attempts ?? [], { ...error, provider })
  return { ...body, ...seen(attempts), error: named ? { ...error, ...shown } : shown }
}

/** Whether a failure is the word of one of these attempts: two connections may be of one provider. */
export function isErrorOfAttempt(
  attempts: { provider: string; code: string }[],
  { provider, code }: { provider: string; code: string },
): boolean {
  return attempts.some(attempt => attempt.provider === provider && attempt.code === code)
}

export function showEvent(event: VisibleEvent): z.output<typeof eventSchema> {
  return { id: event.uuid, type: event.type, timestamp: event.createdAt, data: event.body }
}
