import { startProcess } from '../../src/startup/process.ts'
import { readSimulatorConfig } from './config.ts'
import { startSimulator } from './server.ts'

const { config, log } = startProcess('simulator', readSimulatorConfig)
const simulator = await startSimulator({ config, log })
log.info(simulator.info, 'ready')

let isStopping = false
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    // A second signal must not interrupt running requests.
    if (isStopping) return
    isStopping = true
    simulator.close().then(
      () => log.info('stopped'),
      error => {
        log.error({ err: error }, 'the simulator could not stop cleanly')
        process.exitCode = 1
      },
    )
  })
}
