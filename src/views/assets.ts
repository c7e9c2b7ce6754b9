import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type Router from '@koa/router'

/** URLs of assets by their names. */
export type AssetUrls = Record<string, string>

/** Logo and style sheets of every page, in the order of their application. */
export const SHARED_ASSETS = {
  'rail.svg': join(import.meta.dirname, 'assets/rail.svg'),
  'pico.css': '@picocss/pico/css/pico.min.css',
  'trilho.css': join(import.meta.dirname, 'assets/trilho.css'),
}

/**
 * Serves files, each an absolute path or a file of a package, below a path of the router. Their URLs contain a hash of
 * the content, so browsers may cache them.
 */
export function serveAssets(router: Router, path: string, files: Record<string, string>): AssetUrls {
  const { resolve } = createRequire(import.meta.url)
  const urls: AssetUrls = {}
  for (const [name, file] of Object.entries(files)) {
    const body = readFileSync(resolve(file))
    const compressedBody = gzipSync(body)
    urls[name] = `${path}/${createHash('sha256').update(body).digest('hex').slice(0, 16)}/${name}`
    router.get(urls[name], ctx => {
      const isCompressed = ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
      ctx.set({ 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' })
      if (isCompressed) ctx.set('Content-Encoding', 'gzip')
      ctx.type = extname(name)
      ctx.body = isCompressed ? compressedBody : body
    })
  }
  return urls
}
