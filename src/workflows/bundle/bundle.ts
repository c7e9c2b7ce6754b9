import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Far more than the program is (2 MB). */
const MAX_BUNDLE_BYTES = 64 * 2 ** 20

/**
 * Builds the bundle of all workflows, with tracing where the environment sets it. A separate process builds it, because the
 * bundler takes some 250 MB that the worker would hold until it ends.
 */
export async function buildWorkflowBundle(): Promise<{ code: string }> {
  const program = fileURLToPath(new URL('./print-bundle.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [program], { maxBuffer: MAX_BUNDLE_BYTES })
  return { code: stdout }
}
