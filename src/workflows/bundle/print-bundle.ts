import { bundleWorkflowCode } from '@temporalio/worker'
import { startTracing } from '../../tracing/tracing.ts'
import { BUNDLE_OPTIONS } from './bundle-options.ts'

/** Writes the bundle of all workflows to the standard output, traced if its argument says so; `bundle.ts` starts it. */
const collectorUrl = process.argv[2] === 'traced' ? 'http://localhost' : undefined // Nothing is sent.
const { plugins, stop } = await startTracing(collectorUrl, 'worker')
const { code } = await bundleWorkflowCode({ ...BUNDLE_OPTIONS, plugins })
process.stdout.write(code)
await stop()
