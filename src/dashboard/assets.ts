import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { sha256 } from '../sealing.ts'

export type Asset = { name: string; type: string; body: Buffer; path: string }

/** What pages are dressed and moved by, all of it served by us; the address names the content, so it may be kept. */
export function openAssets(): Asset[] {
  const packages = createRequire(import.meta.url)
  const own = (name: string) => join(import.meta.dirname, 'assets', name)
  return [
    asset('pico.css', packages.resolve('@picocss/pico/css/pico.min.css')),
    asset('htmx.js', packages.resolve('htmx.org/dist/htmx.min.js')),
    asset('dashboard.css', own('dashboard.css')),
    asset('dashboard.js', own('dashboard.js')),
    asset('rail.svg', own('rail.svg')),
  ]
}

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

function asset(name: string, file: string): Asset {
  const body = readFileSync(file)
  const mark = sha256(body).toString('hex').slice(0, 16)
  return {
    name,
    type: TYPES[name.split('.').at(-1)!]!,
    body,
    path: `/dashboard/assets/${mark}/${name}`,
  }
}
