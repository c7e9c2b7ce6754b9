import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import type { WorkflowBundleOption } from '@temporalio/worker'

/** Far more than the program is (2 MB). */
const MAX_BUNDLE_BYTES = 64 * 2 ** 20

/** Whether the workflows of a bundle are traced. */
type WorkflowBundleKind = 'plain' | 'traced'

/** Path of the bundle that `npm run build` makes ahead. */
export function bundlePathOf(kind: WorkflowBundleKind): string {
  return join(import.meta.dirname, `workflows-${kind}.cjs`)
}

/** Returns the bundle of all workflows that was made ahead; where there is none, as next to the sources, a cached one. */
export async function loadWorkflowBundle(kind: WorkflowBundleKind): Promise<WorkflowBundleOption> {
  const codePath = bundlePathOf(kind)
  if (existsSync(codePath)) return { codePath }
  return cacheWorkflowBundle({ name: kind, build: () => bundleWorkflows(kind) })
}

/**
 * Bundles all workflows in a separate process, because the bundler takes some 250 MB that the worker would hold until it
 * ends.
 */
export async function bundleWorkflows(kind: WorkflowBundleKind): Promise<string> {
  const program = join(import.meta.dirname, `print-bundle${extname(import.meta.filename)}`)
  const options = { maxBuffer: MAX_BUNDLE_BYTES }
  return (await promisify(execFile)(process.execPath, [program, kind], options)).stdout
}

const SOURCE_FOLDER = join(import.meta.dirname, '../..')
const ROOT = join(SOURCE_FOLDER, '..')
const CACHE_FOLDER = join(ROOT, 'node_modules/.cache/trilho')

/** The folders of which a bundle is built: those whose code may be in it (test/architecture), and its plugins. */
const BUNDLED_FOLDERS = ['workflows', 'domain', 'activities', 'tracing']

/** A bundle of all workflows by its name, with the files besides the sources of which it is built. */
type CachedBundle = { name: string; moreFiles?: string[]; build: () => Promise<string> }

/**
 * Returns a bundle of the present sources and packages, which is built once for each state of them: that takes a fifth of
 * what the start of a whole Trilho takes. Where nothing can be written, it is built each time.
 */
export async function cacheWorkflowBundle({
  name,
  moreFiles = [],
  build,
}: CachedBundle): Promise<WorkflowBundleOption> {
  const codePath = join(CACHE_FOLDER, `workflows-${name}-${await fingerprintSources(moreFiles)}.cjs`)
  if (existsSync(codePath)) return { codePath }
  const code = await build()
  const isWritten = await writeWhole(codePath, code).then(
    () => true,
    () => false,
  )
  return isWritten ? { codePath } : { code }
}

/** A concurrent process may write the same file: each renames a complete one into place. */
async function writeWhole(path: string, text: string): Promise<void> {
  const temporaryPath = `${path}.${process.pid}`
  await mkdir(CACHE_FOLDER, { recursive: true })
  await writeFile(temporaryPath, text)
  await rename(temporaryPath, path)
}

async function fingerprintSources(moreFiles: string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of [join(ROOT, 'package-lock.json'), ...moreFiles]) hash.update(await readFile(file))
  for (const folder of BUNDLED_FOLDERS) {
    const files = await readdir(join(SOURCE_FOLDER, folder), { recursive: true })
    for (const file of files.filter(name => /\.[jt]s$/.test(name)).sort())
      hash.update(file).update(await readFile(join(SOURCE_FOLDER, folder, file)))
  }
  return hash.digest('hex').slice(0, 16)
}
