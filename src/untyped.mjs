// @ts-check
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Takes the types off our programs ahead. Node does so as it loads them, by a compiler that it then holds for as long as the
 * process lives: some 20 MB in an API and in a worker. `--import` of this file loads what a process of its own has left in
 * `node_modules/.cache`; run as a program it is that process. Where nothing can be left there, Node does it as ever.
 */

const SOURCES = new URL('.', import.meta.url)
const KEPT = new URL('../node_modules/.cache/trilho-untyped/', import.meta.url)

if (import.meta.main) takeAllTypesOff()
else registerHooks({ load })

/** @type {import('node:module').LoadHookSync} */
function load(url, context, next) {
  if (!url.startsWith(SOURCES.href) || !url.endsWith('.ts')) return next(url, context)
  const place = placeOf(readFileSync(new URL(url), 'utf8'))
  if (!existsSync(place)) askForAll()
  if (!existsSync(place)) return next(url, context)
  return { format: 'module', source: readFileSync(place), shortCircuit: true }
}

let isAsked = false

/** Once at most: what is not there then is not to be had. */
function askForAll() {
  if (isAsked) return
  isAsked = true
  const own = fileURLToPath(import.meta.url)
  spawnSync(process.execPath, [own], { stdio: 'ignore', env: { ...process.env, NODE_OPTIONS: '' } })
}

function takeAllTypesOff() {
  mkdirSync(KEPT, { recursive: true })
  for (const file of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.d.ts')) continue
    const source = readFileSync(new URL(file, SOURCES), 'utf8')
    const place = placeOf(source)
    if (existsSync(place)) continue
    const unready = new URL(`${place.href}.${process.pid}`)
    // On the disk before it has its name: whoever reads it finds all of it or nothing, after a loss of power too.
    writeFileSync(unready, stripTypeScriptTypes(source), { flush: true })
    renameSync(unready, place)
  }
}

/**
 * By all that it is made of, so that nothing there is ever out of date.
 * @param {string} source
 */
function placeOf(source) {
  return new URL(`${hash('sha256', `${process.version} ${source}`)}.js`, KEPT)
}
