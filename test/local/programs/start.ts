import type { DemoResult } from '../../../src/dev/demo/demo.ts'
import { runDevStack } from '../../../src/dev/run.ts'

/** `npm start` with small programs in place of the product's: the database and Temporal are real. */
const demoProvider = { uuid: '00000000-0000-4000-8000-000000000001', token: 'trl_test_one' }
const demo: DemoResult = {
  account_uuid: demoProvider.uuid,
  token: 'trl_test',
  providers: {
    PROVIDER_A: demoProvider,
    PROVIDER_B: demoProvider,
    PROVIDER_C: demoProvider,
    PROVIDER_D: demoProvider,
  },
  recipient_accounts: [],
  dashboard: { email: 'merchant@trilho.test', password: 'one' },
  operator: { email: 'operator@trilho.test', password: 'two' },
}

process.exit(
  await runDevStack({
    scripts: {
      simulator: 'test/local/programs/simulator.ts',
      worker: 'test/local/programs/worker.ts',
      api: 'test/local/programs/api.ts',
    },
    searchAttributes: [{ name: 'TrilhoAccount', type: 'KEYWORD' }],
    setUpDemo: async () => demo,
  }),
)
