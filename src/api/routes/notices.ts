import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { connectionToCall } from '../../db/connections.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { Notice } from '../../db/entities/notice.ts'
import { noticesKept, type ToldNotice } from '../../db/notices.ts'
import type { EntityManager } from '../../db/orm.ts'
import { all, ask } from '../../db/questions.ts'
import type { NoticeItem } from '../../domain/provider.ts'
import { type About, aboutWhom, handOver } from '../../engine/notices.ts'
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
  return (router, { temporal, config, log }) => {
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
    const shape = {
      tokens: 'none',
      params: z.object({ connection: uuid, secret: z.string().max(255).optional() }),
      answers: { 200: taken, errors: ['unauthenticated', 'unavailable'] },
    } as const
    for (const path of paths) {
      // A provider may try the address with a GET when it is registered.
      route(router, {
        ...{ ...shape, method: 'get', path, summary: 'A provider tries the address of its notices' },
        async handle(request) {
          await readBy(providers, { ...request, body: '' })
          return { body: { message: 'taken' } }
        },
      })
      route(router, {
        ...{ ...shape, method: 'post', path, summary: 'A notice of a provider', body: 'text' },
        async handle({ em, requestId, ...request }) {
          const { connection, items } = await readBy(providers, { ...request, em })
          const told = items.map(item => asTold(item, requestId))
          for (const [notice, about] of await kept(em, connection, told)) {
            await handOver(engine, em, notice, { connection, about }).catch(error =>
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

type Received = {
  params: { connection: string; secret?: string | undefined }
  body: string
  headers: Record<string, string | string[] | undefined>
  em: EntityManager
}

/** The connection that a notice is for, and what it tells; one that is not its provider's is refused. */
async function readBy(providers: ProviderRegistry, { params, body, headers, em }: Received) {
  const connection = await ask(em, connectionToCall(em, params.connection))
  if (!connection) refuse('not_found')
  const read = await providers
    .providerFor(connection)
    .readNotice({ body, headers: single(headers), secret: params.secret ?? null })
  if (read.kind === 'forged') refuse('unauthenticated')
  if (read.kind === 'unreadable') refuse('malformed_json')
  if (read.kind === 'no_answer') refuse('unavailable', { cause: `provider: ${read.code}` })
  return { connection, items: read.items }
}

/** Keeps what was told, and says whom each that no life has taken is about: one message, as every movement waits for it. */
async function kept(
  em: EntityManager,
  connection: Connection,
  told: ToldNotice[],
): Promise<[Notice, About][]> {
  if (told.length === 0) return []
  const about = told.map(one => aboutWhom(em, one, connection))
  const [notices, whom] = await ask(em, all(noticesKept(em, connection.uuid, told), all(...about)))
  const place = new Map(told.map(({ digest }, place) => [digest, place]))
  return notices.map(notice => [notice, whom[place.get(notice.digest.toString('hex'))!]!])
}

/** What a provider told, as it is kept. */
function asTold({ raw, kind, reference, endToEnd }: NoticeItem, requestId: string): ToldNotice {
  const digest = sha256(raw).toString('hex')
  return { uuid: randomUUID(), digest, kind, reference, endToEnd, body: raw, requestId }
}

function single(headers: Record<string, string | string[] | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  )
}
