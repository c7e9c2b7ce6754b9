import { runDevStack } from '../../../packages/dev/run.ts'

/** `npm start` with small programs in place of the product's: the database and Temporal are real. */
process.exit(
  await runDevStack({
    scripts: {
      simulator: 'test/local/programs/simulator.ts',
      demo: 'test/local/programs/demo.ts',
      worker: 'test/local/programs/worker.ts',
      api: 'test/local/programs/api.ts',
    },
    searchAttributes: [{ name: 'TrilhoAccount', type: 'KEYWORD' }],
  }),
)
