import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import type { AssetUrls } from '../../views/assets.ts'
import type { AnyRoute } from '../http/route-definition.ts'

/** Reads a file of the documentation, by its path: `/docs/en/charges`. Each is rendered or read when it is first served. */
export type DocumentationFiles = Map<string, () => string | Buffer>

/** What the documentation is rendered from: all routes of the API, and where the assets of its pages are served. */
export type DocumentationSource = { routes: AnyRoute[]; assets: AssetUrls }

/** The folder that `npm run build` writes; beside the sources there is none. */
const BUILT_FOLDER = join(import.meta.dirname, '../../documentation')

/** Returns the documentation that was built ahead; where there is none, as next to the sources, one that is rendered page by page. */
export async function loadDocumentation(source: DocumentationSource): Promise<DocumentationFiles> {
  if (existsSync(BUILT_FOLDER)) return readDocumentation(BUILT_FOLDER)
  // The renderer and its libraries are loaded only here: a built process serves files.
  const { renderDocumentation } = await import('./render-documentation.ts')
  return renderDocumentation(source)
}

/** Writes every file into a folder, of which `readDocumentation` reads it. A page has the extension `.html` there. */
export function writeDocumentation(files: DocumentationFiles, folder = BUILT_FOLDER): void {
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
      return [`/${relative(folder, file).replace(/\.html$/, '')}`, () => readFileSync(file)]
    }),
  )
}
