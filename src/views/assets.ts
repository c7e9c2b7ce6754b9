import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type Router from '@koa/router'
import type { Context } from 'koa'

/** URLs of assets by their names. */
export type AssetUrls = Record<string, string>

/** Logo, icon of the pages as an app, and style sheets of every page, in the order of their application. */
export const SHARED_ASSETS = {
  'rail.svg': join(import.meta.dirname, 'assets/rail.svg'),
  'icon.png': join(import.meta.dirname, 'assets/icon.png'),
  'pico.css': '@picocss/pico/css/pico.min.css',
  'trilho.css': join(import.meta.dirname, 'assets/trilho.css'),
}

/** Compresses an asset; quality 5 of brotli: higher ones save 2 % more, and take far longer. */
const COMPRESS_ASSET = {
  br: (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body: Buffer) => gzipSync(body),
}

/** Serves files, of absolute paths or of packages, or what they would hold, below a path of the router. Their URLs contain a hash of the content, so browsers may cache them. */
export function serveAssets(router: Router, path: string, files: Record<string, string | Buffer>): AssetUrls {
  const { resolve } = createRequire(import.meta.url)
  const urls: AssetUrls = {}
  for (const [name, file] of Object.entries(files)) {
    const body = typeof file === 'string' ? readFileSync(resolve(file)) : file
    const compressed: { br?: Buffer; gzip?: Buffer } = {}
    urls[name] = `${path}/${createHash('sha256').update(body).digest('hex').slice(0, 16)}/${name}`
    router.get(urls[name], ctx => {
      const encoding = chooseEncoding(ctx)
      ctx.set({ 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' })
      ctx.type = extname(name)
      ctx.body = body
      if (!encoding) return
      // Once per process and encoding, when a client first accepts it.
      compressed[encoding] ??= COMPRESS_ASSET[encoding](body)
      ctx.set('Content-Encoding', encoding)
      ctx.body = compressed[encoding]
    })
  }
  return urls
}

/** Chooses the encoding of a response: the first of ours that the client accepts; undefined for the plain body. */
export function chooseEncoding(ctx: Context): 'br' | 'gzip' | undefined {
  return (['br', 'gzip'] as const).find(encoding => ctx.acceptsEncodings(encoding) === encoding)
}
