import { join } from 'node:path'
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker'
import { cacheWorkflowBundle } from '../../src/workflows/bundle/bundle.ts'
import { BUNDLE_OPTIONS } from '../../src/workflows/bundle/bundle-options.ts'

const INTERCEPTOR_PATH = join(import.meta.dirname, 'local-activity-timeout.ts')

/** The real bundle of all workflows, with another timeout for their local activities. */
export function buildWorkflowBundle(): Promise<WorkflowBundleOption> {
  return cacheWorkflowBundle({
    name: 'test',
    moreFiles: [INTERCEPTOR_PATH],
    async build() {
      const workflowInterceptorModules = [...BUNDLE_OPTIONS.workflowInterceptorModules, INTERCEPTOR_PATH]
      return (await bundleWorkflowCode({ ...BUNDLE_OPTIONS, workflowInterceptorModules })).code
    },
  })
}
