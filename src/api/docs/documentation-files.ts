import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'

/** Reads a file of the documentation, by its path: `/docs/en/charges`. Each is rendered or read once, when it is first served. */
export type DocumentationFiles = Map<string, () => string | Buffer>

/** Returns a function that renders or reads a file of the documentation at its first call, and keeps it. */
export function once(read: () => string | Buffer): () => string | Buffer {
  let content: string | Buffer | undefined
  return () => {
    content ??= read()
    return content
  }
}

/** The folder that `npm run build` writes; next to the sources there is none. */
export const DOCUMENTATION_FOLDER = join(import.meta.dirname, '../../documentation')

/** Writes every file into a folder, of which `readDocumentation` reads it. A page has the extension `.html` there. */
export function writeDocumentation(files: DocumentationFiles, folder = DOCUMENTATION_FOLDER): void {
  for (const [path, read] of files) {
    const file = join(folder, extname(path) === '' ? `${path}.html` : path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, read())
  }
}

/** Lists the files of a folder that `writeDocumentation` wrote. */
export function readDocumentation(folder: string): DocumentationFiles {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return new Map(
    files.map(({ parentPath, name }) => {
      const file = join(parentPath, name)
      return [`/${relative(folder, file).replace(/\.html$/, '')}`, once(() => readFileSync(file))]
    }),
  )
}
