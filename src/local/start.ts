import { ATTRIBUTES } from '../workflows/ids.ts'
import { setUpDemo } from './demo.ts'
import { runLocal } from './local.ts'
import { workerPolls } from './temporal.ts'

process.exit(
  await runLocal({
    scripts: { simulator: 'src/simulator/main.ts', worker: 'src/worker.ts', api: 'src/api/main.ts' },
    searchAttributes: Object.values(ATTRIBUTES),
    setUpDemo,
    workerPolls,
  }),
)
