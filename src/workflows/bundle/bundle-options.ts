import { extname, join } from 'node:path'
import { type BundleOptions, DefaultLogger } from '@temporalio/worker'

const workflowsPath = join(import.meta.dirname, `../index${extname(import.meta.filename)}`)
const localActivityOrderPath = join(
  import.meta.dirname,
  `../shared/local-activity-results${extname(import.meta.filename)}`,
)

/**
 * Options of Temporal's bundler for the bundle of all workflows. Imported modules are loaded once for all workflows instead
 * of once per cached workflow; this is safe while no module holds state (test/architecture/architecture.test.ts).
 */
export const BUNDLE_OPTIONS = {
  workflowsPath,
  workflowInterceptorModules: [localActivityOrderPath],
  preloadModules: [workflowsPath],
  logger: new DefaultLogger('WARN'),
} satisfies BundleOptions
