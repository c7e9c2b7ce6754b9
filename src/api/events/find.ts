import { placesThrough } from '../../db/attempts.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Event, Webhook } from '../../db/entities/webhook.ts'
import type { EntityManager } from '../../db/orm.ts'
import { countTallied, NO_CONNECTION } from '../../db/tallies.ts'
import { textArray } from '../../db/where.ts'
import { EVENT_TYPES, eventsKeptSince } from '../../domain/webhook.ts'
import { bodyFor, type EventsQuery, type ShownEvent } from '../../wire/event.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'
import { daysBetween, newestFirst, pageOf } from '../pagination.ts'
import { connectionsSeenBy } from '../visible.ts'

/** One page of the events that a token sees, newest first. */
export async function listEvents(em: EntityManager, token: Token, query: EventsQuery) {
  const sight = await sightOf(em, token)
  const [rows, total] = await Promise.all([
    em.find(Event, asked(sight, query), newestFirst(query)),
    countOf(em, sight, query),
  ])
  return pageOf({ ...query, total, rows: await asSeenBy(em, token, rows) })
}

/** An event that a token sees, or 404. */
export async function eventOf(em: EntityManager, token: Token, uuid: string): Promise<ShownEvent> {
  const sight = await sightOf(em, token)
  const event = await em.findOne(Event, { $and: [{ uuid }, visible(sight)] })
  const [seen] = await asSeenBy(em, token, [event ?? refuse('not_found')])
  return seen!
}

/** Of what others tried before its own provider, a bound token is told nothing here either (SPEC §9). */
async function asSeenBy(
  em: EntityManager,
  { connectionUuid }: Token,
  events: Event[],
): Promise<ShownEvent[]> {
  if (connectionUuid === null) return events
  const subjects = events.map(event => event.subjectUuid)
  const places = await placesThrough(em, { connectionUuid, subjects })
  return events.map(({ uuid, type, createdAt, body, subjectUuid }) => ({
    ...{ uuid, type, createdAt },
    body: bodyFor(places.get(subjectUuid), body),
  }))
}

/** The connections whose events a token sees, and the endpoints of the other mode, whose tests it does not. */
type Sight = { token: Token; carriers: Pick<Connection, 'uuid'>[]; unseen: string[] }

async function sightOf(em: EntityManager, token: Token): Promise<Sight> {
  const { accountUuid, reaches } = token
  const theirs = { accountUuid, ...connectionsSeenBy(token) }
  const tested = { accountUuid, mode: reaches === 'live' ? 'test' : 'live', sequence: { $gt: 0 } } as const
  const [carriers, others] = await Promise.all([
    em.find(Connection, theirs, { fields: ['uuid'] }),
    reaches ? em.find(Webhook, tested, { fields: ['uuid'] }) : [],
  ])
  return { token, carriers, unseen: others.map(({ uuid }) => uuid) }
}

/** Not forgotten, and carried by one of these, or by none where the token is bound to none. */
function visible({ token: { accountUuid, connectionUuid }, carriers, unseen }: Sight) {
  const theirs = { connectionUuid: { $in: carriers.map(({ uuid }) => uuid) } }
  const nobodys = { connectionUuid: null, subjectUuid: { $nin: unseen } }
  return {
    accountUuid,
    createdAt: { $gte: eventsKeptSince(new Date()) },
    ...(connectionUuid === null ? { $or: [theirs, nobodys] } : theirs),
  }
}

/** What is visible, as far as it is asked for. */
function asked(sight: Sight, { type, date_from, date_to }: EventsQuery) {
  const created = daysBetween(date_from, date_to)
  return {
    $and: [visible(sight), { ...(type && { type: { $in: type } }), ...(created && { createdAt: created }) }],
  }
}

/** The same, counted: tests, which tallies do not tell apart by endpoint and which are few, one by one. */
async function countOf(em: EntityManager, sight: Sight, query: EventsQuery): Promise<number> {
  const { type: types = EVENT_TYPES } = query
  const tallied = types.filter(type => type !== 'TEST')
  const [ofThem, tests] = await Promise.all([
    tallied.length > 0 ? tallyOf(em, sight, { ...query, type: tallied }) : 0,
    types.includes('TEST') ? em.count(Event, asked(sight, { ...query, type: ['TEST'] })) : 0,
  ])
  return ofThem + tests
}

function tallyOf(em: EntityManager, { token, carriers }: Sight, query: EventsQuery): Promise<number> {
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
