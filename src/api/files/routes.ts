import { z } from 'zod'
import { attachmentTypeOf } from '../../domain/disputes/attachment.ts'
import { fail } from '../../http/api-error.ts'
import { FILES_PATH } from '../../storage/file-links.ts'
import { buildContentDisposition } from '../../storage/storage.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'

const pathSegment = z.string().regex(/^[\w-]+(\.\w+)?$/)

/** Registers the route of files by signed links: the signature is the permission, so no token is required. */
export const fileRoutes: RouteRegistrar = (router, { storage }) => {
  registerRoute(router, 'get', `${FILES_PATH}/:noun/:owner/:file`, {
    operationId: null,
    summary: 'Read a file by its link',
    tokens: 'none',
    params: z.object({ noun: pathSegment, owner: pathSegment, file: pathSegment }),
    query: z.object({ expires: z.string().default(''), signature: z.string().default('') }),
    responses: { 200: 'application/octet-stream', errors: ['link_expired'] },
    async handle({ params: { noun, owner, file }, query }) {
      const key = `${noun}/${owner}/${file}`
      if (!storage.links.isValid({ key, ...query, nowMs: Date.now() })) fail('link_expired')
      const { stream, sizeBytes } = (await storage.openFile(key)) ?? fail('not_found')
      return {
        body: stream,
        headers: {
          'Content-Type': attachmentTypeOf(key) ?? 'application/octet-stream',
          'Content-Length': String(sizeBytes),
          'Content-Disposition': buildContentDisposition(key),
          'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
          'Cache-Control': 'private, no-store',
        },
      }
    },
  })
}
