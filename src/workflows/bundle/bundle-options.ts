import { extname, join } from 'node:path'
import { type BundleOptions, DefaultLogger } from '@temporalio/worker'

const workflowsPath = join(import.meta.dirname, `../index${extname(import.meta.filename)}`)
const sharedPath = (module: string) =>
  join(import.meta.dirname, `../shared/${module}${extname(import.meta.filename)}`)

/**
 * Options of Temporal's bundler for the bundle of all workflows. Imported modules are loaded once for all workflows instead
 * of once per cached workflow; this is safe while no module holds state (test/architecture/architecture.test.ts), but for the clock of
 * the worker, which they share.
 */
export const BUNDLE_OPTIONS = {
  workflowsPath,
  workflowInterceptorModules: [sharedPath('local-activity-results')],
  preloadModules: [workflowsPath, sharedPath('worker-clock')],
  logger: new DefaultLogger('WARN'),
} satisfies BundleOptions
