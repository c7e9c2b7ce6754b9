import { Connection } from '../../db/entities/connection.ts'
import { Event } from '../../db/entities/webhook.ts'
import type { EntityManager } from '../../db/orm.ts'
import { EVENTS_KEPT_MS } from '../../domain/webhook.ts'
import type { EventsQuery } from '../../wire/event.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'
import { daysBetween, newestFirst, pageOf } from '../pagination.ts'

/** One page of the events that a token sees, newest first. */
export async function listEvents(em: EntityManager, token: Token, query: EventsQuery) {
  const created = daysBetween(query.date_from, query.date_to)
  const [rows, total] = await em.findAndCount(
    Event,
    {
      $and: [
        await visibleTo(em, token),
        { ...(query.type && { type: { $in: query.type } }), ...(created && { createdAt: created }) },
      ],
    },
    newestFirst(query),
  )
  return pageOf({ ...query, total, rows })
}

/** An event that a token sees, or 404. */
export async function eventOf(em: EntityManager, token: Token, uuid: string): Promise<Event> {
  const event = await em.findOne(Event, { $and: [{ uuid }, await visibleTo(em, token)] })
  return event ?? refuse('not_found')
}

/** Younger than thirty days, of the token's mode, and of its provider where it is bound to one. */
async function visibleTo(em: EntityManager, { accountUuid, connectionUuid, reaches }: Token) {
  const connections = await em.find(
    Connection,
    {
      accountUuid,
      ...(reaches && { isSimulated: reaches === 'test' }),
      ...(connectionUuid !== null && { uuid: connectionUuid }),
    },
    { fields: ['uuid'] },
  )
  const theirs = { connectionUuid: { $in: connections.map(connection => connection.uuid) } }
  return {
    accountUuid,
    createdAt: { $gt: new Date(Date.now() - EVENTS_KEPT_MS) },
    ...(connectionUuid === null ? { $or: [theirs, { connectionUuid: null }] } : theirs),
  }
}
