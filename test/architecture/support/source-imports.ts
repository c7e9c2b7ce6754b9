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
/** The texts of the source files by their paths from the root. */
export const SOURCES: ReadonlyMap<string, string> = new Map(
  await Promise.all(
    SOURCE_FILES.map(async file => [file, await readFile(join(ROOT, file), 'utf8')] as const),
  ),
)
export const SYNTAX: ParseOptions = { syntax: 'typescript', target: 'es2023' }

/** `from` and `to`: a file of ours by its path under src, or from packages on, without the ending; a package or built-in by its name. */
export type SourceImport = { from: string; to: string; isType: boolean }

/** The names of the files that start processes: they compose all others, and may import any of them. */
export const COMPOSITION_ROOTS = /^(packages\/dev\/|cli\/|cli$|worker$|server$|build$|offline-routes$)/

/** Reads the imports of all source files, which are parsed for it. */
export async function readSourceImports(): Promise<SourceImport[]> {
  return (await Promise.all([...SOURCES].map(([file, text]) => importsOf(file, text)))).flat()
}

/** Every import, export-from, import() and import type of a file. */
export async function importsOf(file: string, text: string): Promise<SourceImport[]> {
  const from = nameOf(file)
  return nodesOf(await parse(text, SYNTAX)).flatMap(node => {
    const { source, isType } = importedBy(node) ?? {}
    return source === undefined ? [] : [{ from, to: resolved(file, source), isType: isType === true }]
  })
}

type Node = Record<string, unknown> & { type: string }

/** Lists the nodes of a syntax tree in the order of the source, each before what it contains. */
export function nodesOf(tree: unknown): Node[] {
  const found: Node[] = []
  const visit = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return
    if ('type' in node && typeof node.type === 'string') found.push(node as Node)
    for (const child of Object.values(node)) visit(child)
  }
  visit(tree)
  return found
}

function importedBy(node: Node): { source: string; isType: boolean } | null {
  const { type, source, specifiers, typeOnly, callee, argument } = node as Node & {
    source?: { value: string } | null
    specifiers?: { isTypeOnly?: boolean }[]
    callee?: { type: string }
    argument?: { value: string }
  }
  if (source && /^(Import|Export)/.test(type)) {
    const all = specifiers ?? []
    const isType = typeOnly === true || (all.length > 0 && all.every(one => one.isTypeOnly === true))
    return { source: source.value, isType }
  }
  if (type === 'TsImportType' && argument) return { source: argument.value, isType: true }
  if (type !== 'CallExpression' || callee?.type !== 'Import') return null
  const [path] = node.arguments as { expression: { value?: string } }[]
  // A path that is made while running is a program's own business: only packages/dev does that.
  return { source: path?.expression.value ?? 'node:module', isType: false }
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
