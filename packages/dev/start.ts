import { SEARCH_ATTRIBUTES } from '../../src/workflows/contracts/search-attributes.ts'
import { runDevStack } from './run.ts'

process.exit(
  await runDevStack({
    scripts: {
      simulator: 'packages/simulator/main.ts',
      demo: 'packages/dev/demo/demo-job.ts',
      worker: 'src/worker.ts',
      api: 'src/server.ts',
    },
    searchAttributes: Object.values(SEARCH_ATTRIBUTES),
  }),
)
