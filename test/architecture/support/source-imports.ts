import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ParseOptions, parse } from '@swc/core'

/** The files of `src` and `packages` and what they import, read from their syntax. */

export const ROOT = join(import.meta.dirname, '../../..')
/** The TypeScript files of a folder, by their path from the root. */
async function listSources(folder: string): Promise<string[]> {
  const files = await readdir(join(ROOT, folder), { recursive: true })
  return files.filter(file => file.endsWith('.ts')).map(file => `${folder}/${file}`)
}
export const SOURCE_FILES = (await Promise.all(['src', 'packages'].map(listSources))).flat().sort()
export const SYNTAX: ParseOptions = { syntax: 'typescript', target: 'es2023' }

/** `from` and `to`: a file of ours by its path under src, or from packages on, without the ending; a package or built-in by its name. */
export type SourceImport = { from: string; to: string; isType: boolean }

export async function readSourceImports(): Promise<SourceImport[]> {
  const all = SOURCE_FILES.map(async file => importsOf(file, await readFile(join(ROOT, file), 'utf8')))
  return (await Promise.all(all)).flat()
}

/** Every import, export-from, import() and import type of a file. */
export async function importsOf(file: string, text: string): Promise<SourceImport[]> {
  const from = nameOf(file)
  const found: SourceImport[] = []
  const add = (source: string, isType: boolean) => found.push({ from, to: resolved(file, source), isType })
  visitNode(await parse(text, SYNTAX), add)
  return found
}

type Node = Record<string, unknown>
type Specifier = { isTypeOnly?: boolean }

function visitNode(node: unknown, add: (source: string, isType: boolean) => void): void {
  if (Array.isArray(node)) for (const child of node) visitNode(child, add)
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return
  const { type, source, specifiers, typeOnly, callee, argument } = node as Node & {
    source?: { value: string } | null
    specifiers?: Specifier[]
    callee?: { type: string }
    argument?: { value: string }
  }
  if (source && /^(Import|Export)/.test(String(type))) {
    const all = specifiers ?? []
    add(source.value, typeOnly === true || (all.length > 0 && all.every(one => one.isTypeOnly === true)))
  }
  if (type === 'TsImportType' && argument) add(argument.value, true)
  if (type === 'CallExpression' && callee?.type === 'Import') {
    const [path] = (node as { arguments: { expression: { value?: string } }[] }).arguments
    // A path that is made while running is a program's own business: only packages/dev does that.
    add(path?.expression.value ?? 'node:module', false)
  }
  for (const child of Object.values(node)) visitNode(child, add)
}

/** Ours by its path under src, without the ending; a package or built-in by its name. */
function resolved(file: string, source: string): string {
  if (!source.startsWith('.')) return source
  return nameOf(join(dirname(file), source))
}

/** Tests whether a name is that of a file of ours. */
export function isSource(name: string): boolean {
  return SOURCE_FILES.includes(name.startsWith('packages/') ? `${name}.ts` : `src/${name}.ts`)
}

export function nameOf(file: string): string {
  return file.replace(/^src\//, '').replace(/\.ts$/, '')
}
