import { Connection } from '../../db/entities/connection.ts'
import { Event } from '../../db/entities/webhook.ts'
import type { EntityManager } from '../../db/orm.ts'
import { countTallied, NO_CONNECTION } from '../../db/tallies.ts'
import { textArray } from '../../db/where.ts'
import { eventsKeptSince } from '../../domain/webhook.ts'
import { bodyFor, type EventsQuery, type ShownEvent } from '../../wire/event.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'
import { daysBetween, newestFirst, pageOf } from '../pagination.ts'
import { connectionsSeenBy } from '../visible.ts'

/** One page of the events that a token sees, newest first. */
export async function listEvents(em: EntityManager, token: Token, query: EventsQuery) {
  const carriers = await carriersFor(em, token)
  const created = daysBetween(query.date_from, query.date_to)
  const type = query.type && { type: { $in: query.type } }
  const [rows, total] = await Promise.all([
    em.find(
      Event,
      { $and: [visible(token, carriers), { ...type, ...(created && { createdAt: created }) }] },
      newestFirst(query),
    ),
    countOf(em, { token, carriers, query }),
  ])
  return pageOf({ ...query, total, rows: rows.map(event => asSeenBy(token, carriers, event)) })
}

/** An event that a token sees, or 404. */
export async function eventOf(em: EntityManager, token: Token, uuid: string): Promise<ShownEvent> {
  const carriers = await carriersFor(em, token)
  const event = await em.findOne(Event, { $and: [{ uuid }, visible(token, carriers)] })
  return asSeenBy(token, carriers, event ?? refuse('not_found'))
}

/** Of what others tried before its own provider, a bound token is told nothing here either (SPEC §9). */
function asSeenBy({ connectionUuid }: Token, [own]: Carrier[], event: Event): ShownEvent {
  const { uuid, type, createdAt, body } = event
  return connectionUuid === null || !own
    ? event
    : { uuid, type, createdAt, body: bodyFor(own.provider, body) }
}

type Carrier = Pick<Connection, 'uuid' | 'provider'>

/** The connections whose events a token sees. */
function carriersFor(em: EntityManager, token: Token): Promise<Carrier[]> {
  const theirs = { accountUuid: token.accountUuid, ...connectionsSeenBy(token) }
  return em.find(Connection, theirs, { fields: ['uuid', 'provider'] })
}

/** Not forgotten, and carried by one of these, or by none where the token is bound to none. */
function visible({ accountUuid, connectionUuid }: Token, carriers: Carrier[]) {
  const theirs = { connectionUuid: { $in: carriers.map(({ uuid }) => uuid) } }
  return {
    accountUuid,
    createdAt: { $gte: eventsKeptSince(new Date()) },
    ...(connectionUuid === null ? { $or: [theirs, { connectionUuid: null }] } : theirs),
  }
}

type Asked = { token: Token; carriers: Carrier[]; query: EventsQuery }

/** The same, counted. */
function countOf(em: EntityManager, { token, carriers, query }: Asked): Promise<number> {
  const keptFrom = eventsKeptSince(new Date()).toISOString().slice(0, 10)
  const { date_from = keptFrom, date_to, type = [] } = query
  const uuids = carriers.map(({ uuid }) => uuid)
  return countTallied(em, {
    noun: 'event',
    of: [
      ['account_uuid = ?', token.accountUuid],
      [
        'connection_uuid = any(?::uuid[])',
        textArray(token.connectionUuid === null ? [...uuids, NO_CONNECTION] : uuids),
      ],
    ],
    states: type,
    createdFrom: date_from > keptFrom ? date_from : keptFrom,
    createdTo: date_to,
  })
}
