import { resolveTemporalBinary } from '../../packages/dev/binaries/temporal-binary.ts'
import { readLocalConfig } from '../../packages/dev/config.ts'
import { resolveTimeSkippingServer } from './temporal-test-server.ts'

/** Finds, fetches or builds the two Temporal programs once, before anything waits for them with a limit. */
const config = readLocalConfig()
await resolveTemporalBinary({ ...config, print: line => console.info(line) })
await resolveTimeSkippingServer()
