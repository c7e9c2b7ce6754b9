import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Far more than the program is (2 MB). */
const MAX_BUNDLE_BYTES = 64 * 2 ** 20

/**
 * The program of all lives, traced as this environment says. A process of its own makes it, because the bundler takes
 * some 250 MB that a worker would hold for as long as it lives.
 */
export async function buildWorkflowBundle(): Promise<{ code: string }> {
  const program = fileURLToPath(new URL('./print-bundle.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [program], { maxBuffer: MAX_BUNDLE_BYTES })
  return { code: stdout }
}
