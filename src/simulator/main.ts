import { readSimulatorConfig } from '../config.ts'
import { startProcess } from '../startup/process.ts'
import { startSimulator } from './server.ts'

const { config, log } = startProcess('simulator', readSimulatorConfig)
const simulator = await startSimulator({ config, log })
log.info(simulator.info, 'ready')

let stopping = false
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    // A second signal is no reason to leave requests half done.
    if (stopping) return
    stopping = true
    simulator.close().then(
      () => log.info('stopped'),
      error => {
        log.error({ err: error }, 'could not stop in order')
        process.exitCode = 1
      },
    )
  })
}
