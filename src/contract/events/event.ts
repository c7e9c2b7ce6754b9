import { z } from 'zod'
import type { Event } from '../../db/entities/webhook.ts'
import { EVENT_TYPES } from '../../domain/webhooks/webhook.ts'
import {
  dayQueryFields,
  endToEndQuery,
  instantSchema,
  namesQuery,
  pageQueryFields,
  requireDaysInOrder,
  uuidQuery,
  uuidSchema,
} from '../shared/fields.ts'

/** Events (SPEC §8): webhook deliveries and `GET /events` show the same object. */

export const eventSchema = z
  .object({
    id: uuidSchema.meta({ description: 'The `webhook-id` of every delivery attempt' }),
    type: z.enum(EVENT_TYPES),
    timestamp: instantSchema,
    data: z.record(z.string(), z.unknown()).meta({
      description:
        'The resource as its GET showed it when this happened, and `sequence`, which counts its events',
    }),
  })
  .meta({ id: 'Event' })

export const eventsQuery = z
  .strictObject({
    type: namesQuery(EVENT_TYPES, 'Of one of these types'),
    operation_uuid: uuidQuery(
      'Of this charge, transfer, refund, dispute or PIX, and of the refunds and PIX that belong to it',
    ),
    end_to_end: endToEndQuery(
      'Of the PIX with this end-to-end id, and of the charge, transfer, refund and dispute that it belongs to',
    ),
    ...dayQueryFields,
    ...pageQueryFields,
  })
  .superRefine(requireDaysInOrder)
export type EventsQuery = z.output<typeof eventsQuery>

export type VisibleEvent = Pick<Event, 'uuid' | 'type' | 'createdAt' | 'body'>

type AttemptsField = { attempts?: { provider: string; code: string }[] }
type ErrorField = AttemptsField & { code: string; provider?: string; provider_code?: string }
type EventResourceBody = AttemptsField & { error?: ErrorField }

/** Removes what other connections did: keeps the attempt at `position` and only that attempt's error details. */
export function redactBodyForConnection(
  position: number | undefined,
  body: Record<string, unknown>,
): Record<string, unknown> {
  const { attempts, error } = body as EventResourceBody
  return {
    ...body,
    ...filterAttempts(position, attempts),
    ...(error && { error: redactErrorForConnection(position, error) }),
  }
}

/** Removes from an error what other connections did: their attempts, and the name and code of the provider that was one of them. */
export function redactErrorForConnection<E extends ErrorField>(
  position: number | undefined,
  error: E,
): Omit<E, 'provider' | 'provider_code'> {
  const { provider, provider_code, ...reason } = error
  const redacted = { ...reason, ...filterAttempts(position, error.attempts) }
  const isVisible =
    provider === undefined || isErrorOfAttempt(redacted.attempts ?? [], { ...error, provider })
  return isVisible ? { ...error, ...redacted } : redacted
}

function filterAttempts<A>(position: number | undefined, attempts: A[] | undefined) {
  return attempts && { attempts: attempts.filter((_, index) => index === position) }
}

/** Tests whether one of these attempts produced the error: two connections may belong to one provider. */
export function isErrorOfAttempt(
  attempts: { provider: string; code: string }[],
  { provider, code }: { provider: string; code: string },
): boolean {
  return attempts.some(attempt => attempt.provider === provider && attempt.code === code)
}

/** Formats an event as the body of its deliveries, which is signed byte by byte. */
export function formatEventBody(event: VisibleEvent): string {
  return JSON.stringify(z.encode(eventSchema, showEvent(event)))
}

export function showEvent(event: VisibleEvent): z.output<typeof eventSchema> {
  return { id: event.uuid, type: event.type, timestamp: event.createdAt, data: event.body }
}
