import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { Connection } from '../../db/entities/connection.ts'
import { Notice } from '../../db/entities/notice.ts'
import type { EntityManager } from '../../db/orm.ts'
import type { NoticeItem } from '../../domain/provider.ts'
import { handOver } from '../../engine/notices.ts'
import type { Engine } from '../../engine/start.ts'
import type { ProviderRegistry } from '../../providers/registry.ts'
import { sha256 } from '../../sealing.ts'
import { uuid } from '../../wire/common.ts'
import type { Routes } from '../app.ts'
import { refuse } from '../errors.ts'
import { route } from '../route.ts'

const taken = z.object({ message: z.string() })

/**
 * Where providers tell us that something changed (SPEC §6). A notice is verified, stored as it came and answered; then
 * it is handed to its life, and what cannot be handed over now the sweep hands over later.
 */
export function noticeRoutes(providers: ProviderRegistry): Routes {
  return (router, { temporal, config, sealer, log }) => {
    const engine: Engine = {
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
    for (const path of paths) {
      route(router, {
        method: 'post',
        path,
        summary: 'A notice of a provider',
        tokens: 'none',
        params: z.object({ connection: uuid, secret: z.string().max(255).optional() }),
        body: 'text',
        answers: { 200: taken, errors: ['unauthenticated'] },
        async handle({ params, body, headers, em, requestId }) {
          const connection = await em.findOne(Connection, params.connection, {
            populate: ['sealedCredentials'],
          })
          if (!connection) refuse('not_found')
          const provider = providers.providerFor({
            uuid: connection.uuid,
            dialect: connection.dialect,
            baseUrl: connection.baseUrl,
            credentials: sealer.open(connection.sealedCredentials),
          })
          const read = provider.readNotice({ body, headers: single(headers), secret: params.secret ?? null })
          if (read.kind === 'forged') refuse('unauthenticated')
          if (read.kind === 'unreadable') refuse('malformed_json')
          for (const notice of await store(em, connection, { items: read.items, requestId })) {
            await handOver(engine, em, notice, { connection }).catch(error =>
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

type Items = { items: NoticeItem[]; requestId: string }

/** Keeps each item once; answers those that no life has taken yet, a repeated one included. */
async function store(
  em: EntityManager,
  connection: Connection,
  { items, requestId }: Items,
): Promise<Notice[]> {
  if (items.length === 0) return []
  const rows = items.map(item => ({
    uuid: randomUUID(),
    connectionUuid: connection.uuid,
    digest: sha256(item.raw),
    kind: item.kind,
    reference: item.reference,
    endToEnd: item.endToEnd,
    body: item.raw,
    requestId,
  }))
  await em.upsertMany(Notice, rows, {
    onConflictFields: ['connectionUuid', 'digest'],
    onConflictAction: 'ignore',
  })
  em.clear() // What was upserted knows nothing of the row that was there before.
  return em.find(Notice, {
    connectionUuid: connection.uuid,
    digest: { $in: rows.map(row => row.digest) },
    handedAt: null,
  })
}

function single(headers: Record<string, string | string[] | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  )
}
