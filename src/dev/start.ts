import { SEARCH_ATTRIBUTES } from '../workflows/contracts/search-attributes.ts'
import { runDevStack } from './run.ts'

process.exit(
  await runDevStack({
    scripts: {
      simulator: 'src/simulator/main.ts',
      demo: 'src/dev/demo/demo-job.ts',
      worker: 'src/worker.ts',
      api: 'src/server.ts',
    },
    searchAttributes: Object.values(SEARCH_ATTRIBUTES),
  }),
)
