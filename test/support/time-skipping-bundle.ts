import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker'
import { BUNDLING } from '../../src/lives/bundling.ts'

const root = join(import.meta.dirname, '../..')
const src = join(root, 'src')
const patience = join(import.meta.dirname, 'workflow-patience.ts')
const cache = join(root, 'node_modules/.cache/trilho')

/** The folders whose code may be in it, as test/architecture.test.ts holds. */
const folders = ['workflows', 'domain', 'activities', 'lives']

/** The real bundle of all lives, built once for each state of their code: building takes as long as ten stories. */
export async function workflowBundle(): Promise<WorkflowBundleOption> {
  const codePath = join(cache, `workflows-${await fingerprint()}.cjs`)
  const isThere = await readFile(codePath).catch(() => null)
  if (!isThere) {
    const { code } = await bundleWorkflowCode({ ...BUNDLING, workflowInterceptorModules: [patience] })
    await mkdir(cache, { recursive: true })
    // Another run may build the same one now: each renames a whole file into place.
    const own = `${codePath}.${process.pid}`
    await writeFile(own, code)
    await rename(own, codePath)
  }
  return { codePath }
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256')
  hash.update(await readFile(join(root, 'package-lock.json'))).update(await readFile(patience))
  for (const folder of folders) {
    for (const file of (await readdir(join(src, folder))).sort())
      hash.update(file).update(await readFile(join(src, folder, file)))
  }
  return hash.digest('hex').slice(0, 16)
}
