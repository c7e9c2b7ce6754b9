import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { connectionToCall } from '../../db/connections.ts'
import { keepNotices, type ToldNotice } from '../../db/notices.ts'
import { ask } from '../../db/questions.ts'
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
          const connection = await ask(em, connectionToCall(em, params.connection))
          if (!connection) refuse('not_found')
          const provider = providers.providerFor(connection)
          const read = provider.readNotice({ body, headers: single(headers), secret: params.secret ?? null })
          if (read.kind === 'forged') refuse('unauthenticated')
          if (read.kind === 'unreadable') refuse('malformed_json')
          const told = read.items.map(item => asTold(item, requestId))
          for (const notice of await keepNotices(em, connection.uuid, told)) {
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
