import { bundleWorkflowCode } from '@temporalio/worker'
import { readConfig } from '../../config.ts'
import { startTracing } from '../../tracing/tracing.ts'
import { BUNDLE_OPTIONS } from './bundle-options.ts'

/** Writes the bundle of all workflows to the standard output; `bundle.ts` starts this program. */
const { plugins, stop } = await startTracing(readConfig().otlpUrl, 'worker')
const { code } = await bundleWorkflowCode({ ...BUNDLE_OPTIONS, plugins })
process.stdout.write(code)
await stop()
