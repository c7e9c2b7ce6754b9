import { z } from 'zod'
import { attachmentTypeOf } from '../../domain/attachment.ts'
import { FILES_PATH } from '../../storage/links.ts'
import { dispositionOf } from '../../storage/storage.ts'
import type { Routes } from '../app.ts'
import { refuse } from '../errors.ts'
import { route } from '../route.ts'

const segment = z.string().regex(/^[\w-]+(\.\w+)?$/)

/** Where the links to files of the disk lead: the signature is the permission, so no token is asked for. */
export const fileRoutes: Routes = (router, { storage }) => {
  route(router, {
    method: 'get',
    path: `${FILES_PATH}/:noun/:owner/:file`,
    summary: 'Read a file by its link',
    tokens: 'none',
    params: z.object({ noun: segment, owner: segment, file: segment }),
    query: z.object({ expires: z.string().default(''), signature: z.string().default('') }),
    answers: { 200: 'application/octet-stream', errors: ['link_expired'] },
    async handle({ params: { noun, owner, file }, query }) {
      const key = `${noun}/${owner}/${file}`
      if (!storage.links.holds({ key, ...query, nowMs: Date.now() })) refuse('link_expired')
      const { stream, sizeBytes } = (await storage.open(key)) ?? refuse('not_found')
      return {
        body: stream,
        headers: {
          'Content-Type': attachmentTypeOf(key) ?? 'application/octet-stream',
          'Content-Length': String(sizeBytes),
          'Content-Disposition': dispositionOf(key),
          'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
          'Cache-Control': 'private, no-store',
        },
      }
    },
  })
}
