import { runDevStack } from '../../packages/dev/run.ts'
import { SEARCH_ATTRIBUTES } from '../../src/workflows/contracts/search-attributes.ts'

/**
 * The servers of a drill as `npm start` runs them, and an API without a proxy before it, which the checkers read. The
 * workers are the drill's own.
 */
process.exit(
  await runDevStack({
    scripts: {
      simulator: 'packages/simulator/main.ts',
      demo: 'packages/dev/demo/demo-job.ts',
      worker: 'test/drill/programs/idle.ts',
      api: 'src/server.ts',
    },
    searchAttributes: Object.values(SEARCH_ATTRIBUTES),
  }),
)
