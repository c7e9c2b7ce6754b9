import { readLocalConfig } from '../config.ts'
import { temporalBinary } from './temporal-binary.ts'
import { timeSkippingServer } from './temporal-test-server.ts'

/** Finds, fetches or builds the two Temporal programs once, before anything waits for them with a limit. */
const config = readLocalConfig()
await temporalBinary({ ...config, say: line => console.info(line) })
await timeSkippingServer()
