import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { uuidSchema } from '../../contract/shared/fields.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { ProviderNotification } from '../../db/entities/notice.ts'
import { batchQueries, runQuery } from '../../db/pipeline/query.ts'
import { queryConnectionToCall } from '../../db/repositories/connections.ts'
import {
  type ReceivedNotification,
  storeProviderNotifications,
} from '../../db/repositories/provider-notifications.ts'
import type { NotificationItem } from '../../domain/providers/provider.ts'
import {
  type InboundNotificationSubject,
  queryNotificationSubject,
  routeNotification,
} from '../../provider-notifications/route-notification.ts'
import type { ProviderRegistry } from '../../providers/registry.ts'
import { sha256 } from '../../security/sealing.ts'
import type { WorkflowClientContext } from '../../temporal/workflow-options.ts'
import type { RouteRegistrar } from '../app.ts'
import { fail } from '../http/api-error.ts'
import { registerRoute } from '../http/route.ts'

const acceptedResponse = z.object({ message: z.string() })

/**
 * Where providers tell us that something changed (SPEC §6). A notice is verified, stored as it came and answered; then
 * it is handed to its life, and what cannot be handed over now the sweep hands over later.
 */
export function callbackRoutes(providers: ProviderRegistry): RouteRegistrar {
  return (router, { temporal, config, log }) => {
    const engine: WorkflowClientContext = {
      client: temporal,
      taskQueue: config.temporal.taskQueue,
      timeScale: config.timeScale,
    }

    // Efí appends `/pix` to the URL it was given, and keeps its secret as the part before.
    const paths = [
      '/notices/:connection',
      '/notices/:connection/pix',
      '/notices/:connection/:secret',
      '/notices/:connection/:secret/pix',
    ] as const
    const shape = {
      tokens: 'none',
      params: z.object({ connection: uuidSchema, secret: z.string().max(255).optional() }),
      responses: { 200: acceptedResponse, errors: ['unauthenticated', 'unavailable'] },
    } as const
    for (const path of paths) {
      // A provider may try the address with a GET when it is registered.
      registerRoute(router, {
        ...{ ...shape, method: 'get', path, summary: 'A provider tries the address of its notices' },
        async handle(request) {
          await readCallback(providers, { ...request, body: '' })
          return { body: { message: 'taken' } }
        },
      })
      registerRoute(router, {
        ...{ ...shape, method: 'post', path, summary: 'A notice of a provider', body: 'text' },
        async handle({ em, requestId, ...request }) {
          const { connection, items } = await readCallback(providers, { ...request, em })
          const told = items.map(item => toInboundNotification(item, requestId))
          for (const [notice, about] of await storeNotifications(em, connection, told)) {
            await routeNotification(engine, em, notice, { connection, subject: about }).catch(error =>
              log.warn(
                { request_id: requestId, notice: notice.uuid, type: error?.name },
                'notice left to the sweep',
              ),
            )
          }
          return { body: { message: 'taken' } }
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

/** The connection that a notice is for, and what it tells; one that is not its provider's is refused. */
async function readCallback(providers: ProviderRegistry, { params, body, headers, em }: CallbackRequest) {
  const connection = await runQuery(em, queryConnectionToCall(em, params.connection))
  if (!connection) fail('not_found')
  const read = await providers
    .providerFor(connection)
    .readNotification({ body, headers: toSingleHeaders(headers), secret: params.secret ?? null })
  if (read.kind === 'forged') fail('unauthenticated')
  if (read.kind === 'unreadable') fail('malformed_json')
  if (read.kind === 'no_answer') fail('unavailable', { cause: `provider: ${read.code}` })
  return { connection, items: read.items }
}

/** Keeps what was told, and says whom each that no life has taken is about: one message, as every movement waits for it. */
async function storeNotifications(
  em: EntityManager,
  connection: Connection,
  told: ReceivedNotification[],
): Promise<[ProviderNotification, InboundNotificationSubject][]> {
  if (told.length === 0) return []
  const about = told.map(one => queryNotificationSubject(em, one, connection))
  const [notices, whom] = await runQuery(
    em,
    batchQueries(storeProviderNotifications(em, connection.uuid, told), batchQueries(...about)),
  )
  const place = new Map(told.map(({ digest }, place) => [digest, place]))
  return notices.map(notice => [notice, whom[place.get(notice.digest.toString('hex'))!]!])
}

/** What a provider told, as it is kept. */
function toInboundNotification(
  { raw, kind, reference, endToEnd }: NotificationItem,
  requestId: string,
): ReceivedNotification {
  const digest = sha256(raw).toString('hex')
  return { uuid: randomUUID(), digest, kind, reference, endToEnd, body: raw, requestId }
}

function toSingleHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  )
}
