import { bundleWorkflowCode } from '@temporalio/worker'
import { readConfig } from '../../config.ts'
import { startTracing } from '../../tracing/tracing.ts'
import { BUNDLE_OPTIONS } from './bundle-options.ts'

/** Writes the program of all lives to the standard output, for the worker that asked: see bundle.ts. */
const { plugins, stop } = await startTracing(readConfig().otlpUrl, 'worker')
const { code } = await bundleWorkflowCode({ ...BUNDLE_OPTIONS, plugins })
process.stdout.write(code)
await stop()
