import { z } from 'zod'
import { uuidSchema } from '../../contract/shared/fields.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { ProviderNotification } from '../../db/entities/provider-notification.ts'
import { batchQueries, runQuery } from '../../db/pipeline/query.ts'
import { queryConnectionToCall } from '../../db/repositories/connections.ts'
import {
  type ReceivedNotification,
  storeProviderNotifications,
} from '../../db/repositories/provider-notifications.ts'
import type { NotificationItem } from '../../domain/providers/provider.ts'
import { fail } from '../../http/api-error.ts'
import {
  deriveNotificationUuid,
  type InboundNotificationSubject,
  queryNotificationSubject,
  routeNotification,
} from '../../provider-notifications/route-notification.ts'
import type { ProviderRegistry } from '../../providers/registry.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'

const acceptedResponse = z.object({ message: z.string() })

/**
 * Registers the callback routes for provider notifications (SPEC §6). A notification is verified, stored unchanged
 * and answered; then it is routed to its workflow by a signal. The sweep routes those that cannot be routed now.
 */
export function callbackRoutes(providers: ProviderRegistry): RouteRegistrar {
  return (router, { temporal, log }) => {
    // Providers append these to the registered URL, of which our secret is the last segment: the Central Bank's API `/pix`,
    // for recurrences `/rec` and their debits `/cobr`, and for sent payments Sicoob `/lancamento` and Inter `/pix-pagamento`.
    const paths = [
      '/provider-notifications/:connection',
      '/provider-notifications/:connection/pix',
      '/provider-notifications/:connection/:secret',
      '/provider-notifications/:connection/:secret/pix',
      '/provider-notifications/:connection/:secret/lancamento',
      '/provider-notifications/:connection/:secret/pix-pagamento',
      '/provider-notifications/:connection/:secret/rec',
      '/provider-notifications/:connection/:secret/cobr',
    ] as const
    const shape = {
      operationId: null,
      tokens: 'none',
      params: z.object({ connection: uuidSchema, secret: z.string().max(255).optional() }),
      responses: { 200: acceptedResponse, errors: ['unauthenticated', 'unavailable'] },
    } as const
    for (const path of paths) {
      // A provider may send a GET to the address when it is registered.
      registerRoute(router, 'get', path, {
        ...shape,
        summary: 'A provider tests the callback address',
        async handle(request) {
          await readCallback(providers, { ...request, body: '' })
          return { body: { message: 'accepted' } }
        },
      })
      registerRoute(router, 'post', path, {
        ...shape,
        summary: 'A notification of a provider',
        body: 'text',
        async handle({ em, requestId, ...request }) {
          const { connection, items } = await readCallback(providers, { ...request, em })
          const notifications = items.map(item => toInboundNotification(item, { connection, requestId }))
          for (const [notification, subject] of await storeNotifications(em, connection, notifications)) {
            await routeNotification(temporal, em, notification, { connection, subject }).catch(error =>
              log.warn(
                { request_id: requestId, notification: notification.uuid, type: error?.name },
                'provider notification not routed; the sweep routes it',
              ),
            )
          }
          return { body: { message: 'accepted' } }
        },
      })
    }
  }
}

type CallbackRequest = {
  params: { connection: string; secret?: string | undefined }
  body: string
  headers: Record<string, string | string[] | undefined>
  em: EntityManager
}

/**
 * Reads a callback: the connection of its address and the verified notification items. Fails with 401 where the
 * request is not from the connection's provider.
 */
async function readCallback(providers: ProviderRegistry, { params, body, headers, em }: CallbackRequest) {
  const connection = await runQuery(em, queryConnectionToCall(em, params.connection))
  if (!connection) fail('not_found')
  const result = await providers
    .providerFor(connection)
    .readNotification({ body, headers: toSingleHeaders(headers), secret: params.secret ?? null })
  if (result.kind === 'forged') fail('unauthenticated')
  if (result.kind === 'unreadable') fail('malformed_json')
  if (result.kind === 'no_answer') fail('unavailable', { cause: `provider: ${result.code}` })
  return { connection, items: result.items }
}

/**
 * Stores notifications and finds the subject of each one that no workflow has processed. Both go in one round trip to
 * PostgreSQL, because every settlement waits for it.
 */
async function storeNotifications(
  em: EntityManager,
  connection: Connection,
  notifications: ReceivedNotification[],
): Promise<[ProviderNotification, InboundNotificationSubject][]> {
  if (notifications.length === 0) return []
  const subjectQueries = notifications.map(notification =>
    queryNotificationSubject(em, notification, connection),
  )
  const [stored, subjects] = await runQuery(
    em,
    batchQueries(
      storeProviderNotifications(em, connection.uuid, notifications),
      batchQueries(...subjectQueries),
    ),
  )
  const position = new Map(notifications.map(({ uuid }, position) => [uuid, position]))
  return stored.map(notification => [notification, subjects[position.get(notification.uuid)!]!])
}

function toInboundNotification(
  { raw, kind, reference, endToEnd }: NotificationItem,
  { connection, requestId }: { connection: Connection; requestId: string },
): ReceivedNotification {
  const uuid = deriveNotificationUuid(connection.uuid, raw)
  return { uuid, kind, reference, endToEnd, body: raw, requestId }
}

function toSingleHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  )
}
