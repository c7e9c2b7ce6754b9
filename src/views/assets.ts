import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type Router from '@koa/router'
import { chooseEncoding } from './accepted-encoding.ts'

/** An absolute path, or a file of a package; its text may be changed before it is served. */
type AssetFile = string | { file: string; edit: (text: string) => string }
/** URLs of assets by their names. */
export type AssetUrls = Record<string, string>

/** Logo and style sheets of every page, in the order of their application. */
export const SHARED_ASSETS = {
  'rail.svg': join(import.meta.dirname, 'assets/rail.svg'),
  'pico.css': '@picocss/pico/css/pico.min.css',
  'trilho.css': join(import.meta.dirname, 'assets/trilho.css'),
}

/** Compresses an asset; quality 5 of brotli takes 70 ms for redoc.js (1.1 MB), and higher ones save 2 % more. */
const COMPRESS_ASSET = {
  br: (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body: Buffer) => gzipSync(body),
}

/** Serves files below a path of the router. Their URLs contain a hash of the content, so browsers may cache them. */
export function serveAssets(router: Router, path: string, files: Record<string, AssetFile>): AssetUrls {
  const urls: AssetUrls = {}
  for (const [name, file] of Object.entries(files)) {
    const body = readAsset(file)
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

function readAsset(asset: AssetFile): Buffer {
  const { resolve } = createRequire(import.meta.url)
  if (typeof asset === 'string') return readFileSync(resolve(asset))
  return Buffer.from(asset.edit(readFileSync(resolve(asset.file), 'utf8')))
}
