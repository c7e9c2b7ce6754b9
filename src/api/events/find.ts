import { type EventsQuery, redactBodyForConnection, type VisibleEvent } from '../../contract/events/event.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Event, Webhook } from '../../db/entities/webhook.ts'
import { findAttemptPositions } from '../../db/repositories/attempts.ts'
import { NO_CONNECTION, readListCounter } from '../../db/repositories/list-counters.ts'
import { formatTextArray } from '../../db/sql-conditions.ts'
import { EVENT_TYPES, eventRetentionStartOf } from '../../domain/webhooks/webhook.ts'
import { connectionScopeOf } from '../authorization/scope.ts'
import { fail } from '../http/api-error.ts'
import { buildDayRange, buildListPage, newestFirstOptions } from '../http/pagination.ts'
import type { CallerToken } from '../middleware/authenticate.ts'

/** One page of the events that a token sees, newest first. */
export async function listEvents(em: EntityManager, token: CallerToken, query: EventsQuery) {
  const sight = await readEventScope(em, token)
  const [rows, total] = await Promise.all([
    em.find(Event, buildEventFilter(sight, query), newestFirstOptions(query)),
    countEvents(em, sight, query),
  ])
  return buildListPage({ ...query, total, rows: await redactEventsForToken(em, token, rows) })
}

/** An event that a token sees, or 404. */
export async function requireVisibleEvent(
  em: EntityManager,
  token: CallerToken,
  uuid: string,
): Promise<VisibleEvent> {
  const sight = await readEventScope(em, token)
  const event = await em.findOne(Event, { $and: [{ uuid }, buildEventVisibilityFilter(sight)] })
  const [seen] = await redactEventsForToken(em, token, [event ?? fail('not_found')])
  return seen!
}

/** Of what others tried before its own provider, a bound token is told nothing here either (SPEC §9). */
async function redactEventsForToken(
  em: EntityManager,
  { connectionUuid }: CallerToken,
  events: Event[],
): Promise<VisibleEvent[]> {
  if (connectionUuid === null) return events
  const subjects = events.map(event => event.subjectUuid)
  const places = await findAttemptPositions(em, { connectionUuid, subjects })
  return events.map(({ uuid, type, createdAt, body, subjectUuid }) => ({
    ...{ uuid, type, createdAt },
    body: redactBodyForConnection(places.get(subjectUuid), body),
  }))
}

/** The connections whose events a token sees, and the endpoints of the other mode, whose tests it does not. */
type EventScope = {
  token: CallerToken
  connections: Pick<Connection, 'uuid'>[]
  hiddenWebhookUuids: string[]
}

async function readEventScope(em: EntityManager, token: CallerToken): Promise<EventScope> {
  const { accountUuid, modeScope: reaches } = token
  const theirs = { accountUuid, ...connectionScopeOf(token) }
  const tested = { accountUuid, mode: reaches === 'live' ? 'test' : 'live', sequence: { $gt: 0 } } as const
  const [carriers, others] = await Promise.all([
    em.find(Connection, theirs, { fields: ['uuid'] }),
    reaches ? em.find(Webhook, tested, { fields: ['uuid'] }) : [],
  ])
  return { token, connections: carriers, hiddenWebhookUuids: others.map(({ uuid }) => uuid) }
}

/** Not forgotten, and carried by one of these, or by none where the token is bound to none. */
function buildEventVisibilityFilter({
  token: { accountUuid, connectionUuid },
  connections: carriers,
  hiddenWebhookUuids: unseen,
}: EventScope) {
  const theirs = { connectionUuid: { $in: carriers.map(({ uuid }) => uuid) } }
  const nobodys = { connectionUuid: null, subjectUuid: { $nin: unseen } }
  return {
    accountUuid,
    createdAt: { $gte: eventRetentionStartOf(new Date()) },
    ...(connectionUuid === null ? { $or: [theirs, nobodys] } : theirs),
  }
}

/** What is visible, as far as it is asked for. */
function buildEventFilter(sight: EventScope, { type, date_from, date_to }: EventsQuery) {
  const created = buildDayRange(date_from, date_to)
  return {
    $and: [
      buildEventVisibilityFilter(sight),
      { ...(type && { type: { $in: type } }), ...(created && { createdAt: created }) },
    ],
  }
}

/** The same, counted: tests, which tallies do not tell apart by endpoint and which are few, one by one. */
async function countEvents(em: EntityManager, sight: EventScope, query: EventsQuery): Promise<number> {
  const { type: types = EVENT_TYPES } = query
  const tallied = types.filter(type => type !== 'TEST')
  const [ofThem, tests] = await Promise.all([
    tallied.length > 0 ? readEventCounters(em, sight, { ...query, type: tallied }) : 0,
    types.includes('TEST') ? em.count(Event, buildEventFilter(sight, { ...query, type: ['TEST'] })) : 0,
  ])
  return ofThem + tests
}

function readEventCounters(
  em: EntityManager,
  { token, connections: carriers }: EventScope,
  query: EventsQuery,
): Promise<number> {
  const keptFrom = eventRetentionStartOf(new Date()).toISOString().slice(0, 10)
  const { date_from = keptFrom, date_to, type = [] } = query
  const uuids = carriers.map(({ uuid }) => uuid)
  return readListCounter(em, {
    noun: 'event',
    conditions: [
      ['account_uuid = ?', token.accountUuid],
      [
        'connection_uuid = any(?::uuid[])',
        formatTextArray(token.connectionUuid === null ? [...uuids, NO_CONNECTION] : uuids),
      ],
    ],
    states: type,
    createdFrom: date_from > keptFrom ? date_from : keptFrom,
    createdTo: date_to,
  })
}
