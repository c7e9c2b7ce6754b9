import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { sha256 } from '../../security/sealing.ts'

export type Asset = { name: string; type: string; body: Buffer; path: string }

/** Loads the pages' style sheets and scripts. Their URLs contain a hash of the content, so browsers may cache them. */
export function loadAssets(): Asset[] {
  const packages = createRequire(import.meta.url)
  const pathOf = (name: string) => join(import.meta.dirname, '..', 'assets', name)
  return [
    readAsset('pico.css', packages.resolve('@picocss/pico/css/pico.min.css')),
    readAsset('htmx.js', packages.resolve('htmx.org/dist/htmx.min.js')),
    readAsset('dashboard.css', pathOf('dashboard.css')),
    readAsset('dashboard.js', pathOf('dashboard.js')),
    readAsset('rail.svg', pathOf('rail.svg')),
  ]
}

const CONTENT_TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

function readAsset(name: string, file: string): Asset {
  const body = readFileSync(file)
  const etag = sha256(body).toString('hex').slice(0, 16)
  return {
    name,
    type: CONTENT_TYPES[name.split('.').at(-1)!]!,
    body,
    path: `/dashboard/assets/${etag}/${name}`,
  }
}
