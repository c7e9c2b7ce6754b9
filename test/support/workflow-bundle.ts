import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker'
import { BUNDLE_OPTIONS } from '../../src/workflows/bundle/bundle-options.ts'

const ROOT = join(import.meta.dirname, '../..')
const SOURCE_FOLDER = join(ROOT, 'src')
const INTERCEPTOR_PATH = join(import.meta.dirname, 'local-activity-timeout.ts')
const CACHE_FOLDER = join(ROOT, 'node_modules/.cache/trilho')

/** The folders whose code may be in it, as test/architecture/architecture.test.ts holds. */
const BUNDLED_FOLDERS = ['workflows', 'domain', 'activities']

/** The real bundle of all workflows, built once for each state of their code: building takes as long as ten tests. */
export async function buildWorkflowBundle(): Promise<WorkflowBundleOption> {
  const codePath = join(CACHE_FOLDER, `workflows-${await fingerprintSources()}.cjs`)
  const isThere = await readFile(codePath).catch(() => null)
  if (!isThere) {
    const { code } = await bundleWorkflowCode({
      ...BUNDLE_OPTIONS,
      workflowInterceptorModules: [...BUNDLE_OPTIONS.workflowInterceptorModules, INTERCEPTOR_PATH],
    })
    await mkdir(CACHE_FOLDER, { recursive: true })
    // A concurrent run may build the same one: each renames a complete file into place.
    const own = `${codePath}.${process.pid}`
    await writeFile(own, code)
    await rename(own, codePath)
  }
  return { codePath }
}

async function fingerprintSources(): Promise<string> {
  const hash = createHash('sha256')
  hash.update(await readFile(join(ROOT, 'package-lock.json'))).update(await readFile(INTERCEPTOR_PATH))
  for (const folder of BUNDLED_FOLDERS) {
    const files = await readdir(join(SOURCE_FOLDER, folder), { recursive: true })
    for (const file of files.filter(name => name.endsWith('.ts')).sort())
      hash.update(file).update(await readFile(join(SOURCE_FOLDER, folder, file)))
  }
  return hash.digest('hex').slice(0, 16)
}
