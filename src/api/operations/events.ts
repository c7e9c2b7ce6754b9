import { type EventsQuery, redactBodyForConnection, type VisibleEvent } from '../../contract/events/event.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Event, Webhook } from '../../db/entities/webhook.ts'
import { findAttemptPositions } from '../../db/repositories/attempts.ts'
import { NO_CONNECTION, readListCounter } from '../../db/repositories/list-counters.ts'
import { listEventSubjects, listPixSubjects } from '../../db/repositories/related-rows.ts'
import { formatTextArray } from '../../db/sql-conditions.ts'
import { EVENT_TYPES, type EventType, eventRetentionStartOf } from '../../domain/webhooks/webhook.ts'
import { fail } from '../../http/api-error.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibleConnections } from '../authorization/visibility.ts'
import { buildCreationRange, readEntityPage } from './pagination.ts'

/** Lists one page of the events that a token may see, newest first. */
export async function listEvents(em: EntityManager, token: CallerToken, query: EventsQuery) {
  const scope = { ...(await readEventScope(em, token)), subjectUuids: await listSubjects(em, token, query) }
  const { data, meta } = await readEntityPage(em, Event, {
    name: 'event',
    query,
    filter: buildEventFilter(scope, query),
    count: () => countEvents(em, scope, query),
  })
  return { data: await redactEventsForToken(em, token, data), meta }
}

/** Reads an event that a token may see, or fails with 404. */
export async function requireVisibleEvent(
  em: EntityManager,
  token: CallerToken,
  uuid: string,
): Promise<VisibleEvent> {
  const scope = await readEventScope(em, token)
  const event = await em.findOne(Event, { $and: [{ uuid }, buildEventVisibilityFilter(scope)] })
  const [redacted] = await redactEventsForToken(em, token, [event ?? fail('not_found')])
  return redacted!
}

/** Removes the attempts of other providers from events, for provider-scoped tokens (SPEC §9). */
async function redactEventsForToken(em: EntityManager, { connectionUuid }: CallerToken, events: Event[]) {
  if (connectionUuid === null) return events
  const subjects = events.map(event => event.subjectUuid)
  const positions = await findAttemptPositions(em, { connectionUuid, subjects })
  return events.map(({ uuid, type, createdAt, body, subjectUuid }) => ({
    uuid,
    type,
    createdAt,
    body: redactBodyForConnection(positions.get(subjectUuid), body),
  }))
}

/** Lists the subjects of the operation and of the PIX that a query names; undefined where it names neither. */
async function listSubjects(
  em: EntityManager,
  { accountUuid }: CallerToken,
  { operation_uuid, end_to_end: endToEnd }: EventsQuery,
) {
  const ofOperation =
    operation_uuid === undefined
      ? undefined
      : await listEventSubjects(em, { accountUuid, uuid: operation_uuid })
  if (endToEnd === undefined) return ofOperation
  const ofPix = await listPixSubjects(em, { accountUuid, endToEnd })
  return ofOperation ? ofPix.filter(uuid => ofOperation.includes(uuid)) : ofPix
}

/** Connections whose events a token may see, and the webhooks of the other mode, whose TEST events it may not see. */
type EventScope = {
  token: CallerToken
  connections: Pick<Connection, 'uuid'>[]
  hiddenWebhookUuids: string[]
  /** Subjects of the operation and of the PIX that the query names. */
  subjectUuids?: string[] | undefined
}

async function readEventScope(em: EntityManager, token: CallerToken): Promise<EventScope> {
  const { accountUuid, modeScope } = token
  const ofConnections = { accountUuid, ...visibleConnections(token) }
  const tested = { accountUuid, mode: modeScope === 'live' ? 'test' : 'live', sequence: { $gt: 0 } } as const
  const [connections, otherModeWebhooks] = await Promise.all([
    em.find(Connection, ofConnections, { fields: ['uuid'] }),
    modeScope ? em.find(Webhook, tested, { fields: ['uuid'] }) : [],
  ])
  return { token, connections, hiddenWebhookUuids: otherModeWebhooks.map(({ uuid }) => uuid) }
}

/** Events that no token reads that is bound to a provider: a report may be of all providers. */
const UNBOUND_EVENT_TYPES: EventType[] = ['REPORT']

/** Builds the filter of visible events: in the retention period, of a visible connection or, unbound, of none. */
function buildEventVisibilityFilter({
  token: { accountUuid, connectionUuid },
  connections,
  hiddenWebhookUuids,
}: EventScope) {
  const ofConnections = { connectionUuid: { $in: connections.map(({ uuid }) => uuid) } }
  const withoutConnection = { connectionUuid: null, subjectUuid: { $nin: hiddenWebhookUuids } }
  return {
    accountUuid,
    createdAt: { $gte: eventRetentionStartOf(new Date()) },
    ...(connectionUuid === null
      ? { $or: [ofConnections, withoutConnection] }
      : { ...ofConnections, type: { $nin: UNBOUND_EVENT_TYPES } }),
  }
}

function buildEventFilter(scope: EventScope, query: EventsQuery) {
  const { type } = query
  const { subjectUuids } = scope
  const created = buildCreationRange(query)
  return {
    $and: [
      buildEventVisibilityFilter(scope),
      {
        ...(type && { type: { $in: type } }),
        ...(created && { createdAt: created }),
        ...(subjectUuids && { subjectUuid: { $in: subjectUuids } }),
      },
    ],
  }
}

/**
 * Counts the visible events that match the query; those of one operation or PIX in the table. TEST events are counted in the table: the list counters do not
 * separate them by webhook, and they are few.
 */
async function countEvents(em: EntityManager, scope: EventScope, query: EventsQuery): Promise<number> {
  if (scope.subjectUuids) return em.count(Event, buildEventFilter(scope, query))
  const { type: types = EVENT_TYPES } = query
  const isBound = scope.token.connectionUuid !== null
  const countedTotal = types.filter(
    type => type !== 'TEST' && !(isBound && UNBOUND_EVENT_TYPES.includes(type)),
  )
  const [counted, tests] = await Promise.all([
    countedTotal.length > 0 ? readEventCounters(em, scope, { ...query, type: countedTotal }) : 0,
    types.includes('TEST') ? em.count(Event, buildEventFilter(scope, { ...query, type: ['TEST'] })) : 0,
  ])
  return counted + tests
}

function readEventCounters(em: EntityManager, { token, connections }: EventScope, query: EventsQuery) {
  const keptFrom = eventRetentionStartOf(new Date())
  const { $gte = keptFrom, $lt } = buildCreationRange(query) ?? {}
  const uuids = connections.map(({ uuid }) => uuid)
  return readListCounter(em, {
    noun: 'event',
    conditions: [
      ['account_uuid = ?', token.accountUuid],
      [
        'connection_uuid = any(?::uuid[])',
        formatTextArray(token.connectionUuid === null ? [...uuids, NO_CONNECTION] : uuids),
      ],
    ],
    states: query.type ?? [],
    created: { $gte: $gte > keptFrom ? $gte : keptFrom, ...($lt && { $lt }) },
  })
}
