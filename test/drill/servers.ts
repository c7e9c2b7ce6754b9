import { setUpDemo } from '../../src/local/demo.ts'
import { runLocal } from '../../src/local/local.ts'
import { ATTRIBUTES } from '../../src/workflows/ids.ts'

/**
 * The servers of a drill as `npm start` runs them, and an API without a proxy before it, by which the checkers read. The
 * workers are the drill's own.
 */
process.exit(
  await runLocal({
    scripts: {
      simulator: 'src/simulator/main.ts',
      worker: 'test/drill/programs/idle.ts',
      api: 'src/api/main.ts',
    },
    searchAttributes: Object.values(ATTRIBUTES),
    setUpDemo,
    workerPolls: async () => {},
  }),
)
