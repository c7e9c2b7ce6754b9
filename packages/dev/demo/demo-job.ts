import { join } from 'node:path'
import { readServiceConfig } from '../../../src/config.ts'
import { startProcess } from '../../../src/startup/process.ts'
import { readSimulatorConfig } from '../../simulator/config.ts'
import { tryReadJsonFile } from '../env/state-dir.ts'
import { type SimulatorInfo, setUpDemo } from './demo.ts'

/**
 * Sets up the demo account against a simulator that runs already, for `npm start` and `docker compose --profile simulator`:
 * prints what `npm start` writes to `local.json`, the freshly issued tokens included.
 */
const { config } = startProcess('demo', readServiceConfig)
const file = join(readSimulatorConfig().home, 'simulator.json')
const simulator = await tryReadJsonFile<SimulatorInfo>(file)
if (!simulator) throw new Error(`No simulator says where it is in ${file}`)
const demo = await setUpDemo({
  databaseUrl: config.databaseUrl,
  secretKeys: config.secretKeys,
  publicUrl: config.publicUrl,
  simulator,
})
process.stdout.write(`${JSON.stringify(demo, null, 2)}\n`)
