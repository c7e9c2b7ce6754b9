import { fileURLToPath } from 'node:url'
import { type BundleOptions, DefaultLogger } from '@temporalio/worker'

const workflowsPath = fileURLToPath(new URL('../index.ts', import.meta.url))

/**
 * How Temporal's bundler makes one program of all lives. What they import is loaded once for all of them and not again
 * for each that is kept in memory, which is safe as long as no module holds a state (test/architecture.test.ts looks).
 */
export const BUNDLE_OPTIONS = {
  workflowsPath,
  preloadModules: [workflowsPath],
  logger: new DefaultLogger('WARN'),
} satisfies BundleOptions
