import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import type { WorkflowBundleOption } from '@temporalio/worker'
import { cacheWorkflowBundle } from './bundle-cache.ts'

/** Far more than the program is (2 MB). */
const MAX_BUNDLE_BYTES = 64 * 2 ** 20

/** Whether the workflows of a bundle are traced. */
export type WorkflowBundleKind = 'plain' | 'traced'

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
